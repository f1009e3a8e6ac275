"""What is left on AWS of desktops whose owner is gone is found in all regions and removed, and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.cli import main
from pytest_rogue.desktops.aws_instance import make_instance
from pytest_rogue.desktops.aws_leftovers import AwsRegions
from pytest_rogue.desktops.aws_tags import in_minutes
from pytest_rogue.desktops.aws_ttl import schedule_end
from pytest_rogue.desktops.owner import Owner
from pytest_rogue.desktops.reaper import give_up_dead_leases, remove_leftovers
from pytest_rogue.records.leases import LeaseBook
from tests.aws.conftest import ROLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rogue.desktops.aws import AwsProvider
    from tests.aws.conftest import Cloud

CHECKOUT = Path(__file__).parents[2]
DEAD = replace(Owner.this_process(), started=1)
"""A process that had our id before us."""

AFAR = replace(Owner.this_process(), host="another-machine")
"""A process of which nobody here knows whether it lives."""

START_AND_HANG = f"""
from pytest_rogue.desktops.aws import AwsProvider
from pytest_rogue.desktops.aws_options import AwsOptions
from pytest_rogue.desktops.protocol import DesktopSpec
options = AwsOptions(scheduler_role={ROLE!r}, allowed_from="192.0.2.1/32", reach="http://127.0.0.1:1")
AwsProvider(options, run_id="killed").start(DesktopSpec(timeout=3600))
"""
"""A program that waits for a desktop which never comes."""


@pytest.fixture
def leave(make_provider: Callable[..., AwsProvider]) -> Callable[..., str]:
    """Leave an instance with its schedule and its group; return its id."""

    def leave(owner: Owner, *, minutes: float = 60, **options: Any) -> str:
        provider = make_provider(owner=owner, **options)
        provider._made["d1"] = ""
        made = make_instance(provider.account, provider._request("left", in_minutes(minutes)), "left")
        schedule_end(provider.account, "left", made, ROLE, in_minutes(60))
        return made

    return leave


def test_what_a_dead_owner_left_is_removed_with_its_schedule_and_group(
    cloud: Cloud, leave: Callable[..., str], make_provider: Callable[..., AwsProvider]
) -> None:
    instance = leave(DEAD)

    removed = remove_leftovers([make_provider()], dry_run=False)

    assert [(left.kind, left.run, left.desktop, left.state) for left in removed] == [
        ("instance", "r1", "left", "running"),
        ("security-group", "r1", "", ""),
    ]
    assert removed[0].id == f"us-east-1/{instance}"
    assert (cloud.states(), cloud.schedules(), cloud.groups()) == (["terminated"], [], [])


@pytest.mark.parametrize("owner", [Owner.this_process(), AFAR])
def test_what_may_still_be_needed_stays(cloud: Cloud, leave: Callable[..., str], owner: Owner) -> None:
    leave(owner)

    assert remove_leftovers([AwsRegions(["us-east-1"])], dry_run=False) == ()
    assert cloud.states() == ["running"]


def test_what_outlived_its_time_is_removed_whoever_made_it(cloud: Cloud, leave: Callable[..., str]) -> None:
    leave(AFAR, minutes=-1)

    (removed,) = remove_leftovers([AwsRegions(["us-east-1"])], dry_run=False)

    assert removed.kind == "instance"
    assert cloud.states() == ["terminated"]


def test_a_stopped_instance_is_left_and_removed(cloud: Cloud, leave: Callable[..., str]) -> None:
    leave(DEAD)
    cloud.end_instances("stopped", "Client.InstanceInitiatedShutdown")

    removed = remove_leftovers([AwsRegions(["us-east-1"])], dry_run=False)

    assert removed[0].state == "stopped"
    assert cloud.states() == ["terminated"]


def test_a_group_waits_until_its_instances_have_let_it_go(cloud: Cloud, leave: Callable[..., str]) -> None:
    leave(DEAD)
    cloud.misbehave(DeleteSecurityGroup=["DependencyViolation"])

    remove_leftovers([AwsRegions(["us-east-1"])], dry_run=False)

    assert cloud.asked()["DeleteSecurityGroup"] == 2
    assert cloud.groups() == []


def test_gc_shows_and_removes_what_is_left_in_any_region(
    cloud: Cloud, leave: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    instance = leave(DEAD, region="ap-east-1")

    assert main(["gc", "--provider=aws"]) == 0
    shown = capsys.readouterr().out
    assert main(["gc", "--provider=aws", "--region=us-east-1", "--remove"]) == 0
    elsewhere = capsys.readouterr().out
    assert main(["gc", "--provider=aws", "--region=ap-east-1", "--remove"]) == 0
    removed = capsys.readouterr().out

    assert f"left: instance ap-east-1/{instance} of run r1, made by process {DEAD.pid}" in shown
    assert "pytest-rogue gc --provider=aws --remove removes it" in shown
    assert elsewhere == "nothing is left behind\n"
    assert f"removed: instance ap-east-1/{instance}" in removed
    assert cloud.states("ap-east-1") == ["terminated"]


def test_gc_tells_in_one_sentence_that_the_credentials_have_expired(
    cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    cloud.misbehave(DescribeRegions=["ExpiredToken"])

    assert main(["gc", "--provider=aws"]) == 1
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "the credentials are expired or wrong" in told


def test_what_a_killed_controller_has_just_made_is_removed_by_the_next_run(
    cloud: Cloud, make_provider: Callable[..., AwsProvider], tmp_path: Path
) -> None:
    process = subprocess.Popen([sys.executable, "-c", START_AND_HANG], cwd=CHECKOUT)
    try:
        deadline = time.monotonic() + 300
        while not cloud.asked().get("CreateSchedule"):
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.1)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    book = LeaseBook(tmp_path / "run.sqlite", limit=1, spares=0)
    book.take("lease", str(replace(Owner.this_process(), pid=process.pid, started=1)), "aws", "episode")
    before = cloud.states()

    given_up = give_up_dead_leases(book, make_provider())

    assert before == ["running"]
    assert given_up == 1
    assert (cloud.states(), cloud.schedules(), cloud.groups()) == (["terminated"], [], [])
    assert book.taken() == ()
