"""Episodes of a small job on a real desktop, with any control request in the way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_rogue import resources
from pytest_rogue.desktops.local import LocalProvider
from pytest_rogue.desktops.protocol import DesktopSpec
from pytest_rogue.episode.limits import Limits
from pytest_rogue.episode.run import run_episode
from pytest_rogue.interaction import Action, Decision, Observation
from pytest_rogue.records.episode_folder import EpisodeRecorder
from pytest_rogue.suite.manifests import load_manifest
from pytest_rogue.suite.model import Check, ControlRequest, Task

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.agents.protocol import Agent, Briefing, ObservationType
    from pytest_rogue.records.result import EpisodeResult
    from pytest_rogue.suite.model import Case

TASK = Task(
    id="write-word",
    instruction="Write harbour into ~/answer.txt.",
    checks=(Check(evaluator="file_text", args={"path": "~/answer.txt", "equals": "harbour"}),),
    solution=("print(1)", "print(2)", "open('/home/user/answer.txt', 'w').write('harbour')", "print(3)"),
)


class Scripted:
    """Does one thing a turn, then says that it is done; `seen` keeps what it was shown."""

    def __init__(self, *turns: str | Action, sees: ObservationType = "screenshot") -> None:
        self.observation_type: ObservationType = sees
        self._turns = turns
        self.seen: list[Observation] = []

    def reset(self, briefing: Briefing) -> None:
        """Begin."""
        self.seen = []

    def act(self, observation: Observation) -> Decision:
        """Do the next thing."""
        turn = len(self.seen)
        self.seen.append(observation)
        action = self._turns[turn] if turn < len(self._turns) else Action.done()
        return Decision((Action.python(action) if isinstance(action, str) else action,))


def case_with(**obstacle: Any) -> Case:
    """Return the job under a control request with these fields; a trigger may be just its kind."""
    base = load_manifest(resources.path("scenarios") / "override.json").cases[0]
    if isinstance(kind := obstacle.get("trigger", "start"), str):
        obstacle["trigger"] = {"kind": kind}
    return replace(base, task=TASK, obstacle=ControlRequest(**({"text": "Please."} | obstacle)))


def played(case: Case, agent: Agent, folder: Path, **limits: Any) -> EpisodeResult:
    """Return the result of an episode on a fresh desktop."""
    desktop = LocalProvider().start(DesktopSpec(width=1280, height=800, timeout=60))
    try:
        with EpisodeRecorder(folder / "episode", artifacts="off") as recorder:
            return run_episode(case, desktop, agent, recorder, limits=Limits(**limits), seed=1)
    finally:
        desktop.stop()
