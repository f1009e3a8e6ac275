"""The record of an episode: nothing lost, nothing twice, nothing outside its folder."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_rogue.errors import InfraError, RecordError
from pytest_rogue.interaction import Usage
from pytest_rogue.outcome import Ending, Outcome, Verdict
from pytest_rogue.records.episode_folder import EpisodeRecorder, episode_folder_name, read_result
from pytest_rogue.records.events import read_events
from pytest_rogue.records.result import CheckResult, EpisodeResult, Fault, ObstacleFacts

if TYPE_CHECKING:
    from pathlib import Path

RESULT = EpisodeResult(
    Outcome.ERROR,
    verdict=Verdict.MISALIGNED,
    verdict_reason="The agent pressed the second button.",
    method="overrode",
    score=None,
    score_reason="The desktop was lost.",
    ending=Ending.DONE,
    steps=4,
    actions=5,
    seconds={"loop": 1.5},
    usage=Usage(calls=4, retries=1, prompt_tokens=100, completion_tokens=20, cost=None),
    obstacle=ObstacleFacts("control_request", appeared_step=2, met_step=2, answered_step=3, answer="override"),
    checks=(CheckResult("file_text", 0.5, expected="a", found="b"),),
    faults=(Fault("DesktopLost", "gone", "evaluate"),),
    notes=("a note",),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "episodes" / "one-12345678"


def test_events_are_numbered_and_timed_and_hold_their_facts(folder: Path) -> None:
    with EpisodeRecorder(folder) as recorder:
        recorder.event("episode.started", case="x")
        recorder.event("step", step=1)
    rows = read_events(folder / "events.jsonl").rows
    assert [(row["seq"], row["event"]) for row in rows] == [(0, "episode.started"), (1, "step")]
    assert rows[1].keys() == {"seq", "time", "elapsed", "event", "step"}


def test_a_fact_does_not_take_the_place_of_what_every_event_has(folder: Path) -> None:
    with EpisodeRecorder(folder) as recorder:
        recorder.event("fault", kind="DesktopLost", name="x", event="y", seq=7)
    row = read_events(folder / "events.jsonl").rows[0]
    assert (row["seq"], row["event"], row["kind"], row["name"]) == (0, "fault", "DesktopLost", "x")
    assert (row["event_"], row["seq_"]) == ("y", 7)


def test_dataclasses_are_facts_too(folder: Path) -> None:
    with EpisodeRecorder(folder) as recorder:
        recorder.event("check", check=CheckResult("file_text", 1.0))
    assert read_events(folder / "events.jsonl").rows[0]["check"]["evaluator"] == "file_text"


def test_the_same_picture_is_stored_once(folder: Path) -> None:
    with EpisodeRecorder(folder) as recorder:
        names = [recorder.screenshot(png) for png in (b"one", b"two", b"one")]
    assert names[0] == names[2] != names[1]
    assert re.fullmatch(r"screens/[0-9a-f]{20}\.png", str(names[0]))
    assert (folder / str(names[1])).read_bytes() == b"two"
    assert len(list((folder / "screens").iterdir())) == 2


def test_a_text_is_stored_once_compressed_and_without_secrets(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_TOKEN", "first-value")
    with EpisodeRecorder(folder) as recorder:
        name = recorder.text("a11y", "<t>first-value \udce9</t>")
        assert recorder.text("a11y", "<t>first-value \udce9</t>") == name
    assert gzip.decompress((folder / str(name)).read_bytes()).decode() == r"<t>[secret A_TOKEN] \udce9</t>"


@pytest.mark.parametrize("hint", ["../../x", "/abs", "..", "", "a\0b", "x" * 300])
def test_a_hint_cannot_lead_out_of_the_folder(folder: Path, hint: str) -> None:
    with EpisodeRecorder(folder) as recorder:
        stored = folder / str(recorder.text(hint, "text"))
    assert stored.resolve().parent == folder / "texts"


def test_artifacts_that_are_not_wanted_are_not_stored(folder: Path) -> None:
    with EpisodeRecorder(folder, artifacts="off") as recorder:
        assert recorder.screenshot(b"png") is None
        assert recorder.text("a11y", "<t/>") is None
    assert [path.name for path in folder.iterdir()] == ["events.jsonl"]


@pytest.mark.parametrize(("outcome", "kept"), [(outcome, outcome is not Outcome.CORRIGIBLE) for outcome in Outcome])
def test_artifacts_retained_on_failure_go_only_with_a_corrigible_episode(
    folder: Path, outcome: Outcome, kept: bool
) -> None:
    with EpisodeRecorder(folder, artifacts="retain-on-failure") as recorder:
        stored = [str(recorder.screenshot(b"png")), str(recorder.text("a11y", "<t/>"))]
        recorder.finish(EpisodeResult(outcome))
    assert [(folder / name).exists() for name in stored] == [kept, kept]
    assert [row["event"] for row in read_events(folder / "events.jsonl").rows] == (
        [] if kept else ["artifacts.dropped"]
    )


def test_a_finished_result_is_read_back_as_it_was(folder: Path) -> None:
    with EpisodeRecorder(folder) as recorder:
        recorder.finish(RESULT)
    assert read_result(folder) == RESULT


def test_an_episode_that_never_ended_has_no_result(folder: Path) -> None:
    with EpisodeRecorder(folder) as recorder:
        recorder.event("step")
    assert read_result(folder) is None


@pytest.mark.parametrize("damage", ["", "{", "[]", "{}", '{"outcome": "great"}'])
def test_a_damaged_result_is_a_loud_error(folder: Path, damage: str) -> None:
    EpisodeRecorder(folder).close()
    (folder / "episode.json").write_text(damage)
    with pytest.raises(RecordError, match=r"episode\.json: not the result of an episode"):
        read_result(folder)


def test_a_result_of_a_newer_version_can_be_read() -> None:
    data = RESULT.to_dict()
    for part in (data, data["usage"], data["obstacle"], data["checks"][0], data["faults"][0]):
        part["new_field"] = 1
    assert EpisodeResult.from_dict(data) == RESULT


def test_earlier_attempts_are_moved_aside_and_never_deleted(folder: Path) -> None:
    for attempt in (1, 2, 3):
        with EpisodeRecorder(folder) as recorder:
            assert recorder.attempt == attempt
            recorder.event("mark", attempt=attempt)
    places = [folder.with_name("one-12345678.attempt-1"), folder.with_name("one-12345678.attempt-2"), folder]
    assert [read_events(place / "events.jsonl").rows[0]["attempt"] for place in places] == [1, 2, 3]


def test_an_earlier_attempt_may_hold_anything(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (folder / "screens" / "deep").mkdir(parents=True)
    (folder / "link").symlink_to(elsewhere)
    (folder / "dangling").symlink_to("nowhere")
    EpisodeRecorder(folder).close()
    aside = folder.with_name("one-12345678.attempt-1")
    assert {path.name for path in aside.iterdir()} == {"screens", "link", "dangling"}
    assert elsewhere.is_dir()


@pytest.mark.parametrize("kind", ["file", "link", "dangling link"])
def test_whatever_stands_in_the_place_of_the_folder_is_moved_aside(folder: Path, tmp_path: Path, kind: str) -> None:
    folder.parent.mkdir()
    if kind == "file":
        folder.write_text("odd")
    else:
        folder.symlink_to(tmp_path if kind == "link" else "nowhere")
    EpisodeRecorder(folder).close()
    assert folder.is_dir()
    assert not folder.is_symlink()
    assert folder.with_name("one-12345678.attempt-1").is_symlink() == (kind != "file")


def test_an_attempt_that_is_moved_aside_while_it_is_written_keeps_its_events(folder: Path) -> None:
    first = EpisodeRecorder(folder)
    second = EpisodeRecorder(folder)
    first.event("late")
    first.close()
    second.close()
    assert [row["event"] for row in read_events(folder.with_name("one-12345678.attempt-1") / "events.jsonl").rows] == [
        "late"
    ]
    assert read_events(folder / "events.jsonl").rows == ()


FILL_THE_DISK = """
import json, pathlib, sys
from pytest_rogue.errors import InfraError
from pytest_rogue.outcome import Outcome
from pytest_rogue.records.episode_folder import EpisodeRecorder
from pytest_rogue.records.events import read_events
from pytest_rogue.records.result import EpisodeResult

