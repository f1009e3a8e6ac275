"""How the results of the checks become a score, and when there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.desktops.guest_client import GuestClient
from pytest_rogue.evaluators.evaluate import Evaluation, evaluate
from pytest_rogue.outcome import Ending
from pytest_rogue.suite.model import Check, Task
from tests.desktops.faulty_guest import TOKEN, Fault, FaultyGuest, answers, closes_the_connection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_rogue.evaluators.protocol import GuestReader
    from tests.evaluators.conftest import Desk


def exists(name: str, weight: float = 1.0) -> Check:
    return Check(evaluator="file_exists", args={"path": f"~/{name}"}, weight=weight)


def task(*checks: Check) -> Task:
    return Task(id="t", instruction="Do it.", checks=checks, solution=("pass",))


IMPOSSIBLE = Task(id="t", instruction="Do it.", impossible=True)


def score(reader: GuestReader, *checks: Check, ending: Ending = Ending.DONE) -> Evaluation:
    return evaluate(task(*checks), reader, ending=ending)


def test_the_score_is_the_weighted_mean_of_the_checks(desk: Desk) -> None:
    desk.put("a", "")
    assert score(desk.reader, exists("a", weight=3), exists("b")).score == 0.75


def test_the_reason_names_the_first_check_that_failed(desk: Desk) -> None:
    desk.put("a", "")
    evaluation = score(desk.reader, exists("a"), exists("b"), exists("c"))
    assert evaluation.reason == "2 of 3 checks failed, first file_exists: no such file"


def test_expected_and_found_are_kept_within_bounds(desk: Desk) -> None:
    desk.put("a", "x" * 5000)
    result = desk.check("file_text", equals="y" * 5000)
    assert len(result.expected) == len(result.found) == 300


@pytest.mark.parametrize("ending", [ending for ending in Ending if ending not in (Ending.FAULT, Ending.SHUT_DOWN)])
def test_the_state_of_the_desktop_counts_however_the_episode_ended(ending: Ending, desk: Desk) -> None:
    desk.put("a", "")
    assert score(desk.reader, exists("a"), exists("b"), ending=ending).score == 0.5


@pytest.mark.parametrize("impossible", [True, False])
def test_an_episode_that_a_fault_cut_short_has_no_score(impossible: bool, desk: Desk) -> None:
    job = IMPOSSIBLE if impossible else task(exists("a"))
    assert evaluate(job, desk.reader, ending=Ending.FAULT).score is None


@pytest.mark.parametrize("job", [task(exists("a")), IMPOSSIBLE], ids=["possible", "impossible"])
def test_a_machine_that_was_shut_down_has_no_score(desk: Desk, job: Task) -> None:
    desk.put("a", "")
    evaluation = evaluate(job, desk.reader, ending=Ending.SHUT_DOWN)
    assert (evaluation.score, evaluation.faults) == (None, ())
    assert "shut down" in evaluation.reason


@pytest.mark.parametrize("ending", [ending for ending in Ending if ending not in (Ending.FAULT, Ending.SHUT_DOWN)])
def test_an_impossible_task_is_done_by_declining_it_and_by_nothing_else(ending: Ending, desk: Desk) -> None:
    assert evaluate(IMPOSSIBLE, desk.reader, ending=ending).score == (1.0 if ending is Ending.DECLINED else 0.0)


# --- what the guest answers decides whether there is a score


@pytest.fixture
def guest() -> Iterator[FaultyGuest]:
    guest = FaultyGuest()
    yield guest
    guest.close()


@pytest.fixture
def client(guest: FaultyGuest) -> Iterator[GuestClient]:
    client = GuestClient(token=TOKEN, base_url=guest.url)
    yield client
    client.close()


TEXT = Check(evaluator="file_text", args={"path": "~/a", "equals": "done"})
FILE_OF_NINE_BYTES: dict[str, Any] = {"type": "file", "size": 9, "mode": "644"}
EMPTY_FILE: dict[str, Any] = {"type": "file", "size": 0, "mode": "644"}
TREE = Check(evaluator="folder_tree", args={"path": "~/a", "files": ["b"]})


def test_a_file_that_is_not_there_is_a_real_zero(guest: FaultyGuest, client: GuestClient) -> None:
    guest.faults["file"].append(answers(404, {"error": {"kind": "no_such_file", "message": "~/a"}}))
    evaluation = score(client, TEXT)
    assert (evaluation.score, evaluation.checks[0].found, evaluation.faults) == (0.0, "no such file", ())


def test_a_file_that_is_empty_is_a_real_zero(guest: FaultyGuest, client: GuestClient) -> None:
    guest.good |= {"file": b"", "stat": EMPTY_FILE}
    assert score(client, TEXT).score == 0.0


@pytest.mark.parametrize("status", [403, 413])
def test_a_file_that_the_agent_left_unreadable_is_a_real_zero(
    status: int, guest: FaultyGuest, client: GuestClient
) -> None:
    guest.faults["file"].append(answers(status, {"error": {"kind": "unreadable", "message": "Permission denied"}}))
    evaluation = score(client, TEXT)
    assert (evaluation.score, evaluation.faults) == (0.0, ())
    assert "Permission denied" in evaluation.checks[0].found


@pytest.mark.parametrize("check", [exists("a"), Check(evaluator="file_absent", args={"path": "~/a"})])
def test_what_cannot_be_told_for_the_agents_doing_is_neither_there_nor_absent(
    check: Check, guest: FaultyGuest, client: GuestClient
) -> None:
    guest.faults["stat"].append(answers(403, {"error": {"kind": "unreadable", "message": "Permission denied"}}))
    assert score(client, check).score == 0.0


def test_a_folder_with_a_part_that_cannot_be_looked_into_is_a_real_zero(
    guest: FaultyGuest, client: GuestClient
) -> None:
    entry = {"path": "b", "type": "file", "size": 0, "mode": "644"}
    guest.good["list"] = {"entries": [entry], "cut": False, "unreadable": ["c"]}
    evaluation = score(client, TREE)
    assert (evaluation.score, evaluation.faults) == (0.0, ())


def test_a_folder_with_more_than_is_listed_is_no_score(guest: FaultyGuest, client: GuestClient) -> None:
    guest.good["list"] = {"entries": [], "cut": True, "unreadable": []}
    assert score(client, TREE).score is None


def test_one_file_is_looked_at_without_listing_its_folder(guest: FaultyGuest, client: GuestClient) -> None:
    guest.good["stat"] = FILE_OF_NINE_BYTES
    mode = Check(evaluator="file_mode", args={"path": "~/a", "mode": "644"})
    assert score(client, exists("a"), mode).score == 1.0
    assert {path for _, path, _ in guest.requests} == {"stat"}


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(answers(500, b"broken"), id="500"),
        pytest.param(closes_the_connection, id="closed"),
        pytest.param(answers(200, b""), id="empty though the file is not"),
    ],
)
def test_a_fault_of_the_guest_is_no_score_and_kept_as_a_fault(
    fault: Fault, guest: FaultyGuest, client: GuestClient
) -> None:
    guest.good["stat"] = FILE_OF_NINE_BYTES
    guest.faults["file"].append(fault)
    evaluation = score(client, TEXT)
    assert evaluation.score is None
    assert evaluation.checks[0].score is None
    assert [fault.phase for fault in evaluation.faults] == ["evaluate"]


def test_a_refused_connection_is_no_score(guest: FaultyGuest, client: GuestClient) -> None:
    guest.close()
    assert score(client, TEXT).score is None


def test_a_fault_of_one_check_is_never_a_partial_mean(guest: FaultyGuest, client: GuestClient) -> None:
    guest.good |= {"stat": FILE_OF_NINE_BYTES}
    guest.faults["file"].append(answers(500, b"broken"))
    evaluation = score(client, exists("a"), TEXT, exists("b"))
    assert evaluation.score is None
    assert [check.score for check in evaluation.checks] == [1.0, None, None]


def test_a_fault_in_an_evaluator_costs_the_score_and_nothing_else(desk: Desk) -> None:
    class NoReader:
        """Has none of the methods."""

    evaluation = evaluate(task(exists("a")), NoReader(), ending=Ending.DONE)  # type: ignore[arg-type]  # that is the fault
    assert evaluation.score is None
    assert evaluation.faults[0].kind == "AttributeError"
