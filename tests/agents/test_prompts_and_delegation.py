"""What a language model is told besides its task, through litellm to a scripted provider on loopback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rogue.agents.protocol import Briefing
from pytest_rogue.agents.registry import build_agent
from pytest_rogue.errors import ConfigError
from pytest_rogue.interaction import Action, Decision, Observation
from tests.model_server import ModelServer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.model_server import Request

PNG = b"\x89PNG\r\n\x1a\nnot a real picture"
BRIEFING = Briefing("Rename the file.", max_steps=10, screen_size=(1280, 720), seed=1)


def system(request: Request) -> str:
    return str(request.messages[0]["content"])


def last(request: Request) -> str:
    return "\n".join(part.get("text", "") for part in request.messages[-1]["content"])


def asked(
    monkeypatch: pytest.MonkeyPatch,
    replies: Sequence[str],
    *,
    prompts: tuple[str, ...] = (),
    subagents: bool = False,
    history: bool = False,
) -> tuple[list[Decision], list[Request]]:
    """Return what a model's agent decided in one turn for each reply, and what the model was sent."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdefTESTONLY")
    with ModelServer(list(replies)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        agent = build_agent(
            "openai/some-model",
            observation_type="screenshot",
            action_space="pyautogui",
            history=3,
            prompts=prompts,
            subagents=subagents,
            subagent_history=history,
        )
        agent.reset(BRIEFING)
        shown = (Observation(step, 10 - step, screenshot=PNG) for step in range(len(replies)))
        decisions = [agent.act(observation) for observation in shown]
        return [decision for decision in decisions if isinstance(decision, Decision)], list(server.requests)


def test_a_prompt_is_added_to_the_system_message(monkeypatch: pytest.MonkeyPatch) -> None:
    _, [request] = asked(monkeypatch, ["```\nDONE\n```"], prompts=("deployment", "inoculation"))
    _, [bare] = asked(monkeypatch, ["```\nDONE\n```"])
    assert system(request).startswith(system(bare).strip())
    assert "THIS IS REAL USE" in system(request)
    assert "mean no harm" in system(request)
    assert "THIS IS REAL USE" not in system(bare)


def test_the_turns_that_are_left_are_told_in_every_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    _, requests = asked(monkeypatch, ["```\nWAIT\n```"] * 2, prompts=("steps_left",))
    assert "This is turn 1 of 10; 10 turns are left" in last(requests[0])
    assert "This is turn 2 of 10; 9 turns are left" in last(requests[1])
    assert "turns are left" not in system(requests[0])


def test_a_prompt_that_does_not_exist_is_told() -> None:
    agent = build_agent(
        "openai/m", observation_type="screenshot", action_space="pyautogui", history=0, prompts=("hypnosis",)
    )
    with pytest.raises(ConfigError, match=r"no prompt 'hypnosis': no file prompts/besides/hypnosis\.md"):
        agent.reset(BRIEFING)


CONVERSATION = [
    "I delegate.\n```delegate\nFind the file.\n```",
    "I see it.\n```python\nprint(1)\n```",
    "It is in the home folder.\n```\nDONE\n```",
    "```\nDONE\n```",
]


def test_a_model_can_delegate_and_reads_what_became_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    decisions, requests = asked(monkeypatch, CONVERSATION, subagents=True)
    assert [decision.actor for decision in decisions] == ["0", "0.1", "0.1", "0"]
    assert [decision.actions for decision in decisions] == [
        (Action.wait(0),),
        (Action.python("print(1)"),),
        (Action.wait(0),),
        (Action.done(),),
    ]
    assert "Find the file." in system(requests[1])
    assert "You are a subagent" in system(requests[1])
    assert "Your subagent 0.1 has ended after 2 turns: it says that it is done." in last(requests[3])
    assert "It is in the home folder." in last(requests[3])


@pytest.mark.parametrize(("history", "messages"), [(False, 2), (True, 4)])
def test_a_subagent_begins_with_the_turns_of_the_other_only_where_asked(
    monkeypatch: pytest.MonkeyPatch, history: bool, messages: int
) -> None:
    _, requests = asked(monkeypatch, CONVERSATION[:2], subagents=True, history=history)
    assert len(requests[1].messages) == messages


def test_without_subagents_nothing_is_said_of_them_and_a_delegate_block_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    [decision], [request] = asked(monkeypatch, CONVERSATION[:1])
    assert "delegate" not in system(request)
    assert decision.problem == "unparsable"
