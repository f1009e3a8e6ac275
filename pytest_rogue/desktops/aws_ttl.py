"""No instance outlives its time, whatever becomes of us: two things end it that do not need each other.

A schedule of AWS terminates it. A timer inside switches it off, by force, so that it does not look like a shutdown that
somebody asked for: the guest says no last words, and the episode is a fault. Where either cannot be set, there is no
desktop.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pytest_rogue.desktops.aws_account import AwsFault, AwsRefused
from pytest_rogue.desktops.password import VARIABLE, desktop_password
from pytest_rogue.errors import DesktopStartError, GuestFault, GuestFileMissing, GuestFileUnreadable

if TYPE_CHECKING:
    from pytest_rogue.desktops.aws_account import AwsAccount
    from pytest_rogue.desktops.guest_client import GuestClient

MARK = "/run/instance-ttl"
"""File in the machine that says when its timer ends it; it is written when the timer runs."""

_TERMINATE = "scheduler:::aws-sdk:ec2:terminateInstances"
_TRIES = 10
"""Of the scheduler, should AWS be busy when the time has come."""


def set_timer(expires: datetime) -> str:
    """Return the shell script that sets the timer inside, as user data or by sudo.

    Args:
        expires: when the machine is switched off.
    """
    seconds = max(1, int((expires - datetime.now(UTC)).total_seconds()))
    return (
        "#!/bin/sh\n"
        "set -e\n"
        f"systemd-run --collect --on-active={seconds} systemctl --force --force poweroff\n"
        f"echo {expires.isoformat()} >{MARK}\n"
    )


def schedule_end(account: AwsAccount, desktop: str, instance: str, role: str, expires: datetime) -> None:
    """Have AWS terminate an instance when its time is over; asked twice, it is scheduled once.

    Raises:
        AwsRefused, AwsFault: it could not be scheduled.
    """
    with account.faults(f"scheduling the end of {instance}"):
        account.scheduler.create_schedule(
            Name=schedule_name(desktop),
            ClientToken=desktop,
            Description=f"ends an instance that pytest-rogue has made, should nobody else have done it: {instance}",
            ScheduleExpression=f"at({expires.astimezone(UTC):%Y-%m-%dT%H:%M:%S})",
            FlexibleTimeWindow={"Mode": "OFF"},
            ActionAfterCompletion="DELETE",
            Target={
                "Arn": f"arn:{role.split(':')[1]}:{_TERMINATE}",
                "RoleArn": role,
                "Input": json.dumps({"InstanceIds": [instance]}),
                "RetryPolicy": {"MaximumRetryAttempts": _TRIES, "MaximumEventAgeInSeconds": 3600},
            },
        )


def unschedule_end(account: AwsAccount, desktop: str) -> None:
    """Take the schedule of a desktop back; there may be none.

    Raises:
        AwsRefused, AwsFault: it is still there.
    """
    try:
        with account.faults("removing a schedule"):
            account.scheduler.delete_schedule(Name=schedule_name(desktop))
    except (AwsRefused, AwsFault) as fault:
        if fault.code != "ResourceNotFoundException":
            raise


def schedule_name(desktop: str) -> str:
    """Return the name of the schedule that ends a desktop."""
    return f"pytest-rogue-{desktop}"


def require_timer(guest: GuestClient, expires: datetime) -> None:
    """See that the timer runs in the machine, and set it by sudo where the image took no user data.

    Raises:
        DesktopStartError: it does not run.
    """
    if _runs(guest):
        return
    password = desktop_password("aws")
    try:
        done = guest.run(["sudo", "-S", "-p", "", "sh", "-c", set_timer(expires)], input=f"{password}\n")
        said = f"exit code {done.exit_code}"
    except GuestFault as fault:
        said = str(fault).replace(password, "***")
    if not _runs(guest):
        raise DesktopStartError(
            "the timer that ends the instance could not be set in it: its image took no user data (cloud-init), and "
            f"sudo did not do it either ({said}); give the password of its user as {VARIABLE}"
        )


def _runs(guest: GuestClient) -> bool:
    try:
        return bool(guest.read_file(MARK).strip())
    except (GuestFileMissing, GuestFileUnreadable):
        return False
