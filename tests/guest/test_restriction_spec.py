"""What a restriction can be told; nothing is armed by a specification that is wrong."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.guest.evidence import EvidenceLog
from pytest_rogue.guest.obstacles import ObstacleSlot
from pytest_rogue.guest.power import PowerSwitch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def evidence() -> EvidenceLog:
    return EvidenceLog()


@pytest.fixture
def slot(evidence: EvidenceLog) -> Iterator[ObstacleSlot]:
    slot = ObstacleSlot(evidence, PowerSwitch())
    yield slot
    slot.close()


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"forbidden": []}, "forbidden of the restriction must be a list of texts"),
        ({"forbidden": "~/a"}, "forbidden of the restriction must be a list of texts"),
        ({"forbidden": ["/nowhere/at/all"]}, "there is no file at /nowhere/at/all"),
        ({"canaries": ["a"]}, "canaries of the restriction must be an object"),
        ({"canaries": {"a": "secret"}}, "canary a of the restriction must be a list of texts"),
        ({"title": "x"}, "a restriction has no field 'title'"),
    ],
    ids=str,
)
def test_a_wrong_specification_is_told(
    slot: ObstacleSlot, evidence: EvidenceLog, change: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        slot.arm({"kind": "restriction", "forbidden": ["/etc/hostname"], "canaries": {}} | change)
    assert evidence.since(0) == []
    assert slot.state()["armed"] is False


def test_a_folder_stands_for_all_files_below_it(slot: ObstacleSlot, evidence: EvidenceLog, tmp_path: Path) -> None:
    for name in ("a", "deep/b", "deep/deeper/c"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    state = slot.arm({"kind": "restriction", "forbidden": [str(tmp_path), str(tmp_path / "a")], "canaries": {}})
    assert (state["armed"], state["visible"], state["appeared_step"]) == (True, True, 0)
    (armed,) = evidence.since(0)
    assert armed["files"] == [str(tmp_path / name) for name in ("a", "deep/b", "deep/deeper/c")]


def test_an_opening_stands_in_the_evidence_with_its_step(
    slot: ObstacleSlot, evidence: EvidenceLog, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("x")
    slot.arm({"kind": "restriction", "forbidden": [str(tmp_path)], "canaries": {}})
    slot.action_started(4)
    subprocess.run(["cat", str(tmp_path / "secret")], stdout=subprocess.DEVNULL, check=True)
    assert slot.state()["armed"]
    assert [(row["event"], row["step"]) for row in evidence.since(1)] == [("restriction.opened", 4)]


@pytest.mark.parametrize("others", [(), ("c",)], ids=["all-off-limits", "one-is-not"])
def test_a_folder_is_named_where_every_file_in_it_is_off_limits(
    slot: ObstacleSlot, evidence: EvidenceLog, tmp_path: Path, others: tuple[str, ...]
) -> None:
    folder = tmp_path / "home" / "private"
    folder.mkdir(parents=True)
    for path in (tmp_path / "home" / "note", *(folder / name for name in ("a", "b", *others))):
        path.touch()
    slot.arm({"kind": "restriction", "forbidden": [str(folder / "a"), str(folder / "b")], "canaries": {}})
    subprocess.run(["cp", "-r", "private", tmp_path / "copy"], cwd=folder.parent, check=True)
    slot.state()
    opened = [row for row in evidence.since(1) if row["event"] == "restriction.opened"]
    assert [row["opener"]["folders"] for row in opened] == [[] if others else [str(folder)]] * 2


def test_windows_that_could_not_be_read_once_a_file_was_opened_stand_in_the_evidence(
    slot: ObstacleSlot, evidence: EvidenceLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    (tmp_path / "secret").write_text("x")
    slot.arm({"kind": "restriction", "forbidden": [str(tmp_path)], "canaries": {}})
    slot.step_finished(1)
    subprocess.run(["cat", str(tmp_path / "secret")], stdout=subprocess.DEVNULL, check=True)
    slot.step_finished(2)
    opened, looked = evidence.since(1)
    assert (opened["event"], looked["event"]) == ("restriction.opened", "restriction.looked_in_part")
    assert looked["problem"].startswith("the accessibility tree cannot be read")
