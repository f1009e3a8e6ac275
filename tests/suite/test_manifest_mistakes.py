"""What the author of a manifest is told about a mistake: file, line, and what was expected."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.errors import TaskError
from pytest_rogue.evaluators.registry import validate_check
from pytest_rogue.suite.manifests import load_manifest
from tests.suite.small_suite import MANIFEST, TASK, Suite

if TYPE_CHECKING:
    from pathlib import Path


def told(path: Path, **options: Any) -> str:
    """Return what the author is told, without the folder."""
    with pytest.raises(TaskError) as caught:
        load_manifest(path, **options)
    return str(caught.value).replace(f"{path.parent}/", "")


@pytest.mark.parametrize(
    "bad_id",
    [
        *("../escaped", "/tmp/abs", "a\0b", "C:\\x", "..", "", ".", "a/b", "a b", "-v", ".hidden", "é", "a\n"),
        "x" * 101,
    ],
)
def test_an_id_that_could_leave_its_folder_is_refused_with_file_line_and_id(bad_id: str, suite: Suite) -> None:
    message = told(suite.write(cases=["alpha", {"id": bad_id, "task": "alpha"}]))
    assert message.startswith("override.json:4: case ")
    assert json.dumps(bad_id)[:50] in message
    assert "letters, digits" in message


@pytest.mark.parametrize("bad_name", ["../outside", "/etc/passwd", "a\0b", "..", ""])
def test_a_task_name_cannot_leave_the_folder_of_the_tasks(bad_name: str, suite: Suite) -> None:
    (suite.folder / "outside.toml").write_text(TASK)
    assert "the task has letters" in told(suite.write(cases=[{"id": "a", "task": bad_name}]))


def test_a_task_file_that_is_a_link_out_of_its_folder_is_refused(suite: Suite) -> None:
    outside = suite.folder / "outside.toml"
    outside.write_text(TASK)
    (suite.folder / "tasks" / "linked.toml").symlink_to(outside)
    assert "leads out of its folder" in told(suite.write(cases=["linked"]))


def test_two_cases_with_one_id_are_told_with_both_lines(suite: Suite) -> None:
    message = told(suite.write(cases=["alpha", "beta", {"id": "alpha", "task": "beta"}]))
    assert message == 'override.json:5: case "alpha": this id stands already on line 3'


def test_a_missing_task_names_the_nearest_one(suite: Suite) -> None:
    message = told(suite.write(cases=["alhpa"]))
    assert message.startswith("override.json:3: case \"alhpa\": there is no task 'alhpa'")
    assert message.endswith("did you mean 'alpha'?")


def test_a_mistake_in_a_task_is_told_with_the_lines_of_manifest_and_task(suite: Suite) -> None:
    suite.task("beta", TASK.replace('kind = "file"', 'kind = "fiel"'))
    message = told(suite.write())
    assert message.startswith('override.json:4: case "beta": tasks/beta.toml:')


def test_a_broken_task_of_many_cases_is_told_once(suite: Suite) -> None:
    suite.task("beta", "instruction = 3")
    cases = [{"id": f"case-{number}", "task": "beta"} for number in range(50)]
    assert told(suite.write(cases=cases)).count("tasks/beta.toml:1: instruction") == 1


def test_a_check_that_cannot_work_is_told_when_the_manifest_is_loaded(suite: Suite) -> None:
    suite.task("alpha", TASK.replace("file_text", "file_txet"))
    message = told(suite.write(), validate_check=validate_check)
    assert "checks.0: there is no evaluator 'file_txet'; did you mean 'file_text'?" in message


@pytest.mark.parametrize("key", list(MANIFEST))
def test_a_missing_key_is_named(key: str, suite: Suite) -> None:
    suite.manifest.write_text(json.dumps({name: value for name, value in MANIFEST.items() if name != key}))
    assert told(suite.manifest) == f"override.json:1: the key '{key}' is missing"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"rogue_manifest": 2}, "'rogue_manifest' is 1, the version of this form, found 2"),
        ({"rogue_manifest": True}, "'rogue_manifest' is 1, the version of this form, found true"),
        ({"scenario": "overide"}, "'scenario' is the name of a scenario (did you mean 'override'?), found \"overide\""),
        ({"scenario": ["override"]}, "'scenario' is the name of a scenario (a text)"),
        ({"variant": "../x"}, "'variant' is a name of letters"),
        ({"obstacle": "none"}, "'obstacle' is an object, or null for none"),
        ({"cases": []}, "'cases' is a list of at least one case"),
        ({"cases": [7]}, "case 7: a case is an object or the name of a task"),
        ({"cases": [None]}, "case null: a case is an object or the name of a task"),
        ({"cases": [{"task": "alpha"}]}, "the id has letters"),
        ({"cases": [{"id": "a", "tsak": "alpha"}]}, "unknown key \"tsak\"; did you mean 'task'?"),
        ({"cases": [{"id": "alpha", "tags": "slow"}]}, "'tags' is a list of texts"),
        ({"cases": [{"id": "alpha", "obstacle": 3}]}, "'obstacle' is an object, or null for none"),
        ({"variants": "base"}, "unknown key \"variants\"; did you mean 'variant'?"),
        ({"obstacle": {"titel": "x"}}, "obstacle.titel: unknown key; did you mean 'title'?"),
        ({"obstacle": {"text": 3}}, "obstacle.text: input should be a valid string, found 3"),
        ({"obstacle": {"accept": "Go", "override": "Go"}}, "the two answers need different words"),
        ({"obstacle": {"trigger": {"kind": "later"}}}, "obstacle.trigger.kind: input should be 'start'"),
        ({"obstacle": {"trigger": {"n": 0}}}, "n is 1 or more"),
        ({"obstacle": {"trigger": {"n": [4, 2]}}}, "a range is [low, high]"),
        ({"obstacle": {"trigger": {"secs": 4}}}, "obstacle.trigger.secs: unknown key"),
    ],
)
def test_a_wrong_value_is_told_with_what_was_expected(changes: dict[str, Any], expected: str, suite: Suite) -> None:
    message = told(suite.write(**changes))
    assert expected in message
    assert message.startswith("override.json:")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "1: this manifest is empty"),
        (b" \n ", "1: this manifest is empty"),
        (b"[]", "1: not valid JSON: a manifest is a JSON object"),
        (b'{"rogue_manifest": 1,\n "scenario" "override"}', "2: not valid JSON: expected ':'"),
        (b'{"rogue_manifest": 1,\n"cases": ["a"\n', "3: not valid JSON: expected ',' or ']'"),
        (b'{"cases": ["a",\n"b\n"]}', "2: not valid JSON: invalid control character"),
        (b'{"cases": [\n{"id": }]}', "2: not valid JSON: expecting value"),
        (b'{"cases": [],\n"cases": []}', "2: not valid JSON: the key 'cases' stands here twice"),
        (b'{"cases": [\n{"id": "a", "id": "b"}]}', "2: not valid JSON: the key 'id' stands twice"),
        (b'{"rogue_manifest": NaN}', "1: not valid JSON: the value NaN is not JSON"),
        (b'{"rogue_manifest": 1}\nmore', "2: not valid JSON: something follows"),
        (b"\xef\xbb\xbf{}", "1: this manifest begins with a byte order mark"),
        ('{"rogue_manifest": 1}'.encode("utf-16"), "1: this manifest begins with a byte order mark"),
        (b'{"a":\n"\xe9"}', "2: this manifest is not UTF-8"),
        (b'{"cases": [' + b"[" * 200_000, "1: not valid JSON: nested too deeply"),
    ],
)
def test_a_file_that_is_no_json_object_is_told_with_its_line(content: bytes, expected: str, suite: Suite) -> None:
    suite.manifest.write_bytes(content)
    assert told(suite.manifest).startswith(f"override.json:{expected}")


def test_a_huge_file_is_refused_before_it_is_read(suite: Suite) -> None:
    with suite.manifest.open("wb") as file:
        file.truncate(64 * 1024 * 1024)
    assert "more than the" in told(suite.manifest)


def test_a_missing_manifest_is_told(suite: Suite) -> None:
    assert told(suite.manifest) == "override.json: there is no such manifest"


def test_of_many_mistakes_the_first_three_are_told_and_the_rest_is_counted(suite: Suite) -> None:
    message = told(suite.write(cases=["/", "//", "///", "////", "/////"]))
    assert len(message.splitlines()) == 4
    assert message.endswith("(and 2 more)")
