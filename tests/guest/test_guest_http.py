"""The guest's HTTP: connections that stay, errors that tell, clients that go away."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING

import pytest

from tests.guest._guest import TOKEN, Guest

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.desktop

HEAD = f"Authorization: Bearer {TOKEN}\r\nHost: desktop\r\n"


@pytest.fixture
def connection(guest: Guest) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as raw:
        raw.settimeout(30)
        raw.connect(str(guest.socket))
        yield raw


def answered(connection: socket.socket) -> tuple[int, bytes]:
    """Read one response."""
    with connection.makefile("rb") as stream:
        status = int(stream.readline().split()[1])
        headers = {}
        while line := stream.readline().strip():
            name, _, value = line.partition(b":")
            headers[name.lower()] = value.strip()
        return status, stream.read(int(headers[b"content-length"]))


def test_a_connection_is_kept_for_many_requests(connection: socket.socket) -> None:
    for _ in range(3):
        connection.sendall(f"GET /rogue/v1/ready HTTP/1.1\r\n{HEAD}\r\n".encode())
        status, body = answered(connection)
        assert status == 200
        assert json.loads(body)["ready"]


@pytest.mark.parametrize(
    ("request_line", "status", "kind"),
    [
        ("GET /rogue/v1/no-such-thing", 404, "not_found"),
        ("POST /rogue/v1/info", 404, "not_found"),
        ("GET /rogue/v1/file", 400, "bad_request"),
        ("GET /rogue/v1/evidence?since=yesterday", 400, "bad_request"),
        ("GET /rogue/v1/ready?wait=long", 400, "bad_request"),
    ],
)
def test_a_wrong_request_is_answered_and_the_connection_stays(
    connection: socket.socket, request_line: str, status: int, kind: str
) -> None:
    connection.sendall(f"{request_line} HTTP/1.1\r\n{HEAD}\r\n".encode())
    told, body = answered(connection)
    error = json.loads(body)["error"]
    assert (told, error["kind"]) == (status, kind)
    assert error["message"]
    connection.sendall(f"GET /rogue/v1/ready HTTP/1.1\r\n{HEAD}\r\n".encode())
    assert answered(connection)[0] == 200


@pytest.mark.parametrize("body", ["{", "[]", "nonsense", '"text"', "\xff"])
def test_a_body_that_is_no_json_object_is_refused(connection: socket.socket, body: str) -> None:
    data = body.encode("latin-1")
    connection.sendall(f"POST /rogue/v1/run HTTP/1.1\r\n{HEAD}Content-Length: {len(data)}\r\n\r\n".encode() + data)
    assert answered(connection)[0] == 400


@pytest.mark.parametrize(
    ("header", "status"),
    [("Content-Length: 99999999999", 413), ("Content-Length: -1", 400), ("Transfer-Encoding: chunked", 400)],
)
def test_a_body_of_impossible_size_is_refused_unread(connection: socket.socket, header: str, status: int) -> None:
    connection.sendall(f"PUT /rogue/v1/file?path=~/never HTTP/1.1\r\n{HEAD}{header}\r\n\r\n".encode())
    assert answered(connection)[0] == status


def test_a_client_that_hangs_up_in_the_middle_harms_nothing(guest: Guest, connection: socket.socket) -> None:
    connection.sendall(f"PUT /rogue/v1/file?path=~/half HTTP/1.1\r\n{HEAD}Content-Length: 100\r\n\r\nhalf".encode())
    connection.close()
    assert guest.get("ready")["ready"]
    assert not (guest.home / "half").exists()


def test_a_client_that_does_not_wait_for_the_answer_harms_nothing(guest: Guest, connection: socket.socket) -> None:
    body = json.dumps({"step": 1, "action": {"kind": "python", "code": "time.sleep(0.2)"}})
    connection.sendall(f"POST /rogue/v1/step HTTP/1.1\r\n{HEAD}Content-Length: {len(body)}\r\n\r\n{body}".encode())
    connection.close()
    assert guest.run("print('next')")["stdout"] == "next\n"
