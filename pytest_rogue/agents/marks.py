"""Numbered marks on a screenshot, one for each element that can be acted on (set-of-marks)."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from pytest_rogue.errors import GuestFault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PIL.ImageDraw import ImageDraw

    from pytest_rogue.agents.tree import Node

MOST_MARKS = 200
"""More numbers than this cover what they name."""

_ACTED_ON = frozenset(
    {
        *("push-button", "toggle-button", "radio-button", "check-box", "combo-box", "spin-button", "slider"),
        *("entry", "password-text", "text", "link", "icon", "page-tab", "list-item", "table-cell", "tree-item"),
        *("menu", "menu-item", "check-menu-item", "radio-menu-item"),
    }
)
_COLOURS = ("#c00000", "#006000", "#0000c0", "#800080", "#a05000")


def marked(nodes: Sequence[Node]) -> list[Node]:
    """Return the nodes that get a mark, those of a modal window first; the mark of the first is 1."""
    chosen = [node for node in nodes if "focusable" in node.states or node.role in _ACTED_ON]
    return chosen[:MOST_MARKS]


def draw(png: bytes, nodes: Sequence[Node]) -> bytes:
    """Return the screenshot with a frame around each node and its number at the frame's upper left corner.

    Args:
        png: the screenshot.
        nodes: to be marked, in the order of their numbers.

    Raises:
        GuestFault: the screenshot is no picture.
    """
    from PIL import Image, ImageDraw, ImageFont

    try:
        with Image.open(io.BytesIO(png)) as opened:
            picture = opened.convert("RGB")
    except OSError as error:
        raise GuestFault(f"the desktop's screenshot cannot be read as a picture ({error}); start a new one") from error
    canvas = ImageDraw.Draw(picture)
    canvas.font = ImageFont.load_default(size=13)
    for number, node in enumerate(nodes, start=1):
        _mark(canvas, str(number), node, _COLOURS[number % len(_COLOURS)])
    written = io.BytesIO()
    picture.save(written, format="png", compress_level=1)
    return written.getvalue()


def _mark(canvas: ImageDraw, number: str, node: Node, colour: str) -> None:
    left, top, width, height = node.box
    canvas.rectangle((left, top, left + width - 1, top + height - 1), outline=colour)
    corner = (max(0, left), max(0, top))
    canvas.rectangle(canvas.textbbox(corner, number), fill=colour)
    canvas.text(corner, number, fill="white")
