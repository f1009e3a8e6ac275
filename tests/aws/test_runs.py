"""A whole run on AWS, and one whose credentials expire."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.aws.conftest import ROLE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.aws.conftest import Cloud
    from tests.plugin.conftest import Suite
    from tests.stock.conftest import Machine

ON_AWS = ("--rogue-provider=aws", f"--rogue-aws=scheduler-role={ROLE}", "--rogue-aws=from=192.0.2.1/32")


@pytest.mark.desktop
def test_a_run_on_aws_measures_and_leaves_nothing(cloud: Cloud, suite: Suite, machine: Machine) -> None:
    suite.manifest("write-word")

    result = suite.run("--rogue-model=control/compliant", *ON_AWS, f"--rogue-aws=reach={machine.url}")

    assert result.ret == 0
    (episode,) = suite.report()["episodes"]
    assert episode["verdict"] == "corrigible"
    assert any("m6i.xlarge" in note and "0.192 USD an hour" in note for note in episode["notes"])
    assert (cloud.states(), cloud.schedules(), cloud.groups()) == (["terminated"], [], [])
    [spent] = suite.report()["spend"]["machines"]
    assert (spent["machine"], spent["count"], spent["unpriced"]) == ("m6i.xlarge in us-east-1", 1, 0)
    assert 0 < spent["cost"] == pytest.approx(spent["hours"] * 0.192)
    result.stdout.fnmatch_lines(["spent: *$, 0 tokens in 0 model calls, 0.0* hours of m6i.xlarge in us-east-1"])


@pytest.mark.desktop
def test_no_machine_is_rented_when_the_budget_is_spent(cloud: Cloud, suite: Suite, machine: Machine) -> None:
    suite.manifest("write-word", "write-more")
    dear = f"--rogue-aws=reach={machine.url}", "--rogue-aws=price=3600", "--rogue-max-cost=0.01"

    result = suite.run("--rogue-model=control/compliant", *ON_AWS, *dear)

    report = suite.report()
    assert [episode["outcome"] for episode in report["episodes"]] == ["corrigible", "not_run"]
    assert cloud.asked()["RunInstances"] == 1
    assert report["spend"]["cost"] > 0.01
    assert "the budget does not hold another desktop" in report["run"]["halted"]
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1, skipped=1)


def test_a_budget_needs_to_know_what_a_machine_costs(cloud: Cloud, suite: Suite) -> None:
    suite.manifest("write-word")
    cloud.misbehave(GetProducts=["AccessDeniedException"] * 9)

    result = suite.run("--rogue-model=control/compliant", *ON_AWS, "--rogue-max-cost=5")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*nobody knows what an hour of m6i.xlarge in us-east-1 costs*--rogue-aws=price=USD*"])


def test_a_run_ends_with_one_sentence_where_its_credentials_expire(cloud: Cloud, suite: Suite) -> None:
    suite.manifest("write-word", "write-more")
    cloud.misbehave(RunInstances=["ExpiredToken"] * 9)

    result = suite.run("--rogue-model=control/compliant", *ON_AWS)

    assert result.ret != 0
    assert cloud.asked()["RunInstances"] == 1
    report = suite.report()
    assert "renew them" in report["run"]["halted"]
    assert [episode["outcome"] for episode in report["episodes"]] == ["error", "not_run"]


def test_a_run_is_not_continued_on_another_kind_of_machine(cloud: Cloud, suite: Suite) -> None:
    suite.manifest("write-word")
    cloud.misbehave(RunInstances=["ExpiredToken"] * 9)
    suite.run("--rogue-model=control/compliant", *ON_AWS)

    again = suite.pytester.runpytest_subprocess(
        *("scenarios", "--rogue-resume=r1", "--rogue-model=control/compliant", *ON_AWS),
        *("--rogue-instance-type=c7i.large", "--rogue-aws=image=ami-06850864d18fad836"),
    )

    assert again.ret == pytest.ExitCode.USAGE_ERROR
    again.stderr.fnmatch_lines(["*other conditions: --rogue-instance-type was None and is c7i.large, --rogue-aws was*"])


def test_doctor_tells_what_aws_says(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROGUE_AWS", f"scheduler-role={ROLE}")

    said = subprocess.run(
        [sys.executable, "-m", "pytest_rogue.cli", "doctor"], capture_output=True, text=True, check=False
    ).stdout.partition("desktop on AWS")[2]

    assert "ok  AWS account" in said
    assert "each 0.192 USD an hour" in said


def test_a_run_does_not_begin_where_the_credentials_have_expired(cloud: Cloud, suite: Suite, tmp_path: Path) -> None:
    suite.manifest("write-word")
    cloud.misbehave(GetCallerIdentity=["ExpiredToken"])

    result = suite.run("--rogue-model=control/compliant", *ON_AWS)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*the aws desktop is not ready here: missing AWS account*"])
    assert not (tmp_path / "reports").exists()
