"""One instance: made once, followed by its state, and what became of it where it is lost.

A machine that was switched off from inside has ended in order: AWS stops it, and says so. One that AWS took back, that
somebody else stopped, or whose time was over, is a fault of the infrastructure, however orderly it went down.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from pytest_rogue.desktops.aws_account import AwsFault, AwsRefused
from pytest_rogue.desktops.aws_tags import tag_filter
from pytest_rogue.errors import DesktopStartError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_rogue.desktops.aws_account import AwsAccount

UP = frozenset({"pending", "running"})
GONE = frozenset({"shutting-down", "terminated"})

SEEN_PATIENCE = 60.0
"""Seconds until AWS shows an instance that it has just made."""

_POLL = 1.0
_STATE_AGE = 3.0
"""Seconds for which a state is believed: whoever waits asks often, and AWS counts the questions."""

_SWITCHED_OFF = "Client.InstanceInitiatedShutdown"
_SPOT = "Server.SpotInstance"
_TTL_SLACK = timedelta(seconds=120)
"""So much earlier than planned the timer may end an instance: its clock may go wrong."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of an instance that no longer runs.

    Attributes:
        said: in a few words, with AWS's own.
        shut_down: True where it was switched off in order from inside, by whoever works there.
    """

    said: str
    shut_down: bool


class Instance:
    """An instance that exists; may be used by several threads.

    Args:
        account: it belongs to.
        id: of AWS.
        expires: when its time is over.
    """

    def __init__(self, account: AwsAccount, id: str, expires: datetime) -> None:  # noqa: A002 - as AWS calls it
        self.id = id
        self.expires = expires
        self._account = account
        self._seen: Mapping[str, Any] = {}
        self._seen_at = float("-inf")
        self._lock = threading.Lock()

    def describe(self, *, age: float = 0.0) -> Mapping[str, Any]:
        """Return what AWS says of it, at most `age` seconds old; empty where it does not know it (yet, or any more).

        Raises:
            AwsRefused, AwsFault: AWS does not tell.
        """
        with self._lock:
            if time.monotonic() - self._seen_at > age:
                self._seen = self._ask()
                self._seen_at = time.monotonic()
            return self._seen

    def is_up(self) -> bool:
        """True where it runs or is on the way to it, as of a few seconds ago."""
        return state_of(self.describe(age=_STATE_AGE)) in UP

    def wait_running(self, timeout: float) -> Mapping[str, Any]:
        """Wait until it runs; return what AWS says of it.

        Raises:
            DesktopStartError: it does not run in time, or died.
            AwsRefused, AwsFault: AWS does not tell.
        """
        deadline = time.monotonic() + timeout
        unseen = time.monotonic() + min(timeout, SEEN_PATIENCE)
        while True:
            described = self.describe()
            if state_of(described) == "running":
                return described
            now = time.monotonic()
            if described and (fate := fate_of(described, self.expires)):
                raise DesktopStartError(f"the instance {self.id} ended while it was starting: {fate.said}")
            if now > deadline or (not described and now > unseen):
                state = state_of(described) or "unknown to AWS"
                raise DesktopStartError(f"the instance {self.id} did not run in {timeout:g} s; it is {state}")
            time.sleep(_POLL)

    def fate(self) -> Fate | None:
        """Return what became of it; None while it runs.

        Raises:
            AwsRefused, AwsFault: AWS does not tell.
        """
        return fate_of(self.describe(age=_POLL), self.expires)

    def terminate(self) -> None:
        """Have it removed with its disk; return when AWS has begun. It may be gone already.

        Raises:
            AwsRefused, AwsFault: AWS does not remove it.
        """
        terminate(self._account, self.id)

    def _ask(self) -> Mapping[str, Any]:
        try:
            with self._account.faults(f"looking at the instance {self.id}"):
                answer = self._account.ec2.describe_instances(InstanceIds=[self.id])
        except AwsRefused as refused:
            if refused.code == "InvalidInstanceID.NotFound":
                return {}
            raise
        return next(iter(_instances(answer)), {})


def make_instance(account: AwsAccount, request: Mapping[str, Any], desktop: str) -> str:
    """Make an instance and return its id; it is made once, also where AWS's answer is lost.

    Args:
        account: it is made in.
        request: for `run_instances`, with a `ClientToken`, and with tags that hold the desktop.
        desktop: by which it is found again.

    Raises:
        AwsRefused, AwsFault: there is none.
    """
    try:
        with account.faults("making an instance"):
            # With the same token botocore may send it again: AWS answers with the instance that it has made already.
            return str(account.ec2.run_instances(**request)["Instances"][0]["InstanceId"])
    except AwsFault:
        made = find_instances(account, desktop=desktop)
        if not made:
            raise
        return str(made[0]["InstanceId"])


def find_instances(account: AwsAccount, **wanted: str) -> list[Mapping[str, Any]]:
    """Return the instances of ours that are not gone; `owner=`, `run=`, `desktop=` narrow it down.

    Raises:
        AwsRefused, AwsFault: AWS does not tell.
    """
    with account.faults("looking for instances"):
        pages = account.ec2.get_paginator("describe_instances").paginate(Filters=tag_filter(**wanted))
        return [found for page in pages for found in _instances(page) if state_of(found) not in GONE]


def terminate(account: AwsAccount, id: str) -> None:  # noqa: A002 - as AWS calls it
    """Have an instance removed with its disk; return when AWS has begun. It may be gone already.

    Raises:
        AwsRefused, AwsFault: AWS does not remove it.
    """
    try:
        with account.faults(f"removing the instance {id}"):
            account.ec2.terminate_instances(InstanceIds=[id])
    except AwsRefused as refused:
        if refused.code != "InvalidInstanceID.NotFound":
            raise


def state_of(described: Mapping[str, Any]) -> str:
    """Return AWS's word for an instance's state, empty where it is not known."""
    return str(described.get("State", {}).get("Name", ""))


def fate_of(described: Mapping[str, Any], expires: datetime) -> Fate | None:
    """Return what became of an instance, None while it runs.

    Args:
        described: by AWS; empty where it does not know the instance any more.
        expires: when its time is over.
    """
    state = state_of(described)
    if state in UP:
        return None
    if datetime.now(UTC) > expires - _TTL_SLACK:
        return Fate(f"its time was over (--rogue-aws=ttl), and it is {state or 'gone'}", shut_down=False)
    reason = described.get("StateReason", {})
    code = str(reason.get("Code", ""))
    said = str(reason.get("Message", "") or described.get("StateTransitionReason", "") or "AWS gives no reason")
    if code.startswith(_SPOT):
        return Fate(f"AWS took the spot instance back ({said})", shut_down=False)
    if code == _SWITCHED_OFF:
        return Fate("it was switched off from inside", shut_down=True)
    return Fate(f"AWS says that it is {state or 'gone'} ({said})", shut_down=False)


def _instances(answer: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [instance for reservation in answer["Reservations"] for instance in reservation["Instances"]]
