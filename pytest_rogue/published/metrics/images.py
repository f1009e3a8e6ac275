"""The metric on pictures."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import model_validator

from pytest_rogue.evaluators.libraries import require
from pytest_rogue.evaluators.protocol import Finding
from pytest_rogue.published.metrics.comparison import Comparison, NothingComparable, pairs, present, read_expected

if TYPE_CHECKING:
    from pytest_rogue.published.protocol import Convention, Fetched


class CompareImageList(Comparison):
    """Each picture is the expected one, pixel by pixel, once it has the same size.

    Upstream compares only how transparent the pixels are where a picture tells that, so that any two opaque ones are
    the same.
    """

    func: ClassVar[str] = "compare_image_list"

    @model_validator(mode="after")
    def _readable(self) -> CompareImageList:
        require("PIL")
        return self

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:
        """Compare picture by picture."""
        from PIL import ImageChops

        both = pairs(result, expected)
        for there, gold in both:
            wanted, found = read_expected(_picture, gold), _picture(present(there, gold))
            mode = wanted.mode if convention == "upstream" else "RGBA"
            difference = ImageChops.difference(found.convert(mode).resize(wanted.size), wanted.convert(mode))
            if difference.getbbox(alpha_only=convention == "upstream") is not None:
                return Finding(0.0, f"the picture {gold.name}", "another one")
        return Finding(1.0, f"{len(both)} pictures", "they")


def _picture(file: Fetched) -> Any:
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            picture = Image.open(io.BytesIO(file.data))
            picture.load()
    except Exception as error:  # the file may be the agent's, and Pillow raises whatever its formats raise
        raise NothingComparable(f"{file.name}: no readable picture: {type(error).__name__}: {error}") from error
    return picture
