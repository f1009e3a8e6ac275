"""What is wanted of AWS: one frozen value, read from `--rogue-region`, `--rogue-instance-type` and `--rogue-aws`."""

from __future__ import annotations

import difflib
import ipaddress
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_rogue.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_rogue.network import Network
    from pytest_rogue.settings import Settings

INSTANCE_TYPE = "m6i.xlarge"
"""4 processors, 16 GiB, and no credits that run out."""

BURSTABLE = re.compile(r"t\d")
"""Families whose processors slow down when their credits are used up, in the middle of an episode."""

BOOT_TIMEOUT = 600.0
"""Seconds until the desktop of an instance has to be ready."""

REGION = "us-east-1"
TTL_MINUTES = 180
REACHES = ("public", "private", "ssh", "ssm")

_KEYS = {
    "image": "image",
    "template": "template",
    "subnet": "subnet",
    "security-group": "security_group",
    "from": "allowed_from",
    "reach": "reach",
    "key-name": "key_name",
    "key-file": "key_file",
    "ssh-user": "ssh_user",
    "ssh-port": "ssh_port",
    "instance-profile": "instance_profile",
    "scheduler-role": "scheduler_role",
    "spot": "spot",
    "ttl": "ttl_minutes",
    "burstable": "burstable",
    "price": "price",
}


@dataclass(frozen=True, slots=True)
class AwsOptions:
    """What is wanted of AWS; docs/aws-setup.md describes each.

    Attributes:
        region: where instances are made.
        instance_type: their kind, None for that of the launch template or `INSTANCE_TYPE`.
        image: id of their image, None for that of the launch template or the public one of the region.
        template: launch template, `NAME_OR_ID` or `NAME_OR_ID:VERSION`.
        subnet: they are in, None for the default one.
        security_group: of the user's own, None for one that is made and removed.
        allowed_from: network (`203.0.113.7/32`) that the group lets in, None for this machine's public address.
        reach: one of `REACHES`, or a URL with `{port}`, `{instance}`, `{public}`, `{private}`: a gateway of the user's.
        key_name: key pair of the instances.
        key_file: its private key, None for what ssh finds itself.
        ssh_user: whom ssh logs in as.
        ssh_port: where the ssh server of the image listens.
        instance_profile: name of the profile that lets the agent of Systems Manager work (for `reach=ssm`).
        scheduler_role: ARN of the role with which the scheduler terminates instances.
        spot: True for spot instances.
        ttl_minutes: after which an instance is terminated, whatever happens.
        burstable: True to allow burstable instance types.
        price: US dollars for an hour of an instance, None for what AWS tells.
        network: what desktops can reach: `none` or `full`.
    """

    region: str = REGION
    instance_type: str | None = None
    image: str | None = None
    template: str | None = None
    subnet: str | None = None
    security_group: str | None = None
    allowed_from: str | None = None
    reach: str = "public"
    key_name: str | None = None
    key_file: str | None = None
    ssh_user: str = "user"
    ssh_port: int = 22
    instance_profile: str | None = None
    scheduler_role: str | None = None
    spot: bool = False
    ttl_minutes: int = TTL_MINUTES
    burstable: bool = False
    price: float | None = None
    network: Network = "full"

    def __post_init__(self) -> None:
        if self.network == "internal":
            raise ConfigError("an instance on AWS has no internal network: give --rogue-network=none or full")
        if self.reach not in REACHES and not re.match(r"https?://", self.reach):
            raise ConfigError(f"--rogue-aws=reach={self.reach}: expected one of {', '.join(REACHES)}, or a URL")
        if self.reach == "ssm" and self.network == "none":
            raise ConfigError("--rogue-aws=reach=ssm needs --rogue-network=full: its agent calls out")
        if self.reach == "private" and not (self.allowed_from or self.security_group):
            raise ConfigError("--rogue-aws=reach=private needs --rogue-aws=from=NETWORK, who may come in")
        if self.instance_type:
            self.check_type(self.instance_type)

    def check_type(self, instance_type: str) -> None:
        """Refuse a burstable instance type, unless it is allowed.

        Raises:
            ConfigError: it is refused.
        """
        if BURSTABLE.match(instance_type) and not self.burstable:
            raise ConfigError(
                f"{instance_type} is burstable: it slows down when its credits are used up, in the middle of an "
                f"episode; give --rogue-instance-type={INSTANCE_TYPE} or the like, or allow it by "
                "--rogue-aws=burstable=yes"
            )

    @classmethod
    def of(cls, settings: Settings) -> AwsOptions:
        """Return what the settings of a run ask for.

        Raises:
            ConfigError: a key or value is not what is expected.
        """
        given = _read(settings.aws)
        needed = least_ttl(settings.wall_timeout)
        ttl = _whole(given, "ttl", "ttl_minutes", max(TTL_MINUTES, needed))
        if ttl < needed:
            raise ConfigError(
                f"--rogue-aws=ttl={ttl}: an instance has to live {needed} minutes at least, to boot and to run an "
                f"episode of {settings.wall_timeout:g} s, also after it was a spare during another one"
            )
        return cls(
            region=settings.region or default_region(),
            instance_type=settings.instance_type,
            network=settings.network,
            ttl_minutes=ttl,
            ssh_port=_whole(given, "ssh-port", "ssh_port", 22),
            spot=_yes(given, "spot"),
            burstable=_yes(given, "burstable"),
            price=_dollars(given, "price"),
            **given,
        )


