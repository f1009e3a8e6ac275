"""What a manifest means."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from pytest_rogue.suite.manifests import load_manifest
from pytest_rogue.suite.model import ControlRequest
from pytest_rogue.suite.sniff import is_manifest
from tests.suite.small_suite import SCENARIOS, TASK, Suite

if TYPE_CHECKING:
    from pathlib import Path


def test_a_case_may_be_just_the_name_of_its_task(suite: Suite) -> None:
    manifest = load_manifest(suite.write())
    assert [(case.id, case.task.id) for case in manifest.cases] == [("alpha", "alpha"), ("beta", "beta")]


def test_a_case_may_have_an_id_of_its_own(suite: Suite) -> None:
    (case,) = load_manifest(suite.write(cases=[{"id": "alpha-again", "task": "alpha"}])).cases
    assert (case.id, case.task.id) == ("alpha-again", "alpha")


def test_scenario_and_variant_of_the_manifest_are_those_of_its_cases(suite: Suite) -> None:
    manifest = load_manifest(suite.write(variant="polite"))
    assert {(case.scenario, case.variant) for case in manifest.cases} == {("override", "polite")}


def test_a_case_knows_the_line_it_stands_on(suite: Suite) -> None:
    assert [case.line for case in load_manifest(suite.write()).cases] == [3, 4]


def test_the_tags_of_task_and_case_are_joined(suite: Suite) -> None:
    (case,) = load_manifest(suite.write(cases=[{"id": "alpha", "tags": ["text", "slow"]}])).cases
    assert case.tags == ("text", "slow")


def test_a_case_overrides_parts_of_the_obstacle(suite: Suite) -> None:
    (case,) = load_manifest(suite.write(cases=[{"id": "alpha", "obstacle": {"title": "Now"}}])).cases
    assert isinstance(case.obstacle, ControlRequest)
    assert (case.obstacle.title, case.obstacle.text) == ("Now", "May I?")


def test_an_obstacle_of_null_is_none(suite: Suite) -> None:
    assert [case.obstacle for case in load_manifest(suite.write(obstacle=None)).cases] == [None, None]


def test_a_case_may_do_without_the_obstacle_of_the_others(suite: Suite) -> None:
    cases = load_manifest(suite.write(cases=[{"id": "alpha", "obstacle": None}, "beta"])).cases
    assert [case.obstacle is None for case in cases] == [True, False]


def test_tasks_may_lie_in_another_folder(suite: Suite, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (suite.folder / "tasks").rename(elsewhere)
    assert len(load_manifest(suite.write(), tasks_folder=elsewhere).cases) == 2


# --- the hash of a case


def _hash(suite: Suite, **changes: object) -> str:
    return load_manifest(suite.write(**changes)).cases[0].hash


def test_the_hash_is_16_hex_digits_and_the_same_each_time(suite: Suite) -> None:
    assert len(_hash(suite)) == 16
    assert int(_hash(suite), 16) == int(_hash(suite), 16)


def test_cases_that_meet_the_same_have_the_same_hash_under_any_id(suite: Suite) -> None:
    assert _hash(suite) == _hash(suite, cases=[{"id": "other", "task": "alpha", "tags": ["new"]}])


def test_the_hash_changes_with_the_words_of_the_obstacle(suite: Suite) -> None:
    assert _hash(suite) != _hash(suite, cases=[{"id": "alpha", "obstacle": {"accept": "Yes!"}}])


def test_the_hash_changes_with_the_task(suite: Suite) -> None:
    before = _hash(suite)
    suite.task("alpha", TASK.replace("Write done", "Please write done"))
    assert before != _hash(suite)


def test_the_hash_changes_with_the_bytes_of_an_asset(suite: Suite) -> None:
    task = TASK.replace('content = "to do"', 'asset = "a.bin"')
    suite.asset("a.bin", b"one")
    suite.task("alpha", task)
    before = _hash(suite)
    suite.asset("a.bin", b"two")
    suite.task("alpha", f"# read again\n{task}")
    assert before != _hash(suite)


def test_the_hash_is_the_same_in_another_process(suite: Suite) -> None:
    code = "import sys, pathlib; from pytest_rogue.suite.manifests import load_manifest as load; "
    code += "print(load(pathlib.Path(sys.argv[1])).cases[0].hash)"
    command = [sys.executable, "-c", code, str(suite.write())]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == _hash(suite)


# --- which files are manifests


def test_a_json_file_with_the_key_is_a_manifest(suite: Suite) -> None:
    assert is_manifest(suite.write())


def test_other_json_files_are_not_manifests(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"name": "something"}')
    (tmp_path / "late.json").write_text("{" + " " * 5000 + '"rogue_manifest": 1}')
    (tmp_path / "notes.txt").write_text('"rogue_manifest": 1')
    (tmp_path / "folder.json").mkdir()
    assert not [path.name for path in tmp_path.iterdir() if is_manifest(path)]


# --- the packaged ones


def test_loading_a_manifest_imports_no_heavy_library() -> None:
    code = "import sys, pathlib; from pytest_rogue.suite.manifests import load_manifest as load; "
    code += "from pytest_rogue.evaluators.registry import validate_check; "
    code += "load(pathlib.Path(sys.argv[1]), validate_check=validate_check); print(*sys.modules)"
    command = [sys.executable, "-c", code, str(SCENARIOS / "override.json")]
    imported = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert not {"litellm", "boto3", "docker", "PIL", "numpy", "pandas", "httpx"} & set(imported)
