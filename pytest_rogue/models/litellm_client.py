"""Models through LiteLLM. The only module that imports litellm, and not before the first call."""

from __future__ import annotations

import logging
import os
import time
import warnings
from contextlib import nullcontext
from dataclasses import replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import (
    BadModelRequest,
    ConfigError,
    ContextWindowExceeded,
    DeadKey,
    ModelError,
    ModelRefused,
    OutOfCredit,
    RateLimited,
    TransientModelError,
    UnknownModel,
    policy_for,
)
from pytest_rogue.interaction import Usage
from pytest_rogue.models import chat, responses
from pytest_rogue.models.caching import with_cache_marks
from pytest_rogue.models.classify import ReplyFailedError, classify, was_never_sent
from pytest_rogue.models.client import SLOWEST, Reply
from pytest_rogue.models.options import PROVIDERS_DEFAULTS, ModelOptions, accepted
from pytest_rogue.models.providers import known_to_be_free
from pytest_rogue.models.quirks import quirks_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from tenacity import RetryCallState

    from pytest_rogue.models.client import Message

LONGEST_PAUSE = 60.0
"""Seconds of back-off at most, where the provider does not ask for more."""

LONGEST_RETRY_AFTER = 300.0
"""A provider that asks to wait longer than these seconds is not waited for."""

_TURNED_AWAY = (RateLimited, OutOfCredit, DeadKey, UnknownModel, BadModelRequest, ContextWindowExceeded)
"""Answers to a request with which no model was occupied, so that nothing is billed."""

_TALKATIVE = ("LiteLLM", "LiteLLM Proxy", "LiteLLM Router", "openai", "httpx", "httpcore")


@cache
def load_litellm() -> Any:
    """Import litellm, set up for use as a quiet library that fetches nothing by itself.

    Raises:
        ConfigError: litellm is not installed.
    """
    # Without these two it downloads its price table at import and a header table at the first Anthropic call.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS"] = "True"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import litellm
    except ImportError as error:
        raise ConfigError(
            "models are called through litellm, which is not installed; run: pip install 'pytest-rogue[models]'"
        ) from error
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    # Below warnings they log request bodies, whole screenshots, and addresses that may hold a key.
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.CRITICAL if name.startswith("LiteLLM") else logging.WARNING)
    return litellm


def provider_of(model: str) -> str | None:
    """Return the provider litellm would call for `model`, or None where it knows none."""
    litellm = load_litellm()
    try:
        provider = litellm.get_llm_provider(model)[1]
    except litellm.exceptions.BadRequestError:
        return None
    return str(provider)


def known_names() -> tuple[list[str], list[str]]:
    """Return the provider prefixes and the model names that litellm knows."""
    litellm = load_litellm()
    return [str(provider.value) for provider in litellm.LlmProviders], list(litellm.model_cost)


