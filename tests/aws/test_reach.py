"""The ways to an instance: at its address, by ssh, by Systems Manager, by a gateway."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
import threading
from typing import TYPE_CHECKING, Any

import asyncssh
import httpx
import pytest

from pytest_rogue.desktops.aws_account import AwsAccount
from pytest_rogue.desktops.aws_options import AwsOptions
from pytest_rogue.desktops.aws_reach import Reach, open_reach
from pytest_rogue.errors import ConfigError, DesktopStartError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.aws.conftest import Cloud

INSTANCE = {"InstanceId": "i-1", "PublicIpAddress": "127.0.0.1", "PrivateIpAddress": "10.0.0.7"}
PATIENCE = 120.0


def opened(account: AwsAccount | None = None, *, alive: Callable[[], bool] = lambda: True, **options: Any) -> Reach:
    return open_reach(
        account or AwsAccount("us-east-1"),
        AwsOptions(allowed_from="192.0.2.1/32", **options),
        INSTANCE,
        timeout=PATIENCE,
        alive=alive,
    )


def said_at(url: str) -> str:
    return httpx.get(url, trust_env=False, timeout=PATIENCE).text


# --- without a tunnel --------------------


@pytest.mark.parametrize(
    ("reach", "server", "guest"),
    [
        ("public", "http://127.0.0.1:5000", "http://127.0.0.1:5055"),
        ("private", "http://10.0.0.7:5000", "http://10.0.0.7:5055"),
        ("https://gate.test/{instance}/{port}", "https://gate.test/i-1/5000", "https://gate.test/i-1/5055"),
        ("http://gate.test:8000", "http://gate.test:8000", None),
    ],
)
def test_an_instance_is_reached_where_the_options_say(reach: str, server: str, guest: str | None) -> None:
    way = opened(reach=reach)

    assert way.server == server
    assert (way.door.url if way.door else None) == guest


def test_a_gateway_with_an_unknown_field_is_told() -> None:
    with pytest.raises(ConfigError, match=r"no fields but \{port\}, \{instance\}"):
        opened(reach="http://gate.test/{name}")


def test_an_instance_without_a_public_address_is_told() -> None:
    with pytest.raises(DesktopStartError, match="i-2 has no public address"):
        open_reach(AwsAccount("us-east-1"), AwsOptions(), {"InstanceId": "i-2"}, timeout=1, alive=lambda: True)


# --- ssh --------------------


class Instance(asyncssh.SSHServer):  # type: ignore[misc]  # its types are not read
    """Lets `user` in, and answers for every port with its number."""

    def begin_auth(self, username: str) -> bool:
        return username != "user"

    def connection_requested(self, dest_host: str, dest_port: int, orig_host: str, orig_port: int) -> Any:
        async def answer(reader: asyncssh.SSHReader[bytes], writer: asyncssh.SSHWriter[bytes]) -> None:
            try:
                await reader.readuntil(b"\r\n\r\n")
            except asyncio.IncompleteReadError:  # somebody has only looked whether the way stands
                writer.close()
                return
            content = f"{dest_host}:{dest_port}".encode()
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(content), content)
            )
            writer.write_eof()

        return answer


@pytest.fixture
def ssh_port() -> Iterator[int]:
    """A real ssh server that stands for the one of an instance."""
    loop = asyncio.new_event_loop()
    key = asyncssh.generate_private_key("ssh-ed25519")
    listening = asyncssh.listen("127.0.0.1", 0, server_factory=Instance, server_host_keys=[key], encoding=None)
    server = loop.run_until_complete(listening)
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield server.get_port()

    async def end() -> None:
        server.close()
        await server.wait_closed()

    asyncio.run_coroutine_threadsafe(end(), loop).result(PATIENCE)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def test_ssh_leads_to_both_ports_and_ends_with_the_desktop(ssh_port: int) -> None:
    way = opened(reach="ssh", ssh_port=ssh_port)
    assert way.door is not None

    said = [said_at(way.server), said_at(way.door.url)]
    way.close()
    way.close()

    assert said == ["127.0.0.1:5000", "127.0.0.1:5055"]
    with pytest.raises(httpx.ConnectError):
        said_at(way.server)


# --- Systems Manager --------------------

PLUGIN = """#!{python}
import http.server, json, os, sys
parameters = json.loads(sys.argv[5])["Parameters"]
facts = {{"argv": sys.argv[1:], "session": os.environ["AWS_SSM_START_SESSION_RESPONSE"]}}
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def do_GET(self):
        body = json.dumps(facts).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
http.server.HTTPServer(("127.0.0.1", int(parameters["localPortNumber"][0])), Handler).serve_forever()
"""
"""A stand-in for session-manager-plugin: it is called in the same way, and tells how."""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "session-manager-plugin"
    program.write_text(PLUGIN.format(python=sys.executable))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")


def test_systems_manager_leads_to_both_ports_and_its_token_is_on_no_command_line(
    cloud: Cloud, account: AwsAccount, plugin: None
) -> None:
    way = opened(account, reach="ssm")
    assert way.door is not None

    facts = [json.loads(said_at(url)) for url in (way.server, way.door.url)]
    way.close()

    for told, port in zip(facts, ("5000", "5055"), strict=True):
        name, region, verb, profile, asked, endpoint = told["argv"]
        assert (name, region, verb, profile) == ("AWS_SSM_START_SESSION_RESPONSE", "us-east-1", "StartSession", "")
        assert json.loads(asked)["Target"] == "i-1"
        assert json.loads(asked)["Parameters"]["portNumber"] == [port]
        assert endpoint == cloud.url
        assert json.loads(told["session"])["TokenValue"] == "token-of-the-session"
        assert "token-of-the-session" not in "".join(told["argv"])


def test_systems_manager_is_waited_for_until_the_instance_has_connected(
    cloud: Cloud, account: AwsAccount, plugin: None
) -> None:
    cloud.misbehave(StartSession=["TargetNotConnected"])

    opened(account, reach="ssm").close()

    assert cloud.asked()["StartSession"] == 3


def test_a_session_is_not_waited_for_where_the_instance_is_gone(
    cloud: Cloud, account: AwsAccount, plugin: None
) -> None:
    cloud.misbehave(StartSession=["TargetNotConnected"] * 9)
    alive = iter([True, True])

    with pytest.raises(DesktopStartError, match=r"no tunnel to the instance came about: .*TargetNotConnected"):
        opened(account, reach="ssm", alive=lambda: next(alive, False))

    assert cloud.asked()["StartSession"] == 3
