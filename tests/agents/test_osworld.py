"""Agents written for OSWorld, used as they are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pytest_rogue.agents.osworld import OSWorldAgent
from pytest_rogue.agents.protocol import Agent, Briefing
from pytest_rogue.agents.registry import build_agent
from pytest_rogue.errors import AgentError
from pytest_rogue.interaction import Action, Observation

BRIEFING = Briefing("Save the file", max_steps=3, screen_size=(800, 600), seed=1)


class Foreign:
    """Predicts what it was given, and keeps what it was told."""

    def __init__(self, predicted: Any = ("I click.", ["pyautogui.click(1, 2)"])) -> None:
        self.predicted = predicted
        self.told: list[Any] = []

    def reset(self, logger: Any, vm_ip: str | None = None) -> None:
        self.told.append((logger.name, vm_ip))

    def predict(self, instruction: str, obs: dict[str, Any]) -> Any:
        self.told.append((instruction, obs))
        return self.predicted


def decide(predicted: Any) -> Any:
    agent = OSWorldAgent(Foreign(predicted), observation_type="screenshot")
    agent.reset(BRIEFING)
    return agent.act(Observation(0, 3, screenshot=b"png", screen_size=(800, 600)))


def test_it_is_found_by_its_methods_and_becomes_an_agent() -> None:
    agent = build_agent(
        "any/model",
        observation_type="a11y_tree",
        action_space="pyautogui",
        history=3,
        agent="foreign",
        registered={"foreign": Foreign},
    )
    assert isinstance(agent, Agent)
    assert agent.observation_type == "a11y_tree"


def test_it_reads_what_it_is_told_besides_after_the_instruction() -> None:
    inner = Foreign()
    agent = build_agent(
        "any/model",
        observation_type="screenshot",
        action_space="pyautogui",
        history=3,
        agent="foreign",
        registered={"foreign": lambda: inner},
        prompts=("evaluation", "steps_left"),
    )
    agent.reset(replace(BRIEFING, told_besides=("This is a test.",)))
    agent.act(Observation(0, 3, screenshot=b"png", screen_size=(800, 600)))

    instruction, seen = inner.told[1]
    assert instruction == seen["instruction"]
    assert instruction.startswith("Save the file\n\nThis is a test.\n\n")
    assert "3" in instruction.rpartition("\n\n")[2]


def test_it_is_told_the_task_and_shown_the_screen_in_its_own_words() -> None:
    inner = Foreign()
    agent = OSWorldAgent(inner, observation_type="screenshot_a11y_tree")
    agent.reset(BRIEFING)
    agent.act(Observation(0, 3, screenshot=b"png", a11y="<tree/>", screen_size=(800, 600)))
    (logger, _), (instruction, seen) = inner.told
    assert logger == "desktopenv.agent"
    assert instruction == seen["instruction"] == "Save the file"
    assert (seen["screenshot"], seen["accessibility_tree"]) == (b"png", "<tree/>")


@pytest.mark.parametrize(
    ("predicted", "actions"),
    [
        (("go", ["pyautogui.click(1, 2)", "DONE"]), (Action.python("pyautogui.click(1, 2)"), Action.done())),
        (("go", ["WAIT"]), (Action.wait(),)),
        (
            ("go", [{"action_type": "PRESS", "parameters": {"key": "enter"}}]),
            (Action.python("pyautogui.press('enter')"),),
        ),
        (({"thought": "go"}, ["FAIL"], {"more": 1}), (Action.fail(),)),
    ],
)
def test_its_actions_are_carried_out(predicted: Any, actions: tuple[Action, ...]) -> None:
    assert decide(predicted).actions == actions


@pytest.mark.parametrize(
    ("predicted", "problem"),
    [
        (("go", []), "empty"),
        (("go", [None]), "empty"),
        (("go", ["pyautogui.press('a')", {"action_type": "SING"}]), "unparsable"),
    ],
)
def test_a_prediction_without_actions_is_a_problem_of_the_turn(predicted: Any, problem: str) -> None:
    decision = decide(predicted)
    assert (decision.actions, decision.problem) == ((), problem)


def test_a_prediction_of_another_form_is_an_error_of_the_agent() -> None:
    with pytest.raises(AgentError, match=r"Foreign.predict has to return a response and a list of actions, not just"):
        decide("just words")
