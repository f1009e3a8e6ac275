"""Start the browser with the pages that are named, and return once all of them are there.

Without a name it shows the page of a new tab. With --noted it returns when the pages stand in the history on the disk,
too, some seconds later: a browser that is closed before may have forgotten them.
"""

import json
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

BOUND = 180.0
"""Seconds to wait."""
BROWSER = ("google-chrome", "--remote-debugging-port=9222", "--enable-remote-extensions")
HISTORY = Path.home() / ".config/chromium/Default/History"


def titles() -> list[str]:
    """Return the titles of the pages that have come; the others have their address for a title."""
    try:
        with urllib.request.urlopen("http://127.0.0.1:9222/json/list", timeout=10) as answer:
            pages = [target["title"] for target in json.load(answer) if target["type"] == "page"]
    except OSError:
        return []
    return [title for title in pages if title and "localhost:" not in title]


def noted(page: str) -> bool:
    """Return whether the page's address stands in the history."""
    return HISTORY.exists() and page.encode() in HISTORY.read_bytes()


def main(pages: list[str], noted_too: bool) -> None:
    """Start the browser and wait."""
    quiet = subprocess.DEVNULL
    subprocess.Popen([*BROWSER, *pages], stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    deadline = time.monotonic() + BOUND
    while len(titles()) < max(1, len(pages)) or (noted_too and not all(map(noted, pages))):
        if time.monotonic() > deadline:
            sys.exit(f"after {BOUND:g} s these pages were there: {', '.join(titles()) or 'none'}")
        time.sleep(0.1)


main([word for word in sys.argv[1:] if word != "--noted"], "--noted" in sys.argv)