class LiteLLMClient:
    """A model by its litellm name (`openai/gpt-5.5`, `hosted_vllm/qwen2.5-vl-7b`, ...).

    Faults are retried as `errors.POLICIES` says and by nobody else: litellm's and the provider libraries' own retries
    are off. Pauses grow exponentially with jitter; a `Retry-After` is honoured.

    Args:
        model: litellm's name of the model.
        api_base: address of the server, None for the provider's own or what the environment says.
        timeout: seconds one attempt may take.
        options: parameters of a reply; what the model does not take is not sent.
        parameters: what else litellm is told, as it is.
        sleep: waits for a number of seconds; tests put their own here.
        clock: seconds that only go up; likewise.
        turn: entered for each attempt; whoever shares it with others lets it wait, as `Pace.turn` does.
    """

    def __init__(
        self,
        model: str,
        *,
        api_base: str | None = None,
        timeout: float = SLOWEST,
        options: ModelOptions = PROVIDERS_DEFAULTS,
        parameters: Mapping[str, Any] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        turn: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        self.model = model
        self._options = options
        self._quirks = quirks_of(model)
        self._sleep = sleep
        self._clock = clock
        self._turn = turn
        self._settings: dict[str, Any] = {"model": model, "timeout": timeout, "num_retries": 0, "max_retries": 0}
        if api_base is not None:
            self._settings["api_base"] = api_base
        self._settings |= parameters or {}

    def not_sent(self) -> list[str]:
        """Return the options that the user has set and the model does not take."""
        return [name for name in self._options.chosen() if name not in self._parameters]

    @cached_property
    def _parameters(self) -> dict[str, Any]:
        supported = load_litellm().get_supported_openai_params(model=self.model)
        return dict(accepted(self._options, self._quirks, supported))

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int | None = None, tools: Sequence[Message] = ()
    ) -> Reply:
        """Return the model's reply; see `ModelClient.complete`."""
        from tenacity import Retrying, retry_if_exception_type

        failed: list[Usage] = []

        def keep_usage(state: RetryCallState) -> None:
            failed.append(_error_of(state).usage)

        attempts = Retrying(
            retry=retry_if_exception_type(ModelError),
            after=keep_usage,
            stop=_is_final,
            wait=_pause,
            sleep=self._sleep,
            reraise=True,
        )
        try:
            reply = attempts(self._attempt_in_turn, messages, max_tokens, tools)
        except ModelError as error:
            error.usage = _of_all(failed)
            raise
        return replace(reply, usage=_of_all([*failed, reply.usage]))

    def _attempt_in_turn(self, messages: Sequence[Message], max_tokens: int | None, tools: Sequence[Message]) -> Reply:
        with self._turn():
            started = self._clock()
            reply = self._attempt(messages, max_tokens, tools)
            return replace(reply, seconds=self._clock() - started)

    def _attempt(self, messages: Sequence[Message], max_tokens: int | None, tools: Sequence[Message]) -> Reply:
        limit = {} if max_tokens is None else {"max_tokens": max_tokens}
        try:
            with warnings.catch_warnings():
                # They are about litellm's own types, and must not become errors of a run under `-W error`.
                warnings.simplefilter("ignore")
                response, reply = self._send(messages, {**self._parameters, **limit}, tools)
        except Exception as error:  # noqa: BLE001  litellm's errors have no common base, and all of them are classified
            meaning = classify(error, model=self.model)
            meaning.usage = self._usage_of_failure(error, meaning)
            if isinstance(meaning, ModelRefused):
                return Reply("", finish_reason="content_filter", usage=meaning.usage)
            # Without its cause: tracebacks would show the unscrubbed message.
            raise meaning from None
        return replace(reply, usage=self._usage(response))

    def _send(
        self, messages: Sequence[Message], parameters: dict[str, Any], tools: Sequence[Message]
    ) -> tuple[Any, Reply]:
        """Send one request to the API that knows the tools; return the response, and the reply in it."""
        litellm = load_litellm()
        if responses.needed_for(tools):
            request = responses.as_request(messages, tools) | responses.as_parameters(parameters)
            response = litellm.responses(**request, **self._settings)
            return response, responses.reply_of(response)
        sent = with_cache_marks(messages) if self._quirks.cache_markers else list(messages)
        extra = {"tools": list(tools)} if tools else {}
        response = litellm.completion(messages=sent, **self._settings, **parameters, **extra)
        return response, chat.reply_of(response)

    def _usage(self, response: Any) -> Usage:
        counted = getattr(response, "usage", None)
        return Usage(
            calls=1,
            prompt_tokens=_count(counted, "prompt_tokens", "input_tokens"),
            completion_tokens=_count(counted, "completion_tokens", "output_tokens"),
            cost=self._cost(response),
        )

    def _usage_of_failure(self, error: Exception, meaning: ModelError) -> Usage:
        """What an attempt used that brought no reply: nothing where it was turned away, else nobody knows."""
        if was_never_sent(error):
            return Usage()
        turned_away = isinstance(meaning, _TURNED_AWAY) and not isinstance(error, ReplyFailedError)
        return Usage(calls=1, cost=0.0 if turned_away or known_to_be_free(self.model) else None)

    def _cost(self, response: Any) -> float | None:
        """Price in US dollars. A model that litellm lists at zero, or not at all, has an unknown price, not none."""
        if known_to_be_free(self.model):
            return 0.0
        try:
            price = load_litellm().completion_cost(completion_response=response, model=self.model)
        except Exception:  # noqa: BLE001  it raises a plain Exception for a model without a price
            return None
        return float(price) if price else None


def _count(counted: Any, *names: str) -> int:
    """Return a count of tokens; the two APIs name it differently."""
    return next((int(found) for name in names if (found := getattr(counted, name, None))), 0)


def _of_all(attempts: Sequence[Usage]) -> Usage:
    """Add up the attempts at one request: all but the first are retries."""
    return replace(sum(attempts, Usage()), retries=len(attempts) - 1)


def _is_final(state: RetryCallState) -> bool:
    """Whether the attempt that just failed was the last one its policy allows."""
    return _asked_pause(state) > LONGEST_RETRY_AFTER or state.attempt_number > policy_for(_error_of(state)).retries


def _pause(state: RetryCallState) -> float:
    """Seconds until the next attempt: not shorter than the provider asks for, and not the same for all workers."""
    from tenacity import wait_exponential, wait_random

    backoff = wait_exponential(multiplier=1.0, max=LONGEST_PAUSE)(state)
    return max(backoff, _asked_pause(state)) + wait_random(0.0, 1.0)(state)


def _asked_pause(state: RetryCallState) -> float:
    error = _error_of(state)
    return (error.retry_after or 0.0) if isinstance(error, TransientModelError) else 0.0


def _error_of(state: RetryCallState) -> ModelError:
    error = state.outcome.exception() if state.outcome else None
    # Only model errors are retried, so that this is asked of no others.
    return error if isinstance(error, ModelError) else ModelError("the attempt failed without saying why")
