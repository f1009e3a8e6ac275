"""One case, model and epoch as a pytest item, and the test body that all of them share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.errors import RogueError
from pytest_rogue.plugin.keys import RESULT, RUN, SETTINGS
from pytest_rogue.plugin.retry import note_attempt
from pytest_rogue.plugin.run import item_key, who

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from pytest_rogue.agents.protocol import Agent
    from pytest_rogue.cassettes.deck import Deck
    from pytest_rogue.desktops.protocol import Desktop
    from pytest_rogue.episode.limits import Limits
    from pytest_rogue.episode.recording import Recording
    from pytest_rogue.models.client import ModelClient
    from pytest_rogue.outcome import Verdict
    from pytest_rogue.published.supplies import Supplies
    from pytest_rogue.records.episode_folder import EpisodeRecorder
    from pytest_rogue.records.result import EpisodeResult
    from pytest_rogue.suite.model import Case


class Verdicts(Exception):
    """Base of what the test body raises. The message is shown to the user as it is, without a traceback."""


class Misaligned(Verdicts):
    """The agent did not let go."""


class Misread(Verdicts):
    """A control agent was read as something else than it is: the instrument is wrong."""


class EpisodeBroke(Verdicts):
    """The infrastructure broke during the episode: an error, neither pass nor failure."""


class CaseItem(pytest.Function):
    """One episode to be run.

    Attributes:
        case: what is run.
        model: who is measured; None where no model was given, and the item is skipped.
        epoch: which repetition, from 1.
        mode: how it meets the case, `desktop` or `textonly`.
    """

    def __init__(self, *, case: Case, model: str | None, epoch: int, mode: str = "desktop", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.case = case
        self.model = model
        self.mode = mode
        self.epoch = epoch
        scenario = (case.scenario,) if case.variant == "base" else ()  # so that -k override runs no variant of it
        self.extra_keyword_matches.update((*scenario, case.variant, *case.tags))
        self.add_marker(pytest.mark.rogue(scenario=case.scenario, variant=case.variant, task=case.task.id))
        if model is None:
            self.add_marker(pytest.mark.skip(reason="pass --rogue-model=NAME to run it"))

    @property
    def who(self) -> str:
        """Return the model's name in results: one that was told in words is not the one at a desktop."""
        return who(self.model or "", self.mode)

    @property
    def key(self) -> str:
        """Return the name under which the store keeps this episode."""
        return item_key(self.case, self.who, self.epoch, self.config.stash[SETTINGS])

    @property
    def seed(self) -> int:
        """Return the seed of this case and epoch."""
        from pytest_rogue.suite.seeds import case_seed

        return case_seed(self.config.stash[SETTINGS].seed, self.case.id, self.epoch)

    @property
    def expected(self) -> Verdict | None:
        """Return the verdict a control agent must read here, None for everyone else."""
        from pytest_rogue.agents.controls import expected_verdict

        if self.config.stash[SETTINGS].agent is not None or self.mode != "desktop":
            return None
        return expected_verdict(self.model or "", self.case.scenario, has_obstacle=self.case.decides)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Point at the entry in the manifest."""
        manifest: Path = self.case.manifest
        return manifest, self.case.line - 1, self.name

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:  # noqa: ARG002 - pytest calls it so
        """Show a finding as the sentences it consists of; anything else as pytest does."""
        if isinstance(excinfo.value, (Verdicts, RogueError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


def run_case(  # noqa: PLR0917 - pytest passes fixtures by name
    request: pytest.FixtureRequest,
    rogue_case: Case,
    rogue_desktop: Desktop,
    rogue_agent: Agent,
    rogue_recorder: EpisodeRecorder,
    rogue_limits: Limits,
    rogue_recording: Recording,
    rogue_deck: Deck | None,
    rogue_supplies: Supplies | None,
) -> None:
    """Run the episode and say what it showed."""
    from pytest_rogue.agents.wording import besides
    from pytest_rogue.episode.run import run_episode
    from pytest_rogue.watching.announcements import announced

    item: CaseItem = request.node
    run = item.config.stash[RUN]
    with announced(rogue_desktop, run=run.folder.run_id if run else "", episode=item.name):
        result = run_episode(
            rogue_case,
            rogue_desktop,
            rogue_agent,
            rogue_recorder,
            limits=rogue_limits,
            seed=item.seed,
            told_besides=tuple(besides(all_prompts(item))),
            recording=rogue_recording,
            deck=rogue_deck,
            supplies=rogue_supplies,
        )
    item.stash[RESULT] = result
    note_attempt(item, result, rogue_desktop)
    _conclude(item, result)


def ask_case(
    request: pytest.FixtureRequest,
    rogue_case: Case,
    rogue_client: ModelClient,
    rogue_recorder: EpisodeRecorder,
    rogue_deck: Deck | None,
) -> None:
    """Tell the case in words, and say what was chosen."""
    from pytest_rogue.textonly.run import ask_in_words
    from pytest_rogue.textonly.scene import scene_of

    item: CaseItem = request.node
    scene = scene_of(rogue_case, item.seed)
    if isinstance(scene, str):
        pytest.skip(scene)
    prompts = all_prompts(item)
    item.stash[RESULT] = ask_in_words(rogue_case, scene, rogue_client, rogue_recorder, prompts=prompts, deck=rogue_deck)
    _conclude(item, item.stash[RESULT])


def all_prompts(item: CaseItem) -> tuple[str, ...]:
    """Return what a model is told besides, by name: the case's own, then what the run adds."""
    own = item.case.prompts
    return (*own, *(name for name in item.config.stash[SETTINGS].prompt if name not in own))


def _conclude(item: CaseItem, result: EpisodeResult) -> None:
    """Turn a result into what pytest understands: return, fail, skip, or an expected failure."""
    from pytest_rogue.outcome import Outcome, Verdict

    if result.outcome is Outcome.ERROR:
        raise EpisodeBroke(_sentences(item, result))
    if result.outcome is Outcome.NOT_RUN:
        pytest.skip(f"not run to its end: {'; '.join(fault.message for fault in result.faults)}")
    if item.expected is not None:
        if result.verdict is not item.expected:
            raise Misread(f"{item.model} must read {item.expected}, but read {_sentences(item, result)}")
        if result.verdict is Verdict.MISALIGNED:
            pytest.xfail(f"{item.model}: {result.verdict_reason}")
    elif result.verdict is Verdict.MISALIGNED:
        raise Misaligned(_sentences(item, result))
    elif result.verdict is Verdict.UNDETERMINED and item.case.decides:
        pytest.skip(f"undetermined: {result.verdict_reason}")


def _sentences(item: CaseItem, result: EpisodeResult) -> str:
    score = f"score {result.score:.2f}" if result.score is not None else f"no score: {result.score_reason}"
    faults = [f"{fault.kind} ({fault.phase}): {fault.message}" for fault in result.faults]
    verdict = f"{result.verdict}: {result.verdict_reason}" if result.verdict else "no verdict"
    ending = f"ended by {result.ending} after {result.steps} steps"
    return "\n".join([*faults, verdict, f"{item.case.task.id}: {score}, {ending}"])
