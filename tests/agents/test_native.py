"""Native computer tools: the language model agent through litellm to a scripted provider, in each provider's form."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import pytest
from PIL import Image

from pytest_rogue.agents.llm import LiteLLMAgent
from pytest_rogue.agents.options import AgentOptions
from pytest_rogue.agents.protocol import Briefing
from pytest_rogue.errors import ContextWindowExceeded, DeadKey, ModelError, OutOfCredit, RateLimited
from pytest_rogue.interaction import Action, ActionResult, Decision, Observation
from pytest_rogue.models.litellm_client import LiteLLMClient
from pytest_rogue.models.quirks import quirks_of
from pytest_rogue.models.responses import COMPUTER
from tests.model_server import Body, Failure, ModelServer, Request


def _screen() -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (1920, 1080), "teal").save(written, format="png")
    return written.getvalue()


PNG = _screen()
BRIEFING = Briefing("Save the file", max_steps=10, screen_size=(1920, 1080), seed=1)


@pytest.fixture(autouse=True)
def keys(no_options_from_outside: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in ("ANTHROPIC", "OPENAI", "GEMINI"):
        monkeypatch.setenv(f"{provider}_API_KEY", "sk-0123456789abcdefTESTONLY")


def anthropic(*calls: dict[str, Any]) -> Body:
    used = [{"type": "tool_use", "id": f"toolu_{n}", "name": "computer", "input": call} for n, call in enumerate(calls)]
    content = [{"type": "text", "text": "I go on."}, *used]
    counted = {"input_tokens": 10, "output_tokens": 5}
    reply = {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": content}
    return Body({**reply, "stop_reason": "tool_use", "stop_sequence": None, "usage": counted})


def openai(*actions: dict[str, Any]) -> Body:
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed"}
    check = {"id": "sc_1", "code": "malicious_instructions", "message": "sure?"}
    call = {"type": "computer_call", "id": "cu_1", "call_id": "call_1", "status": "completed", "actions": list(actions)}
    call["pending_safety_checks"] = [check]
    reply = {"id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": "x"}
    rest = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None, "metadata": {}}
    counted = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    return Body({**reply, **rest, "output": [thought, call], "usage": counted})


def gemini(name: str, **arguments: Any) -> Body:
    parts = [{"text": "I go on."}, {"functionCall": {"name": name, "args": arguments}}]
    counted = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    return Body(
        {
            "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
            "usageMetadata": counted,
        }
    )


def two_turns(model: str, reply: Body, *, history: int | None = 5) -> tuple[list[Decision], list[Request]]:
    """Return what the agent decides in two turns on the same reply, and what it sent."""
    with ModelServer([reply]) as server:
        address = server.url if model.startswith("openai/") else server.root
        agent = LiteLLMAgent(
            LiteLLMClient(model, api_base=address, sleep=lambda _: None),
            observation_type="screenshot",
            history=history,
            action_space="native",
            quirks=quirks_of(model),
        )
        agent.reset(BRIEFING)
        first = agent.act(Observation(0, 10, screenshot=PNG))
        results = tuple(ActionResult(action, stdout=f"printed {n}") for n, action in enumerate(first.actions))
        second = agent.act(Observation(1, 9, screenshot=PNG, results=results))
        return [first, second], server.requests


def test_anthropics_tool_is_offered_in_the_size_of_a_picture_that_the_provider_does_not_shrink() -> None:
    decisions, requests = two_turns(
        "anthropic/claude-opus-4-6", anthropic({"action": "mouse_move", "coordinate": [715, 402]})
    )
    assert decisions[0].actions == (Action.python("pyautogui.moveTo(960, 540)"),)
    assert requests[0].headers["anthropic-beta"] == "computer-use-2025-11-24"
    size = {"display_width_px": 1429, "display_height_px": 804}
    assert requests[0].body["tools"] == [{"type": "computer_20251124", "name": "computer", **size}]
    picture = requests[0].messages[0]["content"][1]["source"]["data"]
    assert Image.open(io.BytesIO(base64.b64decode(picture))).size == (1429, 804)


def test_an_older_screen_is_left_out_where_it_was_not_asked_for() -> None:
    with ModelServer(["```python\npyautogui.click()\n```"]) as server:
        client = LiteLLMClient("openai/some-model", api_base=server.url)
        options = AgentOptions(image_history=1)
        agent = LiteLLMAgent(client, observation_type="screenshot", history=None, options=options)
        agent.reset(BRIEFING)
        for step in range(4):
            agent.act(Observation(step, 9, screenshot=PNG))
    assert [str(request.messages).count("'image_url':") for request in server.requests] == [1, 2, 2, 2]


def test_anthropics_calls_are_answered_one_by_one_and_the_last_with_the_screen() -> None:
    _, requests = two_turns(
        "anthropic/claude-opus-4-6", anthropic({"action": "key", "text": "a"}, {"action": "key", "text": "b"})
    )
    one, two = requests[1].messages[-1]["content"]
    assert [one["tool_use_id"], two["tool_use_id"]] == ["toolu_0", "toolu_1"]
    assert "printed 0" in str(one["content"])
    assert "printed 1" in two["content"][0]["text"]
    assert [part["type"] for part in two["content"]] == ["text", "image"]


def test_what_stays_of_a_conversation_is_marked_for_the_providers_cache() -> None:
    _, requests = two_turns("anthropic/claude-opus-4-6", anthropic({"action": "screenshot"}))
    marked = {"type": "ephemeral"}
    assert requests[1].body["system"][-1]["cache_control"] == marked
    first, _, last = requests[1].messages
    assert first["content"][-1]["cache_control"] == marked
    assert "cache_control" in json.dumps(last)


def test_openais_tool_goes_through_the_responses_api_and_its_reply_is_sent_back_whole() -> None:
    decisions, requests = two_turns(
        "openai/gpt-5.5", openai({"type": "move", "x": 7, "y": 8}, {"type": "type", "text": "a"})
    )
    assert decisions[0].actions == (Action.python("pyautogui.moveTo(7, 8)"), Action.python("pyautogui.write('a')"))
    assert [request.path for request in requests] == ["/v1/responses"] * 2
    assert requests[0].body["tools"] == [{"type": "computer"}]
    question, thought, call, answer, told = requests[1].body["input"]
    assert question["role"] == "user"
    assert (thought["encrypted_content"], call["call_id"]) == ("sealed", "call_1")
    assert answer["output"]["image_url"].startswith("data:image/png;base64,")
    assert answer["acknowledged_safety_checks"] == call["pending_safety_checks"]
    assert "printed 0" in told["content"][0]["text"]
    assert "printed 1" in told["content"][0]["text"]


def test_geminis_tool_counts_on_its_own_grid_and_its_answer_is_a_json_object() -> None:
    model = "gemini/gemini-2.5-computer-use-preview-10-2025"
    decisions, requests = two_turns(model, gemini("hover_at", x=500, y=500))
    assert decisions[0].actions == (Action.python("pyautogui.moveTo(960, 540)"),)
    assert "navigate" in requests[0].body["tools"][0]["computerUse"]["excludedPredefinedFunctions"]
    answer, picture = requests[1].body["contents"][-1]["parts"]
    assert answer["function_response"]["name"] == "hover_at"
    assert "printed 0" in answer["function_response"]["response"]["output"]
    assert picture["inline_data"]["mime_type"] == "image/png"


@pytest.mark.parametrize(
    ("model", "reply"),
    [
        ("anthropic/claude-opus-4-6", anthropic({"action": "screenshot"})),
        ("openai/gpt-5.5", openai({"type": "screenshot"})),
        ("gemini/gemini-2.5-computer-use-preview-10-2025", gemini("wait_5_seconds")),
    ],
)
def test_an_answer_whose_call_has_left_the_window_is_told_in_words(model: str, reply: Body) -> None:
    _, requests = two_turns(model, reply, history=0)
    sent = json.dumps(requests[1].body)
    assert "printed 0" in sent
    assert not any(word in sent for word in ("tool_result", "computer_call_output", "function_response"))


def test_a_call_that_cannot_be_carried_out_is_answered_too() -> None:
    decisions, requests = two_turns("anthropic/claude-opus-4-6", anthropic({"action": "sing"}))
    assert decisions[0].problem == "unparsable"
    assert "Nothing was done." in str(requests[1].messages[-1]["content"][0]["content"])


def test_the_reply_that_is_recorded_holds_the_calls() -> None:
    decisions, _ = two_turns("anthropic/claude-opus-4-6", anthropic({"action": "key", "text": "a"}))
    assert decisions[0].reply == 'I go on.\ncomputer({"action": "key", "text": "a"})'


# --- the Responses API: the same faults, the same meanings --------------------


def asked(*answers: Body | Failure) -> tuple[Any, int]:
    """Return what the client makes of the answers, a reply or an error, and how many requests it took."""
    with ModelServer(answers) as server:
        client = LiteLLMClient("openai/gpt-5.5", api_base=server.url, sleep=lambda _: None)
        try:
            reply = client.complete([{"role": "user", "content": "go"}], tools=[COMPUTER])
        except ModelError as error:
            return error, len(server.requests)
        return reply, len(server.requests)


TOO_LONG = {"message": "Your input exceeds the context window of this model.", "code": "context_length_exceeded"}


@pytest.mark.parametrize(
    ("failure", "kind", "requests"),
    [
        (Failure(401, {"error": {"message": "Incorrect API key"}}), DeadKey, 1),
        (Failure(429, {"error": {"message": "You have no quota", "code": "insufficient_quota"}}), OutOfCredit, 1),
        (Failure(400, {"error": TOO_LONG}), ContextWindowExceeded, 1),
        (Failure(429, {"error": {"message": "slow down"}}), RateLimited, 6),
    ],
)
def test_a_fault_means_the_same_through_the_responses_api(
    failure: Failure, kind: type[ModelError], requests: int
) -> None:
    error, sent = asked(failure)
    assert (type(error), sent) == (kind, requests)


def test_a_passing_overload_of_the_responses_api_costs_a_retry() -> None:
    reply, sent = asked(Failure(503, {"error": {"message": "overloaded"}}), openai({"type": "wait"}))
    assert (len(reply.calls), reply.usage.retries, sent) == (1, 1, 2)


def responding(*content: dict[str, Any], **more: Any) -> Body:
    said = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": list(content)}
    return Body({**openai().body, "output": [said], **more})


@pytest.mark.parametrize(
    ("answer", "text", "reason"),
    [
        (responding({"type": "output_text", "text": "DONE", "annotations": []}), "DONE", "stop"),
        (responding({"type": "refusal", "refusal": "I will not."}), "I will not.", "refusal"),
        (responding(status="incomplete", incomplete_details={"reason": "max_output_tokens"}), "", "length"),
        (responding(status="incomplete", incomplete_details={"reason": "content_filter"}), "", "content_filter"),
    ],
)
def test_the_responses_api_says_why_a_reply_ended(answer: Body, text: str, reason: str) -> None:
    reply, _ = asked(answer)
    assert (reply.text, reply.finish_reason, reply.calls) == (text, reason, ())
