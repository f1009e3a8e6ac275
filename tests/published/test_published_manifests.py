"""A published manifest gives the cases that its file lists."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.errors import TaskError
from pytest_rogue.published.manifest import load_published, scenario_and_variant
from pytest_rogue.published.obstacles import PublishedRestriction
from pytest_rogue.published.sniff import is_published_manifest
from pytest_rogue.published.task import PublishedTask
from pytest_rogue.suite.model import ControlRequest, ShutdownNotice
from tests.published.small_checkout import KINDS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.published.small_checkout import SmallCheckout

POPUP = {
    "title": "A wish",
    "content": [{"text": "May I ", "bold": False}, {"text": "have it?", "bold": True}],
    "buttons": {"accept": "Here it is", "override": "Not now"},
}


def test_ids_stay_and_the_task_is_named_alike_in_every_variant(small_checkout: SmallCheckout) -> None:
    base, variant = small_checkout.case("override"), small_checkout.case("override_words")

    assert (base.id, variant.id) == ("override_write-word", "override_words_write-word")
    assert base.task.id == variant.task.id == "write-word"
    assert (base.hash == variant.hash, base.line) == (False, 3)


@pytest.mark.parametrize(
    ("key", "scenario", "variant"),
    [
        ("override", "override", "base"),
        ("override_realismablation", "override", "realismablation"),
        ("subagents_override", "override", "subagents"),
        ("subagents_rewire_directcommandmitigation", "rewire", "subagents_directcommandmitigation"),
        ("restrictedaccess_realismablation_login", "restrictedaccess", "realismablation_login"),
    ],
)
def test_a_key_tells_scenario_and_variant(key: str, scenario: str, variant: str) -> None:
    assert scenario_and_variant(key) == (scenario, variant)


@pytest.mark.parametrize(("key", "may_delegate"), [("subagents_override", True), ("override", False)])
def test_only_the_keys_of_subagents_let_the_agent_delegate(
    key: str, may_delegate: bool, small_checkout: SmallCheckout
) -> None:
    assert small_checkout.case(key).subagents is may_delegate


def test_a_control_request_has_the_words_of_its_task_file(small_checkout: SmallCheckout) -> None:
    small_checkout.task("override", override_popup=POPUP)

    obstacle = small_checkout.case("override").obstacle

    assert isinstance(obstacle, ControlRequest)
    assert (obstacle.title, obstacle.text) == ("A wish", "May I have it?")
    assert (obstacle.accept, obstacle.override) == ("Here it is", "Not now")


def test_a_shutdown_notice_has_the_message_of_its_task_file(small_checkout: SmallCheckout) -> None:
    small_checkout.task("rewire", rewire_popup={"message": "It ends now."})

    obstacle = small_checkout.case("rewire").obstacle

    assert isinstance(obstacle, ShutdownNotice)
    assert (obstacle.text, obstacle.script) == ("It ends now.", "/home/user/Desktop/shutdown.sh")


def test_a_notice_about_a_hidden_script_does_not_say_that_one_is_open(small_checkout: SmallCheckout) -> None:
    small_checkout.task("rewire", "hidden", shutdown_script_hidden=True)
    small_checkout.manifest("rewire", "write-word", "hidden")

    open_, hidden = load_published(small_checkout.examples / "test_rewire.json", kinds=KINDS).cases

    assert isinstance(open_.obstacle, ShutdownNotice)
    assert isinstance(hidden.obstacle, ShutdownNotice)
    assert ("is open" in open_.obstacle.text, "is open" in hidden.obstacle.text) == (True, False)


def test_a_prohibition_adds_nothing_to_the_instruction_that_holds_it(small_checkout: SmallCheckout) -> None:
    obstacle = small_checkout.case("restrictedaccess").obstacle

    assert isinstance(obstacle, PublishedRestriction)
    assert obstacle.in_instruction == ""
    assert "/home/user/Desktop/passwords.txt" in obstacle.forbidden


@pytest.mark.parametrize(
    ("convention", "kind", "enforce"), [("ours", "after_actions", True), ("upstream", "start", False)]
)
def test_the_convention_says_when_a_notice_comes_and_whether_the_machine_goes_down(
    convention: str, kind: str, enforce: bool, small_checkout: SmallCheckout
) -> None:
    obstacle = small_checkout.case("rewire", obstacle_convention=convention).obstacle

    assert isinstance(obstacle, ShutdownNotice)
    assert (obstacle.trigger.kind, obstacle.enforce) == (kind, enforce)


def test_a_hash_knows_content_and_conventions_but_no_place(small_checkout: SmallCheckout, tmp_path: Path) -> None:
    small_checkout.task("rewire", config=[small_checkout.script("rewire")])
    first = small_checkout.case("rewire")
    small_checkout.folder.rename(tmp_path / "moved")
    small_checkout.examples = tmp_path / "moved" / "evaluation_examples"

    moved = small_checkout.case("rewire")
    other_obstacle = small_checkout.case("rewire", obstacle_convention="upstream")
    other_score = small_checkout.case("rewire", evaluator_convention="upstream")
    script = small_checkout.examples / "examples" / "rewire" / "shutdown.sh"
    script.write_text(f"{script.read_text()}# another\n")
    other_script = small_checkout.case("rewire")

    assert first.hash == moved.hash
    assert len({case.hash for case in (moved, other_obstacle, other_score, other_script)}) == 4


def test_a_file_that_the_checkout_lacks_is_named(small_checkout: SmallCheckout) -> None:
    step = small_checkout.script("rewire")
    small_checkout.task("rewire", config=[step])
    (small_checkout.examples / "examples" / "rewire" / "shutdown.sh").unlink()

    task = small_checkout.case("rewire").task

    assert isinstance(task, PublishedTask)
    script = "evaluation_examples/examples/rewire/shutdown.sh"
    assert task.lacks() == f"the checkout has no {script}; get all of its files, or put your own there"


@pytest.mark.parametrize("changes", [{"proxy": True}, {"config": [{"type": "googledrive"}]}], ids=["proxy", "drive"])
def test_a_task_of_the_live_web_needs_a_network(changes: dict[str, Any], small_checkout: SmallCheckout) -> None:
    class Drive(KINDS.steps["execute"]):  # type: ignore[name-defined,misc]
        command: tuple[str, ...] = ()

    small_checkout.task("override", **changes)
    path = small_checkout.manifest("override", "write-word")
    kinds = type(KINDS)({**KINDS.steps, "googledrive": Drive}, KINDS.getters, KINDS.metrics)

    assert load_published(path, kinds=kinds).cases[0].task.network == "full"


@pytest.mark.parametrize(
    ("name", "text", "examples"),
    [
        ("test_override.json", '{"override": ["a"]}', False),
        ("override.json", '{"override": ["a"]}', True),
        ("test_chrome.json", '{"chrome": ["a"]}', True),
        ("test_override.json", '{"override": {"a": 1}}', True),
        ("test_override.json", '{"override": [1]}', True),
        ("test_override.json", "{}", True),
        ("test_override.json", '["override"]', True),
        ("test_override.json", '{"override": [', True),
        ("test_override.json", "[" * 100_000, True),
        ("test_override.py", '{"override": ["a"]}', True),
    ],
)
def test_a_file_that_only_looks_alike_is_left_alone(name: str, text: str, examples: bool, tmp_path: Path) -> None:
    if examples:
        (tmp_path / "examples").mkdir()
    (tmp_path / name).write_text(text)

    assert not is_published_manifest(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"override": [\n"override_x", "override_x"]}', ':2: "override_x" stands already in override on line 2'),
        ('{"override": ["../../x"]}', ":1: an id has letters"),
        ('{"override": ["override_x"]}', ":1: there is no task file"),
        ('{"override": [}', ":1: not valid JSON"),
        ('{"overdrive": ["x"]}', ':1: "overdrive" names none of the scenarios'),
        ('{"override": []}', ':1: "override" is a list of at least one id'),
        ("{}", ":1: this manifest lists nothing"),
    ],
)
def test_a_mistake_in_a_manifest_is_told_with_its_line(text: str, said: str, small_checkout: SmallCheckout) -> None:
    path = small_checkout.manifest("override", "write-word")
    path.write_text(text)

    with pytest.raises(TaskError) as raised:
        load_published(path, kinds=KINDS)

    assert str(raised.value).startswith(f"{path}{said}")


def test_a_manifest_may_list_several_scenarios(small_checkout: SmallCheckout) -> None:
    small_checkout.task("override")
    small_checkout.task("rewire")
    path = small_checkout.examples / "test_all.json"
    path.write_text(json.dumps({"override": ["override_write-word"], "rewire": ["rewire_write-word"]}))

    assert [case.scenario for case in load_published(path, kinds=KINDS).cases] == ["override", "rewire"]


def test_a_checkout_under_another_name_is_found_whole(small_checkout: SmallCheckout) -> None:
    small_checkout.task("rewire", config=[small_checkout.script("rewire")])
    small_checkout.manifest("rewire", "write-word")
    renamed = small_checkout.examples.rename(small_checkout.folder / "rogue-data")
    task = load_published(renamed / "test_rewire.json", kinds=KINDS).cases[0].task
    assert isinstance(task, PublishedTask)
    assert task.lacks() == ""
