"""What a call may cost, known before it is made."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_rogue.errors import ConfigError
from pytest_rogue.interaction import Usage
from pytest_rogue.models.budget import PICTURE_TOKENS, USUAL_REPLY, Limits, foreseen, spent_by
from pytest_rogue.models.prices import Price, estimated_cost, own_prices, price_of
from pytest_rogue.records.spend import Amount

PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 400_000}}


def test_litellms_table_is_read_without_importing_litellm() -> None:
    code = (
        "import sys; from pytest_rogue.models.prices import price_of; "
        "assert price_of('openai/gpt-4o').sent > 0; assert 'litellm' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_model_is_found_with_and_without_its_provider() -> None:
    assert price_of("openai/gpt-4o") == price_of("gpt-4o")
    assert price_of("openai/gpt-4o") is not None


def test_a_price_is_that_of_the_litellm_library() -> None:
    from pytest_rogue.models.litellm_client import load_litellm

    sent, answered = load_litellm().cost_per_token(model="openai/gpt-4o", prompt_tokens=1000, completion_tokens=100)
    assert estimated_cost("openai/gpt-4o", prompt_tokens=1000, completion_tokens=100) == pytest.approx(sent + answered)


@pytest.mark.parametrize("model", ["openai/nobody-knows-it", "nobody/knows-it"])
def test_an_unknown_price_is_none_and_not_zero(model: str) -> None:
    assert price_of(model) is None
    assert estimated_cost(model, prompt_tokens=1, completion_tokens=1) is None
    assert foreseen(model, [], longest=1, own_prices={}).cost is None


def test_a_server_of_ones_own_is_free() -> None:
    assert estimated_cost("hosted_vllm/any", prompt_tokens=10**6, completion_tokens=10**6) == 0.0


def test_the_users_price_comes_first() -> None:
    own = own_prices(["openai/gpt-4o=1,10", "hosted_vllm/mine=0.5,2.25"])
    assert price_of("openai/gpt-4o", own) == Price(1.0, 10.0)
    assert price_of("hosted_vllm/mine", own) == Price(0.5, 2.25)
    usage = Usage(1, 0, 1_000_000, 100_000, cost=99.0)
    assert spent_by("openai/gpt-4o", usage, own_prices=own) == Amount(1_100_000, 2.0)


@pytest.mark.parametrize(
    "text", ["openai/x", "openai/x=1", "openai/x=-1,2", "=1,2", "openai/x=1,nan", "openai/x=1,2,3"]
)
def test_a_price_that_is_none_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ConfigError, match=r"expected MODEL=SENT,ANSWERED.*for instance"):
        own_prices([text])


def test_two_prices_of_one_model_are_refused() -> None:
    with pytest.raises(ConfigError, match="gives a/b two prices"):
        own_prices(["a/b=1,2", "a/b=1,3"])


def test_a_picture_counts_as_a_screen_and_not_by_its_letters() -> None:
    messages = [{"role": "user", "content": [{"type": "text", "text": "a" * 300}, PICTURE, PICTURE]}]
    tokens = foreseen("openai/x", messages, longest=10, own_prices={}).tokens
    assert 2 * PICTURE_TOKENS + 110 <= tokens <= 2 * PICTURE_TOKENS + 250


def test_a_reply_without_a_bound_is_taken_for_a_usual_one() -> None:
    bounded, unbounded = (foreseen("openai/x", [], longest=longest, own_prices={}).tokens for longest in (10, None))
    assert unbounded - bounded == USUAL_REPLY - 10


def test_a_cost_that_the_client_does_not_know_is_worked_out_from_the_tokens() -> None:
    spent = spent_by("openai/x", Usage(2, 1, 1000, 100, cost=None), own_prices={"openai/x": Price(1.0, 10.0)})
    assert spent.tokens == 1100
    assert spent.cost == pytest.approx(0.002)
    assert spent_by("openai/x", Usage(1, 0, 5, 5, cost=None), own_prices={}) == Amount(10, None)


@pytest.mark.parametrize(
    ("limits", "holds"),
    [(Limits(), True), (Limits(cost=2.0), True), (Limits(cost=1.9), False), (Limits(tokens=99), False)],
)
def test_a_limit_is_kept_to_the_cent_and_to_the_token(limits: Limits, holds: bool) -> None:
    assert limits.hold(Amount(100, 2.0)) is holds
