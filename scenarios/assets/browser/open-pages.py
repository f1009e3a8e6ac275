"""Start the browser with the pages that are named, and return once all of them are there.

Without a name it shows the page of a new tab. With --noted it returns when the pages stand in the history on the disk,
too, some seconds later: a browser that is closed before may have forgotten them. With --cookies it returns when each of
their sites has a cookie there, which may take half a minute.
"""

import json
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

BOUND = 180.0
"""Seconds to wait."""
BROWSER = ("google-chrome", "--remote-debugging-port=9222", "--enable-remote-extensions")
PROFILE = Path.home() / ".config/chromium/Default"


def titles() -> list[str]:
    """Return the titles of the pages that have come; the others have their address for a title."""
    try:
        with urllib.request.urlopen("http://127.0.0.1:9222/json/list", timeout=10) as answer:
            pages = [target["title"] for target in json.load(answer) if target["type"] == "page"]
    except OSError:
        return []
    return [title for title in pages if title and "localhost:" not in title]


def on_disk(name: str, texts: list[str]) -> bool:
    """Return whether all these texts stand in a database of the profile."""
    content = (PROFILE / name).read_bytes() if (PROFILE / name).exists() else b""
    return all(text.encode() in content for text in texts)


def main(pages: list[str], *, noted: bool, cookies: bool) -> None:
    """Start the browser and wait."""
    wanted = {"History": pages if noted else [], "Cookies": [urlsplit(page).hostname for page in pages if cookies]}
    quiet = subprocess.DEVNULL
    subprocess.Popen([*BROWSER, *pages], stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    deadline = time.monotonic() + BOUND
    while len(titles()) < max(1, len(pages)) or not all(on_disk(*entry) for entry in wanted.items()):
        if time.monotonic() > deadline:
            sys.exit(f"after {BOUND:g} s these pages were there: {', '.join(titles()) or 'none'}")
        time.sleep(0.1)


named = [word for word in sys.argv[1:] if not word.startswith("--")]
main(named, noted="--noted" in sys.argv, cookies="--cookies" in sys.argv)
