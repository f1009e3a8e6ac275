"""The pytest glue. Only this room imports pytest; nothing heavy is imported before a scenario item needs it."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.errors import ConfigError, InfraError
from pytest_rogue.plugin import hookspecs
from pytest_rogue.plugin.collection import ManifestFile, PublishedFile
from pytest_rogue.plugin.controller import Controller
from pytest_rogue.plugin.dry_run import DryRun
from pytest_rogue.plugin.experiment import note_of, select
from pytest_rogue.plugin.fixtures import (
    rogue_agent,
    rogue_case,
    rogue_client,
    rogue_deck,
    rogue_desktop,
    rogue_desktop_spec,
    rogue_limits,
    rogue_make_client,
    rogue_pool,
    rogue_provider,
    rogue_recorder,
    rogue_recording,
    rogue_settings,
    rogue_supplies,
)
from pytest_rogue.plugin.item import CaseItem
from pytest_rogue.plugin.judging import Rejudging, check_options, status_of_judgment
from pytest_rogue.plugin.keys import PROVIDER_NOTE, RUN, SETTINGS, SKIPPED_AS
from pytest_rogue.plugin.options import add_options, misspelt_lines, read_settings
from pytest_rogue.plugin.retry import begin_again
from pytest_rogue.plugin.sweeper import Sweeper
from pytest_rogue.plugin.terminal import header_lines, keyword_lines, status_of
from pytest_rogue.published.sniff import is_published_manifest
from pytest_rogue.suite.sniff import is_manifest, variant_of

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    from pytest_rogue.plugin.run import Run
    from pytest_rogue.settings import Settings

__all__ = [
    "rogue_agent",
    "rogue_case",
    "rogue_client",
    "rogue_deck",
    "rogue_desktop",
    "rogue_desktop_spec",
    "rogue_limits",
    "rogue_make_client",
    "rogue_pool",
    "rogue_provider",
    "rogue_recorder",
    "rogue_recording",
    "rogue_settings",
    "rogue_supplies",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Offer the hooks."""
    pluginmanager.add_hookspecs(hookspecs)


def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """Add the packaged scenarios with `--rogue-builtin`."""
    if read_settings(early_config, early_config.known_args_namespace).builtin:
        from pytest_rogue import resources

        try:
            args.append(str(resources.path("scenarios")))
        except ConfigError as error:
            raise pytest.UsageError(str(error)) from None


def pytest_configure(config: pytest.Config) -> None:
    """Resolve the options, and take the part this process has in the run."""
    config.addinivalue_line("markers", "rogue(scenario, variant, task): a case of a manifest, set by the plugin")
    settings = config.stash[SETTINGS] = read_settings(config)
    config.stash[RUN] = None
    worker = getattr(config, "workerinput", None)
    if worker is not None:
        if "rogue" in worker:
            from pytest_rogue.plugin.run import Run

            run = config.stash[RUN] = Run.from_wire(worker["rogue"])
            config.stash[SETTINGS] = replace(settings, provider=run.provider)
    elif _rejudges(settings):
        config.pluginmanager.register(Rejudging(config), "rogue-rejudging")
    elif settings.resume and settings.run_id:
        raise pytest.UsageError("--rogue-run-id names a new run and --rogue-resume an old one: give one of them")
    elif settings.dry_run:
        if not settings.model:
            raise pytest.UsageError("--rogue-dry-run tells what models may cost: add --rogue-model=NAME")
        config.pluginmanager.register(DryRun(config), "rogue-dry-run")
    elif settings.model and not config.option.collectonly:
        _refuse_blind_reruns(config)
        controller = Controller(config)
        config.pluginmanager.register(controller, "rogue-controller")
        config.pluginmanager.register(Sweeper(config, controller.problems), "rogue-sweeper")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Refuse a run that is to be gated, resumed or judged without a model: all would be skipped, and it pass."""
    config = session.config
    if hasattr(config, "workerinput") or config.option.collectonly:
        return
    from pytest_rogue.plugin.preflight import check_something_is_measured

    try:
        check_something_is_measured(config.stash[SETTINGS])
    except ConfigError as error:
        raise pytest.UsageError(str(error)) from None


def _rejudges(settings: Settings) -> bool:
    try:
        check_options(settings)
    except ConfigError as error:
        raise pytest.UsageError(str(error)) from None
    return settings.rejudge is not None


def _refuse_blind_reruns(config: pytest.Config) -> None:
    """A rerun of everything that failed would roll the dice again until each model reads corrigible."""
    if getattr(config.option, "reruns", None) and not getattr(config.option, "only_rerun", None):
        raise pytest.UsageError(
            "--reruns would repeat misaligned verdicts until they come out corrigible; "
            "drop it, or limit it with --only-rerun=EpisodeBroke"
        )


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say what is measured, and which source each option comes from."""
    settings = config.stash[SETTINGS]
    note = config.stash.get(PROVIDER_NOTE, "")
    lines = header_lines(settings, note) if settings.chosen() or note else []
    warnings = [*misspelt_lines(os.environ), *keyword_lines(config.option.keyword, settings.model)]
    return [*lines, *note_of(settings), *warnings]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ManifestFile | None:
    """Collect manifests, those of the published benchmark as they are."""
    if not is_manifest(file_path):
        published = is_published_manifest(file_path)
        return PublishedFile.from_parent(parent, path=file_path) if published else None
    # -k looks at names: that of a variant's file would make `-k override` find every variant of override.
    manifest: ManifestFile = ManifestFile.from_parent(parent, path=file_path)
    manifest.name = variant_of(file_path) or manifest.name
    return manifest


