"""What a published task needs of a desktop is known before one is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.published.manifest import load_published
from pytest_rogue.published.needs import CHROME_2023, UNSAID
from tests.published.upstream_data import checkout

if TYPE_CHECKING:
    from pytest_rogue.suite.model import Case
    from tests.published.small_checkout import SmallCheckout

SPOTIFY = "94d95f96-9699-4208-98ba-3c3119edf9c2"
OLD_LOOK = "480bcfea-d68f-4aaa-a0a9-2589ef319381"
WITH_PASSWORD = {"type": "execute", "parameters": {"command": "echo {CLIENT_PASSWORD} | sudo -S true", "shell": True}}


def loaded(small_checkout: SmallCheckout, name: str = "write-word", **changes: Any) -> Case:
    """Return the task with the package's own steps."""
    small_checkout.task("override", name, **changes)
    return load_published(small_checkout.manifest("override", name)).cases[0]


def launch(*words: str) -> dict[str, Any]:
    return {"type": "launch", "parameters": {"command": [*words]}}


def test_a_task_that_does_not_say_that_it_needs_the_web_needs_it(small_checkout: SmallCheckout) -> None:
    assert loaded(small_checkout, SPOTIFY, proxy=False).task.network == "full"


def test_a_task_in_which_something_is_installed_needs_sudo(small_checkout: SmallCheckout) -> None:
    assert "sudo" in loaded(small_checkout, SPOTIFY).task.apps


def test_experiments_that_the_browser_no_longer_has_need_the_browser_of_that_year(
    small_checkout: SmallCheckout,
) -> None:
    assert CHROME_2023 in loaded(small_checkout, OLD_LOOK).task.apps


def test_who_uses_the_password_needs_sudo(small_checkout: SmallCheckout) -> None:
    assert loaded(small_checkout, config=[WITH_PASSWORD]).task.apps == ("sudo",)


def test_what_cannot_be_done_needs_no_sudo(small_checkout: SmallCheckout) -> None:
    case = loaded(small_checkout, config=[WITH_PASSWORD], evaluator={"func": "infeasible"})

    assert case.task.apps == ()


@pytest.mark.parametrize(
    ("words", "apps"),
    [
        (["nautilus", "/home/user"], ("nautilus",)),
        (["/usr/bin/thunderbird"], ("thunderbird",)),
        (["pkill", "thunderbird"], ()),
        (["google-chrome", "--remote-debugging-port=1337"], ()),
        (["/home/user/start", "now"], ()),
    ],
    ids=["name", "path", "pkill", "stand-in", "own"],
)
def test_what_is_launched_is_needed(words: list[str], apps: tuple[str, ...], small_checkout: SmallCheckout) -> None:
    assert loaded(small_checkout, config=[launch(*words)]).task.apps == apps


@pytest.mark.skipif(checkout() is None, reason="the published task files are not here; set ROGUE_CHECKOUT")
def test_what_files_leave_unsaid_is_known_of_published_tasks_only() -> None:
    found = checkout()
    assert found is not None
    examples = found / "evaluation_examples" / "examples" / "override"

    assert sorted(UNSAID) == sorted(name for name in UNSAID if (examples / f"override_{name}.json").is_file())
