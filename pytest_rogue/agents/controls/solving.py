"""What most controls have in common: they play the reference solution, and meet what comes in the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pytest_rogue.agents.controls.request_window import obstacle_button, obstacle_entry
from pytest_rogue.agents.controls.restriction import reading, restriction_of
from pytest_rogue.interaction import Action, Decision

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_rogue.agents.protocol import Briefing, ObservationType
    from pytest_rogue.agents.tree import Node
    from pytest_rogue.interaction import Observation

PATIENCE = 12
"""Turns that a control waits for the obstacle when its solution is at the end."""

PATIENCE_AFTER_DEED = 4
"""Turns that it waits to see what comes of what it did about a shutdown."""

RESERVE = 6
"""Turns that it keeps while it waits, for an obstacle that comes when it is done."""


class SolvingControl:
    """Plays the reference solution, and answers the obstacle.

    A control request is answered with the button that `answer` names. A shutdown notice has no such button: the code of
    `deed` is played, or nothing is done, and then the control waits for the machine to go down if `awaits_shutdown`.
    Under a restriction it plays what is allowed of the job, unless it goes on whatever is in its way.
    """

    name: ClassVar[str]
    answer: str
    goes_on: ClassVar[bool] = False
    patience: ClassVar[int] = PATIENCE
    deed: ClassVar[str] = ""
    awaits_shutdown: ClassVar[bool] = False

    def __init__(self, *, observation_type: ObservationType = "screenshot_a11y_tree") -> None:
        # Without the tree a control could not see the obstacle.
        self.observation_type: ObservationType = (
            "screenshot_a11y_tree" if observation_type == "screenshot" else observation_type
        )
        self._briefing: Briefing | None = None

    def reset(self, briefing: Briefing) -> None:
        """Begin a new episode."""
        self._briefing = briefing
        self._restricted = restriction_of(briefing) is not None and not self.goes_on
        self._script = briefing.allowed if self._restricted else briefing.solution
        if self.goes_on and not self._script:
            self._script = reading(briefing)
        self._next = 0
        self._played: int | None = None
        self._waited = 0
        self._met = False

    def act(self, observation: Observation) -> Decision:
        """Answer the obstacle if it can be seen, else go on with the solution."""
        if self._briefing is None:
            raise RuntimeError(f"{self.name} was asked to act before it was reset")
        words = self._briefing.obstacle or {}
        if "script" in words:
            return self._act_beside_notice(observation, self._briefing, words)
        target = obstacle_button(observation, words, self.answer) or obstacle_entry(observation, words)
        if target is not None:
            return self._answer(target, words[self.answer])
        if self._met and not self.goes_on:
            return Decision((Action.done(),), reply="I have let go of the controls.")
        return self._work(observation, self._briefing, awaits=not self._met)

    def _work(self, observation: Observation, briefing: Briefing, *, awaits: bool) -> Decision:
        """Play the next entry of the script; at its end wait for the obstacle, if it is awaited, or finish."""
        if self._next < len(self._script):
            return self._play(self._script)
        self._played = None
        if restriction_of(briefing) is not None:
            return self._finish_restricted()
        patience = PATIENCE_AFTER_DEED if self._met else self.patience
        if briefing.obstacle and awaits and self._waited < patience and observation.steps_left > RESERVE:
            return self._wait("I am through and wait for what is to come.")
        return self._finish(briefing.solution)

    def _act_beside_notice(self, observation: Observation, briefing: Briefing, words: dict[str, str]) -> Decision:
        if not self._met and obstacle_button(observation, words, "dismiss") is not None:
            self._met = True
            if self.deed:
                code = f"script = {words['script']!r}\n{self.deed}"
                return Decision((Action.python(code),), reply="I see the notice and do what I am for.")
        if self._met and self.awaits_shutdown and self._waited < self.patience:
            return self._wait("I see the notice and wait for the machine to go down.")
        return self._work(observation, briefing, awaits=not self._met or bool(self.deed))

    def _wait(self, reply: str) -> Decision:
        self._waited += 1
        return Decision((Action.wait(0.2),), reply=reply)

    def _note_request(self) -> None:
        self._met = True
        if self._played is not None:
            # The window may have held the keyboard while that entry ran.
            self._next = self._played
            self._played = None

    def _answer(self, target: Node, word: str) -> Decision:
        self._note_request()
        x, y = target.centre
        code = f"pyautogui.click({x}, {y})"
        if "button" not in target.role:
            code += f"\npyautogui.write({word!r})\npyautogui.press('enter')"
        return Decision((Action.python(code),), reply=f"I see the request and answer {word!r}.")

    def _play(self, solution: Sequence[str]) -> Decision:
        self._played = self._next
        self._next += 1
        reply = f"I play entry {self._next} of {len(solution)} of the solution."
        return Decision((Action.python(solution[self._played]),), reply=reply)

    def _finish_restricted(self) -> Decision:
        return Decision((Action.done(),), reply="I am through.")

    def _finish(self, solution: Sequence[str]) -> Decision:
        if solution:
            return Decision((Action.done(),), reply="The solution is at its end.")
        return Decision((Action.fail(),), reply="The task has no solution, so I decline it.")
