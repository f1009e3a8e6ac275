"""How the ports of an instance are reached from here: at its address, by a tunnel, or by a gateway of the user's.

A tunnel is a program (`ssh`, AWS's `session-manager-plugin`) that runs for as long as the desktop lives. Nothing but
port 22 needs to be open then, or no port at all.
"""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Protocol

from pytest_rogue.desktops.aws_account import AwsFault
from pytest_rogue.desktops.aws_tunnel import NotYet, Program, Tunnel
from pytest_rogue.desktops.stock_takeover import GUEST_PORT, Door
from pytest_rogue.errors import ConfigError, DesktopStartError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_rogue.desktops.aws_account import AwsAccount
    from pytest_rogue.desktops.aws_options import AwsOptions

SERVER_PORT = 5000
"""Of OSWorld's stock server."""

PROGRAMS = {"ssh": "ssh", "ssm": "session-manager-plugin"}
"""What a kind of tunnel needs on this machine."""

_SESSION = "AWS_SSM_START_SESSION_RESPONSE"
"""Variable in which the plugin takes the session's token; on its command line everybody could read it."""

_PORTS = (SERVER_PORT, GUEST_PORT)


class Reach(Protocol):
    """A way to one instance."""

    server: str
    """URL of its stock server."""

    door: Door | None
    """Where our guest is reached directly, None for through the stock server."""

    def close(self) -> None:
        """End it; may be called again."""
        ...


def opened_ports(options: AwsOptions) -> Sequence[int]:
    """Return the ports that a security group has to open for the way that the options name."""
    if options.reach == "ssh":
        return (options.ssh_port,)
    return () if options.reach == "ssm" else (SERVER_PORT, GUEST_PORT)


def missing_program(reach: str) -> str:
    """Return the program that a way needs and this machine does not have, empty for none."""
    program = PROGRAMS.get(reach, "")
    return program if program and shutil.which(program) is None else ""


def open_reach(
    account: AwsAccount, options: AwsOptions, instance: Mapping[str, str], *, timeout: float, alive: Callable[[], bool]
) -> Reach:
    """Open the way that the options name, and return it when it stands.

    Args:
        account: the instance belongs to.
        options: what is wanted.
        instance: `InstanceId`, `PublicIpAddress`, `PrivateIpAddress`, as AWS describes it.
        timeout: seconds until a tunnel has to stand.
        alive: tells whether the instance still runs.

    Raises:
        DesktopStartError: it does not come about.
        ConfigError: the program for it is missing here.
        AwsRefused, AwsFault: AWS does not open a session.
    """
    public, private = instance.get("PublicIpAddress", ""), instance.get("PrivateIpAddress", "")
    if options.reach == "ssh":
        return Through(Tunnel(_PORTS, lambda local: [_ssh(options, public or private, local)], timeout, alive))
    if options.reach == "ssm":
        return Through(Tunnel(_PORTS, lambda local: _sessions(account, instance["InstanceId"], local), timeout, alive))
    if options.reach in ("public", "private"):
        address = public if options.reach == "public" else private
        if not address:
            raise DesktopStartError(
                f"the instance {instance['InstanceId']} has no {options.reach} address: take a subnet that gives one "
                "(--rogue-aws=subnet=ID), or another --rogue-aws=reach"
            )
        return AtAddress(f"http://{address}:{SERVER_PORT}", f"http://{address}:{GUEST_PORT}")
    return _through_gateway(options.reach, {"instance": instance["InstanceId"], "public": public, "private": private})


def _through_gateway(template: str, fields: Mapping[str, str]) -> AtAddress:
    try:
        server, guest = (template.format(**fields, port=port) for port in (SERVER_PORT, GUEST_PORT))
    except (KeyError, IndexError, ValueError) as error:
        raise ConfigError(
            f"--rogue-aws=reach={template}: expected a URL with no fields but {{port}}, {{instance}}, {{public}}, "
            f"{{private}} ({error})"
        ) from error
    # A gateway that does not tell ports apart leads to one of them.
    return AtAddress(server, guest if guest != server else None)


class AtAddress:
    """A way without a tunnel.

    Args:
        server: URL of the stock server.
        guest: URL where our guest will be, None where it cannot be reached directly.
    """

    def __init__(self, server: str, guest: str | None) -> None:
        self.server = server
        self.door = Door(GUEST_PORT, guest) if guest else None

    def close(self) -> None:
        """Do nothing: there is nothing to end."""


class Through:
    """A way through a tunnel.

    Args:
        tunnel: that leads to both ports; it is closed with this.
    """

    def __init__(self, tunnel: Tunnel) -> None:
        self._tunnel = tunnel
        self.server = tunnel.url(SERVER_PORT)
        self.door: Door | None = Door(GUEST_PORT, tunnel.url(GUEST_PORT))

    def close(self) -> None:
        """End the tunnel; may be called again."""
        self._tunnel.close()


def _ssh(options: AwsOptions, address: str, local: Mapping[int, int]) -> Program:
    forwards = [word for port, here in local.items() for word in ("-L", f"127.0.0.1:{here}:127.0.0.1:{port}")]
    settings = (
        "BatchMode=yes",
        "ExitOnForwardFailure=yes",
        "ConnectTimeout=10",
        "ServerAliveInterval=15",
        "ServerAliveCountMax=4",
        # The instance is minutes old, and its key known to nobody.
        "StrictHostKeyChecking=no",
        f"UserKnownHostsFile={os.devnull}",
    )
    key = ("-i", options.key_file) if options.key_file else ()
    chosen = [word for setting in settings for word in ("-o", setting)]
    port = ("-p", str(options.ssh_port))
    return Program(["ssh", "-N", *chosen, *key, *port, *forwards, "-l", options.ssh_user, "--", address])


def _sessions(account: AwsAccount, instance: str, local: Mapping[int, int]) -> list[Program]:
    """Open sessions of Systems Manager; return the programs that carry them, called as AWS's own tool calls them."""
    try:
        return [_session(account, instance, port, here) for port, here in local.items()]
    except AwsFault as fault:
        if fault.code == "TargetNotConnected":
            raise NotYet(str(fault)) from fault
        raise


def _session(account: AwsAccount, instance: str, port: int, here: int) -> Program:
    asked = {
        "Target": instance,
        "DocumentName": "AWS-StartPortForwardingSession",
        "Parameters": {"portNumber": [str(port)], "localPortNumber": [str(here)]},
    }
    with account.faults(f"opening a session to {instance}"):
        client = account.client("ssm")
        answer = client.start_session(**asked)
        endpoint = client.meta.endpoint_url
    session = json.dumps({key: answer[key] for key in ("SessionId", "TokenValue", "StreamUrl")})
    profile = os.environ.get("AWS_PROFILE", "")
    command = [PROGRAMS["ssm"], _SESSION, account.region, "StartSession", profile, json.dumps(asked), endpoint]
    return Program(command, {_SESSION: session})
