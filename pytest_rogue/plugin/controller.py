"""The controller's side of a run: it alone owns the run folder, stores results as they arrive, and writes the report.

Under xdist it never collects and never runs a fixture; without xdist it is the same process as the one worker.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.errors import RogueError
from pytest_rogue.outcome import Outcome
from pytest_rogue.plugin.gates import (
    check_gates,
    closed_gates,
    exit_status,
    is_measured_misalignment,
    remarks_on_baseline,
)
from pytest_rogue.plugin.keys import PROVIDER_NOTE, RUN, SETTINGS
from pytest_rogue.plugin.retry import RETRIED

if TYPE_CHECKING:
    from pytest_rogue.models.gateway_keeper import GatewayKeeper
    from pytest_rogue.plugin.run import Run
    from pytest_rogue.records.run_folder import RunFolder
    from pytest_rogue.settings import Settings


class Controller:
    """Registered on the controller only, where a model was named and items are to be run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._settings: Settings = config.stash[SETTINGS]
        self._session: pytest.Session | None = None
        self._lock: Any = None
        self._gateway: GatewayKeeper | None = None
        self._by_nodeid: dict[str, str] = {}
        self._arrived: set[str] = set()
        self._passed: set[str] = set()
        self.report: dict[str, Any] | None = None
        self.problems: list[str] = []
        self._tests_failed = False
        self.remarks: list[str] = []

    # --- before the first item

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Check what can be checked before anything is paid for, then open the run folder."""
        from pytest_rogue.plugin.preflight import check_run

        self._session = session
        try:
            self.remarks += check_gates(self._settings)
            self._settle_provider()
            check_run(self._config, self._settings)
            self._open_run()
        except RogueError as error:
            raise pytest.UsageError(str(error)) from None

    def _settle_provider(self) -> None:
        """Put a provider's name in the place of `auto`: it is one of the conditions of the run."""
        from pytest_rogue.plugin.auto_provider import AUTO, choose_provider

        if "desktop" not in self._settings.mode:
            self._settings = self._config.stash[SETTINGS] = replace(self._settings, provider="none")
        elif self._settings.cassette == "replay":
            from pytest_rogue.cassettes.provider import NAME

            self._settings = self._config.stash[SETTINGS] = replace(self._settings, provider=NAME)
        elif self._settings.provider == AUTO:
            name, self._config.stash[PROVIDER_NOTE] = choose_provider(self._settings)
            self._settings = self._config.stash[SETTINGS] = replace(self._settings, provider=name)

    def _open_run(self) -> None:
        from pytest_rogue.plugin.pool_size import pool_size
        from pytest_rogue.plugin.run import Run, same_conditions
        from pytest_rogue.records.resume import finished
        from pytest_rogue.records.run_folder import RunFolder, new_run_id
        from pytest_rogue.records.run_lock import RunLock
        from pytest_rogue.records.store import RunStore

        settings = self._settings
        where = self._config.invocation_params.dir / settings.report_dir
        folder: RunFolder
        if settings.resume:
            named = Path(settings.resume)
            folder = RunFolder.open(named if named.parent.name else where / named)
        else:
            folder = RunFolder.create(where, settings.run_id or new_run_id())
        self._lock = RunLock(folder.path)
        self._lock.acquire()
        store = RunStore(folder.store)
        store.clear_halt()
        same_conditions(store, settings)
        if store.get_meta("started") is None:
            store.set_meta("started", datetime.now(UTC).isoformat(timespec="seconds"))
        done = frozenset(key for key, result in store.results().items() if finished(result))
        self._gateway = self._open_gateway(folder, where)
        self._config.stash[RUN] = Run(
            *(folder, store, done, settings.provider, pool_size(self._config, settings)),
            door=self._gateway.door if self._gateway else None,
        )
        folder.set_report_aside()

    def _open_gateway(self, folder: RunFolder, report_dir: Path) -> GatewayKeeper | None:
        """Start what asks models, where any is to be asked. From then on no process that is started has their keys."""
        from pytest_rogue.plugin.gateway import agents_models, judges_models, open_gateway, withdraw_keys

        measured, judging = agents_models(self._settings), judges_models(self._settings, report_dir)
        if not (measured or judging or self._settings.agent):
            return None
        gateway = open_gateway(self._settings, folder, at_once=bool(measured))
        withdraw_keys(self._config, self._settings, (*measured, *judging))
        return gateway

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker of xdist which run it takes part in."""
        run = self._config.stash[RUN]
        if run is not None:
            node.workerinput["rogue"] = run.to_wire()

    # --- while items are collected, and run

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that cannot be collected is a failure that no gate may pardon."""
        self._tests_failed |= report.failed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Store what a report carries at once, so that nothing is lost with the session."""
        run = self._config.stash[RUN]
        if run is None:
            return
        self._tests_failed |= report.failed and not is_measured_misalignment(report)
        try:
            self._take(report, run)
        except RogueError as error:
            self._stop(str(error))

    def _take(self, report: pytest.TestReport, run: Run) -> None:
        carried = getattr(report, "rogue", None)
        if carried is not None and "result" in carried:
            if report.passed:
                self._passed.add(carried["key"])
            self._halt_if_hopeless(carried["result"])
            if carried["result"]["outcome"] == Outcome.NOT_RUN:
                return
            run.store.record(carried["key"], carried["result"])
            if report.outcome == RETRIED:
                self.remarks.append(f"run again on a fresh desktop: {report.nodeid}: {_why(carried['result'])}")
                return
            self._arrived.add(carried["key"])
        elif carried is not None:
            self._add_fault(carried["key"], carried["teardown_fault"])
        elif report.when not in ("setup", "call", "teardown") and report.failed:
            key = self._key_of(report.nodeid)
            if key:
                self._crashed(key, str(report.longrepr))

    def _stop(self, reason: str) -> None:
        """Let nothing more be started: what cannot be stored would be lost."""
        if reason not in self.problems:
            self.problems.append(reason)
        for loop in (self._session, self._config.pluginmanager.get_plugin("dsession")):
            if loop is not None:
                loop.shouldstop = reason

    def _halt_if_hopeless(self, result: dict[str, Any]) -> None:
        for fault in result["faults"]:
            if fault["ends_run"]:
                self._config.stash[RUN].store.halt(f"{fault['kind']}: {fault['message']}")  # type: ignore[union-attr]

    def _crashed(self, key: str, message: str) -> None:
        from pytest_rogue.interaction import Usage
        from pytest_rogue.records.result import EpisodeResult, Fault

        run = self._config.stash[RUN]
        assert run is not None  # noqa: S101 - the caller has looked
        if key in self._arrived:
            # The result had arrived; the worker died while it cleaned up.
            self._add_fault(key, {"kind": "WorkerCrashed", "message": message, "phase": "teardown"})
            return
        fault = Fault("WorkerCrashed", message, "episode")
        result = EpisodeResult(
            outcome=Outcome.CRASHED, faults=(fault,), score_reason="the worker crashed", usage=Usage(cost=None)
        )
        run.store.record(key, result.to_dict())

    def _add_fault(self, key: str, fault: dict[str, Any]) -> None:
        """Flag a stored result: its verdict and score were measured before and stand."""
        run = self._config.stash[RUN]
        assert run is not None  # noqa: S101 - the caller has looked
        result = run.store.results().get(key)
        if result is not None:
            result["faults"] = [*result["faults"], {"ends_run": False, **fault}]
            result["outcome"] = str(Outcome.ERROR)
            run.store.record(key, result, attempt=result.pop("attempt"))

    def _key_of(self, nodeid: str) -> str | None:
        if not self._by_nodeid:
            run = self._config.stash[RUN]
            self._by_nodeid = {item.nodeid: item.key for item in run.store.current()} if run else {}
        return self._by_nodeid.get(nodeid)

    # --- after the last item

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the report, and let the exit status say what the tests alone do not. It is raised, never lowered."""
        from pytest_rogue.plugin.closing import close_run

        run = self._config.stash[RUN]
        if run is None:
            return
        self._put_keys_back()
        try:
            if not run.store.planned():
                return
            judgments = self._judge(run, session)
            closing = close_run(self._config, run, self._settings, frozenset(self._passed), judgments)
        except RogueError as error:
            self._stop(str(error))
            session.exitstatus = pytest.ExitCode.INTERRUPTED
            return
        self.report = closing.report
        self.problems += closing.problems
        nothing_left = session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and run.finished
        if session.exitstatus == pytest.ExitCode.OK or nothing_left:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED if closing.must_fail else pytest.ExitCode.OK
        gates = closed_gates(closing.report, self._settings)
        self.problems += [gate.sentence for gate in gates]
        self.remarks += remarks_on_baseline(closing.report, self._settings)
        sound = not (self._tests_failed or closing.unsound)
        session.exitstatus = exit_status(session.exitstatus, gates, self._settings, otherwise_sound=sound)

    def _judge(self, run: Run, session: pytest.Session) -> dict[str, Any] | None:
        """Ask the judges after the last episode; a session that was cut short is judged when it is whole."""
        from pytest_rogue.plugin.judging import judge_session, kept_judgments, wants_judges

        if not wants_judges(self._settings):
            return kept_judgments(run, self._settings, self.problems)
        if session.exitstatus == pytest.ExitCode.INTERRUPTED:
            self.problems.append(f"not judged: the run was cut short; --rogue-rejudge={run.folder.run_id} judges it")
            return kept_judgments(run, self._settings, self.problems)
        return judge_session(self._config, run, self._settings, self.problems)

    @pytest.hookimpl(tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the numbers and where everything lies."""
        from pytest_rogue.plugin.terminal import write_summary

        run = self._config.stash[RUN]
        if run is not None and (self.report or self.problems):
            junit = getattr(self._config.option, "xmlpath", None)
            said = [(remark, "yellow") for remark in self.remarks] + [(problem, "red") for problem in self.problems]
            write_summary(terminalreporter, self.report, run.folder, Path(junit) if junit else None, said)

    def pytest_unconfigure(self) -> None:
        """Let go of the run folder; one in which nothing was planned goes away."""
        self._close_gateway()
        run = self._config.stash[RUN]
        if run is None:
            return
        with suppress(RogueError):  # a store that cannot be read is not unused
            if not run.store.planned() and not self._settings.resume:
                shutil.rmtree(run.folder.path)  # it was made by this run, or was empty
        run.store.close()
        self._lock.release()

    def _close_gateway(self) -> None:
        """End what asks models, also where the run never began."""
        if self._gateway is not None:
            self._gateway.close()
            self._put_keys_back()

    def _put_keys_back(self) -> None:
        """Give the environment its keys again: no worker is started any more."""
        from pytest_rogue.secrets import put_back

        put_back()


def _why(result: dict[str, Any]) -> str:
    return "; ".join(fault["message"] for fault in result["faults"])
