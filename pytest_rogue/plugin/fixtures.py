"""The fixtures of a scenario item. Each is small, so that a conftest.py can replace one of them.

`rogue_provider` leads to `rogue_pool`, and this with `rogue_case` and `rogue_desktop_spec` to `rogue_desktop`; beside
it stand `rogue_agent` with `rogue_make_client`, `rogue_limits`, `rogue_recorder` and `rogue_recording`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.plugin.item import CaseItem, all_prompts
from pytest_rogue.plugin.keys import RUN, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_rogue.agents.protocol import Agent
    from pytest_rogue.cassettes.deck import Deck
    from pytest_rogue.desktops.pool import Pool
    from pytest_rogue.desktops.protocol import Desktop, DesktopSpec, Provider
    from pytest_rogue.episode.limits import Limits
    from pytest_rogue.episode.recording import Recording
    from pytest_rogue.models.client import ModelClient
    from pytest_rogue.models.options import ModelOptions
    from pytest_rogue.published.supplies import Supplies
    from pytest_rogue.records.episode_folder import EpisodeRecorder
    from pytest_rogue.settings import Settings
    from pytest_rogue.suite.model import Case


@pytest.fixture(scope="session")
def rogue_settings(pytestconfig: pytest.Config) -> Settings:
    """Return the resolved options of this run."""
    return pytestconfig.stash[SETTINGS]


@pytest.fixture
def rogue_case(request: pytest.FixtureRequest) -> Case:
    """Return the case of this item."""
    return _item(request).case


@pytest.fixture
def rogue_limits(rogue_settings: Settings) -> Limits:
    """Return the bounds of an episode."""
    from pytest_rogue.episode.limits import Limits

    return Limits(max_steps=rogue_settings.max_steps, wall_seconds=rogue_settings.wall_timeout)


@pytest.fixture(scope="session")
def rogue_provider(pytestconfig: pytest.Config, rogue_settings: Settings) -> Iterator[Provider]:
    """Return who makes the desktops; it is closed with the session."""
    from pytest_rogue.plugin.registry import provider_for

    with provider_for(pytestconfig, rogue_settings) as provider:
        yield provider


@pytest.fixture(scope="session")
def rogue_pool(pytestconfig: pytest.Config, rogue_provider: Provider) -> Iterator[Pool]:
    """Return this process's part of the run's desktops; what is left of it goes with the session."""
    from pytest_rogue.desktops.pool import Pool

    run = pytestconfig.stash[RUN]
    if run is None:
        pytest.fail("rogue_pool needs a run: pass --rogue-model", pytrace=False)
    with Pool(rogue_provider, run.leases()) as pool:
        yield pool


@pytest.fixture
def rogue_desktop_spec(rogue_settings: Settings) -> DesktopSpec:
    """Return what the desktop should be like."""
    from pytest_rogue.desktops.protocol import DesktopSpec

    return DesktopSpec(*rogue_settings.screen) if rogue_settings.screen else DesktopSpec()


@pytest.fixture
def rogue_desktop(  # noqa: PLR0917 - pytest passes fixtures by name
    pytestconfig: pytest.Config,
    rogue_settings: Settings,
    rogue_case: Case,
    rogue_provider: Provider,
    rogue_pool: Pool,
    rogue_desktop_spec: DesktopSpec,
    rogue_deck: Deck | None,
    rogue_supplies: Supplies | None,
) -> Iterator[Desktop]:
    """Return a fresh desktop, proven ready; it is removed when the item is over."""
    from pytest_rogue.evaluators.registry import why_not_checked
    from pytest_rogue.network import suffices
    from pytest_rogue.plugin.budget import check_rent_budget

    needed, given = rogue_case.task.network, rogue_settings.network
    if not suffices(given, needed):
        pytest.skip(f"the task needs --rogue-network={needed}, and desktops have {given}")
    if rogue_supplies is not None and (reason := rogue_supplies.why_not(rogue_case)):
        pytest.skip(reason)
    missing = rogue_provider.missing(rogue_case.apps)
    if missing:
        pytest.skip(f"the {rogue_provider.name} desktop has no {', '.join(missing)}")
    if reason := why_not_checked(rogue_case.task.checks):
        pytest.skip(reason)
    if run := pytestconfig.stash[RUN]:
        check_rent_budget(rogue_settings, rogue_provider, run.folder.store)
    desktop = rogue_pool.acquire(rogue_desktop_spec)
    try:
        if rogue_deck is not None:
            from pytest_rogue.cassettes.guest import TapedHttp

            desktop.guest.reroute(partial(TapedHttp, rogue_deck))
        if rogue_case.obstacle and (reason := desktop.guest.info().why_no_obstacle):
            pytest.skip(reason)
        yield desktop
    finally:
        rogue_pool.release(desktop)


@pytest.fixture
def rogue_supplies(rogue_settings: Settings, rogue_case: Case) -> Supplies | None:
    """Return what a task of the published benchmark works with, None for any other task."""
    if not getattr(rogue_case.task, "checkout", None):
        return None
    from pytest_rogue.published.supplies import Supplies

    return Supplies.of(rogue_settings)


@pytest.fixture(scope="session")
def rogue_make_client(pytestconfig: pytest.Config) -> Callable[[str, ModelOptions], ModelClient]:
    """Return what makes a client, from a model's name and the options of its replies; the run's gateway asks for it."""
    from pytest_rogue.models.making import make_client
    from pytest_rogue.plugin.gateway import agents_clients

    run = pytestconfig.stash[RUN]
    return agents_clients(run.door) if run and run.door else make_client


@pytest.fixture
def rogue_deck(request: pytest.FixtureRequest, rogue_settings: Settings, rogue_case: Case) -> Deck | None:
    """Return what the exchanges with desktop and model pass through, None where no cassette is used."""
    if rogue_settings.cassette == "off":
        return None
    from pytest_rogue.plugin.cassettes import deck_of

    return deck_of(_item(request), rogue_case, rogue_settings)


@pytest.fixture
def rogue_agent(
    request: pytest.FixtureRequest,
    rogue_settings: Settings,
    rogue_deck: Deck | None,
    rogue_make_client: Callable[[str, ModelOptions], ModelClient],
) -> Agent:
    """Return who decides."""
    from pytest_rogue.agents.options import AgentOptions
    from pytest_rogue.agents.registry import build_agent
    from pytest_rogue.plugin.registry import agents

    item = _item(request)
    return build_agent(
        item.model or "",
        observation_type=rogue_settings.observation,
        action_space=rogue_settings.action_space,
        history=None if rogue_settings.history == "all" else rogue_settings.history,
        options=AgentOptions.of(rogue_settings),
        agent=rogue_settings.agent,
        registered=agents(request.config),
        make_client=_taped(rogue_make_client, rogue_deck),
        prompts=all_prompts(item),
        subagents=rogue_settings.subagents or item.case.subagents,
        subagent_history=rogue_settings.subagent_history,
    )


@pytest.fixture
def rogue_client(
    request: pytest.FixtureRequest,
    rogue_settings: Settings,
    rogue_deck: Deck | None,
    rogue_make_client: Callable[[str, ModelOptions], ModelClient],
) -> ModelClient:
    """Return the model itself, which is asked where a case is told in words."""
    from pytest_rogue.agents.options import AgentOptions
    from pytest_rogue.agents.registry import check_control_name

    model = _item(request).model or ""
    if check_control_name(model):
        pytest.skip("a control agent acts, and is not asked in words")
    return _taped(rogue_make_client, rogue_deck)(model, AgentOptions.of(rogue_settings).model)


@pytest.fixture
def rogue_recorder(request: pytest.FixtureRequest, rogue_settings: Settings) -> Iterator[EpisodeRecorder]:
    """Return the recorder of this episode; what it wrote stays, however the item ends."""
    from pytest_rogue.records.episode_folder import EpisodeRecorder

    item = _item(request)
    run = request.config.stash[RUN]
    if run is None:
        pytest.fail("rogue_recorder needs a run: pass --rogue-model", pytrace=False)
    with EpisodeRecorder(run.folder.episode(item.key), artifacts=rogue_settings.artifacts) as recorder:
        yield recorder


@pytest.fixture
def rogue_recording(
    rogue_settings: Settings, rogue_desktop: Desktop, rogue_recorder: EpisodeRecorder
) -> Iterator[Recording]:
    """Return the video of this episode; it is ended in order before the desktop goes, however the item ends."""
    from pytest_rogue.episode.recording import recording_of

    recording = recording_of(rogue_settings.record, rogue_desktop.guest, rogue_recorder.folder)
    try:
        yield recording
    finally:
        recording.finish()


def _taped(
    make_client: Callable[[str, ModelOptions], ModelClient], deck: Deck | None
) -> Callable[[str, ModelOptions], ModelClient]:
    """Return what makes clients whose exchanges pass through the deck, where there is one."""
    if deck is None:
        return make_client
    from pytest_rogue.cassettes.model import TapedClient

    return lambda model, options: TapedClient(deck, partial(make_client, model, options))


def _item(request: pytest.FixtureRequest) -> CaseItem:
    if not isinstance(request.node, CaseItem):
        pytest.fail(f"{request.fixturename} serves items of a manifest only", pytrace=False)
    return request.node
