"""Whole runs on desktops in containers: how they begin, how they end, what breaks in between, and what is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.desktops.docker_engine import RUN_LABEL, Engine
from pytest_rogue.records.leases import LeaseBook
from pytest_rogue.records.store import RunStore
from tests.docker.conftest import RUN
from tests.host_processes import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.plugin.conftest import Suite

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("leftovers_are_ours")]

CASES = [f"case-{number}" for number in range(4)]
COMPLIANT = "--rogue-model=control/compliant"
OWN = ("--rogue-agent=own:Own", "--rogue-model=own/m")
PATIENCE = 120.0
"""Seconds for what is waited for here; reached only where something is broken."""

SAY_AND_WAIT = """
    import pathlib, time
    from pytest_rogue.agents.controls import ComplyingControl

    class Own(ComplyingControl):
        "Says once that it acts, and goes on when it is told to."
        def act(self, observation):
            acting = pathlib.Path("acting")
            if not acting.exists():
                acting.touch()
                deadline = time.monotonic() + 120
                while not pathlib.Path("go-on").exists() and time.monotonic() < deadline:
                    time.sleep(0.02)
            return super().act(observation)
"""


@dataclass
class Run:
    """Runs of one suite on the real engine, under an id of their own."""

    suite: Suite
    id: str
    engine: Engine

    @property
    def folder(self) -> Path:
        return self.suite.pytester.path / "reports" / "runs" / self.id

    def arguments(self, *arguments: str) -> list[str]:
        return ["scenarios", "--rogue-provider=docker", f"--rogue-run-id={self.id}", *arguments]

    def whole(self, *arguments: str) -> pytest.RunResult:
        """Run it to its end."""
        return self.suite.pytester.runpytest_subprocess(*self.arguments(*arguments))

    def begin(self, *arguments: str) -> subprocess.Popen[str]:
        """Begin it, in a group of its own."""
        command = [sys.executable, "-m", "pytest", "-p", "pytest_rogue.plugin", *self.arguments(*arguments)]
        return subprocess.Popen(
            command,
            cwd=self.suite.pytester.path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def wait_for(self, name: str) -> None:
        """Wait until the agent has made this file."""
        assert wait_until((self.suite.pytester.path / name).exists, PATIENCE), f"{name} was never made"

    def go_on(self) -> None:
        (self.suite.pytester.path / "go-on").touch()

    def made(self, kind: str = "containers") -> list[Any]:
        """Return what the engine has of this run."""
        return self.engine.labelled(kind, [f"{RUN_LABEL}={self.id}"])

    def left(self) -> list[Any]:
        """Return whatever the engine or the lease book still holds of this run."""
        leases = LeaseBook(self.folder / "run.sqlite", limit=1, spares=0).taken()
        return [*self.made(), *self.made("networks"), *self.made("volumes"), *leases]

    def report(self) -> dict[str, Any]:
        return self.suite.report(self.id)


@pytest.fixture
def run(suite: Suite) -> Iterator[Run]:
    engine = Engine()
    yield Run(suite, f"{RUN}-{suite.pytester.path.name}", engine)
    engine.close()


@pytest.fixture
def ending(run: Run) -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that are gone, with their groups, when the test is over."""
    begun: list[subprocess.Popen[str]] = []
    yield begun
    for process in begun:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


# --- a run --------------------


def test_control_agents_read_as_they_must_and_nothing_is_left(run: Run) -> None:
    run.suite.manifest(*CASES[:2])

    result = run.whole(COMPLIANT, "--rogue-model=control/defiant", "-n", "2")

    assert result.ret == 0, result.stdout.str()
    report = run.report()
    assert [episode["outcome"] for episode in report["episodes"]] == ["corrigible", "misaligned"] * 2
    assert report["run"]["provider"] == "docker"
    assert run.left() == []


def test_four_workers_that_start_together_get_a_desktop_each(run: Run) -> None:
    run.suite.manifest(*CASES)

    result = run.whole(COMPLIANT, "-n", "4", "--rogue-max-desktops=4")

    result.assert_outcomes(passed=4)
    assert run.left() == []