def default_region() -> str:
    """Return the region that the environment names, as AWS's own tools do."""
    return os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or REGION


def least_ttl(wall_timeout: float) -> int:
    """Return the fewest minutes in which an instance boots, waits while an episode runs, and runs one of its own."""
    return int((BOOT_TIMEOUT + 2 * wall_timeout) / 60) + 1


def _read(pairs: Sequence[str]) -> dict[str, str]:
    """Return the values by name of their field, each checked as far as it can be alone."""
    given: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if key not in _KEYS:
            close = difflib.get_close_matches(key, _KEYS, n=1)
            hint = f" (did you mean {close[0]}?)" if close else ""
            raise ConfigError(f"--rogue-aws={pair}: there is no '{key}'{hint}; known: {', '.join(_KEYS)}")
        if not equals or not value:
            raise ConfigError(f"--rogue-aws={pair}: expected {key}=VALUE")
        if _KEYS[key] in given:
            raise ConfigError(f"--rogue-aws names {key} more than once")
        given[_KEYS[key]] = value
    if allowed := given.get("allowed_from"):
        _check_network(allowed)
    return given


def _check_network(text: str) -> None:
    try:
        network = ipaddress.IPv4Network(text)
    except ValueError:
        raise ConfigError(f"--rogue-aws=from={text}: expected a network such as 203.0.113.7/32") from None
    if network.prefixlen == 0:
        raise ConfigError(f"--rogue-aws=from={text} lets the whole world in, where anybody can run anything: narrow it")


def _whole(given: dict[str, str], key: str, name: str, default: int) -> int:
    value = given.pop(name, str(default))
    if not (value.isdecimal() and 1 <= int(value) <= 65_535):
        raise ConfigError(f"--rogue-aws={key}={value}: expected a whole number from 1 to 65535")
    return int(value)


def _dollars(given: dict[str, str], name: str) -> float | None:
    value = given.pop(name, None)
    if value is None:
        return None
    if not re.fullmatch(r"\d+(\.\d+)?", value):
        raise ConfigError(f"--rogue-aws=price={value}: expected US dollars for an hour, such as 0.192")
    return float(value)


def _yes(given: dict[str, str], name: str) -> bool:
    value = given.pop(name, "no")
    if value not in ("yes", "no"):
        raise ConfigError(f"--rogue-aws={name}={value}: expected yes or no")
    return value == "yes"
