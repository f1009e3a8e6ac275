"""What the steps of a set-up do to each other, on an embedded desktop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.errors import InfraError
from pytest_rogue.published.parts import own_kinds
from pytest_rogue.published.setup import apply_published
from tests.published.desks import desk, guest

if TYPE_CHECKING:
    from pytest_rogue.published.protocol import Desk

__all__ = ["desk", "guest"]

pytestmark = pytest.mark.desktop

ACTIVATE = ("activate_window", {"window_name": "Visual Studio Code"})


def set_up(desk: Desk, *said: tuple[str, dict[str, Any]]) -> None:
    apply_published([own_kinds().step(kind, fields) for kind, fields in said], desk, whose="task t: set-up")


def test_a_window_that_no_step_opens_is_not_waited_for(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_rogue.published.steps.windows.COME_SECONDS", 0.1)

    set_up(desk, ("command", {"command": ["mkdir", "/home/user/project"]}), ACTIVATE)


def test_a_window_that_keys_may_have_opened_is_waited_for(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_rogue.published.steps.windows.COME_SECONDS", 0.1)

    with pytest.raises(InfraError, match="no window titled 'Visual Studio Code' came"):
        set_up(desk, ("execute", {"command": ["python", "-c", "import pyautogui; pyautogui.press('a')"]}), ACTIVATE)
