"""Start the browser with the pages that are named, and return once all of them are there.

Without a name it shows the page of a new tab. A page that has not come has its address for a title.
"""

import json
import subprocess
import sys
import time
import urllib.request

BOUND = 180.0
"""Seconds to wait."""
BROWSER = ("google-chrome", "--remote-debugging-port=9222", "--enable-remote-extensions")


def titles() -> list[str]:
    """Return the titles of the open pages."""
    try:
        with urllib.request.urlopen("http://127.0.0.1:9222/json/list", timeout=10) as answer:
            return [target["title"] for target in json.load(answer) if target["type"] == "page"]
    except OSError:
        return []


pages = sys.argv[1:]
quiet = subprocess.DEVNULL
subprocess.Popen([*BROWSER, *pages], stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
deadline = time.monotonic() + BOUND
while len(there := [title for title in titles() if title and "localhost:" not in title]) < max(1, len(pages)):
    if time.monotonic() > deadline:
        sys.exit(f"after {BOUND:g} s these pages were there: {', '.join(there) or 'none'}")
    time.sleep(0.1)
