"""Marks for providers that keep the beginning of a conversation and bill it once.

Anthropic's API takes four marks at most (https://docs.litellm.ai/docs/completion/prompt_caching). Three are set: behind
the system message, which stays; behind the last message, for the next request to find; and behind the user's message
before it, where the request before this one has set its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_rogue.models.client import Message

_MARK = {"type": "ephemeral"}


def with_cache_marks(messages: Sequence[Message]) -> list[Message]:
    """Return the conversation with the marks; the messages that were given are not changed."""
    marked = list(messages)
    asked = [place for place, message in enumerate(messages) if message["role"] in ("user", "tool")]
    system = [place for place, message in enumerate(messages) if message["role"] == "system"]
    for place in [*system[:1], *asked[-2:]]:
        marked[place] = _marked(messages[place])
    return marked


def _marked(message: Message) -> Message:
    content = message["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    if not parts:
        return message
    return {**message, "content": [*parts[:-1], {**parts[-1], "cache_control": _MARK}]}
