"""What a failed model call means: from litellm's exceptions to this package's.

LiteLLM wraps the same fault differently from provider to provider: an overload is an `InternalServerError` with
Anthropic and an `APIError` with OpenAI's protocol, an exhausted account is a rate limit, a missing key may be a lost
connection. So the class, the HTTP status, and the words are read together, by one ordered table. Classes are compared
by name, so that this module does not import litellm.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import (
    BadModelRequest,
    ContextWindowExceeded,
    DeadKey,
    ModelError,
    ModelRefused,
    ModelUnavailable,
    OutOfCredit,
    RateLimited,
    ReplyTimedOut,
    TransientModelError,
    UnknownModel,
)
from pytest_rogue.secrets import printable, scrub

if TYPE_CHECKING:
    from collections.abc import Mapping

SHOWN = 300
"""How many characters of the provider's own words an error message repeats."""

_CLASS_NAMES = re.compile(r"^(?:(?:litellm\.)?\w*(?:Error|Timeout): )+")
"""What litellm puts before the provider's words, often twice."""

_REQUEST_AT_FAULT = frozenset(range(400, 500)) - {408, 409, 425, 429}


@dataclass(frozen=True, slots=True)
class _Rule:
    """Applies where a class name or a status fits (none given: always) and a phrase is found (none given: always)."""

    kind: type[ModelError]
    classes: frozenset[str] = frozenset()
    statuses: frozenset[int] = frozenset()
    phrases: re.Pattern[str] | None = None

    def fits(self, classes: frozenset[str], status: int | None, text: str) -> bool:
        anywhere = not self.classes and not self.statuses
        place = anywhere or bool(self.classes & classes) or status in self.statuses
        return place and (self.phrases is None or self.phrases.search(text) is not None)


def _any_of(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(phrases), re.IGNORECASE | re.DOTALL)


_NO_CREDENTIALS = ("missing credentials", r"missing \w+ api key", "unable to locate credentials")
_NO_PROVIDER = "llm provider not provided"

_NEVER_SENT = _any_of(*_NO_CREDENTIALS, _NO_PROVIDER)
"""The words of litellm and the libraries below it where they do not get as far as sending anything."""

_RULES = (
    _Rule(OutOfCredit, statuses=frozenset({402})),
    _Rule(
        OutOfCredit,
        statuses=frozenset({400, 401, 403, 429}),
        phrases=_any_of(
            "insufficient_quota", "credit balance is too low", "insufficient credits", "billing_hard_limit_reached"
        ),
    ),
    _Rule(ContextWindowExceeded, classes=frozenset({"ContextWindowExceededError"}), statuses=frozenset({413})),
    _Rule(
        ContextWindowExceeded,
        statuses=frozenset({400, 422}),
        phrases=_any_of(
            "context_length_exceeded",
            "(prompt|input) is too long",
            "context (length|window|limit|size)",
            "maximum number of tokens",
        ),
    ),
    _Rule(ModelRefused, classes=frozenset({"ContentPolicyViolationError"})),
    _Rule(
        ModelRefused,
        statuses=frozenset({400, 403}),
        phrases=_any_of(
            "content_policy_violation",
            "content_filter",
            "safety system",
            "content management policy",
            "requires moderation",
            "(input|prompt) was flagged",
        ),
    ),
    # A refusal whose content is not text is a malformed reply to litellm; the reply stands in its message.
    _Rule(ModelRefused, phrases=_any_of("invalid response object.*'finish_reason': '(refusal|content_filter)'")),
    # A page for people comes from a gate before the provider, which knows nothing of keys.
    _Rule(ModelUnavailable, statuses=frozenset({403}), phrases=_any_of("text/html", "<!doctype html", "<html")),
    _Rule(
        DeadKey,
        classes=frozenset({"AuthenticationError", "PermissionDeniedError"}),
        statuses=frozenset({401, 403}),
    ),
    _Rule(
        DeadKey,
        phrases=_any_of(*_NO_CREDENTIALS, "api key not (valid|found)"),
    ),
    # OpenRouter knows the model, but nobody who serves it takes such a request.
    _Rule(BadModelRequest, statuses=frozenset({404}), phrases=_any_of("no endpoints found that (support|can handle)")),
    _Rule(UnknownModel, classes=frozenset({"NotFoundError"}), statuses=frozenset({404})),
    _Rule(
        UnknownModel,
        statuses=frozenset({400}),
        phrases=_any_of(_NO_PROVIDER, "model_not_found", "not a valid model", "unknown model", "invalid model"),
    ),
    _Rule(RateLimited, classes=frozenset({"RateLimitError"}), statuses=frozenset({429})),
    _Rule(BadModelRequest, classes=frozenset({"BadRequestError"}), statuses=_REQUEST_AT_FAULT),
    _Rule(ReplyTimedOut, classes=frozenset({"Timeout"}), phrases=_any_of("timed out")),
    _Rule(
        ModelUnavailable,
        classes=frozenset({"Timeout", "APIConnectionError", "APIError", "ReplyFailedError"}),
        statuses=frozenset({408, 409, 425, *range(500, 600)}),
    ),
)

