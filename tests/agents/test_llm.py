"""The language model agent, through litellm to a scripted provider on loopback."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pytest_rogue.agents.frame import Frame
from pytest_rogue.agents.history import NO_REPLY
from pytest_rogue.agents.llm import LiteLLMAgent
from pytest_rogue.agents.protocol import Agent, Briefing, ObservationType
from pytest_rogue.agents.wording import system_text
from pytest_rogue.errors import (
    ConfigError,
    ContextWindowExceeded,
    DeadKey,
    ModelError,
    ModelRefused,
    OutOfCredit,
    RateLimited,
)
from pytest_rogue.interaction import Action, ActionResult, Observation, Usage
from pytest_rogue.models.litellm_client import LiteLLMClient
from tests.agents.trees import desktop, editor
from tests.model_server import Answer, Failure, ModelServer, Request, Say, Script

PNG = b"\x89PNG\r\n\x1a\nnot a real picture"
BRIEFING = Briefing("Rename the file to $HOME.txt", max_steps=10, screen_size=(1280, 720), seed=1)
CLICK = "```python\npyautogui.click(1, 2)\n```"
TOO_LONG = Failure(400, {"error": {"message": "prompt is too long: 250000 tokens > 200000"}})
FILTERED = Say(finish_reason="content_filter", message={"content": None})

Start = Callable[..., tuple[LiteLLMAgent, ModelServer]]


@pytest.fixture
def start(no_options_from_outside: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Return a function that starts an agent on a script."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdefTESTONLY")
    running: list[ModelServer] = []

    def begin(
        script: Script, *, history: int = 3, observation_type: ObservationType = "screenshot"
    ) -> tuple[LiteLLMAgent, ModelServer]:
        server = ModelServer(script)
        server.__enter__()
        running.append(server)
        client = LiteLLMClient("openai/some-model", api_base=server.url, sleep=lambda _: None)
        agent = LiteLLMAgent(client, observation_type=observation_type, history=history)
        agent.reset(BRIEFING)
        return agent, server

    yield begin
    for server in running:
        server.__exit__(None, None, None)


def seen(step: int = 0, **more: Any) -> Observation:
    return Observation(step=step, steps_left=10 - step, screenshot=PNG, a11y=desktop(editor()), **more)


def texts(request: Request, role: str) -> list[str]:
    """Return the texts of all messages of a role."""
    found = []
    for message in request.messages:
        if message["role"] == role:
            content = message["content"]
            parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
            found.append("\n".join(part["text"] for part in parts if part["type"] == "text"))
    return found


def images(request: Request) -> int:
    contents = [message["content"] for message in request.messages]
    return sum(part["type"] == "image_url" for content in contents if isinstance(content, list) for part in content)


# --- what the model is told --------------------


def test_the_system_message_holds_task_screen_size_and_special_words(start: Start) -> None:
    agent, server = start([CLICK])
    agent.act(seen())
    (system,) = texts(server.requests[0], "system")
    for words in (BRIEFING.instruction, "1280 pixels wide", "720 pixels high", "`WAIT`", "`DONE`", "`FAIL`"):
        assert words in system


@pytest.mark.parametrize("observation_type", ["screenshot", "a11y_tree", "screenshot_a11y_tree"])
def test_the_system_message_gives_no_hint_of_a_test(observation_type: ObservationType, start: Start) -> None:
    agent, server = start([CLICK], observation_type=observation_type)
    agent.act(seen())
    (system,) = texts(server.requests[0], "system")
    for word in ("test", "evaluat", "benchmark", "rogue", "corrigib", "obstacle", "experiment"):
        assert word not in system.lower()


@pytest.mark.parametrize("action_space", ["computer_13", "tools", "native"])
def test_no_other_action_space_gives_a_hint_of_a_test_or_leaves_a_gap(action_space: str) -> None:
    frame = Frame((1280, 720), (640, 360))
    text = system_text(BRIEFING, observation_type="screenshot", action_space=action_space, frame=frame)
    assert BRIEFING.instruction in text
    assert "$" not in text.replace(BRIEFING.instruction, "")
    for word in ("test", "evaluat", "benchmark", "rogue", "corrigib", "obstacle", "experiment"):
        assert word not in text.lower()


@pytest.mark.parametrize(
    ("observation_type", "has_image", "has_tree"),
    [("screenshot", True, False), ("a11y_tree", False, True), ("screenshot_a11y_tree", True, True)],
)
def test_the_model_sees_what_its_observation_type_says(
    observation_type: ObservationType, has_image: bool, has_tree: bool, start: Start
) -> None:
    agent, server = start([CLICK], observation_type=observation_type)
    agent.act(seen())
    (request,) = server.requests
    assert images(request) == has_image
    assert ("notes.txt" in texts(request, "user")[0]) == has_tree


def test_the_screenshot_arrives_unchanged(start: Start) -> None:
    agent, server = start([CLICK])
    agent.act(seen())
    url = server.requests[0].messages[-1]["content"][1]["image_url"]["url"]
    assert base64.b64decode(url.removeprefix("data:image/png;base64,")) == PNG


RESULTS = {
    "printed": (ActionResult(Action.python("x"), stdout="fourty-two\n"), "Output:\nfourty-two"),
    "failed": (
        ActionResult(Action.python("x"), stderr="NameError: x", exit_code=1),
        "exit code 1.\nErrors:\nNameError: x",
    ),
    "cut": (ActionResult(Action.python("x"), timed_out=True, seconds=30.2), "stopped after 30 seconds"),
    "lost": (ActionResult(Action.python("x"), executed="unknown", exit_code=None), "not known whether it was executed"),
    "withheld": (ActionResult(Action.python("x"), executed="no", note="The screen changed."), "The screen changed."),
}


@pytest.mark.parametrize(("result", "words"), RESULTS.values(), ids=RESULTS)
def test_the_model_is_told_what_became_of_its_action(result: ActionResult, words: str, start: Start) -> None:
    agent, server = start([CLICK])
    agent.act(seen(1, results=(ActionResult(Action.wait()), result)))
    (told,) = texts(server.requests[0], "user")
    assert "Action 1 (wait): it was executed." in told
    assert words in told[told.index("Action 2 (python)") :]


def test_a_long_output_is_cut_in_the_middle_and_says_so(start: Start) -> None:
    agent, server = start([CLICK])
    agent.act(seen(1, results=(ActionResult(Action.python("x"), stdout="begin" + "x" * 9_000 + "end"),)))
    (told,) = texts(server.requests[0], "user")
    assert "begin" in told
    assert "end" in told
    assert "[cut: 7008 characters]" in told


def test_notes_are_told(start: Start) -> None:
    agent, server = start([CLICK])
    agent.act(seen(1, notes=("Your reply was empty.",)))
    assert "Note: Your reply was empty." in texts(server.requests[0], "user")[0]


@pytest.mark.parametrize("a11y", [None, "<broken", "<!DOCTYPE x><x/>"])
def test_a_tree_that_is_not_to_be_had_costs_the_tree_and_not_the_turn(a11y: str | None, start: Start) -> None:
    agent, server = start([CLICK], observation_type="a11y_tree")
    decision = agent.act(Observation(step=0, steps_left=10, a11y=a11y))
    assert decision.problem is None
    assert "this time" in texts(server.requests[0], "user")[0]


# --- what the agent makes of a reply --------------------


def test_a_decision_has_actions_words_reasoning_and_usage(start: Start) -> None:
    agent, _ = start([Say(CLICK, message={"reasoning_content": "there it is"})])
    decision = agent.act(seen())
    assert decision.actions == (Action.python("pyautogui.click(1, 2)"),)
    assert (decision.reply, decision.reasoning, decision.problem) == (CLICK, "there it is", None)
    assert (decision.usage.calls, decision.usage.prompt_tokens) == (1, 100)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(CLICK, "stop"), (Say("I thi", finish_reason="length"), "length"), (FILTERED, "content_filter")],
)
def test_a_decision_says_why_the_reply_ended(answer: Answer, reason: str, start: Start) -> None:
    agent, _ = start([answer])
    assert agent.act(seen()).finish_reason == reason


PROBLEMS: dict[str, Answer] = {
    "unparsable": "Let me think about it.",
    "truncated": Say("```python\npyautogui.cli", finish_reason="length"),
    "empty": Say(message={"content": None}),
    "refused": FILTERED,
}


@pytest.mark.parametrize(("problem", "answer"), PROBLEMS.items(), ids=PROBLEMS)
def test_a_reply_without_actions_has_a_problem_feedback_and_usage(problem: str, answer: Answer, start: Start) -> None:
    agent, _ = start([answer])
    decision = agent.act(seen())
    assert (decision.actions, decision.problem) == ((), problem)
    assert decision.feedback
    assert decision.usage.calls == 1


@pytest.mark.parametrize(("problem", "answer"), PROBLEMS.items(), ids=PROBLEMS)
def test_the_conversation_stays_valid_after_a_problem(problem: str, answer: Answer, start: Start) -> None:
    agent, server = start([answer, CLICK])
    agent.act(seen())
    agent.act(seen(1))
    messages = server.requests[1].messages
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert all(message["content"] for message in messages)


# --- refusals --------------------


def test_the_third_refusal_in_a_row_ends_it(start: Start) -> None:
    agent, server = start([FILTERED])
    decisions = [agent.act(seen(step)) for step in range(2)]
    assert [decision.problem for decision in decisions] == ["refused", "refused"]
    with pytest.raises(ModelRefused, match="3 replies in a row") as caught:
        agent.act(seen(2))
    assert len(server.requests) == 3
    assert sum((decision.usage for decision in decisions), caught.value.usage).calls == len(server.requests)
    assert caught.value.usage.prompt_tokens == 100


def test_refusals_are_counted_in_a_row_only(start: Start) -> None:
    agent, _ = start([FILTERED, FILTERED, CLICK, FILTERED, FILTERED, CLICK])
    problems = [agent.act(seen(step)).problem for step in range(6)]
    assert problems == ["refused", "refused", None, "refused", "refused", None]


def test_a_refused_reply_is_not_executed_even_if_it_holds_code(start: Start) -> None:
    agent, _ = start([Say(CLICK, finish_reason="content_filter")])
    assert agent.act(seen()).actions == ()


# --- history --------------------


def test_the_model_sees_the_last_turns_and_its_own_words(start: Start) -> None:
    agent, server = start([f"reply {n}\n{CLICK}" for n in range(5)], history=2)
    for step in range(5):
        agent.act(seen(step))
    last = server.requests[-1]
    assert [reply.split("\n")[0] for reply in texts(last, "assistant")] == ["reply 2", "reply 3"]
    assert images(last) == 3


def test_without_history_the_model_sees_only_the_present(start: Start) -> None:
    agent, server = start([CLICK], history=0)
    agent.act(seen())
    agent.act(seen(1))
    assert [message["role"] for message in server.requests[1].messages] == ["system", "user"]


def test_a_new_episode_knows_nothing_of_the_last(start: Start) -> None:
    agent, server = start([FILTERED, FILTERED, FILTERED])
    agent.act(seen())
    agent.act(seen(1))
    agent.reset(Briefing("Another task", max_steps=3, screen_size=(800, 600), seed=2))
    assert agent.act(seen()).problem == "refused"
    sent = str(server.requests[-1].messages)
    assert BRIEFING.instruction not in sent
    assert NO_REPLY not in sent


# --- context overflow --------------------


@pytest.mark.parametrize("words", ["prompt is too long: 250000 tokens > 200000", "maximum context length is 8192"])
def test_an_overflow_drops_old_screenshots_and_tries_once_more(words: str, start: Start) -> None:
    overflow = Failure(400, {"error": {"message": words}})
    agent, server = start([CLICK, CLICK, overflow, CLICK])
    for step in range(3):
        decision = agent.act(seen(step))
    assert decision.problem is None
    assert len(server.requests) == 4
    assert images(server.requests[3]) < images(server.requests[2])
    assert server.requests[3].messages[-1] == server.requests[2].messages[-1]


def test_both_requests_of_an_overflow_are_counted_and_the_second_is_a_retry(start: Start) -> None:
    agent, server = start([CLICK, TOO_LONG, CLICK])
    before = agent.act(seen()).usage
    usage = agent.act(seen(1)).usage
    assert (usage.calls, usage.retries, usage.cost) == (2, 1, None)
    assert before.calls + usage.calls == len(server.requests)


def test_retries_on_both_sides_of_an_overflow_are_all_counted(start: Start) -> None:
    agent, server = start([CLICK, TOO_MANY, TOO_LONG, TOO_MANY, CLICK])
    agent.act(seen())
    usage = agent.act(seen(1)).usage
    assert (usage.calls, usage.retries) == (len(server.requests) - 1, 3)


def test_an_overflow_without_screenshots_drops_old_turns(start: Start) -> None:
    agent, server = start([CLICK, CLICK, TOO_LONG, CLICK], observation_type="a11y_tree")
    for step in range(3):
        agent.act(seen(step))
    assert len(texts(server.requests[2], "assistant")) == 2
    assert len(texts(server.requests[3], "assistant")) == 1


def test_an_overflow_that_stays_is_final_after_two_requests(start: Start) -> None:
    agent, server = start([CLICK, TOO_LONG])
    agent.act(seen())
    with pytest.raises(ContextWindowExceeded) as caught:
        agent.act(seen(1))
    assert len(server.requests) == 1 + 2
    assert caught.value.usage == Usage(calls=2, retries=1, cost=0.0)


def test_another_fault_after_an_overflow_brings_the_usage_of_both(start: Start) -> None:
    agent, server = start([CLICK, TOO_LONG, QUOTA])
    agent.act(seen())
    with pytest.raises(OutOfCredit) as caught:
        agent.act(seen(1))
    assert len(server.requests) == 1 + 2
    assert caught.value.usage == Usage(calls=2, retries=1, cost=0.0)


def test_an_overflow_with_nothing_to_drop_is_final_at_once(start: Start) -> None:
    agent, server = start([TOO_LONG])
    with pytest.raises(ContextWindowExceeded) as caught:
        agent.act(seen())
    assert len(server.requests) == caught.value.usage.calls == 1


# --- faults of the provider --------------------

QUOTA = Failure(429, {"error": {"message": "No quota", "code": "insufficient_quota"}})
TOO_MANY = Failure(429, {"error": {"message": "slow down"}})


@pytest.mark.parametrize(
    ("answer", "kind"),
    [(TOO_MANY, RateLimited), (Failure(401, {"error": {"message": "no"}}), DeadKey), (QUOTA, OutOfCredit)],
)
def test_a_fault_that_stays_is_raised_and_never_an_empty_decision(
    answer: Failure, kind: type[ModelError], start: Start
) -> None:
    agent, server = start([answer])
    with pytest.raises(kind) as caught:
        agent.act(seen())
    assert caught.value.usage.calls == len(server.requests)


def test_a_passing_fault_costs_no_step_and_stands_in_the_usage(start: Start) -> None:
    agent, server = start([TOO_MANY, TOO_MANY, CLICK])
    decision = agent.act(seen())
    assert (len(decision.actions), decision.usage.retries, decision.usage.calls) == (1, 2, 3)
    assert decision.usage.calls == len(server.requests)


def test_what_was_waited_for_the_provider_is_told_beside_the_decision(start: Start) -> None:
    hour_hand = [0.0]

    def pass_time(seconds: float) -> None:
        hour_hand[0] += seconds

    def think(request: Request) -> Answer:
        if len(server.requests) < 3:
            return Failure(429, {"error": {"message": "later"}}, {"Retry-After": "200"})
        pass_time(5000)
        return CLICK

    _, server = start(think)
    client = LiteLLMClient("openai/some-model", api_base=server.url, sleep=pass_time, clock=lambda: hour_hand[0])
    agent = LiteLLMAgent(client, observation_type="screenshot", history=3, clock=lambda: hour_hand[0])
    agent.reset(BRIEFING)
    decision = agent.act(seen())
    assert decision.actions
    assert hour_hand[0] - 5000 >= 400
    assert decision.waited == pytest.approx(hour_hand[0] - 5000)


def test_it_is_an_agent(start: Start) -> None:
    agent, _ = start([CLICK])
    assert isinstance(agent, Agent)


def test_an_unknown_action_space_is_refused() -> None:
    with pytest.raises(ConfigError, match="unknown action space 'telepathy'; choose one of: pyautogui"):
        LiteLLMAgent(LiteLLMClient("openai/x"), observation_type="screenshot", history=1, action_space="telepathy")
