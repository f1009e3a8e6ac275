"""What is asked of a reply, and what of it a model is sent."""

from __future__ import annotations

import pytest

from pytest_rogue.models.litellm_client import LiteLLMClient
from pytest_rogue.models.options import ModelOptions, accepted
from pytest_rogue.models.quirks import quirks_of
from tests.model_server import ModelServer

ALL = ModelOptions("high", 500, 0.5, 0.9)
SAMPLED = ModelOptions(temperature=0.5, top_p=0.9)


@pytest.mark.parametrize(
    ("model", "options", "sent"),
    [
        ("hosted_vllm/qwen2.5-vl-7b", SAMPLED, {"temperature": 0.5, "top_p": 0.9}),
        ("openai/gpt-5.5", SAMPLED, {}),
        ("openai/gpt-5.5", ModelOptions("none", temperature=0.5), {"reasoning_effort": "none", "temperature": 0.5}),
        ("anthropic/claude-opus-4-7", SAMPLED, {}),
        ("anthropic/claude-sonnet-4-5", SAMPLED, {"temperature": 0.5}),
        ("anthropic/claude-sonnet-4-5", ALL, {"reasoning_effort": "high", "max_tokens": 500}),
        ("anthropic/claude-sonnet-4-6", SAMPLED, {"temperature": 0.5, "top_p": 0.9}),
        ("gemini/gemini-3-pro-preview", ModelOptions(), {}),
    ],
)
def test_only_what_a_model_takes_is_sent(model: str, options: ModelOptions, sent: dict[str, object]) -> None:
    assert accepted(options, quirks_of(model), None) == sent


def test_what_litellm_does_not_list_for_a_model_is_not_sent() -> None:
    assert accepted(ALL, quirks_of("any/model"), ["temperature"]) == {"temperature": 0.5}


def test_options_reach_the_provider_by_its_names(keys: None) -> None:
    with ModelServer(["hello"]) as server:
        client = LiteLLMClient("openai/gpt-5.5", api_base=server.url, options=ALL)
        client.complete([{"role": "user", "content": "hi"}])
    body = server.requests[0].body
    assert (body["reasoning_effort"], body["max_completion_tokens"]) == ("high", 500)
    assert not {"temperature", "top_p", "max_tokens"} & body.keys()
    assert client.not_sent() == ["temperature", "top_p"]


def test_a_limit_of_one_request_wins_over_that_of_all() -> None:
    with ModelServer(["hello"]) as server:
        client = LiteLLMClient("openai/some-model", api_base=server.url, options=ModelOptions(max_tokens=500))
        client.complete([{"role": "user", "content": "hi"}], max_tokens=7)
    assert 7 in (server.requests[0].body.get("max_tokens"), server.requests[0].body.get("max_completion_tokens"))


@pytest.mark.parametrize(
    ("model", "native"),
    [
        ("anthropic/claude-sonnet-4-5-20250929", "computer_20250124"),
        ("anthropic/claude-opus-4-7", "computer_20251124"),
        ("bedrock/us.anthropic.claude-sonnet-4-6", "computer_20251124"),
        ("anthropic/claude-opus-5", "computer_20251124"),
        ("anthropic/claude-opus-5-5", ""),
        ("openai/gpt-5.5", "openai"),
        ("openai/gpt-4o", ""),
        ("gemini/gemini-2.5-computer-use-preview-10-2025", "gemini"),
        ("hosted_vllm/qwen2.5-vl-7b", ""),
    ],
)
def test_a_model_has_the_computer_tool_it_was_trained_on(model: str, native: str) -> None:
    assert quirks_of(model).native == native


@pytest.mark.parametrize(
    ("model", "grid"),
    [("gemini/gemini-3-pro-preview", 1000), ("hosted_vllm/Qwen3-VL-8B", 1000), ("hosted_vllm/Qwen2.5-VL-7B", None)],
)
def test_a_model_counts_in_what_it_was_trained_on(model: str, grid: int | None) -> None:
    assert quirks_of(model).grid == grid