_MEANING: Mapping[type[ModelError], str] = {
    OutOfCredit: "the account has no credit left; top it up, then run again with --rogue-resume",
    ContextWindowExceeded: "the request is longer than the model can read",
    ModelRefused: "the provider refused the request",
    DeadKey: "the provider does not accept the key; check that it is set, valid, and allowed to use this model",
    UnknownModel: "the provider does not know this model; check the name and the address",
    RateLimited: "too many requests; try fewer workers (-n)",
    BadModelRequest: "the provider does not accept the form of the request",
    ModelUnavailable: "the provider is overloaded, failing, or not reachable",
    ReplyTimedOut: "no reply came within the time that one may take",
    ModelError: "the call failed in an unexpected way",
}


class ReplyFailedError(Exception):
    """A provider says inside a reply, under HTTP status 200, that it could not finish it.

    Args:
        reason: why it ended, in the provider's word.
        error: what the provider says besides, a mapping with `code` and `message` as a rule; None for nothing.
    """

    def __init__(self, reason: str, error: Any = None) -> None:
        said = error.get("message", "") if isinstance(error, dict) else error
        super().__init__(f"the reply ended with {reason}" + (f": {said}" if said else ""))
        self.code = error.get("code", "") if isinstance(error, dict) else ""
        self.status_code = _STATUS_OF_CODE.get(str(self.code)) or (self.code if isinstance(self.code, int) else None)


_STATUS_OF_CODE = {"rate_limit_exceeded": 429, "invalid_prompt": 400}
"""What the Responses API would have said with the status, had it refused at once."""


def classify(error: Exception, *, model: str) -> ModelError:
    """Return what `error`, raised by a model call, means. Nothing secret stands in the result's message.

    Args:
        error: exception of litellm or of the libraries below it, or a `ReplyFailedError`.
        model: name of the model that was called, for the message.
    """
    status = getattr(error, "status_code", None)
    classes = frozenset(base.__name__ for base in type(error).__mro__)
    # OpenAI's library drops a page and keeps its headers; others keep the page and drop the headers.
    content_type = _headers_of(error).get("content-type", "")
    parts = (error, getattr(error, "code", ""), getattr(error, "body", ""), content_type)
    text = " ".join(str(part) for part in parts)
    kind = next((rule.kind for rule in _RULES if rule.fits(classes, status, text)), ModelError)
    message = f"{model}: {_MEANING[kind]} ({_words_of(error)})"
    return kind(message, retry_after(error)) if issubclass(kind, TransientModelError) else kind(message)


def was_never_sent(error: Exception) -> bool:
    """True where the call ended before a request was made: no key, or no provider to send it to."""
    return _NEVER_SENT.search(str(error)) is not None


def retry_after(error: Exception) -> float | None:
    """Return how many seconds the provider asks to wait before the next attempt, or None where it does not say.

    Read from `Retry-After` (seconds or a date, RFC 9110 section 10.2.3), or from Google's `retryDelay` in the body.
    """
    stated = str(_headers_of(error).get("retry-after", "")).strip()
    if re.fullmatch(r"\d+(\.\d+)?", stated):
        return float(stated)
    if stated:
        return _seconds_until(stated)
    delay = re.search(r'"retryDelay":\s*"(\d+(?:\.\d+)?)s"', str(error))
    return float(delay[1]) if delay else None


def _headers_of(error: Exception) -> Mapping[str, str]:
    return getattr(getattr(error, "response", None), "headers", None) or {}


def _seconds_until(date: str) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _words_of(error: Exception) -> str:
    """First line of what was said, without secrets: what follows is tracebacks and the request itself."""
    # Scrubbed before it is cut: half a key would not be recognised.
    lines = printable(scrub(str(error))).strip().splitlines() or [""]
    words = _CLASS_NAMES.sub("", lines[0]).strip() or type(error).__name__
    return f"{words[:SHOWN]}..." if len(words) > SHOWN else words
