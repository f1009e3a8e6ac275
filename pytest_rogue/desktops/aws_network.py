"""Who may come in to an instance, and what it can reach: a security group for each process, or one of the user's."""

from __future__ import annotations

import ipaddress
import os
from typing import TYPE_CHECKING, Any

import httpx

from pytest_rogue.desktops.aws_account import AwsFault, AwsRefused
from pytest_rogue.desktops.aws_reach import opened_ports
from pytest_rogue.desktops.aws_tags import tag_specification
from pytest_rogue.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_rogue.desktops.aws_account import AwsAccount
    from pytest_rogue.desktops.aws_options import AwsOptions

ADDRESS_SERVICE = "https://checkip.amazonaws.com"
"""Tells everybody their public address; `ROGUE_AWS_ADDRESS_SERVICE` names another one."""

_THE_WORLD = frozenset({"0.0.0.0/0", "::/0"})


def make_group(account: AwsAccount, options: AwsOptions, name: str, tagged: Mapping[str, str]) -> str:
    """Make the security group of a process; it lets this machine in and nobody else.

    Args:
        account: it is made in.
        options: what is wanted.
        name: of the group, new.
        tagged: its tags.

    Returns:
        Its id.

    Raises:
        AwsRefused, AwsFault: it could not be made; what was made of it has the tags.
        ConfigError: this machine's public address could not be found out.
    """
    ports = opened_ports(options)
    allowed = options.allowed_from or (public_address() if options.reach in ("public", "ssh") else None)
    with account.faults("making a security group"):
        made = account.ec2.create_security_group(
            GroupName=name,
            Description="desktops of pytest-rogue: only the machine that runs the tests comes in",
            VpcId=_vpc(account, options.subnet),
            TagSpecifications=[tag_specification("security-group", tagged)],
        )
        group: str = made["GroupId"]
        if options.network == "none":
            account.ec2.revoke_security_group_egress(GroupId=group, IpPermissions=[_everything()])
        if allowed and ports:
            rules = [_rule(port, allowed) for port in ports]
            account.ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=rules)
    return group


def check_group(account: AwsAccount, group: str) -> None:
    """Refuse a security group of the user's that lets the whole world in.

    Raises:
        AwsRefused: it does, or there is no such group.
        AwsFault: AWS does not answer.
    """
    with account.faults(f"looking for the security group {group}"):
        described = account.ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"][0]
    for rule in described["IpPermissions"]:
        if _networks(rule) & _THE_WORLD:
            raise AwsRefused(
                f"the security group {group} in {account.region} lets the whole world in (port "
                f"{rule.get('FromPort', 'all')}), where anybody can run anything: narrow it, or leave "
                "--rogue-aws=security-group away"
            )


def remove_group(account: AwsAccount, group: str) -> None:
    """Remove a security group; it may be gone already.

    Raises:
        AwsRefused, AwsFault: it is still there: `DependencyViolation` while an instance that is ending has it.
    """
    try:
        with account.faults(f"removing the security group {group}"):
            account.ec2.delete_security_group(GroupId=group)
    except (AwsRefused, AwsFault) as fault:
        if fault.code != "InvalidGroup.NotFound":
            raise


def public_address() -> str:
    """Return the network that holds nothing but this machine, as the world sees it.

    Raises:
        ConfigError: nobody tells.
    """
    service = os.environ.get("ROGUE_AWS_ADDRESS_SERVICE", ADDRESS_SERVICE)
    try:
        reply = httpx.get(service, timeout=10.0)
        reply.raise_for_status()
        return f"{ipaddress.IPv4Address(reply.text.strip())}/32"
    except (httpx.HTTPError, ValueError) as error:
        raise ConfigError(
            f"the public address of this machine could not be found out ({service}: {error}): give it by "
            "--rogue-aws=from=ADDRESS/32, or need none by --rogue-aws=reach=ssm"
        ) from error


def _vpc(account: AwsAccount, subnet: str | None) -> str:
    if subnet:
        return str(account.ec2.describe_subnets(SubnetIds=[subnet])["Subnets"][0]["VpcId"])
    found = account.ec2.describe_vpcs(Filters=[{"Name": "is-default", "Values": ["true"]}])["Vpcs"]
    if not found:
        raise AwsRefused(f"there is no default network (VPC) in {account.region}: give --rogue-aws=subnet=ID")
    return str(found[0]["VpcId"])


def _rule(port: int, network: str) -> dict[str, Any]:
    return {"IpProtocol": "tcp", "FromPort": port, "ToPort": port, "IpRanges": [{"CidrIp": network}]}


def _everything() -> dict[str, Any]:
    return {"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}


def _networks(rule: Mapping[str, Any]) -> set[str]:
    ranges: Sequence[Mapping[str, str]] = (*rule.get("IpRanges", ()), *rule.get("Ipv6Ranges", ()))
    return {network.get("CidrIp") or network.get("CidrIpv6", "") for network in ranges}
