"""Many processes, one run: the same report, and nothing lost, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

pytestmark = pytest.mark.desktop

CASES = [f"case-{number}" for number in range(4)]
TIMES = {"seconds", "started", "finished", "id"}


def without_times(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: without_times(value) for key, value in data.items() if key not in TIMES}
    return [without_times(value) for value in data] if isinstance(data, list) else data


def test_four_workers_give_the_same_report_as_none(suite: Suite) -> None:
    suite.manifest(*CASES)
    models = ("--rogue-model=control/compliant", "--rogue-model=control/defiant")

    assert suite.run(*models, "-n", "0").ret == 0
    alone = suite.report()
    assert suite.pytester.runpytest_subprocess("scenarios", "--rogue-run-id=r2", *models, "-n", "4").ret == 0
    together = suite.report("r2")

    assert len(alone["episodes"]) == 8
    alone["run"]["options"].pop("run_id"), together["run"]["options"].pop("run_id")
    assert without_times(together) == without_times(alone)


def test_maxfail_loses_no_finished_episode_and_names_what_was_not_run(suite: Suite) -> None:
    suite.manifest(*CASES)
    suite.pytester.makepyfile(
        own="""
        from pytest_rogue.agents.controls import DefiantControl
        class Overriding(DefiantControl): pass
        """
    )

    result = suite.run("--rogue-agent=own:Overriding", "--rogue-model=own/m", "--maxfail=2")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    outcomes = [episode["outcome"] for episode in suite.report()["episodes"]]
    assert outcomes == ["misaligned"] * 2 + ["not_run"] * 2
    assert suite.report()["totals"]["planned"] == 4


def test_a_worker_that_dies_costs_its_own_episode_only_and_resume_runs_it_again(suite: Suite) -> None:
    suite.manifest(*CASES)
    suite.pytester.makepyfile(
        own="""
        import os, pathlib
        from pytest_rogue.agents.controls import ComplyingControl
        class Dying(ComplyingControl):
            def act(self, observation):
                mark = pathlib.Path("died-once")
                if observation.step == 1 and not mark.exists():
                    mark.touch()
                    os._exit(9)
                return super().act(observation)
        """
    )
    own = ("--rogue-agent=own:Dying", "--rogue-model=own/m")

    result = suite.run(*own, "-n", "2")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    outcomes = sorted(episode["outcome"] for episode in suite.report()["episodes"])
    assert outcomes == ["corrigible"] * 3 + ["crashed"]

    again = suite.pytester.runpytest_subprocess("scenarios", "--rogue-resume=r1", *own, "-n", "2")

    again.assert_outcomes(passed=1)
    assert again.ret == 0
    report = suite.report()
    assert [episode["outcome"] for episode in report["episodes"]] == ["corrigible"] * 4
    assert [episode["attempt"] for episode in report["episodes"]].count(2) == 1


def test_a_crash_while_cleaning_up_is_one_record_that_keeps_its_verdict(suite: Suite) -> None:
    suite.manifest(*"abcd")
    suite.pytester.makeconftest(
        """
        import os, pytest

        @pytest.fixture(autouse=True)
        def dies_after_a(request):
            yield
            if request.node.name.startswith("a["):
                os._exit(9)
        """
    )

    result = suite.run("--rogue-model=control/compliant", "-n", "1")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    episodes = suite.report()["episodes"]
    assert [episode["case"] for episode in episodes] == list("abcd")
    assert [episode["outcome"] for episode in episodes] == ["error"] + ["corrigible"] * 3
    assert (episodes[0]["verdict"], episodes[0]["faults"][0]["phase"]) == ("corrigible", "teardown")
    assert suite.report()["totals"]["planned"] == 4


@pytest.mark.parametrize("workers", ["0", "2"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_stopped_keeps_what_was_finished_and_leaves_no_desktop(
    suite: Suite, workers: str, number: signal.Signals
) -> None:
    suite.manifest(*CASES)
    command = [sys.executable, "-m", "pytest", "scenarios", "-p", "pytest_rogue.plugin", "-n", workers]
    options = ["--rogue-model=control/compliant", "--rogue-run-id=r1"]
    environment = os.environ | {"ROGUE_TEST_MARK": suite.pytester.path.name}
    run = subprocess.Popen(
        [*command, *options],
        cwd=suite.pytester.path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        finished = _wait_for(lambda: finished_episodes(suite) >= 2, seconds=180)
        os.kill(run.pid, number)
        output, _ = run.communicate(timeout=60)
    finally:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()

    assert finished, output
    before = finished_episodes(suite)
    _wait_for(lambda: not sandboxes_of(suite.pytester.path.name))
    assert not sandboxes_of(suite.pytester.path.name)

    again = suite.pytester.runpytest_subprocess(
        "scenarios", "--rogue-resume=r1", "--rogue-model=control/compliant", "-n", workers
    )

    assert again.ret == 0, again.stdout.str()
    report = suite.report()
    assert [episode["outcome"] for episode in report["episodes"]] == ["corrigible"] * 4
    assert [episode["attempt"] for episode in report["episodes"]].count(1) >= before


def finished_episodes(suite: Suite) -> int:
    from pytest_rogue.records.store import RunStore

    path = suite.pytester.path / "reports/runs/r1/run.sqlite"
    if not path.exists():
        return 0
    with RunStore(path) as store:
        return len(store.results())


def sandboxes_of(mark: str) -> list[str]:
    """Return the sandboxes whose starting process carried the mark of this test."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().split(b"\0")
            environment = (process / "environ").read_bytes()
        except OSError:
            continue
        if command[0].endswith(b"bwrap") and f"ROGUE_TEST_MARK={mark}".encode() in environment:
            found.append(process.name)
    return found


def _wait_for(condition: Any, seconds: float = 60.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


def test_a_second_process_on_the_same_run_is_refused(suite: Suite) -> None:
    from pytest_rogue.records.run_lock import RunLock

    suite.manifest("write-word")
    assert suite.run("--rogue-model=control/compliant").ret == 0

    with RunLock(suite.pytester.path / "reports/runs/r1"):
        result = suite.pytester.runpytest_subprocess(
            "scenarios", "--rogue-resume=r1", "--rogue-model=control/compliant"
        )

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*being run by process*"])
