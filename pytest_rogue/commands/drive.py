"""`pytest-rogue drive`: the Google Drive of the published tasks: get its owner's consent, and see that it answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

SETTINGS_FILE = "evaluation_examples/settings/googledrive/settings.yml"


def add_drive_command(commands: Any) -> None:
    """Declare the command.

    Args:
        commands: argparse's group of commands.
    """
    drive = commands.add_parser("drive", help="the Google Drive that some tasks of ROGUE use")
    actions = drive.add_subparsers(metavar="ACTION", required=True)
    login = actions.add_parser("login", help="have its owner consent in a browser, and save that")
    login.add_argument("--no-browser", action="store_true", help="only print the address to open")
    login.add_argument("--timeout", type=float, default=300.0, metavar="S", help="seconds to wait for the owner (300)")
    login.set_defaults(run=_login)
    check = actions.add_parser("check", help="say whose Drive it is, or what it lacks; nothing in it is changed")
    check.set_defaults(run=_check)
    for action in (login, check):
        action.add_argument("checkout", nargs="?", type=Path, default=Path(), metavar="CHECKOUT", help="of ROGUE (.)")


def _login(chosen: argparse.Namespace) -> int:
    from pytest_rogue.published.drive.consent import ask_for_consent

    browser = not chosen.no_browser
    saved = ask_for_consent(chosen.checkout, SETTINGS_FILE, browser=browser, patience=chosen.timeout)
    print(f"saved: {saved}")
    return 0


def _check(chosen: argparse.Namespace) -> int:
    from pytest_rogue.published.drive.account import read_account
    from pytest_rogue.published.drive.exchange import DriveExchange
    from pytest_rogue.published.drive.files import Drive

    exchange = DriveExchange(read_account(chosen.checkout, SETTINGS_FILE))
    try:
        print(f"ready: the Google Drive of {Drive(exchange).owner()}, in which tasks will delete files")
    finally:
        exchange.close()
    return 0
