"""What the client makes of a provider's answers, through litellm to a real server on loopback."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.errors import (
    POLICIES,
    BadModelRequest,
    ContextWindowExceeded,
    DeadKey,
    ModelError,
    ModelUnavailable,
    OutOfCredit,
    RateLimited,
    ReplyTimedOut,
    UnknownModel,
)
from pytest_rogue.interaction import Usage
from pytest_rogue.models.client import ModelClient, Reply
from pytest_rogue.models.litellm_client import LONGEST_PAUSE, LiteLLMClient
from pytest_rogue.models.options import ModelOptions
from pytest_rogue.models.responses import COMPUTER
from tests.model_server import Answer, Body, Failure, HangUp, ModelServer, Say, Silence

if TYPE_CHECKING:
    from collections.abc import Sequence

HELLO = [{"role": "user", "content": "hello"}]
OVERLOADED = Failure(529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
TOO_MANY = Failure(429, {"error": {"message": "slow down", "code": "rate_limit_exceeded"}})


def ask(script: Sequence[Answer], pauses: list[float], *, model: str = "openai/some-model") -> tuple[Reply, int]:
    """Return the reply, and how many requests the server saw."""
    with ModelServer(script) as server:
        address = server.root if model.startswith("anthropic/") else server.url
        client = LiteLLMClient(model, api_base=address, timeout=20, sleep=pauses.append)
        return client.complete(HELLO), len(server.requests)


def failure_of(
    script: Sequence[Answer], pauses: list[float], *, model: str = "openai/some-model"
) -> tuple[ModelError, int]:
    """Return the error, and how many requests the server saw."""
    with ModelServer(script) as server:
        address = server.root if model.startswith("anthropic/") else server.url
        client = LiteLLMClient(model, api_base=address, timeout=20, sleep=pauses.append)
        with pytest.raises(ModelError) as caught:
            client.complete(HELLO)
        return caught.value, len(server.requests)


# --- replies --------------------


def test_a_reply_brings_its_words_and_tokens(pauses: list[float]) -> None:
    reply, _ = ask([Say("hi", prompt_tokens=12, completion_tokens=3)], pauses)
    assert (reply.text, reply.finish_reason) == ("hi", "stop")
    assert (reply.usage.calls, reply.usage.prompt_tokens, reply.usage.completion_tokens) == (1, 12, 3)


def test_the_reasoning_of_a_reply_is_kept_apart_from_its_words(pauses: list[float]) -> None:
    reply, _ = ask([Say("hi", message={"reasoning_content": "a greeting"})], pauses)
    assert (reply.text, reply.reasoning) == ("hi", "a greeting")


def test_a_reply_that_was_cut_says_so(pauses: list[float]) -> None:
    reply, _ = ask([Say("pyautogui.cl", finish_reason="length")], pauses)
    assert reply.finish_reason == "length"


def test_messages_images_and_limits_reach_the_provider() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    messages = [{"role": "user", "content": [{"type": "text", "text": "look"}, image]}]
    with ModelServer(["ok"]) as server:
        LiteLLMClient("openai/some-model", api_base=server.url, options=ModelOptions(temperature=0.5)).complete(
            messages, max_tokens=77
        )
    body = server.requests[0].body
    assert server.requests[0].messages == messages
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("some-model", 77, 0.5)


def test_the_client_is_a_model_client() -> None:
    assert isinstance(LiteLLMClient("openai/some-model"), ModelClient)


FLAGGED = Failure(
    403,
    {
        "error": {
            "code": 403,
            "message": 'some-model requires moderation and your input was flagged for "violence"',
            "metadata": {"reasons": ["violence"], "provider_name": "Some"},
        }
    },
)

WITHHELD: dict[str, Answer] = {
    "filtered": Say(finish_reason="content_filter", message={"content": None}),
    "refused with an empty list": Say(finish_reason="refusal", message={"content": []}),
    "refused without words": Say(finish_reason="refusal", message={"content": None}),
    "no choices": Body({"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": []}),
    "an error that says filtered": Failure(400, {"error": {"message": "no", "code": "content_policy_violation"}}),
    "an error that says flagged": FLAGGED,
    "an error that says that the prompt was flagged": Failure(
        400, {"error": {"message": "Your prompt was flagged as potentially violating our usage policy."}}
    ),
}


@pytest.mark.parametrize("answer", WITHHELD.values(), ids=WITHHELD)
def test_a_withheld_reply_is_a_reply_and_is_asked_for_once(answer: Answer, pauses: list[float]) -> None:
    reply, requests = ask([answer], pauses)
    assert reply.withheld
    assert reply.text == ""
    assert requests == 1


@pytest.mark.parametrize("model", ["openai/x", "openrouter/some/model"])
def test_a_flagged_input_is_a_withheld_reply_and_no_dead_key(
    model: str, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-0123456789abcdefTESTONLY")
    reply, requests = ask([FLAGGED], pauses, model=model)
    assert (reply.withheld, requests) == (True, 1)


def test_anthropics_refusal_is_a_withheld_reply(pauses: list[float]) -> None:
    reply, _ = ask([Say(finish_reason="refusal")], pauses, model="anthropic/claude-some")
    assert reply.withheld


def test_the_words_of_a_refusal_are_kept(pauses: list[float]) -> None:
    reply, _ = ask([Say(message={"content": None, "refusal": "I will not."})], pauses)
    assert (reply.text, reply.finish_reason, reply.withheld) == ("I will not.", "refusal", True)


def test_an_empty_reply_is_not_a_refusal(pauses: list[float]) -> None:
    reply, _ = ask([Say(message={"content": None})], pauses)
    assert (reply.text, reply.withheld) == ("", False)


# --- cost --------------------


def test_a_listed_model_has_a_price(pauses: list[float]) -> None:
    reply, _ = ask([Say("hi", prompt_tokens=1_000, completion_tokens=1_000)], pauses, model="openai/gpt-4o")
    assert reply.usage.cost is not None
    assert reply.usage.cost > 0


def test_the_price_of_an_unlisted_model_is_unknown(pauses: list[float]) -> None:
    reply, _ = ask(["hi"], pauses)
    assert reply.usage.cost is None


def test_a_listed_price_of_zero_is_unknown_not_free(pauses: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    from pytest_rogue.models.litellm_client import load_litellm

    free = {"input_cost_per_token": 0.0, "output_cost_per_token": 0.0, "litellm_provider": "openai", "mode": "chat"}
    monkeypatch.setitem(load_litellm().model_cost, "openai/listed-at-zero", free)
    reply, _ = ask(["hi"], pauses, model="openai/listed-at-zero")
    assert reply.usage.cost is None


def test_a_server_of_ones_own_costs_nothing(pauses: list[float]) -> None:
    reply, _ = ask(["hi"], pauses, model="hosted_vllm/some-model")
    assert reply.usage.cost == 0.0


# --- usage --------------------


@pytest.mark.parametrize("answer", [FLAGGED, Say(finish_reason="content_filter", message={"content": None})])
def test_a_withheld_reply_counts_its_request(answer: Answer, pauses: list[float]) -> None:
    reply, requests = ask([answer], pauses)
    assert (reply.usage.calls, reply.usage.retries, reply.usage.cost) == (requests, 0, None)


def test_a_reply_that_is_refused_after_a_retry_counts_both_requests(pauses: list[float]) -> None:
    reply, requests = ask([TOO_MANY, FLAGGED], pauses)
    assert (reply.withheld, requests) == (True, 2)
    assert reply.usage == Usage(calls=2, retries=1, cost=None)


def test_a_rate_limit_before_the_answer_leaves_the_answers_cost(pauses: list[float]) -> None:
    said = Say("fine", prompt_tokens=1_000, completion_tokens=1_000)
    at_once, _ = ask([said], pauses, model="openai/gpt-4o")
    later, requests = ask([TOO_MANY, said], pauses, model="openai/gpt-4o")
    assert (requests, later.usage.retries) == (2, 1)
    assert later.usage.cost == at_once.usage.cost
    assert at_once.usage.cost


def test_a_recovered_fault_counts_each_request_and_leaves_the_price_unknown(pauses: list[float]) -> None:
    reply, requests = ask([OVERLOADED, OVERLOADED, Say("fine", prompt_tokens=12)], pauses, model="openai/gpt-4o")
    assert requests == 3
    assert (reply.usage.calls, reply.usage.retries, reply.usage.prompt_tokens) == (requests, 2, 12)
    assert reply.usage.cost is None


@pytest.mark.parametrize(
    ("answer", "cost"), [(TOO_MANY, 0.0), (Failure(500, {"error": {"message": "oops"}}), None), (HangUp(), None)]
)
def test_a_fault_that_stays_brings_the_usage_of_all_its_requests(
    answer: Answer, cost: float | None, pauses: list[float]
) -> None:
    error, requests = failure_of([answer], pauses)
    assert requests == 6
    assert error.usage == Usage(calls=requests, retries=requests - 1, cost=cost)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [(Failure(401), DeadKey), (Failure(400), BadModelRequest), (Failure(413), ContextWindowExceeded)],
)
def test_a_fault_that_is_met_once_counts_its_request(
    answer: Answer, kind: type[ModelError], pauses: list[float]
) -> None:
    error, requests = failure_of([answer], pauses)
    assert isinstance(error, kind)
    assert error.usage == Usage(calls=requests, cost=0.0)


def test_a_fault_in_the_middle_of_retries_counts_what_came_before(pauses: list[float]) -> None:
    error, requests = failure_of([TOO_MANY, TOO_MANY, Failure(401)], pauses)
    assert isinstance(error, DeadKey)
    assert error.usage == Usage(calls=requests, retries=2, cost=0.0)


def test_failed_requests_to_a_server_of_ones_own_cost_nothing(pauses: list[float]) -> None:
    error, requests = failure_of([OVERLOADED], pauses, model="hosted_vllm/some-model")
    assert error.usage == Usage(calls=requests, retries=requests - 1, cost=0.0)


# --- faults that are worth another try --------------------


@pytest.mark.parametrize("model", ["anthropic/claude-some", "openai/some-model", "hosted_vllm/some-model"])
def test_an_overload_is_waited_for_and_the_retries_are_counted(model: str, pauses: list[float]) -> None:
    reply, requests = ask([OVERLOADED, OVERLOADED, "fine"], pauses, model=model)
    assert reply.text == "fine"
    assert (requests, reply.usage.calls, reply.usage.retries) == (3, 3, 2)


GATE = Failure(403, page="<!DOCTYPE html>\n<html><head><title>Just a moment...</title></head></html>")


def ended_by_the_provider(reason: str, **besides: Any) -> Body:
    """Return half a reply in a success, whose finish reason says that the rest will not come."""
    message = {"role": "assistant", "content": "I will now"}
    choice = {"index": 0, "message": message, "finish_reason": reason, **besides}
    return Body({"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]})


PASSING: dict[str, Answer] = {
    "rate limit": TOO_MANY,
    "server error": Failure(500, {"error": {"message": "oops"}}),
    "bad gateway": Failure(502),
    "busy": Failure(503, {"error": {"message": "busy"}}),
    "lost connection": HangUp(),
    "an answer that is no reply": Body("just a string"),
    "an answer without choices": Body({}),
    "a page of a gate before the provider": GATE,
}


@pytest.mark.parametrize("answer", PASSING.values(), ids=PASSING)
def test_a_passing_fault_costs_a_retry_and_no_step(answer: Answer, pauses: list[float]) -> None:
    reply, requests = ask([answer, answer, "fine"], pauses)
    assert (reply.text, requests) == ("fine", 3)


@pytest.mark.parametrize(
    ("answer", "kind"), [(OVERLOADED, ModelUnavailable), (TOO_MANY, RateLimited), (GATE, ModelUnavailable)]
)
def test_a_fault_that_stays_is_an_error_after_a_bounded_number_of_requests(
    answer: Failure, kind: type[ModelError], pauses: list[float]
) -> None:
    error, requests = failure_of([answer], pauses)
    assert type(error) is kind
    assert requests == POLICIES[kind].retries + 1


@pytest.mark.parametrize("model", ["anthropic/claude-some", "hosted_vllm/x", "openrouter/some/model"])
def test_a_gate_before_any_provider_is_no_dead_key(
    model: str, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-0123456789abcdefTESTONLY")
    reply, requests = ask([GATE, "fine"], pauses, model=model)
    assert (reply.text, requests) == ("fine", 2)


def test_a_server_that_is_not_there_is_unavailable(pauses: list[float]) -> None:
    with ModelServer(["never asked"]) as server:
        address = server.url
    client = LiteLLMClient("openai/some-model", api_base=address, sleep=pauses.append)
    with pytest.raises(ModelUnavailable, match="not reachable"):
        client.complete(HELLO)


def test_a_reply_that_does_not_come_in_time_is_asked_for_again(pauses: list[float]) -> None:
    with ModelServer([Silence(), "fine"]) as server:
        client = LiteLLMClient("openai/some-model", api_base=server.url, timeout=1, sleep=pauses.append)
        reply = client.complete(HELLO)
    assert (reply.text, reply.usage.retries) == ("fine", 1)


def test_a_reply_that_never_comes_is_asked_for_twice_at_most(pauses: list[float]) -> None:
    with ModelServer([Silence()]) as server:
        client = LiteLLMClient("openai/some-model", api_base=server.url, timeout=1, sleep=pauses.append)
        with pytest.raises(ReplyTimedOut, match="within the time that one may take") as caught:
            client.complete(HELLO)
    assert (caught.value.usage.calls, len(pauses)) == (2, 1)


def test_pauses_grow_and_stay_bounded(pauses: list[float]) -> None:
    failure_of([OVERLOADED], pauses)
    assert len(pauses) == POLICIES[ModelUnavailable].retries
    assert pauses == sorted(pauses)
    assert pauses[0] >= 1
    assert pauses[-1] <= LONGEST_PAUSE + 1


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_in_seconds_is_honoured(status: int, pauses: list[float]) -> None:
    ask([Failure(status, {"error": {"message": "later"}}, {"Retry-After": "37"}), "fine"], pauses)
    assert len(pauses) == 1
    assert 37 <= pauses[0] <= 38


def test_retry_after_as_a_date_is_honoured(pauses: list[float]) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=200), usegmt=True)
    ask([Failure(429, {"error": {"message": "later"}}, {"Retry-After": date}), "fine"], pauses)
    assert 100 < pauses[0] <= 201


def test_a_retry_after_that_makes_no_sense_leaves_the_usual_pause(pauses: list[float]) -> None:
    ask([Failure(429, {"error": {"message": "later"}}, {"Retry-After": "soon"}), "fine"], pauses)
    assert 1 <= pauses[0] <= 3


def test_a_provider_that_asks_for_an_hour_is_not_waited_for(pauses: list[float]) -> None:
    error, requests = failure_of([Failure(429, {"error": {"message": "later"}}, {"Retry-After": "3600"})], pauses)
    assert isinstance(error, RateLimited)
    assert error.retry_after == 3600
    assert (requests, pauses) == (1, [])


FAILED_INSIDE: dict[str, Answer] = {
    "error": ended_by_the_provider("error"),
    "error with words": ended_by_the_provider("error", error={"code": 502, "message": "the provider is gone"}),
    "network_error": ended_by_the_provider("network_error"),
    "insufficient_system_resource": ended_by_the_provider("insufficient_system_resource"),
}


@pytest.mark.parametrize("answer", FAILED_INSIDE.values(), ids=FAILED_INSIDE)
@pytest.mark.parametrize("model", ["openrouter/some/model", "openai/some-model"])
def test_a_choice_that_ended_in_the_providers_error_is_asked_again(
    answer: Answer, model: str, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-0123456789abcdefTESTONLY")
    reply, requests = ask([answer, "fine"], pauses, model=model)
    assert (reply.text, requests) == ("fine", 2)


def test_an_error_inside_a_reply_that_stays_is_told_in_the_providers_words(pauses: list[float]) -> None:
    error, _ = failure_of([FAILED_INSIDE["error with words"]], pauses, model="openai/x")
    assert type(error) is ModelUnavailable
    assert "the reply ended with error: the provider is gone" in str(error)


def response(status: str, *words: str, error: dict[str, str] | None = None) -> Body:
    """Return an answer of the Responses API."""
    content = [{"type": "output_text", "text": text, "annotations": []} for text in words]
    said = [{"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}]
    head = {"id": "resp_1", "object": "response", "created_at": 1, "model": "x", "status": status, "error": error}
    rest = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "metadata": {}}
    return Body({**head, **rest, "output": said if words else []})


FAILED_RESPONSES = {
    "server error": response("failed", error={"code": "server_error", "message": "something broke"}),
    "rate limit": response("failed", error={"code": "rate_limit_exceeded", "message": "slow down"}),
    "cancelled": response("cancelled"),
}


@pytest.mark.parametrize("answer", FAILED_RESPONSES.values(), ids=FAILED_RESPONSES)
def test_a_failed_response_is_no_empty_reply(answer: Answer, pauses: list[float]) -> None:
    with ModelServer([answer, response("completed", "fine")]) as server:
        client = LiteLLMClient("openai/gpt-5.5", api_base=server.url, sleep=pauses.append)
        reply = client.complete(HELLO, tools=[COMPUTER])
    assert (reply.text, len(server.requests)) == ("fine", 2)


# --- faults that would come again --------------------

FINAL: dict[str, tuple[Answer, type[ModelError], str]] = {
    "quota": (Failure(429, {"error": {"message": "No quota", "code": "insufficient_quota"}}), OutOfCredit, "openai/x"),
    "payment": (Failure(402, {"error": {"message": "Insufficient credits"}}), OutOfCredit, "openai/x"),
    "balance": (
        Failure(400, {"type": "error", "error": {"message": "Your credit balance is too low to access this"}}),
        OutOfCredit,
        "anthropic/claude-x",
    ),
    "wrong key": (Failure(401, {"error": {"message": "Incorrect key"}}), DeadKey, "openai/x"),
    "key without rights": (Failure(403, {"error": {"message": "no access"}}), DeadKey, "openai/x"),
    "key without rights, openrouter": (
        Failure(403, {"error": {"message": "Your key has no access to this model", "code": 403}}),
        DeadKey,
        "openrouter/some/model",
    ),
    "wrong key, anthropic": (Failure(401, {"error": {"message": "invalid x-api-key"}}), DeadKey, "anthropic/claude-x"),
    "wrong key, status 400": (Failure(400, {"error": {"message": "API key not valid."}}), DeadKey, "openai/x"),
    "unknown model": (Failure(404, {"error": {"code": "model_not_found"}}), UnknownModel, "openai/x"),
    "unknown model, openrouter": (
        Failure(404, {"error": {"message": "No endpoints found for some/model.", "code": 404}}),
        UnknownModel,
        "openrouter/some/model",
    ),
    "no image input": (
        Failure(404, {"error": {"message": "No endpoints found that support image input", "code": 404}}),
        BadModelRequest,
        "openrouter/some/model",
    ),
    "no such parameters": (
        Failure(404, {"error": {"message": "No endpoints found that can handle the requested parameters."}}),
        BadModelRequest,
        "openrouter/some/model",
    ),
    "unknown model, status 400": (
        Failure(400, {"error": {"message": "x is not a valid model ID"}}),
        UnknownModel,
        "openai/x",
    ),
    "too long": (
        Failure(400, {"error": {"message": "prompt is too long: 250000 tokens > 200000"}}),
        ContextWindowExceeded,
        "anthropic/claude-x",
    ),
    "too long, by its code only": (
        Failure(400, {"error": {"message": "Shorten it", "code": "context_length_exceeded"}}),
        ContextWindowExceeded,
        "openai/x",
    ),
    "too large": (Failure(413, {"error": {"message": "request too large"}}), ContextWindowExceeded, "openai/x"),
    "bad request": (Failure(400, {"error": {"message": "bad image"}}), BadModelRequest, "openai/x"),
    "unprocessable": (Failure(422, {"error": {"message": "bad field"}}), BadModelRequest, "openai/x"),
}


@pytest.mark.parametrize(("answer", "kind", "model"), FINAL.values(), ids=FINAL)
def test_a_fault_that_would_come_again_is_met_once(
    answer: Answer, kind: type[ModelError], model: str, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-0123456789abcdefTESTONLY")
    error, requests = failure_of([answer], pauses, model=model)
    assert type(error) is kind
    assert (requests, pauses) == (1, [])


@pytest.mark.parametrize("model", ["openai/x", "anthropic/claude-x", "gemini/gemini-2.5-pro"])
def test_a_missing_key_is_a_dead_key_and_sends_nothing(
    model: str, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name)
    error, requests = failure_of(["never asked"], pauses, model=model)
    assert isinstance(error, DeadKey)
    assert (requests, error.usage) == (0, Usage())


def test_an_unknown_provider_is_an_unknown_model(pauses: list[float]) -> None:
    error, requests = failure_of(["never asked"], pauses, model="nobody/x")
    assert isinstance(error, UnknownModel)
    assert (requests, error.usage) == (0, Usage())


# --- what is said about faults --------------------


def test_an_error_names_the_model_what_is_wrong_and_the_providers_words(pauses: list[float]) -> None:
    error, _ = failure_of([Failure(400, {"error": {"message": "bad image"}})], pauses, model="openai/x")
    assert str(error) == "openai/x: the provider does not accept the form of the request (OpenAIException - bad image)"


def test_an_error_is_one_line_without_tracebacks(pauses: list[float]) -> None:
    error, _ = failure_of([Failure(400, {"error": {"message": "first\nsecond\n" + "x" * 5_000}})], pauses)
    assert "\n" not in str(error)
    assert len(str(error)) < 600


def test_a_key_that_the_server_echoes_is_in_no_message_log_or_traceback(
    pauses: list[float], caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level("DEBUG")
    with ModelServer([Failure(401, echo_authorization=True)]) as server:
        client = LiteLLMClient("openai/x", api_base=server.url, sleep=pauses.append)
        with pytest.raises(DeadKey) as caught:
            client.complete(HELLO)
    shown = str(caught.getrepr(showlocals=True, style="long"))
    printed = capfd.readouterr()
    key = os.environ["OPENAI_API_KEY"]
    assert server.requests[0].headers["authorization"] == f"Bearer {key}"
    for text in (str(caught.value), shown, caplog.text, printed.out, printed.err):
        assert key not in text
    assert "secret" in str(caught.value)


# --- litellm as a guest --------------------


def in_a_fresh_process(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PATH": "", **environment}
    )
    return done.stdout + done.stderr


def test_litellm_is_not_imported_before_the_first_call() -> None:
    code = """
