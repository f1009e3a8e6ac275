"""OSWorld's stock server, as it is in the machines of others: its protocol, with its known faults allowed for.

Of its paths only those are used that can be trusted. `/run_bash_script` cannot: some versions answer 500 after the
script has run. A screenshot may be black until the desktop is painted, a tree may never come, and what `/execute`
answers is not always what happened: whoever runs something here learns whether it can have run, and nothing is ever
sent again.
"""

from __future__ import annotations

import json
import secrets
from importlib import resources
from typing import TYPE_CHECKING, Any

from pytest_rogue.desktops.guest_http import GuestHttp, NeverSent
from pytest_rogue.desktops.observed import is_png
from pytest_rogue.errors import DesktopLost, GuestFault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_rogue.desktops.guest_http import Reply

EXECUTE_LIMIT = 110.0
"""Seconds a command may take; the server itself ends it after 120 and then does not say what it had done."""

PATIENCE = 15.0
"""Seconds an answer may take beyond what was asked for; a virtual machine may be slow."""

_SCRIPT_FAULT = "_append_event"
"""The name that versions with the fault in `/run_bash_script` complain about."""


class StockServer:
    """Speaks with the stock server of one machine; may be used by several threads.

    Every method raises `DesktopLost` where the server no longer answers and `GuestFault` where it answers with a fault.

    Args:
        url: its address, such as `http://127.0.0.1:5000`.

    Example:
        >>> server = StockServer("http://127.0.0.1:5000")
        >>> server.program("stock_program.py", {"do": "stat", "path": "/etc/passwd"})
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.http = GuestHttp(token="none", base_url=url, uds=None)  # noqa: S106 - it asks for none

    def close(self) -> None:
        """Close the connections; the machine goes on."""
        self.http.close()

    # --- what is on the screen --------------------

    def screenshot(self) -> bytes:
        """Return the screen as PNG, painted or not."""
        reply = self.http.exchange("GET", "/screenshot", timeout=PATIENCE)
        if reply.status != 200 or not is_png(reply.body):
            raise GuestFault(f"GET /screenshot answered {reply.status} without a PNG")
        return reply.body

    def tree(self, seconds: float) -> str:
        """Return the accessibility tree, however long, if it comes within `seconds`."""
        reply = self.http.exchange("GET", "/accessibility", timeout=seconds)
        return _field(reply, "AT", "GET /accessibility")

    # --- files and programs --------------------

    def upload(self, path: str, data: bytes) -> None:
        """Write a file; its folder is made."""
        form: dict[str, str | bytes] = {"file_path": path, "file_data": data}
        reply = self.http.exchange("POST", "/setup/upload", timeout=60.0, form=form)
        if reply.status != 200:
            raise GuestFault(f"POST /setup/upload of {path} answered {reply.status}: {_text(reply)}")

    def download(self, path: str) -> bytes:
        """Return the content of a file."""
        reply = self.http.exchange("POST", "/file", timeout=60.0, form={"file_path": path})
        if reply.status != 200:
            raise GuestFault(f"POST /file of {path} answered {reply.status}: {_text(reply)}")
        return reply.body

    def launch(self, command: Sequence[str]) -> None:
        """Start a program and leave it alone."""
        body = {"command": list(command), "shell": False}
        reply = self.http.exchange("POST", "/setup/launch", timeout=PATIENCE, json=body)
        if reply.status != 200:
            raise GuestFault(f"POST /setup/launch of {command[0]} answered {reply.status}: {_text(reply)}")

    def execute(self, command: Sequence[str], timeout: float = 30.0) -> str:
        """Run a command to its end, once, and return what it wrote to standard output.

        Raises:
            NeverSent: it surely did not run.
            DesktopLost: the answer was lost; it may have run.
            GuestFault: the answer is a fault, or the command failed; it may have run.
        """
        body = {"command": list(command), "shell": False}
        reply = self.http.exchange("POST", "/execute", timeout=min(timeout, EXECUTE_LIMIT) + PATIENCE, json=body)
        output = _field(reply, "output", "POST /execute")
        code = json.loads(reply.body).get("returncode")
        if code != 0:
            error = str(json.loads(reply.body).get("error", ""))[-500:]
            raise GuestFault(f"POST /execute: the command ended with exit code {code}: {error}")
        return output

    def program(self, name: str, request: dict[str, Any], timeout: float = 30.0, body: bytes = b"") -> dict[str, Any]:
        """Run one of our programs in the machine, once, and return its answer.

        What it is asked for goes ahead in a file, which it removes: neither the list of processes nor the server's
        log shows it, and it may be of any length.

        Args:
            name: file of the program, beside this one; it uses the standard library only.
            request: what it is asked for.
            timeout: seconds it may take.
            body: bytes that belong to the request.

        Raises:
            NeverSent: it surely did not run.
            DesktopLost: the answer was lost; it may have run.
            GuestFault: the answer is a fault; it may have run.
        """
        path = f"/tmp/.request-{secrets.token_hex(8)}"  # noqa: S108 - in the machine
        try:
            self.upload(path, json.dumps(request).encode("ascii") + b"\n" + body)
        except (DesktopLost, GuestFault) as error:
            raise NeverSent(f"{name} was not run, because its request did not arrive: {error}") from error
        text = resources.files("pytest_rogue.desktops").joinpath(name).read_text(encoding="utf-8")
        output = self.execute(["python3", "-I", "-S", "-c", text, path], timeout)
        try:
            answer = json.loads(output)
        except ValueError:
            raise GuestFault(f"{name} answered what is not JSON: {output[:300]!r}") from None
        if not isinstance(answer, dict):
            raise GuestFault(f"{name} answered what is not an object: {output[:300]!r}")
        return answer

    # --- its faults --------------------

    def script_fault(self) -> str:
        """Say what is wrong with `/run_bash_script`, by a script that does nothing; empty where all is well."""
        body = {"script": "true", "timeout": 10, "working_dir": None}
        reply = self.http.exchange("POST", "/run_bash_script", timeout=10.0 + PATIENCE, json=body)
        if reply.status == 200:
            return ""
        if _SCRIPT_FAULT in _text(reply):
            return "its /run_bash_script answers 500 after it has run the script, so it is not used"
        return f"its /run_bash_script answers {reply.status}, so it is not used"


def _text(reply: Reply) -> str:
    return reply.body[:500].decode(errors="replace")


def _field(reply: Reply, name: str, what: str) -> str:
    """Return a text of the answer's JSON."""
    if reply.status != 200:
        raise GuestFault(f"{what} answered {reply.status}: {_text(reply)}")
    try:
        value = json.loads(reply.body)[name]
    except (ValueError, KeyError, TypeError):
        raise GuestFault(f"{what} answered what is not JSON with '{name}': {_text(reply)}") from None
    if not isinstance(value, str):
        raise GuestFault(f"{what} answered no text as '{name}'")
    return value
