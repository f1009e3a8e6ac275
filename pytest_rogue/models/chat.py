"""A response of chat completions, as litellm returns it for every provider, as a reply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_rogue.models.classify import ReplyFailedError
from pytest_rogue.models.client import Reply, ToolCall

if TYPE_CHECKING:
    from pytest_rogue.models.client import Message

_SENT_BACK = ("content", "tool_calls", "thinking_blocks", "reasoning_content", "provider_specific_fields")
"""Fields of a message that a provider may want back: thoughts are signed, and a call without them is refused."""

_FAILED = frozenset({"error", "network_error", "insufficient_system_resource"})
"""Finish reasons of providers that could not go on; litellm calls them `stop`, and keeps the word beside it."""


def reply_of(response: Any) -> Reply:
    """Return the reply; its usage is the client's to add.

    Raises:
        ReplyFailedError: the provider failed in the middle of it.
    """
    if not response.choices:
        return Reply("", finish_reason="no_choices")
    choice = response.choices[0]
    _check_that_it_ended(choice)
    message = choice.message
    refusal = getattr(message, "refusal", None)
    calls = tuple(
        ToolCall(str(call.id), str(call.function.name), str(call.function.arguments))
        for call in message.tool_calls or ()
    )
    return Reply(
        text=message.content or refusal or "",
        reasoning=getattr(message, "reasoning_content", None) or "",
        finish_reason="refusal" if refusal else str(choice.finish_reason or "stop"),
        calls=calls,
        message=_sent_back(message) if calls else None,
    )


def _check_that_it_ended(choice: Any) -> None:
    besides = getattr(choice, "provider_specific_fields", None) or {}
    reason, error = str(besides.get("native_finish_reason", "")), besides.get("error")
    if error or reason.lower() in _FAILED:
        raise ReplyFailedError(reason or "error", error)


def _sent_back(message: Any) -> Message:
    fields: Message = message.model_dump(exclude_none=True)
    return {"role": "assistant", **{name: fields[name] for name in _SENT_BACK if fields.get(name)}}
