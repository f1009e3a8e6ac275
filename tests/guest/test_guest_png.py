"""The fast PNG encoder draws what it was given."""

from __future__ import annotations

import io
import random

import pytest
from PIL import Image

from pytest_rogue.guest import png

SIZES = [(1, 1), (1, 7), (7, 1), (640, 33)]


def decoded(data: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("content", ["flat", "noise", "stripes", "black"])
def test_any_picture_comes_back_exactly(size: tuple[int, int], content: str) -> None:
    width, height = size
    rows = {
        "flat": [bytes([9, 80, 200]) * width] * height,
        "noise": [random.Random(y).randbytes(3 * width) for y in range(height)],  # noqa: S311
        "stripes": [bytes([y // 5 * 20] * 3 * width) for y in range(height)],
        "black": [bytes(3 * width)] * height,
    }
    image = Image.frombytes("RGB", size, b"".join(rows[content]))
    assert decoded(png.encode(image)).tobytes() == image.tobytes()
