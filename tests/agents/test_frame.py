"""Where the coordinates of a model lie on the screen."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_rogue.agents.frame import Frame, OutsideError
from pytest_rogue.agents.scaled_pointer import Scaled

SCREEN = (1920, 1080)
PIXELS = Frame(SCREEN, SCREEN)
SMALLER = Frame(SCREEN, (960, 540))
THOUSAND = Frame(SCREEN, SCREEN, grid=1000)
ONE = Frame(SCREEN, SCREEN, grid=1)


@pytest.mark.parametrize(
    ("frame", "point", "pixel"),
    [
        (PIXELS, (500, 500), (500, 500)),
        (SMALLER, (250, 250), (500, 500)),
        (THOUSAND, (500, 500), (960, 540)),
        (THOUSAND, (1000, 1000), (1919, 1079)),
        (ONE, (0.5, 0.5), (960, 540)),
        (ONE, (0, 1), (0, 1079)),
    ],
)
def test_a_point_is_converted_to_the_pixel_that_is_meant(
    frame: Frame, point: tuple[float, float], pixel: tuple[int, int]
) -> None:
    assert frame.to_screen(*point) == pixel


@pytest.mark.parametrize(
    ("frame", "point", "words"),
    [
        (PIXELS, (0.5, 0.5), "is a fraction; coordinates are pixels of a picture of 1920x1080"),
        (PIXELS, (1920, 5), "lies outside the screen"),
        (PIXELS, (5, -1), "lies outside the screen"),
        (SMALLER, (960, 5), "pixels of a picture of 960x540"),
        (THOUSAND, (1001, 5), "numbers from 0 to 1000"),
        (ONE, (5, 5), "numbers from 0 to 1 in both"),
    ],
)
def test_a_point_that_is_nowhere_is_refused_and_not_moved(frame: Frame, point: tuple[float, float], words: str) -> None:
    with pytest.raises(OutsideError, match=words):
        frame.to_screen(*point)


@given(st.integers(0, 1919), st.integers(0, 1079), st.sampled_from([PIXELS, SMALLER, THOUSAND, ONE]))
def test_what_is_shown_leads_back_to_where_it_was(x: int, y: int, frame: Frame) -> None:
    unit_x, unit_y = max(1, SCREEN[0] / frame.extent[0]), max(1, SCREEN[1] / frame.extent[1])
    if frame.grid == 1:
        unit_x = unit_y = 1
    shown = frame.from_screen(x, y)
    last = (frame.extent[0] - 1, frame.extent[1] - 1) if frame.grid is None else frame.extent
    back = frame.to_screen(min(shown[0], last[0]), min(shown[1], last[1]))
    assert abs(back[0] - x) <= unit_x
    assert abs(back[1] - y) <= unit_y


# --- the module that takes pyautogui's place in the desktop --------------------


class Recorder:
    """Stands for pyautogui, which needs a screen to be imported, and writes down what it is asked to do."""

    def __init__(self) -> None:
        self.done: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self.PAUSE = 0.1

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **named: self.done.append((name, args, named))


@pytest.fixture
def pair(monkeypatch: pytest.MonkeyPatch) -> tuple[Scaled, Recorder]:
    import sys

    monkeypatch.setitem(sys.modules, "pyautogui", None)
    real = Recorder()
    return Scaled(real, SCREEN, (1000, 1000), edge=True), real


@pytest.mark.parametrize(
    ("code", "done"),
    [
        ("p.click(500, 500)", ("click", (960, 540), {})),
        ("p.click((500, 500), clicks=2)", ("click", (960, 540), {"clicks": 2})),
        ("p.click(x=500, y=500)", ("click", (), {"x": 960, "y": 540})),
        ("p.moveTo(x=(500, 500))", ("moveTo", (), {"x": 960, "y": 540})),
        ("p.scroll(-3, 500, 500)", ("scroll", (-3, 960, 540), {})),
        ("p.moveRel(100, -100)", ("moveRel", (192, -108), {})),
        ("p.drag(xOffset=100, yOffset=0)", ("drag", (), {"xOffset": 192, "yOffset": 0})),
        ("p.click()", ("click", (), {})),
        ("p.write('500')", ("write", ("500",), {})),
    ],
)
def test_code_on_a_grid_reaches_the_pixels_that_are_meant(
    code: str, done: tuple[str, tuple[Any, ...], dict[str, Any]], pair: tuple[Scaled, Recorder]
) -> None:
    scaled, real = pair
    eval(code, {"p": scaled})  # noqa: S307  the code stands above
    assert real.done == [done]


def test_code_that_points_off_the_screen_raises_and_does_nothing(pair: tuple[Scaled, Recorder]) -> None:
    scaled, real = pair
    with pytest.raises(ValueError, match="x=1001 is outside the screen, where it runs from 0 to 1000"):
        scaled.click(1001, 5)
    assert real.done == []


def test_settings_of_pyautogui_reach_pyautogui(pair: tuple[Scaled, Recorder]) -> None:
    scaled, real = pair
    scaled.PAUSE = 0
    assert (real.PAUSE, scaled.PAUSE) == (0, 0)
