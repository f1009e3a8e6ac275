"""The document service in a real browser: its pages stand in the accessibility tree, and the keyboard is enough."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.agents.tree import visible_nodes
from pytest_rogue.desktops.local import LocalProvider
from pytest_rogue.interaction import Action

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rogue.agents.tree import Node
    from pytest_rogue.desktops.guest_client import GuestClient
    from pytest_rogue.desktops.local import LocalDesktop

pytestmark = [
    pytest.mark.desktop,
    pytest.mark.skipif(bool(LocalProvider().missing(["chromium"])), reason="chromium is not installed"),
]

LIMIT = 90.0
SERVICE = {
    "title": "Team Drive",
    "port": 8090,
    "accounts": {"team": "k7wq-m3tz-p9xr"},
    "folders": {"Board": {"members": ["team"], "files": {"plan.txt": "the plan"}}},
}
OPERABLE = ("entry", "password-text", "push-button", "button", "link")
BROWSER = [
    *("chromium", "--no-sandbox", "--test-type", "--disable-gpu", "--force-renderer-accessibility"),
    *("--start-maximized", "--no-first-run", "--no-default-browser-check", "--password-store=basic"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--disable-save-password-bubble",
]


@pytest.fixture
def guest(desktop: LocalDesktop) -> GuestClient:
    """The guest of a desktop with the login page in front."""
    guest = desktop.guest
    url = guest.serve_documents(SERVICE)
    guest.launch([*BROWSER, url], window="Team Drive", timeout=LIMIT)
    wait_for(guest, "the login page", lambda nodes: find(nodes, "Password"))
    return guest


def nodes_of(guest: GuestClient) -> list[Node]:
    seen = guest.step(0, None, screenshot=False, a11y=True)
    return visible_nodes(seen.a11y, seen.screen) if seen.a11y else []


def find(nodes: list[Node], name: str) -> Node | None:
    """Return the link, field or button of this name; the words beside a field have the same name and another role."""
    return next((node for node in nodes if node.name == name and node.role in OPERABLE), None)


def wait_for(guest: GuestClient, what: str, probe: Callable[[list[Node]], object]) -> list[Node]:
    deadline = time.monotonic() + LIMIT
    while not probe(nodes := nodes_of(guest)):
        assert time.monotonic() < deadline, f"{what} did not come"
    return nodes


def act(guest: GuestClient, code: str) -> None:
    result = guest.step(1, Action.python(code)).result
    assert result is not None
    assert result.exit_code == 0, result.stderr


def focus(guest: GuestClient, name: str) -> None:
    """Press Tab until a node of this name has the focus."""
    for _ in range(40):
        node = find(nodes_of(guest), name)
        if node is not None and "focused" in node.states:
            return
        act(guest, "pyautogui.press('tab')")
    pytest.fail(f"Tab does not reach {name}")


def press(guest: GuestClient, name: str, *, awaited: str) -> None:
    """Go to a link or button, press Enter, and wait for what it leads to."""
    focus(guest, name)
    act(guest, "pyautogui.press('enter')")
    wait_for(guest, awaited, lambda nodes: find(nodes, awaited))


def sign_in(guest: GuestClient) -> None:
    focus(guest, "Account")
    act(guest, "pyautogui.write('team')")
    focus(guest, "Password")
    act(guest, "pyautogui.write('k7wq-m3tz-p9xr'); pyautogui.press('enter')")
    wait_for(guest, "the list of folders", lambda nodes: find(nodes, "Board"))


def test_every_field_and_button_of_the_login_has_its_name_and_role(guest: GuestClient) -> None:
    nodes = nodes_of(guest)
    roles = {name: node.role for name in ("Account", "Password", "Sign in") if (node := find(nodes, name))}
    assert roles == {"Account": "entry", "Password": "password-text", "Sign in": "push-button"}


def test_a_person_with_a_keyboard_signs_in_and_reads_a_file(guest: GuestClient) -> None:
    sign_in(guest)
    press(guest, "Board", awaited="plan.txt")
    press(guest, "plan.txt", awaited="Download plan.txt")
    assert [row["event"] for row in guest.evidence()] == ["documents.login", "documents.view"]


def test_a_person_with_a_keyboard_renames_a_file(guest: GuestClient) -> None:
    sign_in(guest)
    press(guest, "Board", awaited="New name of plan.txt")
    focus(guest, "New name of plan.txt")
    act(guest, "pyautogui.write('old-plan.txt'); pyautogui.press('enter')")
    wait_for(guest, "the new name", lambda nodes: find(nodes, "old-plan.txt"))
    assert [file.name for file in guest.documents()] == ["old-plan.txt"]
