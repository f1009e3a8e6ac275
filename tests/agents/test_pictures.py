"""What pictures a model is sent: their size, their format, their marks."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING

import pytest
from PIL import Image, ImageChops

from pytest_rogue.agents import marks
from pytest_rogue.agents.images import ImageForm, data_url, picture_size
from pytest_rogue.agents.options import AgentOptions
from pytest_rogue.agents.screen import Screen, Shown
from pytest_rogue.agents.tree import Node
from pytest_rogue.errors import GuestFault
from pytest_rogue.interaction import Observation
from pytest_rogue.models.quirks import Quirks, quirks_of
from tests.agents.trees import desktop, element

if TYPE_CHECKING:
    from pytest_rogue.settings import ImageFormat

SCREEN = (400, 300)
FULL_HD = (1920, 1080)


def png() -> bytes:
    written = io.BytesIO()
    Image.linear_gradient("L").resize(SCREEN).convert("RGB").save(written, format="png")
    return written.getvalue()


def opened(url: str | None) -> Image.Image:
    assert url is not None
    return Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))


@pytest.mark.parametrize(
    ("model", "size"),
    [
        ("openai/gpt-5.5", FULL_HD),
        ("anthropic/claude-sonnet-4-6", (1429, 804)),
        ("anthropic/claude-opus-4-7", FULL_HD),
        ("openrouter/anthropic/claude-haiku-4.5", (1429, 804)),
    ],
)
def test_a_model_is_shown_the_largest_picture_that_it_sees_as_it_is(model: str, size: tuple[int, int]) -> None:
    shown = picture_size(FULL_HD, ImageForm(), quirks_of(model))
    assert shown == size


def test_a_chosen_scale_wins_over_what_is_known_of_the_model() -> None:
    assert picture_size(FULL_HD, ImageForm(scale=0.5), quirks_of("anthropic/claude-sonnet-4-6")) == (960, 540)


@pytest.mark.parametrize("image_format", ["png", "webp", "jpeg"])
def test_a_picture_is_sent_in_the_chosen_format_and_size(image_format: ImageFormat) -> None:
    url = data_url(png(), screen=SCREEN, size=(200, 150), image_format=image_format)
    picture = opened(url)
    assert url.startswith(f"data:image/{image_format};base64,")
    assert (picture.size, picture.format) == ((200, 150), image_format.upper())
    wanted = Image.open(io.BytesIO(png())).resize((200, 150))
    difference = ImageChops.difference(picture.convert("L"), wanted.convert("L")).getextrema()
    assert difference[1] <= 8


def test_a_screenshot_that_is_no_picture_is_a_fault_of_the_desktop() -> None:
    with pytest.raises(GuestFault, match="cannot be read as a picture"):
        data_url(b"\x89PNG torn", screen=SCREEN, size=SCREEN, image_format="webp")
    with pytest.raises(GuestFault, match="cannot be read as a picture"):
        marks.draw(b"\x89PNG torn", [])


BUTTON = element("push-button", "Save", at=(100, 100), size=(80, 40))
LABEL = element("label", "Ready", at=(10, 250), size=(80, 20))


def shown(observation_type: str, **options: object) -> Shown:
    screen = Screen(observation_type, AgentOptions(**options), Quirks())  # type: ignore[arg-type]
    return screen.show(Observation(0, 1, screenshot=png(), a11y=desktop(BUTTON, LABEL), screen_size=SCREEN))


def test_marks_are_drawn_where_something_can_be_acted_on_and_nowhere_else() -> None:
    picture = opened(shown("som").picture).convert("RGB")
    changed = ImageChops.difference(picture, Image.open(io.BytesIO(png())).convert("RGB")).getbbox()
    assert changed == (100, 100, 180, 140)


def test_a_mark_has_its_number_in_the_list_and_its_point_in_the_view() -> None:
    both = shown("som")
    header, first, second = both.elements.split("\n")[1:4]
    assert header.startswith("number\trole\tname")
    assert {first.partition("\t")[0], second.partition("\t")[0]} == {"1", ""}
    assert "1\tpush-button\tSave" in both.elements
    assert both.view.tags == {1: (140, 120)}


def test_the_list_of_elements_speaks_in_the_models_own_coordinates() -> None:
    assert "(140, 120)\t(80, 40)" in shown("screenshot_a11y_tree").elements
    assert "(70, 60)\t(40, 20)" in shown("screenshot_a11y_tree", image=ImageForm(scale=0.5)).elements
    assert "(350, 400)\t(200, 133)" in shown("a11y_tree", coordinates="1000").elements


def test_a_list_that_is_too_long_is_cut_and_says_so() -> None:
    assert "[cut: 1 more nodes]" in shown("a11y_tree", tree_tokens=45).elements


def test_there_are_no_more_marks_than_leave_the_screen_to_be_seen() -> None:
    nodes = [Node("push-button", f"b{n}", "", (0, 0, 9, 9), frozenset(), None) for n in range(300)]
    assert len(marks.marked(nodes)) == marks.MOST_MARKS
