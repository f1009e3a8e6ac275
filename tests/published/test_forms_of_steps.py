"""What task files may write about files, commands and windows, and what is told to the author of one that is wrong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from pytest_rogue.desktops.guest_types import Window
from pytest_rogue.errors import InfraError
from pytest_rogue.published import kinds
from pytest_rogue.published.checkout_files import find_file
from pytest_rogue.published.protocol import Getter, Step
from pytest_rogue.published.windows import WindowName
from tests.published.upstream_data import checkout

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

STEPS = ("download", "upload_file", "execute", "command", "launch", "open", "activate_window", "close_window", "sleep")
GETTERS = (
    *("vm_file", "vm_command_line", "cache_file", "cloud_file", "rule", "rule_relativeTime", "vscode_config"),
    "accessibility_tree",
)


def made(kind: str, fields: dict[str, Any]) -> Step | Getter:
    model: type[Step | Getter] = kinds.steps()[kind] if kind in kinds.steps() else kinds.getters()[kind]
    return model.model_validate_json(json.dumps(fields))


@pytest.mark.parametrize(
    ("kind", "fields", "said"),
    [
        ("download", {"files": []}, "at least 1 item"),
        ("download", {"files": [{"url": "ftp://a/b", "path": "b"}]}, "should match pattern"),
        ("download", {"files": [{"url": "https://a/b", "path": "/home/user/"}]}, "ends with the file's name"),
        ("download", {"files": [{"url": "https://a/b"}]}, "Field required"),
        ("upload_file", {"files": [{"local_path": "../secret", "path": "b"}]}, "a relative path without '..'"),
        ("upload_file", {"files": [{"local_path": "/etc/passwd", "path": "b"}]}, "a relative path without '..'"),
        ("execute", {}, "Field required"),
        ("execute", {"command": []}, "at least one word"),
        ("execute", {"command": "   "}, "at least one word"),
        ("execute", {"command": "echo 'open"}, "No closing quotation"),
        ("execute", {"command": ["echo", 3]}, "valid string"),
        ("execute", {"command": ["a\0b"]}, "NUL"),
        ("execute", {"command": ["a"], "shell": "yes"}, "valid boolean"),
        ("execute", {"command": ["a"], "stdout": "../../a"}, "a name without '/'"),
        ("execute", {"command": ["a"], "until": {}}, "at least one of"),
        ("execute", {"command": ["a"], "times": 2}, "Extra inputs"),
        ("launch", {"command": ["a"], "wait": True}, "Extra inputs"),
        ("open", {"path": ""}, "ends with the file's name"),
        ("activate_window", {"window_name": ""}, "at least 1 character"),
        ("close_window", {"window_name": "a", "strict": 1}, "valid boolean"),
        ("sleep", {"seconds": -1}, "greater than or equal to 0"),
        ("sleep", {"seconds": "3"}, "valid number"),
        ("sleep", {"seconds": 3600}, "less than or equal to 600"),
        ("vm_file", {"path": ["/a"], "dest": ["a"]}, "lists where multi is true"),
        ("vm_file", {"path": "/a", "dest": "a", "multi": True}, "lists where multi is true"),
        ("vm_file", {"path": ["/a", "/b"], "dest": ["a"], "multi": True}, "path has 2 entries, dest 1"),
        ("vm_file", {"path": ["/a"], "dest": ["a"], "multi": True, "gives": [1]}, "from 0 to 0"),
        ("vm_file", {"path": "/a", "dest": "b/a"}, "a name without '/'"),
        ("cloud_file", {"path": "file:///etc/passwd", "dest": "a"}, "begins with http"),
        ("cache_file", {"path": 1}, "valid string"),
        ("vm_command_line", {"command": {}}, "valid string"),
        ("rule", {}, "Field required"),
        ("vscode_config", {"vscode_extension_command": "a\nb", "path": "/a", "dest": "a"}, "should match pattern"),
        ("accessibility_tree", {"depth": 1}, "Extra inputs"),
    ],
)
def test_what_is_wrong_is_told(kind: str, fields: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError) as refused:
        made(kind, fields)
    assert said in str(refused.value)


def test_what_comes_of_the_web_is_known_before_the_run() -> None:
    one, two = "https://files.example/1", "https://files.example/2"
    download = made("download", {"files": [{"url": one, "path": "1"}, {"url": two, "path": "2"}]})
    assert download.urls() == (one, two)
    given = made("cloud_file", {"path": [one, two], "dest": ["1", "2"], "multi": True, "gives": [1]})
    assert given.urls() == (two,)


def test_what_comes_of_the_checkout_is_known_before_the_run() -> None:
    upload = made("upload_file", {"files": [{"local_path": "evaluation_examples/a.sh", "path": "/home/user/a.sh"}]})
    assert isinstance(upload, Step)
    assert upload.files() == ("evaluation_examples/a.sh",)


# --- the checkout --------------------


def test_a_checkout_is_found_by_the_folder_around_it_and_by_itself(tmp_path: Path) -> None:
    (tmp_path / "evaluation_examples").mkdir()
    (tmp_path / "evaluation_examples" / "a.sh").touch()
    around = find_file(tmp_path, "evaluation_examples/a.sh")
    (tmp_path / "evaluation_examples").rename(tmp_path / "tasks")
    itself = find_file(tmp_path / "tasks", "evaluation_examples/a.sh")
    assert (around.parent.name, itself.parent.name) == ("evaluation_examples", "tasks")


def test_a_link_that_leads_out_of_the_checkout_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").touch()
    (tmp_path / "checkout").mkdir()
    (tmp_path / "checkout" / "a.sh").symlink_to(tmp_path / "secret")
    with pytest.raises(InfraError, match="leads out of the checkout"):
        find_file(tmp_path / "checkout", "a.sh")


def test_a_file_that_the_checkout_has_not_is_named(tmp_path: Path) -> None:
    with pytest.raises(InfraError, match=r"evaluation_examples/a\.sh: there is no such file in the checkout"):
        find_file(tmp_path, "evaluation_examples/a.sh")


def test_a_window_of_chromium_stands_in_for_one_of_chrome() -> None:
    window = Window(id=1, title="New Tab - Chromium", window_class="Chromium", x=0, y=0, width=9, height=9, active=True)
    assert WindowName("Google Chrome").fits(window)


def test_a_window_is_named_for_messages() -> None:
    assert f"{WindowName('A')}, {WindowName('B', by_class=True)}" == "titled 'A', of the class 'B'"


# --- the published task files --------------------


def parts_of(task: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    scoring = task["evaluator"]
    for step in (*task["config"], *scoring.get("postconfig", ())):
        if step["type"] in STEPS:
            yield step["type"], step["parameters"]
    for side in (scoring.get("result"), scoring.get("expected")):
        for getter in side if isinstance(side, list) else [side]:
            if getter and getter["type"] in GETTERS:
                yield getter["type"], {key: value for key, value in getter.items() if key != "type"}


def test_all_published_task_files_have_these_forms() -> None:
    folder = checkout()
    if folder is None:
        pytest.skip("no checkout of the published benchmark here: ROGUE_CHECKOUT names one")
    files = sorted((folder / "evaluation_examples" / "examples").rglob("*.json"))
    seen: set[str] = set()
    for file in files:
        for kind, fields in parts_of(json.loads(file.read_text())):
            made(kind, fields)
            seen.add(kind)
    assert (len(files), seen) == (686, {*STEPS, *GETTERS})
