"""A stand-in for OSWorld's stock server: a program that serves its paths on a real X session, faults included.

`python3 stock_server.py --port 5000 --session 1024x768` also starts the session: X server, bus, window manager. Run by
the system's Python, in a process namespace or a container of its own, so that everything ends with it.

`POST /stand-in` sets faults by path, each a list of what the next answers do (`runs_then_500`, `runs_then_drops`,
`runs_then_unicode`, `500`, `hangs`, `huge`, `not_xml`, `black`), the last one for good where `forever` is true;
`GET /stand-in` returns how often each path was asked for since.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

COMMAND_LIMIT = 120
NAMESPACES = 'xmlns:st="https://accessibility.ubuntu.example.org/ns/state"'
BLACK_SIZE = (1024, 768)


class Machine:
    """What all connections share."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.faults: dict[str, list[str]] = {}
        self.forever = False
        self.lock = threading.Lock()

    def fault(self, path: str) -> str:
        with self.lock:
            self.asked[path] += 1
            waiting = self.faults.get(path, [])
            if not waiting:
                return ""
            return waiting[0] if self.forever and len(waiting) == 1 else waiting.pop(0)


MACHINE = Machine()


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        if self.path == "/stand-in":
            return self.answer(200, dict(MACHINE.asked))
        routes = {"/screenshot": self.screenshot, "/accessibility": self.accessibility, "/platform": self.platform}
        return self.serve(routes)

    def do_POST(self) -> None:
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/stand-in":
            said = json.loads(self.body)
            MACHINE.forever = said.pop("forever", False)
            MACHINE.faults = said
            MACHINE.asked.clear()
            return self.answer(200, {})
        return self.serve(
            {
                "/execute": self.execute,
                "/setup/execute": self.execute,
                "/setup/launch": self.launch,
                "/setup/upload": self.upload,
                "/setup/activate_window": self.activate_window,
                "/setup/close_window": self.close_window,
                "/file": self.file,
                "/run_bash_script": self.run_bash_script,
            }
        )

    def serve(self, routes: dict[str, Any]) -> None:
        path = self.path.partition("?")[0]
        if path not in routes:
            return self.answer(404, b"<!doctype html><title>404 Not Found</title>")
        fault = MACHINE.fault(path)
        if fault == "500":
            return self.answer(500, {"status": "error", "message": "Internal Server Error"})
        if fault == "hangs":
            time.sleep(3600)
        routes[path](fault)
        return None

    def answer(self, status: int, body: Any) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def screenshot(self, fault: str) -> None:
        from PIL import Image, ImageGrab

        picture = Image.new("RGB", BLACK_SIZE) if fault == "black" else ImageGrab.grab(xdisplay=os.environ["DISPLAY"])
        stream = io.BytesIO()
        picture.save(stream, "PNG", compress_level=1)
        self.answer(200, stream.getvalue())

    def accessibility(self, fault: str) -> None:
        if fault == "not_xml":
            return self.answer(200, {"AT": "<not xml"})
        if fault == "huge":
            node = '<push-button name="a button with a name that is rather long, as some are" st:enabled="true"/>'
            return self.answer(200, {"AT": f"<desktop-frame {NAMESPACES}>{node * 220_000}</desktop-frame>"})
        return self.answer(200, {"AT": f"<desktop-frame {NAMESPACES}>{tree()}</desktop-frame>"})

    def platform(self, _: str) -> None:
        self.answer(200, platform.system().encode())

    def execute(self, fault: str) -> None:
        asked = json.loads(self.body)
        command = asked["command"]
        words = command if isinstance(command, list) else command.split()
        words = [str(Path(word).expanduser()) if word.startswith("~/") else word for word in words]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=COMMAND_LIMIT, check=False)
        except Exception as error:  # noqa: BLE001 - the stock server answers every fault with 500
            return self.answer(500, {"status": "error", "message": str(error)})
        if fault == "runs_then_drops":
            self.close_connection = True
            return None
        if fault:
            message = "'utf-8' codec can't decode byte 0xff in position 0" if fault == "runs_then_unicode" else "late"
            return self.answer(500, {"status": "error", "message": message})
        answer = {"status": "success", "output": done.stdout, "error": done.stderr, "returncode": done.returncode}
        return self.answer(200, answer)

    def run_bash_script(self, fault: str) -> None:
        asked = json.loads(self.body)
        done = subprocess.run(["/bin/bash", "-c", asked["script"]], capture_output=True, text=True, check=False)
        if fault == "runs_then_500":
            message = "Failed to execute script: name '_append_event' is not defined"
            return self.answer(500, {"status": "error", "message": message})
        answer = {"status": "success", "output": done.stdout + done.stderr, "error": "", "returncode": done.returncode}
        return self.answer(200, answer)

    def launch(self, _: str) -> None:
        command = json.loads(self.body)["command"]
        try:
            start(*command)
        except OSError as error:
            return self.answer(500, {"status": "error", "message": str(error)})
        return self.answer(200, f"{command[0]} launched successfully".encode())

    def activate_window(self, _: str) -> None:
        self.tell_window("-a")

    def close_window(self, _: str) -> None:
        self.tell_window("-c")

    def tell_window(self, what: str) -> None:
        asked = json.loads(self.body)
        options = ["-F"] * asked["strict"] + ["-x"] * asked["by_class"]
        subprocess.run(["wmctrl", *options, what, asked["window_name"]], check=False)
        self.answer(200, b"Window told successfully")  # whether or not there is one

    def upload(self, _: str) -> None:
        form = self.form()
        path = Path(os.path.expandvars(os.path.expanduser(form["file_path"].decode())))  # noqa: PTH111 - as it does
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(form["file_data"])
        self.answer(200, f"File Uploaded: {path.stat().st_size} bytes".encode())

    def file(self, _: str) -> None:
        path = Path(self.form()["file_path"].decode()).expanduser()
        if not path.exists():
            return self.answer(404, {"status": "error", "message": "File not found"})
        try:
            return self.answer(200, path.read_bytes())
        except OSError:
            return self.answer(500, b"<!doctype html><title>500 Internal Server Error</title>")

    def form(self) -> dict[str, bytes]:
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        message = BytesParser().parsebytes(head + self.body)
        parts: Any = message.get_payload()
        return {part.get_param("name", header="content-disposition"): part.get_payload(decode=True) for part in parts}