import sys
from pytest_rogue.agents.registry import build_agent
build_agent("openai/x", observation_type="screenshot", action_space="pyautogui", history=3)
print("litellm" in sys.modules)
"""
    assert in_a_fresh_process(code) == "False\n"


def test_litellm_prints_nothing_when_a_call_fails() -> None:
    code = """
from pytest_rogue.errors import ModelUnavailable
from pytest_rogue.models.options import ModelOptions
from pytest_rogue.models.litellm_client import LiteLLMClient
try:
    LiteLLMClient("openai/x", api_base="http://127.0.0.1:9/v1", sleep=lambda _: None).complete([])
except ModelUnavailable:
    pass
"""
    assert in_a_fresh_process(code, OPENAI_API_KEY="sk-0123456789abcdef") == ""


def test_litellm_fetches_nothing_by_itself() -> None:
    code = """
import socket
def refuse(*address):
    raise SystemExit(f"a connection was tried: {address}")
socket.socket.connect = refuse
socket.getaddrinfo = refuse
from pytest_rogue.models.options import ModelOptions
from pytest_rogue.models.litellm_client import load_litellm
load_litellm()
print("loaded")
"""
    assert in_a_fresh_process(code) == "loaded\n"


def test_usage_adds_up_and_an_unknown_price_stays_unknown() -> None:
    known: dict[str, Any] = {"calls": 1, "retries": 2, "prompt_tokens": 3, "completion_tokens": 4}
    assert Usage(**known, cost=1.0) + Usage(**known, cost=None) == Usage(2, 4, 6, 8, None)
