"""Judges at the end of a session, or over a finished run: when they are asked, and where pytest shows what they say.

A judgment is a report of its own. It never changes an episode's verdict, nor whether its item passed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.errors import ConfigError, RogueError
from pytest_rogue.plugin.keys import SETTINGS

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.judging.run import JudgingPlan
    from pytest_rogue.plugin.run import Run
    from pytest_rogue.records.run_folder import RunFolder
    from pytest_rogue.settings import Settings

JUDGED = "judged"
"""Category of the reports in pytest's last line."""

INTERRUPTED = "judging was interrupted; what was answered is kept, go on with --rogue-rejudge={}"


def wants_judges(settings: Settings) -> bool:
    """Return True where episodes of this session are to be judged."""
    return settings.judge == "session" or (settings.judge is None and bool(settings.judge_targets))


def check_options(settings: Settings) -> None:
    """Refuse options that contradict each other.

    Raises:
        ConfigError: they do; the message says what to do.
    """
    if (settings.judge == "only" or settings.judge_preflight) and not settings.rejudge:
        option = "--rogue-judge-preflight" if settings.judge_preflight else "--rogue-judge=only"
        raise ConfigError(f"{option} judges a finished run: add --rogue-rejudge=RUN")
    if settings.rejudge and settings.judge == "off":
        raise ConfigError("--rogue-rejudge asks judges and --rogue-judge=off does not: give one of them")


def judging_plan(settings: Settings, report_dir: Path) -> JudgingPlan:
    """Return what the options ask for.

    Raises:
        ConfigError: there is no such judge or target, or its model cannot be reached from here.
    """
    from pytest_rogue.judging.run import check_targets, plan_of

    plan = plan_of(
        report_dir,
        judges=settings.judges,
        targets=settings.judge_targets,
        mode=settings.judge_mode,
        convention=settings.judge_convention,
        screens=settings.judge_screens,
    )
    if not settings.judge_preflight:
        check_targets(plan)
    return plan


def judge_session(config: pytest.Config, run: Run, settings: Settings, problems: list[str]) -> dict[str, Any] | None:
    """Judge the episodes of the session that ends, and return the block for the report; None where there is none.

    Whatever goes wrong here is told in `problems` and costs the report nothing else.
    """
    from pytest_rogue.judging.run import judge_run, recorded_episodes
    from pytest_rogue.plugin.gateway import judges_clients

    try:
        plan = judging_plan(settings, run.folder.path.parent)
        episodes = recorded_episodes(run.folder, screens=plan.screens)
        block = judge_run(run.folder.store, episodes, plan, make_client=judges_clients(run.door) if run.door else None)
    except KeyboardInterrupt:
        problems.append(INTERRUPTED.format(run.folder.run_id))
        return None
    except RogueError as error:
        problems.append(f"not judged: {error}")
        return None
    show_reports(config, block)
    return block


def kept_judgments(run: Run, settings: Settings, problems: list[str]) -> dict[str, Any] | None:
    """Return what judges said of the run before, None where none did: a session that asks none takes nothing away."""
    from pytest_rogue.judging.run import judge_run, plan_of, recorded_episodes, reported_targets

    targets = reported_targets(run.folder)
    if not targets:
        return None
    try:
        plan = plan_of(
            run.folder.path.parent,
            judges=settings.judges,
            targets=targets,
            mode="cache_only",
            convention=settings.judge_convention,
            screens=settings.judge_screens,
        )
        return judge_run(run.folder.store, recorded_episodes(run.folder, screens=plan.screens), plan)
    except RogueError as error:
        problems.append(f"what judges said before is not in the report: {error}")
        return None


def show_reports(config: pytest.Config, block: dict[str, Any]) -> None:
    """Hand each judgment to pytest as a report, which JUnit writes as a test case of its own."""
    for entry in block["episodes"]:
        for when in ("call", "teardown"):
            config.hook.pytest_runtest_logreport(report=_report(entry, when))


def status_of_judgment(report: Any) -> tuple[str, str, str] | None:
    """Return the category of a judgment's report; it has no letter and no word of its own."""
    when = getattr(report, "rogue_judgment", None)
    return None if when is None else (JUDGED if when == "call" else "", "", "")


def _report(entry: dict[str, Any], when: Any) -> pytest.TestReport:
    """Return a report that passes where the judges decided, and is skipped with the reason where they did not."""
    from pytest_rogue.secrets import printable, scrub

    folder = f"judges/{entry['judge']}"
    name = f"{folder}::{entry['nodeid'].rpartition('::')[2]}"
    answer = entry["answer"]
    decided = answer is not None or when == "teardown"
    reason = printable(scrub(entry["reason"]))
    facts = {"judge": entry["judge"], "episode": entry["nodeid"], **(answer or {})}
    report = pytest.TestReport(
        nodeid=name,
        location=(folder, 0, entry["nodeid"]),
        keywords={},
        outcome="passed" if decided else "skipped",
        longrepr=None if decided else (name, 0, f"undetermined: {reason}"),
        when=when,
        user_properties=[(f"rogue.{field}", value) for field, value in facts.items()],
        duration=0.0,
    )
    report.rogue_judgment = when  # type: ignore[attr-defined]
    return report


class Rejudging:
    """Registered in the place of the controller where a finished run is judged: nothing is collected, nothing runs."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._settings: Settings = config.stash[SETTINGS]
        self._lines: list[str] = []
        if getattr(config.option, "dist", "no") != "no":
            config.option.dist = "no"  # there is nothing for workers of xdist to do

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        """Collect nothing."""
        session.items = []
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> bool:
        """Judge, or say what judging would cost."""
        try:
            self._lines = self._judge()
        except RogueError as error:
            raise pytest.UsageError(str(error)) from None
        return True

    def _judge(self) -> list[str]:
        from pytest_rogue.judging.run import preflight
        from pytest_rogue.judging.source import judgeable
        from pytest_rogue.judging.table import coverage_lines

        settings = self._settings
        where = self._config.invocation_params.dir / settings.report_dir
        plan = judging_plan(settings, where)
        source = judgeable(str(settings.rejudge), where, screens=plan.screens)
        if settings.judge_preflight:
            return coverage_lines(preflight(source.store, source.episodes, plan))
        return self._judge_and_report(source.folder, source.episodes, plan)

    def _judge_and_report(self, folder: RunFolder, episodes: Any, plan: JudgingPlan) -> list[str]:
        from pytest_rogue.judging.run import judge_run, rewrite_report
        from pytest_rogue.judging.table import judgment_lines
        from pytest_rogue.plugin.budget import check_prices
        from pytest_rogue.plugin.gateway import judges_clients, open_gateway
        from pytest_rogue.records.run_lock import RunLock

        asked = [target.model for target in plan.targets if not target.is_rules]
        check_prices(self._settings, asked)
        with RunLock(folder.path), open_gateway(self._settings, folder, at_once=False) as gateway:
            block = judge_run(folder.store, episodes, plan, make_client=judges_clients(gateway.door))
            rewrite_report(folder, block)
        show_reports(self._config, block)
        return [*judgment_lines(block), f"report:   {folder.report}"]

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A session that judged is a good one, though no test ran."""
        if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK

    @pytest.hookimpl(tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print what the judges say."""
        terminalreporter.ensure_newline()
        terminalreporter.section(f"rogue judges on {self._settings.rejudge}", "=")
        for line in self._lines:
            terminalreporter.write_line(line)