def tree() -> str:
    """Return what is on the accessibility bus, walked as the stock server does: node by node, without a bound."""
    from xml.sax.saxutils import quoteattr

    import gi

    gi.require_version("Atspi", "2.0")
    from gi.repository import Atspi

    def walk(node: Any) -> str:
        role = (node.get_role_name() or "unknown").replace(" ", "-")
        inside = "".join(walk(node.get_child_at_index(place)) for place in range(node.get_child_count()))
        return f"<{role} name={quoteattr(node.get_name() or '')}>{inside}</{role}>"

    desktop = Atspi.get_desktop(0)
    return "".join(walk(desktop.get_child_at_index(place)) for place in range(desktop.get_child_count()))


def start_session(size: str) -> None:
    """Start X server, message bus and window manager, and set the environment of this process."""
    runtime = tempfile.mkdtemp(prefix="runtime-")
    Path("/tmp/.X11-unix").mkdir(mode=0o1777, exist_ok=True)
    os.environ.update(XDG_RUNTIME_DIR=runtime, DBUS_SESSION_BUS_ADDRESS=f"unix:path={runtime}/bus")
    os.environ.update(NO_AT_BRIDGE="0", GTK_MODULES="gail:atk-bridge")
    start("dbus-daemon", "--session", "--nofork", f"--address=unix:path={runtime}/bus")
    reading, writing = os.pipe()
    options = ("-screen", "0", f"{size}x24", "-nolisten", "tcp", "-noreset")
    start("Xvfb", "-displayfd", str(writing), *options, pass_fds=(writing,))
    os.close(writing)
    with os.fdopen(reading) as file:
        os.environ["DISPLAY"] = f":{file.readline().strip()}"
    start("openbox")
    paint()


def start(*command: str, **options: Any) -> None:
    """Start a program of the session, whose words are nobody's business."""
    subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)


def paint() -> None:
    """Give the background a colour."""
    from Xlib.display import Display

    display = Display()
    root = display.screen().root
    root.change_attributes(background_pixel=0x705030)
    root.clear_area()
    display.sync()
    display.close()


def main() -> None:
    """Serve until killed."""
    options = argparse.ArgumentParser()
    options.add_argument("--host", default="127.0.0.1")
    options.add_argument("--port", type=int, default=5000)
    options.add_argument("--session", default="1024x768")
    chosen = options.parse_args()
    if chosen.session:
        start_session(chosen.session)
    server = ThreadingHTTPServer((chosen.host, chosen.port), Handler)
    server.daemon_threads = True
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
