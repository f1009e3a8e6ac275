"""The screen: what is on it now, and whether it has come to rest."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PIL import Image, ImageChops
from Xlib import X
from Xlib import error as xerror

from . import png
from .shm import SharedImage
from .xserver import SharedConnection

if TYPE_CHECKING:
    from Xlib.display import Display

_POLL = 0.02


@dataclass(frozen=True, slots=True)
class Frame:
    """The whole screen at one moment, without the cursor: `pixels` are 4 bytes each (blue, green, red, unused)."""

    width: int
    height: int
    pixels: bytes

    def image(self) -> Image.Image:
        """Return it as an RGB image."""
        return Image.frombytes("RGB", (self.width, self.height), self.pixels, "raw", "BGRX", 0, 1)


class Screen:
    """Looks at the screen; may be used by several threads."""

    def __init__(self) -> None:
        self._connection = SharedConnection(_ask_for_cursors)
        self._shared: SharedImage | None = None
        self._owner: Display | None = None

    def size(self) -> tuple[int, int]:
        """Return width and height in pixels."""
        with self._connection.locked() as display:
            return _size(display)

    def pointer(self) -> tuple[int, int]:
        """Return where the pointer is."""
        with self._connection.locked() as display:
            found = display.screen().root.query_pointer()
            return found.root_x, found.root_y

    def grab(self) -> Frame:
        """Return what is on the screen now."""
        with self._connection.locked() as display:
            width, height = _size(display)
            shared = self._memory(display, width, height)
            if shared:
                try:
                    return Frame(width, height, shared.read())
                except xerror.BadMatch:  # the size has changed this moment
                    width, height = _size(display)
            reply = display.screen().root.get_image(0, 0, width, height, X.ZPixmap, 0xFFFFFFFF)
            return Frame(width, height, bytes(reply.data))

    def _memory(self, display: Display, width: int, height: int) -> SharedImage | None:
        """Return memory of the right size, or None where this X server cannot share any."""
        if self._owner is not display:
            self._owner, self._shared = display, None
        elif self._shared is None or (self._shared.width, self._shared.height) == (width, height):
            return self._shared
        if self._shared:
            self._shared.close()
        try:
            self._shared = SharedImage(display, width, height)
        except OSError:
            self._shared = None
        return self._shared

    def png(self) -> bytes:
        """Return a screenshot with the cursor drawn."""
        image = self.grab().image()
        with self._connection.locked() as display:
            _draw_cursor(display, image)
        return png.encode(image)

    def wait_still(self, quiet: float, limit: float) -> bool:
        """Wait until the screen has not changed for `quiet` seconds, at most `limit` seconds.

        Returns:
            True where it came to rest.
        """
        if quiet == 0:
            return True
        changed = time.monotonic()
        deadline = changed + limit
        frame = self.grab()
        while True:
            now = time.monotonic()
            if now - changed >= quiet:
                return True
            if now >= deadline:
                return False
            time.sleep(min(_POLL, changed + quiet - now, deadline - now))
            latest = self.grab()
            if latest != frame:
                frame, changed = latest, time.monotonic()


def _size(display: Display) -> tuple[int, int]:
    geometry = display.screen().root.get_geometry()
    return geometry.width, geometry.height


def _ask_for_cursors(display: Display) -> None:
    if display.has_extension("XFIXES"):
        display.xfixes_query_version()  # the extension answers nothing before


def _draw_cursor(display: Display, image: Image.Image) -> None:
    if not display.has_extension("XFIXES"):
        return
    cursor = display.xfixes_get_cursor_image(display.screen().root)
    size = (cursor.width, cursor.height)
    data = b"".join(pixel.to_bytes(4, "little") for pixel in cursor.cursor_image)
    picture = Image.frombytes("RGBA", size, data, "raw", "BGRA")
    place = (cursor.x - cursor.xhot, cursor.y - cursor.yhot)
    under = image.crop((*place, place[0] + size[0], place[1] + size[1]))
    covered = ImageChops.invert(picture.getchannel("A"))
    left = ImageChops.multiply(under, Image.merge("RGB", (covered,) * 3))
    image.paste(ImageChops.add(left, picture.convert("RGB")), place)  # its colours are premultiplied