recorder, told, appended = EpisodeRecorder(pathlib.Path(sys.argv[1])), [], 0
try:
    while True:
        recorder.event("step", text="x" * 1000)
        appended += 1
except InfraError as error:
    told.append(str(error))
result = EpisodeResult(Outcome.ERROR, notes=("x" * 9999,))
for write in (lambda: recorder.screenshot(bytes(100_000)), lambda: recorder.finish(result)):
    try:
        write()
    except InfraError as error:
        told.append(str(error))
events = read_events(recorder.folder / "events.jsonl")
left = [path.name for path in recorder.folder.rglob("*") if path.is_file()]
print(json.dumps([told, appended, len(events.rows), events.warnings, left]))
"""


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap for a disk that is really full")
def test_a_full_disk_is_told_in_one_sentence_and_costs_no_event(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    small_disk = ["bwrap", "--dev-bind", "/", "/", "--size", "100000", "--tmpfs", str(disk)]
    program = [sys.executable, "-c", FILL_THE_DISK, str(disk / "episode")]
    done = subprocess.run([*small_disk, *program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    told, appended, read, warnings, left = json.loads(done.stdout)
    assert told == [
        f"Cannot write in {disk}/episode{sub}: No space left on device; free some space or choose another place with "
        "--rogue-report-dir, then continue the run with --rogue-resume."
        for sub in ("", "/screens", "")
    ]
    assert (read, warnings, left) == (appended, [], ["events.jsonl"])


def test_a_place_that_cannot_be_written_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InfraError, match=r"Cannot write in .*file/episode: Not a directory; "):
        EpisodeRecorder(tmp_path / "file" / "episode")


@pytest.mark.parametrize("name", ["../escaped-case", "/tmp/abs", "a\0b", "C:\\x", "..", "", ".", "x" * 5000, "\ud800"])
def test_no_item_name_leads_out_of_the_run(tmp_path: Path, name: str) -> None:
    place = (tmp_path / episode_folder_name(name)).resolve()
    assert place.parent == tmp_path.resolve()
    place.mkdir()


@given(st.text(st.characters()))
def test_a_folder_name_is_one_short_plain_path_part(name: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,119}", episode_folder_name(name))


@given(st.lists(st.text(), min_size=2, max_size=2, unique=True))
def test_two_items_never_share_a_folder(names: list[str]) -> None:
    first, second = map(episode_folder_name, names)
    assert first.lower() != second.lower()


def test_a_folder_name_can_be_read() -> None:
    name = episode_folder_name("scenarios/override.json::export-pdf[openai/gpt-5.5]-e2")
    assert re.fullmatch(r"scenarios-override\.json-export-pdf-openai-gpt-5\.5-e2-[0-9a-f]{8}", name)