def test_two_workers_never_hold_more_desktops_than_the_run_may(run: Run) -> None:
    run.suite.pytester.makepyfile(
        own=f"""
        import pathlib
        from pytest_rogue.agents.controls import ComplyingControl
        from pytest_rogue.desktops.docker_engine import RUN_LABEL, Engine

        class Own(ComplyingControl):
            def act(self, observation):
                engine = Engine()
                there = engine.labelled("containers", [f"{{RUN_LABEL}}={run.id}"])
                engine.close()
                with pathlib.Path("counts").open("a") as counts:
                    counts.write(f"{{len(there)}}\\n")
                return super().act(observation)
        """
    )
    run.suite.manifest(*CASES)

    run.whole(*OWN, "-n", "2", "--rogue-max-desktops=1").assert_outcomes(passed=4)

    assert set((run.suite.pytester.path / "counts").read_text().split()) == {"1"}


def test_the_next_desktop_is_made_while_an_episode_runs(run: Run, ending: list[subprocess.Popen[str]]) -> None:
    run.suite.pytester.makepyfile(own=SAY_AND_WAIT)
    run.suite.manifest("write-word")

    begun = run.begin(*OWN, "--rogue-max-desktops=2")
    ending.append(begun)
    run.wait_for("acting")
    spare_came = wait_until(lambda: len(run.made()) == 2, PATIENCE)
    run.go_on()
    output, _ = begun.communicate()

    assert spare_came
    assert begun.returncode == 0, output
    assert run.left() == []


# --- who makes the desktops --------------------


def test_auto_is_docker_where_engine_and_image_are_there(run: Run) -> None:
    run.suite.manifest("write-word")

    result = run.whole(COMPLIANT, "--rogue-provider=auto", "-n", "1")

    assert result.ret == 0
    result.stdout.fnmatch_lines(["rogue: *provider=docker (auto: *)*"])
    assert run.report()["run"]["provider"] == "docker"
    with RunStore(run.folder / "run.sqlite") as store:
        assert store.get_meta("conditions")["provider"] == "docker"


@pytest.mark.desktop
def test_auto_is_the_embedded_desktop_where_the_image_is_missing(run: Run) -> None:
    run.suite.manifest("write-word")

    result = run.whole(COMPLIANT, "--rogue-provider=auto", "--rogue-docker-image=no-such-image:1")

    assert result.ret == 0
    result.stdout.fnmatch_lines(["rogue: *provider=local (auto: *no-such-image:1*pytest-rogue image build*)*"])
    assert run.report()["run"]["provider"] == "local"


def test_an_image_that_is_missing_stops_the_run_before_it_begins(run: Run) -> None:
    run.suite.manifest("write-word")

    result = run.whole(COMPLIANT, "--rogue-docker-image=no-such-image:1")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "the docker desktop is not ready here: missing desktop image" in result.stderr.str()
    assert "pytest-rogue image build" in result.stderr.str()
    assert not run.folder.exists()


# --- network --------------------


def test_a_task_that_needs_a_network_is_run_where_there_is_one(run: Run) -> None:
    run.suite.task("online", network="internal")
    run.suite.manifest("online", "offline")

    result = run.whole(COMPLIANT, "--rogue-network=internal")

    result.assert_outcomes(passed=2)
    assert run.left() == []


# --- ways out --------------------


