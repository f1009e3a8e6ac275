"""Serve the folders beside this file as web sites on the desktop's loopback interface, and return once they answer.

The folder `lakeside-cars.localhost` is http://lakeside-cars.localhost:8080/: every browser takes names that end in
.localhost for its own machine. `/search` is the file `search.html`. What a form posts to an address goes nowhere; the
page of that address is shown.
"""

import os
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

PORT = 8080
SITES = Path(__file__).resolve().parent


class Site(SimpleHTTPRequestHandler):
    """Answers for the site whose name was asked for."""

    protocol_version = "HTTP/1.1"

    def translate_path(self, path: str) -> str:
        """Return the file of a page of this site; what lies beside this file belongs to every site."""
        host = self.headers.get("Host", "").partition(":")[0]
        name = urlsplit(path).path.strip("/") or "index"
        files = [file for file in (*SITES.iterdir(), *SITES.glob("*/*")) if file.parent.name in {SITES.name, host}]
        return str(next((file for file in files if name in {file.name, file.stem}), SITES / "none"))

    def do_POST(self) -> None:
        """Show the page of the address."""
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.send_response(303)
        self.send_header("Location", self.path)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def main() -> None:
    """Listen, and answer in a process of its own."""
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Site)
    if os.fork():
        return
    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    server.serve_forever()


main()
