"""Where on the screen the coordinates of a model lie: it may see a smaller picture, or count on a grid of its own."""

from __future__ import annotations

from dataclasses import dataclass

Size = tuple[int, int]
Point = tuple[int, int]


class OutsideError(ValueError):
    """The coordinates name no place on the screen; the message tells the model why."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What a model's coordinates are counted in.

    Attributes:
        screen: width and height of the screen, in pixels.
        picture: width and height of the picture it is shown, in pixels.
        grid: its coordinates run from 0 to this in both directions; None for pixels of the picture.
    """

    screen: Size
    picture: Size
    grid: int | None = None

    @property
    def extent(self) -> Size:
        """Where the coordinates end, at the right and at the bottom."""
        return self.picture if self.grid is None else (self.grid, self.grid)

    @property
    def is_the_screen(self) -> bool:
        """True where coordinates are the pixels of the screen and need no conversion."""
        return self.extent == self.screen

    def to_screen(self, x: float, y: float) -> Point:
        """Return the pixel of the screen that is meant.

        Raises:
            OutsideError: the point lies off the screen, or is a fraction where pixels are counted.
        """
        width, height = self.extent
        if self.grid is None and is_fraction(x, y):
            raise OutsideError(f"({x:g}, {y:g}) is a fraction; coordinates are {self.in_words()}")
        # The far edge of a grid is a place on the screen, that of a picture is one pixel off it.
        last = (width, height) if self.grid else (width - 1, height - 1)
        if not (0 <= x <= last[0] and 0 <= y <= last[1]):
            raise OutsideError(f"({x:g}, {y:g}) lies outside the screen; coordinates are {self.in_words()}")
        return (
            min(int(x * self.screen[0] / width), self.screen[0] - 1),
            min(int(y * self.screen[1] / height), self.screen[1] - 1),
        )

    def from_screen(self, x: float, y: float) -> tuple[float, float]:
        """Return what the model has to say to mean a pixel of the screen; whole numbers but on a grid of 1."""
        digits = 4 if self.grid == 1 else None
        return (
            round(x * self.extent[0] / self.screen[0], digits),
            round(y * self.extent[1] / self.screen[1], digits),
        )

    def in_words(self) -> str:
        """Return the end of a sentence that begins with `coordinates are`."""
        if self.grid is None:
            return f"pixels of a picture of {self.picture[0]}x{self.picture[1]}"
        return f"numbers from 0 to {self.grid} in both directions"


def is_fraction(x: float, y: float) -> bool:
    """True for a point that only makes sense as parts of the whole, `(0.5, 0.5)`."""
    return 0 <= x <= 1 and 0 <= y <= 1 and (x % 1 != 0 or y % 1 != 0)