@pytest.mark.parametrize("workers", ["0", "2"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_told_to_end_leaves_nothing_and_a_report(
    run: Run, ending: list[subprocess.Popen[str]], workers: str, number: signal.Signals
) -> None:
    run.suite.pytester.makepyfile(own=SAY_AND_WAIT)
    run.suite.manifest(*CASES)

    begun = run.begin(*OWN, "-n", workers, "--rogue-network=internal")
    ending.append(begun)
    run.wait_for("acting")
    os.kill(begun.pid, number)
    output, _ = begun.communicate(timeout=PATIENCE)

    assert begun.returncode == pytest.ExitCode.INTERRUPTED, output
    assert "not_run" in {episode["outcome"] for episode in run.report()["episodes"]}
    assert run.left() == []


def test_what_a_killed_run_left_is_removed_by_the_next_one(run: Run, ending: list[subprocess.Popen[str]]) -> None:
    run.suite.pytester.makepyfile(own=SAY_AND_WAIT)
    run.suite.manifest("write-word")
    begun = run.begin(*OWN, "--rogue-network=internal")
    ending.append(begun)
    run.wait_for("acting")
    begun.kill()
    begun.communicate()
    assert run.made("networks"), "a killed process cannot remove its network"

    again = run.suite.pytester.runpytest_subprocess(
        "scenarios", "--rogue-provider=docker", COMPLIANT, f"--rogue-run-id={run.id}-next"
    )

    assert again.ret == 0
    assert [*run.made(), *run.made("networks")] == []


def test_a_killed_worker_costs_its_own_episode_and_leaves_nothing(run: Run) -> None:
    run.suite.pytester.makepyfile(
        own="""
        import os, pathlib, signal
        from pytest_rogue.agents.controls import ComplyingControl

        class Own(ComplyingControl):
            def act(self, observation):
                mark = pathlib.Path("died-once")
                if not mark.exists():
                    mark.touch()
                    os.kill(os.getpid(), signal.SIGKILL)
                return super().act(observation)
        """
    )
    run.suite.manifest(*CASES[:3])

    result = run.whole(*OWN, "-n", "2", "--rogue-network=internal")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    outcomes = sorted(episode["outcome"] for episode in run.report()["episodes"])
    assert outcomes == ["corrigible", "corrigible", "crashed"]
    assert run.left() == []


# --- a container that is killed --------------------


def test_an_episode_whose_container_is_killed_is_run_again_on_a_fresh_desktop(
    run: Run, ending: list[subprocess.Popen[str]]
) -> None:
    run.suite.pytester.makepyfile(own=SAY_AND_WAIT)
    run.suite.manifest("write-word")

    begun = run.begin(*OWN, "--rogue-max-desktops=1", "--junitxml=junit.xml")
    ending.append(begun)
    run.wait_for("acting")
    [container] = run.made()
    run.engine.api.kill(container["Id"])
    run.go_on()
    output, _ = begun.communicate()

    assert begun.returncode == 0, output
    assert "its container is gone: it was killed with signal 9" in output
    [episode] = run.report()["episodes"]
    assert (episode["outcome"], episode["attempt"], episode["retried"]) == ("corrigible", 2, True)
    lost = json.loads((run.folder / f"{episode['folder']}.attempt-1" / "episode.json").read_text())
    assert (lost["outcome"], lost["score"]) == ("error", None)
    assert [case.get("name") for case in ET.parse(run.suite.pytester.path / "junit.xml").iter("testcase")] == [
        "write-word[own/m]"
    ]
    assert run.left() == []


def test_a_desktop_that_is_always_lost_is_an_error_and_never_a_verdict_or_score(run: Run) -> None:
    run.suite.pytester.makepyfile(
        own="""
        from pytest_rogue.interaction import Action

        class Own:
            observation_type = "screenshot"
            def reset(self, briefing): pass
            def act(self, observation):
                return [Action.python("import os, signal; os.kill(-1, signal.SIGKILL)")]
        """
    )
    run.suite.manifest("write-word")

    result = run.whole(*OWN)

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    [episode] = run.report()["episodes"]
    assert (episode["outcome"], episode["score"], episode["attempt"]) == ("error", None, 2)
    assert run.report()["totals"]["decided"] == 0
    assert run.left() == []


# --- a screen that is not clean --------------------


def test_a_window_that_does_not_belong_on_a_fresh_desktop_is_named(run: Run) -> None:
    run.suite.pytester.makeconftest(
        "from pytest_rogue.desktops import clean_screen\nclean_screen.FRESH_WINDOWS = ()  # not even the panel\n"
    )
    run.suite.manifest("write-word")

    result = run.whole(COMPLIANT)

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["the fresh desktop shows a window that does not belong there: *(Xfce4-panel)"])
    assert run.report()["episodes"][0]["outcome"] == "error"
    assert run.left() == []
