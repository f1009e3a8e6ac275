"""`pytest-rogue verify`: tasks that are right, tasks that are wrong in each way, and desktops that break."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_rogue.desktops.local import LocalProvider
from pytest_rogue.proof.prover import claims_of
from pytest_rogue.proof.run import prove_all
from pytest_rogue.suite.tasks import load_task
from tests.plugin.test_commands import command

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.desktops.local import LocalDesktop
    from pytest_rogue.desktops.protocol import DesktopSpec

TASK = """\
instruction = "Write the word done into ~/note.txt."
apps = {apps}
solution = ["pyautogui.moveTo(300, 300)", {solution}]
near_miss = [{near_miss}]

[[setup]]
kind = "run"
command = {setup}

[[checks]]
evaluator = "file_text"
args = {{ path = "~/note.txt", equals = "done" }}

[[checks]]
evaluator = "file_absent"
args = {{ path = "~/draft.txt" }}
weight = {weight}
"""
RIGHT = {
    "apps": "[]",
    "setup": '["touch", "/home/user/draft.txt"]',
    "solution": """'''import os; os.path.exists("/home/user/draft.txt") and os.remove("/home/user/draft.txt")''',
        '''open("/home/user/note.txt", "w").write("done")'''""",
    "near_miss": """'''open("/home/user/note.txt", "w").write("Done!")'''""",
    "weight": "1",
}
IMPOSSIBLE = 'instruction = "Print it."\nimpossible = true\n'


class Verified(NamedTuple):
    """One call of the command."""

    code: int
    said: str
    proofs: dict[str, Any]

    def findings(self, task: str) -> dict[str, Any]:
        return {finding["claim"]: finding for finding in self.proofs[task]["findings"]}


def write_task(folder: Path, name: str, **changes: str) -> Path:
    path = folder / "tasks" / f"{name}.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(TASK.format(**(RIGHT | changes)))
    return path


@pytest.fixture(scope="module")
def verified(tmp_path_factory: pytest.TempPathFactory) -> Verified:
    """One right task, one for each thing that can be wrong, all proven by one call."""
    folder = tmp_path_factory.mktemp("suite")
    write_task(folder, "right")
    write_task(folder, "passes-untouched", setup='["cp", "/dev/null", "/home/user/other.txt"]')
    write_task(folder, "not-solved", solution="\"open('/home/user/note.txt', 'w').write('dine')\"")
    write_task(folder, "near-miss-scores", near_miss="\"open('/home/user/note.txt', 'w').write('done')\"")
    write_task(folder, "breaks-off", solution='"print(1)", "raise SystemExit(\'no such button\')"')
    write_task(folder, "no-near-miss", near_miss="")
    write_task(folder, "faulty", setup='["false"]')
    write_task(folder, "elsewhere", apps='["no-such-program"]')
    (folder / "tasks" / "declined.toml").write_text(IMPOSSIBLE)
    names = map(str, sorted((folder / "tasks").iterdir()))
    done = command("verify", "--provider=local", "--json=found.json", *names, folder=folder)
    found = json.loads((folder / "found.json").read_text())
    return Verified(done.returncode, done.stdout, {proof["task"]: proof for proof in found["tasks"]})


@pytest.mark.desktop
def test_a_right_task_is_proven(verified: Verified) -> None:
    assert verified.proofs["right"]["result"] == "proven"
    scores = {claim: finding["score"] for claim, finding in verified.findings("right").items()}
    assert scores == {"untouched": 0, "solution": 1, "near miss": 0}


@pytest.mark.desktop
def test_an_impossible_task_is_proven_by_declining_it(verified: Verified) -> None:
    assert verified.proofs["declined"]["result"] == "proven"
    scores = {claim: finding["score"] for claim, finding in verified.findings("declined").items()}
    assert scores == {"untouched": 0, "declined": 1}


@pytest.mark.desktop
def test_a_check_that_passes_untouched_is_named_with_what_it_found(verified: Verified) -> None:
    assert verified.proofs["passes-untouched"]["result"] == "wrong"
    said = "passes-untouched: untouched (repetition 1): expected score 0, found 0.5; check 2 (file_absent) gave 1"
    assert said in verified.said


@pytest.mark.desktop
def test_a_solution_that_does_not_solve_is_named_with_the_checks_that_it_failed(verified: Verified) -> None:
    assert verified.proofs["not-solved"]["result"] == "wrong"
    finding = verified.findings("not-solved")["solution"]
    assert finding["score"] == 0
    assert "check 1 (file_text) gave 0; it expects" in finding["reason"]
    assert "'dine'" in finding["reason"]


@pytest.mark.desktop
def test_a_near_miss_that_scores_is_wrong(verified: Verified) -> None:
    assert verified.proofs["near-miss-scores"]["result"] == "wrong"
    assert "near-miss-scores: near miss (repetition 1): expected score 0, found 0.5" in verified.said


@pytest.mark.desktop
def test_a_solution_that_breaks_off_is_wrong_and_has_no_score(verified: Verified) -> None:
    assert verified.proofs["breaks-off"]["result"] == "wrong"
    finding = verified.findings("breaks-off")["solution"]
    assert finding["score"] is None
    assert finding["reason"].startswith("entry 3 of solution did not run to its end (exit code 1)")
    assert "no such button" in finding["reason"]


@pytest.mark.desktop
def test_a_task_without_a_near_miss_is_wrong(verified: Verified) -> None:
    assert verified.proofs["no-near-miss"]["result"] == "wrong"
    assert "no-near-miss: near miss (repetition 1): the task has no near_miss" in verified.said


@pytest.mark.desktop
def test_a_desktop_that_breaks_is_an_error_and_says_nothing_about_the_task(verified: Verified) -> None:
    assert verified.proofs["faulty"]["result"] == "error"
    assert {finding["score"] for finding in verified.findings("faulty").values()} == {None}
    assert "set-up step 1 (run) failed" in verified.said


@pytest.mark.desktop
def test_a_task_for_another_desktop_is_skipped_with_the_reason(verified: Verified) -> None:
    assert verified.proofs["elsewhere"]["result"] == "skipped"
    assert "elsewhere: skipped: the local desktop has no no-such-program" in verified.said


@pytest.mark.desktop
def test_the_last_line_counts_and_the_exit_code_tells(verified: Verified) -> None:
    assert verified.said.splitlines()[-1] == "9 tasks: 2 proven, 1 error, 1 skipped, 5 wrong"
    assert verified.code == 1


@pytest.mark.desktop
def test_what_was_skipped_fails_only_under_strict(tmp_path: Path) -> None:
    path = str(write_task(tmp_path, "elsewhere", apps='["no-such-program"]'))
    assert command("verify", "--provider=local", path, folder=tmp_path).returncode == 0
    assert command("verify", "--provider=local", "--strict", path, folder=tmp_path).returncode == 1


@pytest.mark.desktop
def test_each_repetition_is_shown_on_desktops_of_its_own(tmp_path: Path) -> None:
    task = load_task(write_task(tmp_path, "right"))
    (proof,) = prove_all([(task, tmp_path)], LocalProvider(), repetitions=2)
    assert proof.result == "proven"
    assert [(finding.claim, finding.repetition) for finding in proof.findings] == [
        *(("untouched", 1), ("solution", 1), ("near miss", 1)),
        *(("untouched", 2), ("solution", 2), ("near miss", 2)),
    ]


@pytest.mark.desktop
def test_with_replay_every_entry_of_the_solution_is_played_twice(tmp_path: Path) -> None:
    once = "\"open('/home/user/note.txt', 'x').write('done')\", \"__import__('os').remove('/home/user/draft.txt')\""
    task = load_task(write_task(tmp_path, "once", solution=once))
    (plain,) = prove_all([(task, tmp_path)], LocalProvider())
    (replayed,) = prove_all([(task, tmp_path)], LocalProvider(), replay=True)
    assert plain.result == "proven"
    assert replayed.result == "wrong"
    assert "entry 2 of solution did not run to its end" in str(replayed.findings[1])


class LosesTheFirst(LocalProvider):
    """Its first desktop is gone before it can be used."""

    def __init__(self, lost: int) -> None:
        self.lost = lost

    def start(self, spec: DesktopSpec) -> LocalDesktop:
        desktop = super().start(spec)
        if self.lost > 0:
            self.lost -= 1
            desktop.stop()
        return desktop


@pytest.mark.desktop
@pytest.mark.parametrize(("lost", "result"), [(1, "proven"), (2, "error")])
def test_a_lost_desktop_is_replaced_once(tmp_path: Path, lost: int, result: str) -> None:
    task = load_task(write_task(tmp_path, "right"))
    (proof,) = prove_all([(task, tmp_path)], LosesTheFirst(lost), at_once=1)
    assert proof.result == result


def test_where_a_look_disturbs_each_claim_has_a_desktop_of_its_own(tmp_path: Path) -> None:
    path = write_task(tmp_path, "right")
    assert [len(claims) for claims in claims_of(load_task(path))] == [2, 1]
    path.write_text(
        path.read_text().replace('"file_absent"', '"browser_extension"').replace("draft.txt", "Downloads/x")
    )
    assert [len(claims) for claims in claims_of(load_task(path))] == [1, 1, 1]


class FindsTheFirstDone(LocalProvider):
    """On its first desktop the job is done before anybody touches it."""

    first = True

    def start(self, spec: DesktopSpec) -> LocalDesktop:
        desktop = super().start(spec)
        if self.first:
            self.first = False
            desktop.guest.write_file("/home/user/note.txt", b"done")
        return desktop


@pytest.mark.desktop
@pytest.mark.parametrize(("again", "result", "unsteady"), [(0, "wrong", 0), (1, "proven", 1)])
def test_what_fails_is_shown_again_where_that_is_asked_for_and_is_named(
    tmp_path: Path, again: int, result: str, unsteady: int
) -> None:
    task = load_task(write_task(tmp_path, "right"))
    (proof,) = prove_all([(task, tmp_path)], FindsTheFirstDone(), at_once=1, again=again)
    assert proof.result == result
    assert len(proof.unsteady) == unsteady


@pytest.mark.desktop
def test_the_end_states_are_kept_as_pictures(tmp_path: Path) -> None:
    task = load_task(write_task(tmp_path, "right"))
    prove_all([(task, tmp_path)], LocalProvider(), screenshots=tmp_path / "seen")
    assert sorted(path.name for path in (tmp_path / "seen").iterdir()) == [
        "right-near-miss-1.png",
        "right-solution-1.png",
        "right-untouched-1.png",
    ]


def test_a_task_that_is_not_there_is_named_with_the_nearest(tmp_path: Path) -> None:
    done = command("verify", "sort-download", folder=tmp_path)
    assert done.returncode == 1
    assert "there is no task 'sort-download'; did you mean 'sort-downloads'?" in done.stderr


@pytest.mark.parametrize("option", ["--repeat=0", "--at-once=0"])
def test_a_number_below_one_is_refused(tmp_path: Path, option: str) -> None:
    done = command("verify", option, folder=tmp_path)
    assert done.returncode == 1
    assert f"{option.partition('=')[0]} is 1 or more, not 0" in done.stderr


@pytest.mark.desktop
def test_ctrl_c_ends_it_at_once_with_one_line_and_leaves_no_desktop(tmp_path: Path) -> None:
    quick = write_task(tmp_path, "quick")
    slow = write_task(tmp_path, "slow", solution='"import time; time.sleep(600)"')
    words = [sys.executable, "-m", "pytest_rogue.cli", "verify", str(quick), str(slow), "--provider=local"]
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with subprocess.Popen(
        words, cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=os.environ | {"TMPDIR": str(scratch)}
    ) as running:
        assert running.stderr is not None
        assert "quick proven" in running.stderr.readline()
        running.send_signal(signal.SIGINT)
        rest = running.stderr.read()
    assert (running.returncode, rest) == (130, "pytest-rogue: interrupted\n")
    assert list(scratch.iterdir()) == []
