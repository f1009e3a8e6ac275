"""What an action space is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_rogue.agents.frame import Frame, Point
    from pytest_rogue.agents.parse import Parsed
    from pytest_rogue.models.client import Message, Reply, ToolCall


@dataclass(frozen=True, slots=True)
class View:
    """What a model was shown, as far as its words refer to it.

    Attributes:
        frame: what its coordinates are counted in.
        tags: the pixels of the screen that its numbered marks stand for, by number.
    """

    frame: Frame
    tags: Mapping[int, Point] = field(default_factory=dict)


class ActionSpace(Protocol):
    """A way to say what to do.

    Attributes:
        prompt: name of the text file in `prompts/` that explains it to the model.
        uses_grid_of_native: True where coordinates are those of the model's own computer tool.
        takes_tags: True where a numbered mark may stand for a point.
    """

    prompt: str
    uses_grid_of_native: bool
    takes_tags: bool

    def tools(self, frame: Frame) -> tuple[Message, ...]:
        """Return the tools that the model is offered; none where it acts by words."""
        ...

    def parse(self, reply: Reply, view: View) -> Parsed:
        """Return the actions of a reply, all of them or none."""
        ...

    def answer(self, call: ToolCall, told: str) -> str:
        """Return what the model is told about a call, in the form that its tool asks for."""
        ...
