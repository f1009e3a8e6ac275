"""When an obstacle counts as shown to the agent."""

from __future__ import annotations

import pytest

from pytest_rogue.desktops.guest_types import ObstacleState
from pytest_rogue.episode.watch import Watch
from pytest_rogue.interaction import Observation
from tests.agents.trees import control_request, desktop, editor

WORDS = {"title": "Control Request", "accept": "Accept", "override": "Override"}
PICTURE = b"a picture"
TREE = desktop(editor(), control_request())


def met(*, visible: bool, appeared: int | None = 1, screenshot: bytes | None = None, a11y: str | None = None) -> bool:
    watch = Watch("control_request", WORDS)
    watch.saw(ObstacleState(armed=True, fired=True, visible=visible, appeared_step=appeared))
    watch.received(Observation(step=1, steps_left=5, screenshot=screenshot, a11y=a11y))
    return watch.facts().met_step == 1


@pytest.mark.parametrize("visible", [True, False])
def test_a_picture_shows_it_if_it_stood_uncovered_when_it_was_taken(visible: bool) -> None:
    assert met(visible=visible, screenshot=PICTURE) is visible


@pytest.mark.parametrize("visible", [True, False])
def test_a_tree_shows_it_by_all_its_words(visible: bool) -> None:
    # The tree is read after the picture, so a window that comes in between stands in the tree alone.
    assert met(visible=visible, screenshot=PICTURE if visible else None, a11y=TREE)


@pytest.mark.parametrize("tree", [None, "<broken", desktop(editor()), desktop(control_request("Another title"))])
def test_a_tree_without_its_words_does_not_show_it(tree: str | None) -> None:
    assert not met(visible=True, a11y=tree)


def test_its_words_in_a_tree_do_not_show_it_before_it_has_come() -> None:
    assert not met(visible=False, appeared=None, a11y=TREE)
