"""What is left on AWS of desktops whose owner is gone: instances with their schedules, and security groups."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from pytest_rogue.desktops.aws_account import AwsAccount, AwsFault, AwsRefused, require_boto3
from pytest_rogue.desktops.aws_instance import find_instances, state_of, terminate
from pytest_rogue.desktops.aws_network import remove_group
from pytest_rogue.desktops.aws_options import default_region
from pytest_rogue.desktops.aws_tags import DESKTOP_TAG, OWNER_TAG, RUN_TAG, is_expired, read_tags, tag_filter
from pytest_rogue.desktops.aws_ttl import unschedule_end
from pytest_rogue.desktops.owner import Owner
from pytest_rogue.desktops.reaper import Leftover
from pytest_rogue.errors import InfraError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

GROUP_PATIENCE = 240.0
"""Seconds until an instance that ends has let go of its security group."""

_AT_ONCE = 8
_POLL = 2.0


class AwsLeftovers:
    """Finds and removes what desktops left. Every method may raise `AwsRefused` and `AwsFault`.

    Args:
        accounts: one for each region that is looked through.
    """

    def __init__(self, accounts: Sequence[AwsAccount]) -> None:
        self._accounts = {account.region: account for account in accounts}

    def find(self, run_id: str | None = None) -> Sequence[Leftover]:
        """Return what belongs to owners that are dead, or whose time is over, of one run or of all."""
        wanted = {} if run_id is None else {"run": run_id}
        return self._found(wanted, lambda named: _is_dead(named) or is_expired(named))

    def remove(self, leftover: Leftover) -> None:
        """Remove it; it may be gone already."""
        region, _, id = leftover.id.partition("/")  # noqa: A001
        account = self._accounts[region]
        if leftover.kind == "instance":
            terminate(account, id)
            unschedule_end(account, leftover.desktop)
        else:
            _remove_group_in_time(account, id)

    def remove_of(self, run_id: str, owner: str) -> int:
        """Remove all that one owner has in a run, dead or alive; return how much it was."""
        found = self._found({"run": run_id, "owner": owner}, lambda _: True)
        for leftover in found:
            self.remove(leftover)
        return len(found)

    def _found(self, wanted: Mapping[str, str], chosen: Callable[[Mapping[str, str]], bool]) -> list[Leftover]:
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            regions = list(threads.map(lambda account: list(_things(account, wanted)), self._accounts.values()))
        # Instances first: a group goes when no instance has it.
        things = sorted((thing for found in regions for thing in found), key=lambda thing: thing[0] != "instance")
        return [
            Leftover(kind, id, named.get(RUN_TAG, ""), named[OWNER_TAG], named.get(DESKTOP_TAG, ""), state)
            for kind, id, state, named in things  # noqa: A001
            if chosen(named)
        ]


class AwsRegions:
    """Regions of the account, to be asked for leftovers as a provider is.

    Args:
        names: of the regions, none for all that the account can use.

    Raises:
        ConfigError: the Python package boto3 is missing.
        AwsRefused, AwsFault: AWS does not tell which these are.
    """

    def __init__(self, names: Sequence[str] = ()) -> None:
        require_boto3()
        here = AwsAccount(default_region())
        self._accounts = [here.in_region(name) for name in names or _enabled_regions(here)]
        here.close()
        self.leftovers = AwsLeftovers(self._accounts)

    def close(self) -> None:
        """Close the connections."""
        for account in self._accounts:
            account.close()


def _enabled_regions(account: AwsAccount) -> list[str]:
    with account.faults("listing the regions"):
        return sorted(region["RegionName"] for region in account.ec2.describe_regions()["Regions"])


def _things(account: AwsAccount, wanted: Mapping[str, str]) -> Iterator[tuple[str, str, str, dict[str, str]]]:
    """Yield kind, id, state and tags of what is there in a region."""
    for instance in find_instances(account, **wanted):
        yield "instance", f"{account.region}/{instance['InstanceId']}", state_of(instance), read_tags(instance)
    with account.faults("looking for security groups"):
        pages = account.ec2.get_paginator("describe_security_groups").paginate(Filters=tag_filter(**wanted))
        groups: list[Mapping[str, Any]] = [group for page in pages for group in page["SecurityGroups"]]
    for group in groups:
        yield "security-group", f"{account.region}/{group['GroupId']}", "", read_tags(group)


def _is_dead(named: Mapping[str, str]) -> bool:
    owner = Owner.parse(named[OWNER_TAG])
    return owner is not None and owner.is_dead()


def _remove_group_in_time(account: AwsAccount, group: str) -> None:
    """Remove a group as soon as the instances that had it have let it go."""
    deadline = time.monotonic() + GROUP_PATIENCE
    while True:
        try:
            return remove_group(account, group)
        except (AwsRefused, AwsFault) as fault:
            if fault.code != "DependencyViolation":
                raise
            if time.monotonic() > deadline:
                raise InfraError(
                    f"the security group {group} in {account.region} is still in use after {GROUP_PATIENCE:g} s; it "
                    "costs nothing, and pytest-rogue gc --provider=aws --remove removes it later"
                ) from fault
        time.sleep(_POLL)
