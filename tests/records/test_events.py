"""Events survive crashes, full disks and odd values, and damage is never read as something else."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_rogue.errors import RecordError
from pytest_rogue.records.events import EventWriter, read_events

if TYPE_CHECKING:
    from pathlib import Path

GOOD = b'{"id": "a"}\n{"id": "b"}\n'
TORN = b'{"id": "c", "sco'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "events.jsonl"


def _append(path: Path, *rows: dict[str, Any]) -> None:
    writer = EventWriter(path)
    for row in rows:
        writer.append(row)
    writer.close()


def _ids(path: Path) -> list[str]:
    return [row["id"] for row in read_events(path).rows]


def _strict(text: str) -> Any:
    def refuse(constant: str) -> NoReturn:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_what_is_appended_is_read_back_in_order(path: Path) -> None:
    _append(path, {"id": "a", "n": [1, None]})
    _append(path, {"id": "b"})
    assert read_events(path).rows == ({"id": "a", "n": [1, None]}, {"id": "b"})
    assert read_events(path).warnings == ()


def test_a_torn_last_line_is_left_out_with_a_warning(path: Path) -> None:
    path.write_bytes(GOOD + TORN)
    events = read_events(path)
    assert [row["id"] for row in events.rows] == ["a", "b"]
    assert events.warnings == (f"{path}:3: the last line is torn, {len(TORN)} bytes were left out.",)


def test_after_a_torn_line_the_next_event_has_a_line_of_its_own(path: Path) -> None:
    path.write_bytes(GOOD + TORN)
    _append(path, {"id": "third"})
    assert _ids(path) == ["a", "b", "third"]
    assert read_events(path).warnings == ()
    assert path.read_bytes() == GOOD + b'{"id": "third"}\n'


def test_a_torn_line_is_moved_aside_and_not_deleted(path: Path) -> None:
    path.write_bytes(GOOD + TORN)
    _append(path, {"id": "third"})
    assert path.with_name("events.jsonl.torn").read_bytes() == TORN + b"\n"


def test_a_last_event_that_lacks_only_its_line_end_is_kept(path: Path) -> None:
    path.write_bytes(GOOD.rstrip(b"\n"))
    assert read_events(path).warnings == ()
    _append(path, {"id": "third"})
    assert _ids(path) == ["a", "b", "third"]


def test_glued_records_are_taken_apart(path: Path) -> None:
    path.write_bytes(b'{"id": "a"}{"id": "b"}\n{"id": "c"} {"id": "d"}')
    assert _ids(path) == ["a", "b", "c", "d"]


def test_a_whole_record_glued_to_a_torn_one_is_kept(path: Path) -> None:
    path.write_bytes(b'{"id": "a"}' + TORN)
    _append(path, {"id": "third"})
    assert _ids(path) == ["a", "third"]


@pytest.mark.parametrize(
    "damage", [TORN, b'{"id": "x"} rest', b"\xff\xfe", b"\0\0\0", b"[1]", b"7", b"[" * 100_000, b'{"id": "x"}}']
)
def test_damage_in_the_middle_is_a_loud_error_that_names_the_line(path: Path, damage: bytes) -> None:
    path.write_bytes(b'{"id": "a"}\n' + damage + b'\n{"id": "b"}\n')
    with pytest.raises(RecordError) as error:
        read_events(path)
    assert str(error.value).startswith(f"{path}:2: the line is damaged")


@pytest.mark.parametrize("damage", [b"\xff\xfe", b"\0\0\0", b"[1]", b'{"a": "\xc3'])
def test_any_kind_of_torn_tail_costs_no_good_line(path: Path, damage: bytes) -> None:
    path.write_bytes(GOOD + damage)
    assert _ids(path) == ["a", "b"]
    _append(path, {"id": "c"})
    assert _ids(path) == ["a", "b", "c"]


def test_a_missing_file_is_told_in_a_sentence(path: Path) -> None:
    with pytest.raises(RecordError, match="cannot be read: No such file or directory"):
        read_events(path)


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_a_non_number_written_by_hand_reads_as_missing(path: Path, constant: str) -> None:
    path.write_text(f'{{"score": {constant}}}\n')
    assert read_events(path).rows == ({"score": None},)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_non_number_is_written_as_missing(path: Path, value: float) -> None:
    _append(path, {"score": value, "nested": [{"deep": value}]})
    assert _strict(path.read_text()) == {"score": None, "nested": [{"deep": None}]}


def test_a_lone_surrogate_becomes_a_visible_escape(path: Path) -> None:
    _append(path, {"out": "caf\udce9 ż"})
    assert _strict(path.read_text(encoding="utf-8")) == {"out": r"caf\udce9 ż"}


def test_known_secrets_are_not_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_TOKEN", 'va"lue-żółw')
    _append(path, {"header": 'Bearer va"lue-żółw', 'va"lue-żółw': 1})
    assert read_events(path).rows == ({"header": "Bearer [secret A_TOKEN]", "[secret A_TOKEN]": 1},)


def test_a_secret_made_of_digits_does_not_break_numbers(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIN_PASSWORD", "123456")
    _append(path, {"seconds": 0.1234567, "said": "pin 123456"})
    assert read_events(path).rows == ({"seconds": 0.1234567, "said": "pin [secret PIN_PASSWORD]"},)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)
rows_of_events = st.lists(st.dictionaries(st.text(max_size=5), json_values, max_size=3), min_size=1, max_size=3)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(rows_of_events, st.data())
def test_wherever_a_file_is_cut_only_the_cut_event_is_lost(
    path: Path, rows: list[dict[str, Any]], data: st.DataObject
) -> None:
    path.unlink(missing_ok=True)
    _append(path, *rows)
    whole, written = read_events(path).rows, path.read_bytes()
    cut = data.draw(st.integers(0, len(written)))
    path.write_bytes(written[:cut])
    kept = read_events(path).rows
    assert kept == whole[: len(kept)]
    assert len(kept) >= written[:cut].count(b"\n")
    _append(path, {"id": "next"})
    assert read_events(path).rows == (*kept, {"id": "next"})


def test_a_killed_writer_loses_no_event_it_had_appended(path: Path) -> None:
    program = (
        "import sys, pathlib, itertools\n"
        "from pytest_rogue.records.events import EventWriter\n"
        "writer = EventWriter(pathlib.Path(sys.argv[1]))\n"
        "for n in itertools.count():\n"
        "    writer.append({'n': n, 'text': 'x' * 5000})\n"
        "    print(n, flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for line in writer.stdout:
            if int(line) == 50:
                writer.send_signal(signal.SIGKILL)
                break
        told = [50, *(int(line) for line in writer.stdout)]
    numbers = [row["n"] for row in read_events(path).rows]
    assert numbers == list(range(len(numbers)))
    assert numbers[-1] >= max(told)


def test_who_only_shows_a_record_reads_on_after_a_damaged_line(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"seq": 0}\nnot json\n{"seq": 2}\n{"seq"')

    events = read_events(path, skip_damaged=True)

    assert [row["seq"] for row in events.rows] == [0, 2]
    assert events.warnings == (
        f"{path}:2: the line is damaged, 8 bytes were left out.",
        f"{path}:4: the last line is torn, 6 bytes were left out.",
    )
