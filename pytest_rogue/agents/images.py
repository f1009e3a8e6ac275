"""Pictures as a model is sent them: their size, their format, and the address that holds them."""

from __future__ import annotations

import base64
import io
import math
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import ConfigError, GuestFault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_rogue.agents.frame import Size
    from pytest_rogue.models.quirks import Quirks
    from pytest_rogue.settings import ImageFormat

# Text of 10 pixels stays readable; the fastest method of WebP, because a picture is made in every turn.
_ENCODING: Mapping[ImageFormat, dict[str, Any]] = {
    "png": {"compress_level": 1},
    "webp": {"quality": 80, "method": 0},
    "jpeg": {"quality": 85},
}


@dataclass(frozen=True, slots=True)
class ImageForm:
    """How pictures are sent.

    Attributes:
        format: of the file.
        scale: of width and height, above 0 and up to 1; None for the largest that the model sees as it is.
    """

    format: ImageFormat = "png"
    scale: float | None = None


def picture_size(screen: Size, form: ImageForm, quirks: Quirks) -> Size:
    """Return the width and height in which a screen is shown to a model, in pixels."""
    scale = form.scale
    if scale is None:
        width, height = screen
        scale = min(
            1.0,
            quirks.longest_edge / max(screen) if quirks.longest_edge else 1.0,
            math.sqrt(quirks.most_pixels / (width * height)) if quirks.most_pixels else 1.0,
        )
    return max(1, int(screen[0] * scale)), max(1, int(screen[1] * scale))


def need_pillow(what: str) -> None:
    """Check that Pillow is there.

    Args:
        what: needs it, for the message.

    Raises:
        ConfigError: it is not.
    """
    if find_spec("PIL") is None:
        raise ConfigError(f"{what} needs Pillow, which is not installed; run: pip install 'pytest-rogue[models]'")


def data_url(png: bytes, *, screen: Size, size: Size, image_format: ImageFormat) -> str:
    """Return a screenshot as an address that holds it.

    Args:
        png: as the desktop gave it; sent unchanged where neither size nor format differ.
        screen: its width and height in pixels.
        size: width and height to show it in.
        image_format: of the picture that is sent.

    Raises:
        GuestFault: it is no picture.
    """
    if size == screen and image_format == "png":
        return _address(png, "png")
    from PIL import Image

    try:
        with Image.open(io.BytesIO(png)) as opened:
            picture = opened.convert("RGB")
    except OSError as error:
        raise GuestFault(f"the desktop's screenshot cannot be read as a picture ({error}); start a new one") from error
    if picture.size != size:
        picture = picture.resize(size, Image.Resampling.BILINEAR, reducing_gap=2.0)
    written = io.BytesIO()
    picture.save(written, format=image_format, **_ENCODING[image_format])
    return _address(written.getvalue(), image_format)


def _address(data: bytes, image_format: ImageFormat) -> str:
    return f"data:image/{image_format};base64,{base64.b64encode(data).decode()}"
