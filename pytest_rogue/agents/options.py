"""What a user can set about the built-in agent, beyond what it is shown and how it acts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_rogue.agents.images import ImageForm
from pytest_rogue.models.options import ModelOptions

if TYPE_CHECKING:
    from pytest_rogue.settings import Settings


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """Settings of an agent.

    Attributes:
        image: how pictures are sent.
        image_history: how many earlier pictures are sent again, None for all of the history.
        coordinates: `auto` for what is known of the model, `pixel`, or the end of a grid as text, `1000` or `1`.
        tree_tokens: how long the list of elements may be, in tokens.
        model: parameters of a model's replies.
        turn_seconds: how long an agent that is a program may take for one turn.
    """

    image: ImageForm = field(default_factory=ImageForm)
    image_history: int | None = None
    coordinates: str = "auto"
    tree_tokens: int = 10_000
    model: ModelOptions = field(default_factory=ModelOptions)
    turn_seconds: float = 1800.0

    @classmethod
    def of(cls, settings: Settings) -> AgentOptions:
        """Return those of a run."""
        return cls(
            image=ImageForm(settings.image, settings.image_scale),
            image_history=None if settings.image_history == "all" else settings.image_history,
            coordinates=settings.coordinates,
            tree_tokens=settings.tree_tokens,
            model=ModelOptions(
                settings.reasoning_effort, settings.max_tokens_per_reply, settings.temperature, settings.top_p
            ),
            turn_seconds=settings.wall_timeout,
        )
