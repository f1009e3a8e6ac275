"""What a model is to the rest of the package: messages in, a reply out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from pytest_rogue.interaction import Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

Message: TypeAlias = dict[str, Any]
"""One message in OpenAI's chat form: `role`, and `content` as text or as a list of text and image parts."""

SLOWEST = 1800.0
"""Seconds that one reply may take; the slowest models think for many minutes."""

WITHHELD = frozenset({"content_filter", "refusal", "no_choices"})
"""Finish reasons that say that the provider kept the reply back or gave none."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model wants to use.

    Attributes:
        id: by which the answer to it is told apart.
        name: of the tool.
        arguments: JSON, verbatim; nobody has checked that it is.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered.

    Attributes:
        text: the words, verbatim; empty where there were none.
        reasoning: the model's reasoning where the provider returns it.
        finish_reason: why the reply ended: `stop`, `tool_calls`, `length`, or one of `WITHHELD`.
        usage: what all attempts used, the failed ones before the reply included.
        calls: the tools it wants to use, in order.
        message: the reply in the form in which its provider wants it back, None where the words say all of it.
        seconds: how long the attempt took that brought it, None where nobody has measured that.
    """

    text: str
    reasoning: str = ""
    finish_reason: str = "stop"
    usage: Usage = field(default_factory=lambda: Usage(calls=1))
    calls: tuple[ToolCall, ...] = ()
    message: Message | None = None
    seconds: float | None = None

    @property
    def withheld(self) -> bool:
        """True where the provider filtered or refused the reply."""
        return self.finish_reason in WITHHELD


@runtime_checkable
class ModelClient(Protocol):
    """Answers messages. Whoever implements it retries what `errors.POLICIES` says may be retried."""

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int | None = None, tools: Sequence[Message] = ()
    ) -> Reply:
        """Return the model's reply.

        Args:
            messages: the conversation, oldest first.
            max_tokens: how long the reply may be, or None for the provider's own limit.
            tools: that the model may use, each as its provider describes it.

        Raises:
            ModelError: no usable reply; the subclass says why, its policy what that means, and its `usage` what all
                attempts used.
        """
        ...
