"""The fast PNG encoder draws what it was given."""

from __future__ import annotations

import io
import random
import zlib
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from pytest_rogue.guest import deflate, png

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = [(1, 1), (1, 7), (7, 1), (640, 33)]


def decoded(data: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


@pytest.fixture(params=["fast", "slow"])
def machine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine with the library for fast compression, and one without it."""
    if request.param == "slow":
        monkeypatch.setattr(deflate, "LIBRARY", "libno-such-thing.so")
    deflate._library.cache_clear()
    assert deflate.is_fast() == (request.param == "fast"), "the Debian package libisal2 is missing"
    yield
    deflate._library.cache_clear()


@pytest.mark.usefixtures("machine")
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


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("length", [0, 1, 65_535, 65_536, 3_000_000])
def test_what_cannot_be_compressed_comes_back_exactly(length: int) -> None:
    data = random.Random(length).randbytes(length)  # noqa: S311
    assert zlib.decompress(deflate.compress(data)) == data