def pytest_report_collectionfinish(config: pytest.Config, items: list[pytest.Item]) -> list[str]:
    """Say how many downloads of published tasks are missing where nothing may be fetched."""
    if not config.stash[SETTINGS].offline:
        return []
    from pytest_rogue.plugin.offline import missing_lines

    return missing_lines(config.stash[SETTINGS], items)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the experiment does not speak of, and what an earlier session of this run has decided."""
    select(config, items)
    run = config.stash[RUN]
    if run is None or not run.finished:
        return
    done = [item for item in items if isinstance(item, CaseItem) and item.key in run.finished]
    if done:
        _plan(run, done)
        decided = set(done)
        items[:] = [item for item in items if item not in decided]
        config.hook.pytest_deselected(items=done)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Write down what is going to be run, so that what never ran can be told."""
    run = session.config.stash[RUN]
    if run is not None:
        _plan(run, session.items)


def _plan(run: Run, items: Sequence[pytest.Item]) -> None:
    from pytest_rogue.records.store import PlannedItem

    planned = [
        PlannedItem(
            key=item.key,
            nodeid=item.nodeid,
            case_id=item.case.id,
            case_hash=item.case.hash,
            task=item.case.task.id,
            scenario=item.case.scenario,
            variant=item.case.variant,
            model=item.who,
            mode=item.mode,
            epoch=item.epoch,
            order=order,
            seed=item.seed,
            expected=str(item.expected) if item.expected else None,
            folder=str(run.folder.episode(item.key).relative_to(run.folder.path)),
            decides=item.case.decides,
        )
        for order, item in enumerate(items)
        if isinstance(item, CaseItem)
    ]
    try:
        run.store.plan(planned)
    except InfraError as error:
        raise pytest.UsageError(str(error)) from None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Do not start what cannot end well: after a dead key or an empty account the rest is not run."""
    run = item.config.stash[RUN]
    if run is None or not isinstance(item, CaseItem):
        return
    reason = run.store.halted()
    if reason:
        from pytest_rogue.outcome import Outcome

        item.stash[SKIPPED_AS] = Outcome.NOT_RUN
        pytest.skip(f"not run: {reason}")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object | None, object | None]:
    """Run an episode that lost its desktop once more."""
    done = yield
    if isinstance(item, CaseItem) and begin_again(item):
        item.ihook.pytest_runtest_protocol(item=item, nextitem=nextitem)
    return done


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let the report of a scenario item carry its result."""
    if not isinstance(item, CaseItem):
        return (yield)
    from pytest_rogue.plugin.reports import make_report

    return (yield from make_report(item, call))


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report: pytest.CollectReport | pytest.TestReport) -> Any:
    """Show the outcome's word and letter."""
    return status_of_judgment(report) or status_of(report)
