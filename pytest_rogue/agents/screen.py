"""From an observation to what a model is shown: the picture, the list of elements, and what its words refer to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_rogue.agents import marks
from pytest_rogue.agents.frame import Frame
from pytest_rogue.agents.images import data_url, need_pillow, picture_size
from pytest_rogue.agents.protocol import wants_screenshot, wants_tree
from pytest_rogue.agents.spaces.protocol import View
from pytest_rogue.agents.tree import Node, TreeUnreadableError, linearise, modal_first, visible_nodes

if TYPE_CHECKING:
    from pytest_rogue.agents.frame import Size
    from pytest_rogue.agents.options import AgentOptions
    from pytest_rogue.agents.protocol import ObservationType
    from pytest_rogue.interaction import Observation
    from pytest_rogue.models.quirks import Quirks


@dataclass(frozen=True, slots=True)
class Shown:
    """What a model is shown.

    Attributes:
        view: what its words refer to.
        picture: address that holds the picture, None where it is shown none.
        elements: the list of elements in words, empty where it is shown none.
    """

    view: View
    picture: str | None
    elements: str


class Screen:
    """Shows the screen in the way that was chosen.

    Args:
        observation_type: what is shown.
        options: of the agent.
        quirks: of the model.
        native: whether coordinates are those of the model's own computer tool.

    Raises:
        ConfigError: Pillow is missing.
    """

    def __init__(
        self, observation_type: ObservationType, options: AgentOptions, quirks: Quirks, *, native: bool = False
    ) -> None:
        self._type = observation_type
        self._options = options
        self._quirks = quirks
        self._grid = _grid(options.coordinates, quirks.native_grid if native else quirks.grid)
        self.last_frame = Frame((1, 1), (1, 1))
        if wants_screenshot(observation_type):
            self._check_pillow()

    def frame(self, screen: Size) -> Frame:
        """Return what the model's coordinates are counted in, for a screen of that width and height."""
        size = screen
        if wants_screenshot(self._type):
            size = picture_size(screen, self._options.image, self._quirks)
        self.last_frame = Frame(screen, size, self._grid)
        return self.last_frame

    def show(self, observation: Observation) -> Shown:
        """Return what the model is shown of an observation.

        Raises:
            GuestFault: the screenshot is no picture.
        """
        frame = self.frame(observation.screen_size)
        nodes: list[Node] = []
        trouble = ""
        if wants_tree(self._type):
            nodes, trouble = _nodes(observation)
        numbered = marks.marked(modal_first(nodes)) if self._type == "som" else []
        picture = observation.screenshot if wants_screenshot(self._type) else None
        if picture is not None and numbered:
            picture = marks.draw(picture, numbered)
        return Shown(
            view=View(frame, {number: node.centre for number, node in enumerate(numbered, start=1)}),
            picture=self._address(picture, frame),
            elements=trouble or self._elements(nodes, numbered, frame),
        )

    def _address(self, picture: bytes | None, frame: Frame) -> str | None:
        if picture is None:
            return None
        image_format = self._options.image.format
        return data_url(picture, screen=frame.screen, size=frame.picture, image_format=image_format)

    def _elements(self, nodes: list[Node], numbered: list[Node], frame: Frame) -> str:
        if not wants_tree(self._type):
            return ""
        if not nodes:
            return "There are no visible elements."
        numbers = {id(node): number for number, node in enumerate(numbered, start=1)}
        listed = linearise(
            nodes, max_tokens=self._options.tree_tokens, place=frame.from_screen, numbers=numbers if numbered else None
        )
        return f"Visible elements:\n{listed}"

    def _check_pillow(self) -> None:
        if self._type == "som":
            need_pillow("--rogue-observation=som")
        image = self._options.image
        if image.format != "png" or image.scale not in (None, 1.0):
            need_pillow("an image of another format or size")
        elif self._quirks.longest_edge or self._quirks.most_pixels:
            need_pillow("this model, which is shown a smaller picture of a large screen,")


def _grid(chosen: str, known: int | None) -> int | None:
    if chosen == "auto":
        return known
    return None if chosen == "pixel" else int(chosen)


def _nodes(observation: Observation) -> tuple[list[Node], str]:
    """Return the elements, or what to tell the model in their place."""
    if observation.a11y is None:
        return [], "The list of elements is not available this time."
    try:
        return visible_nodes(observation.a11y, observation.screen_size), ""
    except TreeUnreadableError:
        return [], "The list of elements could not be read this time."
