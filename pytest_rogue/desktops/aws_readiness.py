"""Can desktops run on AWS from here? Asked before anything is paid for; every answer has the line that mends it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.desktops.aws_account import AwsAccount, AwsFault, AwsRefused, require_boto3
from pytest_rogue.desktops.aws_image import Origin, find_origin
from pytest_rogue.desktops.aws_network import check_group
from pytest_rogue.desktops.aws_price import price_per_hour
from pytest_rogue.desktops.aws_reach import missing_program
from pytest_rogue.errors import ConfigError
from pytest_rogue.readiness import Readiness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_rogue.desktops.aws_options import AwsOptions

_GUIDE = "see docs/aws-setup.md"


def aws_readiness(account: AwsAccount, options: AwsOptions) -> Sequence[Readiness]:
    """Return what desktops on AWS need; what needs credentials to be tested is left out where there are none."""
    try:
        require_boto3()
        with account.faults("asking who we are"):
            who = str(account.client("sts").get_caller_identity()["Arn"])
    except (ConfigError, AwsRefused, AwsFault) as error:
        return [_lacking("AWS account", error)]
    needs = [Readiness("AWS account", ready=True, found=f"{who} in {options.region}"), _end(options), _way(options)]
    if options.security_group:
        needs.append(_group(account, options.security_group))
    try:
        origin = find_origin(account, options)
    except (ConfigError, AwsRefused, AwsFault) as error:
        return [*needs, _lacking("image", error)]
    found = f"{origin.image} {origin.name}".rstrip()
    return [*needs, Readiness("image", ready=True, found=found), _price(account, origin, options)]


def cost_in_words(per_hour: float | None) -> str:
    """Return what an hour costs, for a reader."""
    return "at a price that AWS does not tell" if per_hour is None else f"{per_hour:.4g} USD an hour"


def _end(options: AwsOptions) -> Readiness:
    name = "end of instances"
    if options.scheduler_role:
        return Readiness(name, ready=True, found=f"after {options.ttl_minutes} minutes, by {options.scheduler_role}")
    return Readiness(
        name,
        ready=False,
        found="no role of the scheduler is named, so nothing would end an instance that is forgotten",
        fix=f"--rogue-aws=scheduler-role=ARN; {_GUIDE}",
    )


def _way(options: AwsOptions) -> Readiness:
    missing = missing_program(options.reach)
    if missing:
        return Readiness("way to instances", ready=False, found=f"{missing} is not installed", fix=_GUIDE)
    return Readiness("way to instances", ready=True, found=options.reach)


def _group(account: AwsAccount, group: str) -> Readiness:
    try:
        check_group(account, group)
    except (AwsRefused, AwsFault) as error:
        return _lacking("security group", error)
    return Readiness("security group", ready=True, found=group)


def _price(account: AwsAccount, origin: Origin, options: AwsOptions) -> Readiness:
    per_hour = price_per_hour(account, origin.instance_type, options)
    kind = f"{'spot ' if options.spot else ''}{origin.instance_type}"
    return Readiness("instances", ready=True, found=f"{kind}, each {cost_in_words(per_hour)}")


def _lacking(name: str, error: Exception) -> Readiness:
    said, _, fix = str(error).rpartition("; ")
    return Readiness(name, ready=False, found=said or str(error), fix=fix if said else _GUIDE)
