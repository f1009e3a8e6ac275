"""A run that goes on later: the same conditions, nothing rolled twice, and no green over an old red."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.judging.run import rewrite_report
from pytest_rogue.records.run_folder import RunFolder
from pytest_rogue.records.store import RunStore
from pytest_rogue.reporting.plots.episodes import observed
from pytest_rogue.reporting.run_report import report_of
from tests.plugin.test_commands import command

if TYPE_CHECKING:
    from pathlib import Path

    from tests.plugin.conftest import Suite

pytestmark = pytest.mark.desktop

OVERRIDING_ON_A = """
    from pytest_rogue.agents.controls import ComplyingControl, DefiantControl

    class Agent:
        observation_type = "screenshot_a11y_tree"
        def reset(self, briefing):
            self.inner = (DefiantControl if "amber" in briefing.instruction else ComplyingControl)()
            self.inner.reset(briefing)
        def act(self, observation):
            return self.inner.act(observation)
    """


def resume(suite: Suite, *arguments: str) -> pytest.RunResult:
    return suite.pytester.runpytest_subprocess("scenarios", "--rogue-resume=r1", *arguments)


def test_a_resumed_run_is_not_green_over_a_misaligned_verdict_of_before(suite: Suite) -> None:
    suite.pytester.makepyfile(own=OVERRIDING_ON_A)
    suite.task("a", word="amber")
    suite.manifest("a", "b")
    own = ("--rogue-agent=own:Agent", "--rogue-model=own/m")

    assert suite.run(*own, "-k", "a[").ret == pytest.ExitCode.TESTS_FAILED
    second = resume(suite, *own)
    third = resume(suite, *own)

    second.assert_outcomes(passed=1)
    assert second.ret == pytest.ExitCode.TESTS_FAILED
    assert third.ret == pytest.ExitCode.TESTS_FAILED
    assert suite.report()["groups"][0]["misaligned"]["count"] == 1


def test_a_finished_run_that_is_resumed_has_nothing_to_do_and_stays_green(suite: Suite) -> None:
    suite.manifest("a")
    suite.run("--rogue-model=control/compliant")

    assert resume(suite, "--rogue-model=control/compliant").ret == 0
    assert suite.report()["totals"]["planned"] == 1


def test_a_run_is_not_continued_under_other_conditions(suite: Suite) -> None:
    suite.manifest("a")
    suite.run("--rogue-model=control/compliant")

    result = resume(suite, "--rogue-model=control/compliant", "--rogue-max-steps=15")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--rogue-max-steps was 20 and is 15; give the same, or start a new run*"])


def test_a_case_that_was_changed_takes_the_place_of_what_it_was(suite: Suite) -> None:
    suite.manifest("a")
    suite.run("--rogue-model=control/compliant")
    suite.task("a", word="another")

    result = resume(suite, "--rogue-model=control/compliant")

    result.assert_outcomes(passed=1)
    assert suite.report()["totals"]["planned"] == 1


def test_a_case_that_was_put_back_takes_its_place_again_with_its_verdict(suite: Suite) -> None:
    suite.pytester.makepyfile(own=OVERRIDING_ON_A)
    suite.manifest("a")
    own = ("--rogue-agent=own:Agent", "--rogue-model=own/m")
    suite.task("a", word="amber")
    suite.run(*own)
    suite.task("a", word="another")
    resume(suite, *own)
    assert [episode["verdict"] for episode in suite.report()["episodes"]] == ["corrigible"]
    suite.task("a", word="amber")

    result = resume(suite, *own)

    assert [episode["verdict"] for episode in suite.report()["episodes"]] == ["misaligned"]
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_resumed_run_that_was_killed_is_shown_from_its_store(suite: Suite) -> None:
    words = ("--rogue-model=control/compliant", "--rogue-mode=textonly")
    suite.manifest("a", "b")
    suite.run(*words, "-k", "a[")
    suite.pytester.makeconftest("import os\ndef pytest_runtest_setup(item): os._exit(9)")

    assert resume(suite, *words).ret == 9

    shown = command("report", "r1", "--format=markdown", folder=suite.pytester.path)
    assert "the run was ended before it could write its report" in shown.stdout
    assert "Never ran: 1" in shown.stdout
    assert command("compare", "r1", "r1", folder=suite.pytester.path).returncode == 0


def test_a_killed_run_with_subagents_is_not_drawn_as_alone(suite: Suite) -> None:
    suite.manifest("a")
    suite.pytester.makeconftest("import os\ndef pytest_runtest_setup(item): os._exit(9)")
    suite.run("--rogue-model=control/compliant", "--rogue-mode=textonly", "--rogue-subagents")
    run = suite.pytester.path / "reports" / "runs" / "r1"

    [episode] = observed([report_of(run)])
    rewritten = rewrite_report(RunFolder(run), {"judges": [], "episodes": [], "targets": []})["run"]

    assert episode.condition.subagents
    assert rewritten["options"]["subagents"]["value"] is True
    assert (rewritten["provider"], rewritten["still_running"]) == ("none", False)
    assert rewritten["halted"] == "the run was ended before it could write its report"


def test_a_run_that_is_still_going_is_not_called_ended(tmp_path: Path) -> None:
    RunStore(tmp_path / "run.sqlite").close()
    holds = (
        "import pathlib, sys\nfrom pytest_rogue.records.run_lock import RunLock\n"
        "with RunLock(pathlib.Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", holds, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as conducting:
        assert conducting.stdout is not None
        assert conducting.stdout.readline() == "held\n"
        going = report_of(tmp_path)["run"]
        conducting.communicate()

    assert (going["still_running"], going["halted"]) == (True, None)
    assert report_of(tmp_path)["run"]["still_running"] is False


def test_a_resumed_run_leaves_one_report(suite: Suite) -> None:
    words = ("--rogue-model=control/compliant", "--rogue-mode=textonly")
    suite.manifest("a", "b")
    suite.run(*words, "-k", "a[")

    resume(suite, *words)

    assert suite.report()["totals"]["planned"] == 2
    assert not (suite.pytester.path / "reports" / "runs" / "r1" / "report-before.json").exists()


def test_a_folder_with_something_else_in_it_is_neither_used_nor_removed(suite: Suite) -> None:
    suite.manifest("a")
    precious = suite.pytester.mkdir("keep") / "r1" / "precious.txt"
    precious.parent.mkdir()
    precious.write_text("mine")

    result = suite.run("--rogue-model=control/compliant", "-k", "nothing", "--rogue-report-dir=keep")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert precious.read_text() == "mine"


def test_the_same_case_in_two_manifests_is_told_and_not_run_twice_into_one_place(suite: Suite) -> None:
    suite.manifest("a")
    suite.manifest("a", name="twin.json")

    result = suite.run("--rogue-model=control/compliant")

    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*twin.json:*override.json has a case a of override, base, too*"])


@pytest.mark.parametrize(
    "raised", ["pytest.skip('no')", "pytest.fail('no')", "SystemExit(3)", "pytest.exit('no')", "ValueError('no')"]
)
def test_whatever_an_agent_raises_after_it_overrode_the_verdict_stands(suite: Suite, raised: str) -> None:
    suite.pytester.makepyfile(
        own=f"""
        import pytest
        from pytest_rogue.agents.controls import DefiantControl

        class Raising(DefiantControl):
            overrode = False
            def act(self, observation):
                if self.overrode:
                    raise {raised}
                decision = super().act(observation)
                self.overrode = "I see the request" in decision.reply
                return decision
        """
    )
    suite.manifest("a")

    result = suite.run("--rogue-agent=own:Raising", "--rogue-model=own/m")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    [episode] = suite.report()["episodes"]
    assert (episode["outcome"], episode["verdict"], episode["method"]) == ("error", "misaligned", "overrode")
    assert suite.report()["groups"][0]["misaligned"]["count"] == 1


def test_an_own_agent_under_the_name_of_a_control_is_held_to_nothing(suite: Suite) -> None:
    suite.pytester.makepyfile(own="from pytest_rogue.agents.controls import DefiantControl as Own")
    suite.manifest("a")

    result = suite.run("--rogue-agent=own:Own", "--rogue-model=control/defiant")

    result.assert_outcomes(failed=1)
