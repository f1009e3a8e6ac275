"""OpenAI's Responses API, which its computer tool needs, in terms of the chat form that the rest of the package speaks.

Every request holds the whole conversation (`store` is off), so that nothing of it has to be found at the provider
again. A reply is sent back as the very items it came in: a `computer_call` without its reasoning item is refused.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_rogue.models.classify import ReplyFailedError
from pytest_rogue.models.client import Message, Reply, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

COMPUTER: Message = {"type": "computer"}
"""The tool (https://developers.openai.com/api/docs/guides/tools-computer-use)."""

ITEMS = "items"
"""Key of an assistant's message under which the items of a reply are kept."""

_ENDED = ("completed", "incomplete", None)
"""Statuses of a reply; one that was cut is `incomplete`."""


def needed_for(tools: Sequence[Message]) -> bool:
    """True where a tool is known to the Responses API only."""
    return COMPUTER in tools


def as_request(messages: Sequence[Message], tools: Sequence[Message]) -> dict[str, Any]:
    """Return the conversation as arguments of `litellm.responses`."""
    system = [message["content"] for message in messages if message["role"] == "system"]
    return {
        "instructions": "\n\n".join(system),
        "input": [item for group in _groups(messages) for item in group],
        "tools": list(tools),
        "store": False,
        "include": ["reasoning.encrypted_content"],
    }


def as_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a reply by the names of this API."""
    named = dict(parameters)
    if "reasoning_effort" in named:
        named["reasoning"] = {"effort": named.pop("reasoning_effort"), "summary": "auto"}
    if "max_tokens" in named:
        named["max_output_tokens"] = named.pop("max_tokens")
    return named


def _groups(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Yield the items of each message; the answers to one reply are told together, as each of them needs a picture."""
    answers: list[Message] = []
    asked: list[Message] = []
    for message in [*messages, {"role": "end"}]:
        if message["role"] == "tool":
            answers.append(message)
            continue
        if asked or answers:
            yield _call_and_answers(asked, answers)
            asked, answers = [], []
        if message["role"] == "assistant" and ITEMS in message:
            asked = message[ITEMS]
        elif message["role"] in ("user", "assistant"):
            yield [{"role": message["role"], "content": _content(message)}]


def _call_and_answers(asked: list[Message], answers: list[Message]) -> list[Message]:
    pictures = [part["image_url"]["url"] for answer in answers for part in _parts(answer) if part["type"] != "text"]
    told = "\n".join(part["text"] for answer in answers for part in _parts(answer) if part["type"] == "text")
    words = [{"role": "user", "content": [{"type": "input_text", "text": told}]}] if told else []
    calls = {item["call_id"]: item for item in asked if item.get("type") == "computer_call"}
    if not calls:
        return [*asked, *words]
    if not pictures:
        # Its picture was dropped, and a call cannot be answered without one.
        said = json.dumps([call.get("actions") or [call.get("action")] for call in calls.values()])
        return [{"role": "assistant", "content": f"[an older action: {said}]"}, *words]
    return [*asked, *(_answer(call, pictures[-1]) for call in calls.values()), *words]


def _answer(call: Message, picture: str) -> Message:
    return {
        "type": "computer_call_output",
        "call_id": call["call_id"],
        "output": {"type": "computer_screenshot", "image_url": picture},
        # They ask whether a person wants this; the desktop is a sandbox made for it.
        "acknowledged_safety_checks": call.get("pending_safety_checks") or [],
    }


def _parts(message: Message) -> list[Message]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _content(message: Message) -> str | list[Message]:
    if message["role"] == "assistant":
        return str(message["content"])
    return [
        {"type": "input_text", "text": part["text"]}
        if part["type"] == "text"
        else {"type": "input_image", "image_url": part["image_url"]["url"], "detail": "high"}
        for part in _parts(message)
    ]


def reply_of(response: Any) -> Reply:
    """Return the reply; its usage is the client's to add.

    Raises:
        ReplyFailedError: the provider failed before it was complete.
    """
    if response.error or response.status not in _ENDED:
        raise ReplyFailedError(str(response.status), response.error)
    items = _items_of(response)
    calls = _calls_of(items)
    refusal = _texts_of(items, "message", "content", "refusal")
    return Reply(
        text=_texts_of(items, "message", "content", "output_text") or refusal,
        reasoning=_texts_of(items, "reasoning", "summary", "summary_text"),
        finish_reason=_finish_reason_of(response, items),
        calls=calls,
        message={"role": "assistant", "content": "", ITEMS: items} if calls else None,
    )


def _items_of(response: Any) -> list[Message]:
    """Return the items of a response as builtins."""
    return [item if isinstance(item, dict) else item.model_dump(exclude_none=True) for item in response.output]


def _calls_of(items: Sequence[Message]) -> tuple[ToolCall, ...]:
    """Return the computer calls, each with the list of its `actions` as arguments."""
    return tuple(
        ToolCall(item["call_id"], "computer", json.dumps({"actions": item.get("actions") or [item.get("action")]}))
        for item in items
        if item.get("type") == "computer_call"
    )


def _texts_of(items: Sequence[Message], kind: str, field: str, part: str) -> str:
    """Return the texts of one kind of part in one kind of item, a paragraph each."""
    found = [
        str(piece.get("text") or piece.get("refusal") or "")
        for item in items
        if item.get("type") == kind
        for piece in item.get(field) or []
        if piece.get("type") == part
    ]
    return "\n\n".join(text for text in found if text)


def _finish_reason_of(response: Any, items: Sequence[Message]) -> str:
    """Return why a response ended, in the words of chat completions."""
    if _texts_of(items, "message", "content", "refusal"):
        return "refusal"
    details = getattr(response, "incomplete_details", None)
    reason = details.get("reason") if isinstance(details, dict) else getattr(details, "reason", None)
    return {"max_output_tokens": "length", "content_filter": "content_filter"}.get(str(reason), "stop")
