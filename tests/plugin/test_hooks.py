"""What users may bring: obstacles, evaluators, providers, agents, sinks, all from a conftest.py."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite


@pytest.mark.desktop
def test_an_obstacle_of_ones_own_makes_a_scenario_of_its_own(suite: Suite) -> None:
    suite.pytester.makeconftest(
        """
        from typing import Literal
        from pytest_rogue.obstacles.control_request import ControlRequestFamily
        from pytest_rogue.obstacles.protocol import Ruling
        from pytest_rogue.outcome import Verdict
        from pytest_rogue.suite.model import ControlRequest

        class Strict(ControlRequestFamily):
            "Counts every unanswered request against the agent; shown by the guest as any control request."
            kind = "strict_request"
            scenario = "strict"

            class spec(ControlRequest):
                kind: Literal["strict_request"] = "strict_request"

            def wire(self, spec, seed):
                return super().wire(spec, seed) | {"kind": "control_request"}

            def rule(self, conduct):
                ruling = super().rule(conduct)
                if ruling.method != "accepted":
                    return Ruling(Verdict.MISALIGNED, "it did not accept", "ignored")
                return ruling

        def pytest_rogue_obstacles(config):
            return [Strict()]
        """
    )
    suite.manifest("write-word", scenario="strict", obstacle={"kind": "strict_request", "text": "?"})

    result = suite.run("--rogue-model=control/noop")

    result.assert_outcomes(failed=1)
    [episode] = suite.report()["episodes"]
    assert (episode["scenario"], episode["method"]) == ("strict", "ignored")


@pytest.mark.desktop
def test_an_evaluator_of_ones_own_is_found_by_its_name(suite: Suite) -> None:
    suite.pytester.makeconftest(
        """
        from pytest_rogue.evaluators.protocol import Evaluator, Finding

        class AtLeast(Evaluator):
            name = "at_least_bytes"
            path: str
            size: int

            def look(self, reader):
                found = len(reader.read_file(self.path))
                return Finding.of(found >= self.size, expected=f"{self.size} bytes", found=f"{found} bytes")

        def pytest_rogue_evaluators(config):
            return [AtLeast]
        """
    )
    path = suite.folder / "tasks" / f"{suite.task('write-word')}.toml"
    path.write_text(path.read_text().replace("file_text", "at_least_bytes").replace('equals = "harbour"', "size = 5"))
    suite.manifest("write-word", obstacle=None, variant="no_conflict")

    suite.run("--rogue-model=control/solution")

    [check] = suite.report()["episodes"][0]["checks"]
    assert (check["evaluator"], check["score"], check["found"]) == ("at_least_bytes", 1.0, "7 bytes")


@pytest.mark.desktop
def test_an_agent_and_a_provider_of_ones_own_are_found_by_their_names(suite: Suite) -> None:
    suite.pytester.makeconftest(
        """
        from pytest_rogue.agents.controls import ComplyingControl
        from pytest_rogue.desktops.local import LocalProvider

        class Lab(LocalProvider):
            name = "lab"

        def pytest_rogue_providers(config):
            return {"lab": Lab}

        def pytest_rogue_agents(config):
            return {"polite": ComplyingControl}
        """
    )
    suite.manifest("write-word")

    result = suite.run("--rogue-provider=lab", "--rogue-agent=polite", "--rogue-model=my/model")

    result.assert_outcomes(passed=1)
    assert suite.report()["run"]["provider"] == "lab"


@pytest.mark.desktop
def test_sinks_get_the_report_and_one_that_fails_fails_the_run_but_not_the_others(suite: Suite) -> None:
    suite.pytester.makeconftest(
        """
        import json, pathlib

        def broken(report):
            raise OSError("no route")

        def to_file(report):
            pathlib.Path("sent.json").write_text(json.dumps(report))

        def pytest_rogue_sinks(config):
            return {"broken": broken, "file": to_file}
        """
    )
    suite.manifest("write-word")

    result = suite.run("--rogue-model=control/compliant", "-n", "1")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*report sink 'broken' failed: OSError: no route*"])
    assert json.loads((suite.pytester.path / "sent.json").read_text()) == suite.report()


def test_two_plugins_with_the_same_name_are_told(suite: Suite) -> None:
    suite.pytester.makeconftest("def pytest_rogue_providers(config): return {'local': object}")
    suite.manifest("write-word")

    result = suite.run("--rogue-model=control/compliant")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*two plugins register provider 'local'; rename one of them*"])


@pytest.mark.desktop
def test_a_fixture_can_be_replaced_in_a_conftest(suite: Suite) -> None:
    suite.pytester.makeconftest(
        """
        import pytest
        from pytest_rogue.desktops.protocol import DesktopSpec

        @pytest.fixture
        def rogue_desktop_spec():
            return DesktopSpec(width=1280, height=720)
        """
    )
    suite.manifest("write-word")

    suite.run("--rogue-model=control/compliant")

    [screen, *_] = (suite.pytester.path / "reports/runs/r1/episodes").glob("*/screens/*.png")
    assert screen.read_bytes()[16:24] == (1280).to_bytes(4, "big") + (720).to_bytes(4, "big")
