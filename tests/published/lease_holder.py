"""Take a Drive for one episode, say so, and keep it until standard input ends: `lease_holder.py CHECKOUT`."""

from __future__ import annotations

import sys
from pathlib import Path

from pytest_rogue.published.drive.lease import drive_of
from tests.published.google_checkout import DRIVE_FILE, desk_at

desk = desk_at(Path(sys.argv[1]))
with desk.held:
    drive_of(desk, DRIVE_FILE)
    print("mine", flush=True)  # noqa: T201
    sys.stdin.read()
