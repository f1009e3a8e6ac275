"""Checks of Chromium's profile and tabs. What the browser itself writes and answers is in tests/docker."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.desktops.guest_types import CommandResult
from pytest_rogue.errors import GuestFault
from pytest_rogue.evaluators import browser_database, browser_tabs
from pytest_rogue.evaluators.browser_tabs import BrowserTabs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.evaluators.conftest import Desk

PROFILE = ".config/chromium/Default"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands look for the browser in the folder that stands for the desktop."""
    monkeypatch.setenv("HOME", str(tmp_path))


def put_preferences(desk: Desk, value: Any, name: str = f"{PROFILE}/Preferences") -> None:
    desk.put(name, json.dumps(value))


def preference(desk: Desk, *key: str, **args: Any) -> bool:
    return desk.passes("browser_preference", key=list(key), **args)


def test_a_preference_is_compared_with_its_type(desk: Desk) -> None:
    put_preferences(desk, {"enable_do_not_track": True, "profile": {"name": "Workshop"}})
    assert preference(desk, "enable_do_not_track", equals=True)
    assert not preference(desk, "enable_do_not_track", equals=1)
    assert preference(desk, "profile", "name", equals="Workshop")


def test_a_preference_that_is_not_there_counts_as_unset(desk: Desk) -> None:
    put_preferences(desk, {"profile": {}})
    assert preference(desk, "profile", "name", equals="Person 1", unset="Person 1")
    result = desk.check("browser_preference", key=["profile", "name"], equals="Person 1")
    assert (result.score, result.found) == (0.0, "null")


def test_a_protected_preference_is_found_in_its_own_file(desk: Desk) -> None:
    put_preferences(desk, {})
    put_preferences(desk, {"homepage": "http://a.localhost/"}, f"{PROFILE}/Secure Preferences")
    assert preference(desk, "homepage", equals="http://a.localhost/")


def test_a_preference_of_the_browser_is_not_one_of_the_profile(desk: Desk) -> None:
    put_preferences(desk, {"browser": {"enabled_labs_experiments": ["one@2"]}}, ".config/chromium/Local State")
    key = ("browser", "enabled_labs_experiments")
    assert preference(desk, *key, equals=["one@2"], of="browser")
    assert not preference(desk, *key, equals=["one@2"])


@pytest.mark.parametrize("content", ["{", "[]", "[" * 100_000], ids=["cut", "no-object", "deep"])
def test_preferences_that_cannot_be_read_are_a_finding(desk: Desk, content: str) -> None:
    desk.put(f"{PROFILE}/Preferences", content)
    result = desk.check("browser_preference", key=["a"], equals=1)
    assert result.score == 0.0
    assert "Preferences" in result.found


def extension(path: str, location: int = 4, off: tuple[int, ...] = ()) -> dict[str, Any]:
    entry = {"path": path, "location": location, "disable_reasons": list(off)}
    return {"extensions": {"settings": {"abcdefgh": entry}}}


def test_an_unpacked_extension_is_found_by_its_folder(desk: Desk) -> None:
    put_preferences(desk, extension("/home/user/Documents/ruler"))
    assert desk.passes("browser_extension", path="~/Documents/ruler")
    assert desk.passes("browser_extension", path="/home/user/Documents/ruler/")
    result = desk.check("browser_extension", path="~/Documents/other")
    assert (result.score, result.found) == (0.0, "from: /home/user/Documents/ruler")


def test_an_extension_that_is_switched_off_or_was_not_loaded_by_a_person_does_not_count(desk: Desk) -> None:
    put_preferences(desk, extension("/home/user/ruler", off=(1,)))
    assert desk.check("browser_extension", path="~/ruler").found == "one switched off"
    put_preferences(desk, extension("/home/user/ruler", location=5))
    assert not desk.passes("browser_extension", path="~/ruler")


def test_an_extension_from_a_folder_that_is_to_be_left_alone_is_a_finding(desk: Desk) -> None:
    put_preferences(desk, extension("/home/user/ruler"))
    put_preferences(desk, extension("/home/user/pointer/"), f"{PROFILE}/Secure Preferences")
    assert desk.passes("browser_extension", path="~/ruler", without=["~/notes"])
    result = desk.check("browser_extension", path="~/ruler", without=["~/notes", "~/pointer"])
    assert (result.score, result.found) == (0.0, "from: /home/user/pointer")


def test_no_extension_is_what_absent_asks_for(desk: Desk) -> None:
    put_preferences(desk, extension("/home/user/ruler"))
    assert desk.passes("browser_extension", path="~/other", absent=True)
    assert not desk.passes("browser_extension", path="~/ruler", absent=True)


# --- history and cookies


def put_database(desk: Desk, *statements: str) -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()
        desk.put(f"{PROFILE}/History", database.serialize())


@pytest.fixture
def visited(desk: Desk) -> Desk:
    """A desk whose browser was at two sites, one of them twice."""
    for name, table, column, values in (
        ("History", "urls", "url", ["http://a.localhost:8080/", "http://a.localhost:8080/x", "http://b.localhost/"]),
        ("Cookies", "cookies", "host_key", ["a.localhost", ".b.localhost"]),
    ):
        with closing(sqlite3.connect(":memory:")) as database:
            database.execute(f"CREATE TABLE {table} ({column} TEXT)")
            database.executemany(f"INSERT INTO {table} VALUES (?)", [(value,) for value in values])  # noqa: S608
            database.commit()
            desk.put(f"{PROFILE}/{name}", database.serialize())
    return desk


def test_the_history_is_counted_by_host(visited: Desk) -> None:
    assert visited.passes("browser_data", what="history", kept={"a.localhost": 2}, gone=["c.localhost"])
    assert not visited.passes("browser_data", what="history", kept={"a.localhost": 3})
    result = visited.check("browser_data", what="history", kept={"a.localhost": 2}, gone=["b.localhost"])
    assert (result.score, result.found) == (0.0, "2 of a.localhost, 1 of b.localhost")


def test_cookies_are_counted_by_host_whether_or_not_they_hold_for_names_below(visited: Desk) -> None:
    assert visited.passes("browser_data", what="cookies", kept={"a.localhost": 1, "b.localhost": 1})


def test_a_database_that_cannot_be_read_is_a_finding(desk: Desk) -> None:
    desk.put(f"{PROFILE}/History", "no database")
    assert "no readable database" in desk.check("browser_data", what="history", gone=["a.localhost"]).found


ENDLESS = "WITH RECURSIVE n(url) AS (SELECT 1 UNION ALL SELECT url FROM n) SELECT url FROM n WHERE url > 1"

VIRTUAL = "INSERT INTO sqlite_master VALUES ('table', 'urls', 'urls', 0, 'CREATE VIRTUAL TABLE urls USING fts5(url)')"


@pytest.mark.parametrize(
    "made",
    [
        [f"CREATE VIEW urls AS {ENDLESS}"],
        ["CREATE VIEW urls AS SELECT hex(zeroblob(100000000)) AS url"],
        ["CREATE TABLE urls (name TEXT, url TEXT GENERATED ALWAYS AS (hex(zeroblob(100000000))))"],
        ["PRAGMA writable_schema = ON", VIRTUAL],
    ],
    ids=["endless", "huge", "calculated", "virtual"],
)
def test_a_database_that_calculates_what_it_should_hold_is_not_asked(made: list[str], desk: Desk) -> None:
    put_database(desk, *made)
    assert "no table urls" in desk.check("browser_data", what="history", gone=["a.localhost"]).found


def test_a_database_is_read_for_a_bounded_time(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser_database, "SECONDS", -1.0)
    monkeypatch.setattr(browser_database, "_INSTRUCTIONS", 1)
    put_database(desk, "CREATE TABLE urls (url TEXT)", "INSERT INTO urls VALUES ('http://a.localhost/')")
    assert "interrupted" in desk.check("browser_data", what="history", gone=["a.localhost"]).found


def test_a_row_that_no_browser_writes_is_not_read(desk: Desk) -> None:
    put_database(desk, "CREATE TABLE urls (url)", "INSERT INTO urls VALUES (zeroblob(5000000))")
    assert "too big" in desk.check("browser_data", what="history", gone=["a.localhost"]).found


def test_more_than_a_browser_keeps_is_not_read(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser_database, "LARGEST", 10)
    put_database(desk, "CREATE TABLE urls (url TEXT)", "INSERT INTO urls VALUES ('http://a.localhost/')")
    assert "more than 10 characters" in desk.check("browser_data", what="history", gone=["a.localhost"]).found


# --- the browser that still runs


@pytest.fixture
def running(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process named as the parameter says, to which the profile's lock points."""
    program = tmp_path / request.param
    shutil.copy(str(shutil.which("sleep")), program)
    process = subprocess.Popen([program, "600"])
    lock = tmp_path / ".config/chromium/SingletonLock"
    lock.parent.mkdir(parents=True)
    lock.symlink_to(f"desktop-{process.pid}")
    yield process
    process.kill()
    process.wait()


@pytest.mark.parametrize("running", ["chromium"], indirect=True)
def test_a_browser_that_runs_is_closed_before_its_profile_is_read(running: subprocess.Popen[bytes], desk: Desk) -> None:
    put_preferences(desk, {"a": 1})
    assert preference(desk, "a", equals=1)
    assert running.wait(10) < 0


@pytest.mark.parametrize("running", ["other"], indirect=True)
def test_a_lock_that_a_killed_browser_left_behind_ends_no_other_program(
    running: subprocess.Popen[bytes], desk: Desk
) -> None:
    put_preferences(desk, {"a": 1})
    assert preference(desk, "a", equals=1)
    assert os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None


# --- tabs


class Browser:
    """Stands for a desktop whose browser lists these pages, the one in front first."""

    def __init__(self, *urls: str, exit_code: int = 0, stdout: str = "") -> None:
        targets = [{"type": "page", "url": url} for url in urls] + [{"type": "browser_ui", "url": "chrome://x/"}]
        self.answer = CommandResult(stdout or json.dumps(targets), "", exit_code)

    def run(self, command: Any, *, timeout: float) -> CommandResult:
        return self.answer


@pytest.fixture
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser_tabs, "PATIENCE", 0.0)


def shows(browser: Any, **args: Any) -> bool:
    return BrowserTabs(**args).look(browser).score == 1.0


@pytest.mark.usefixtures("no_patience")
def test_pages_are_looked_for_in_all_tabs_and_in_front() -> None:
    browser = Browser("http://a.localhost/", "http://b.localhost/x")
    assert shows(browser, open=("http://b.localhost/x",))
    assert shows(browser, front="http://a.localhost/")
    assert not shows(browser, front="http://b.localhost/x")
    assert not shows(browser, open=("http://a.localhost/", "http://c.localhost/"))


@pytest.mark.usefixtures("no_patience")
def test_the_order_of_what_is_asked_empty_values_and_places_in_the_page_do_not_matter() -> None:
    browser = Browser("http://a.localhost/list/?b=2&a=1+x&c=#top")
    assert shows(browser, front="http://a.localhost/list?a=1%20x&b=2")
    assert not shows(browser, front="http://a.localhost/list?a=1&b=2")
    assert not shows(browser, front="http://a.localhost/list?a=1%20x")


@pytest.mark.usefixtures("no_patience")
@pytest.mark.parametrize(
    "browser",
    [Browser(exit_code=3), Browser(stdout="no list"), Browser(stdout='{"a": 1}')],
    ids=["closed", "words", "object"],
)
def test_a_browser_that_cannot_be_asked_is_a_finding(browser: Any) -> None:
    finding = BrowserTabs(front="http://a.localhost/").look(browser)
    assert finding.score == 0.0
    assert "no browser that answers" in finding.found


def test_a_desktop_that_cannot_run_the_question_is_a_fault() -> None:
    with pytest.raises(GuestFault, match="could not be listed"):
        BrowserTabs(front="http://a.localhost/").look(Browser(exit_code=1))  # type: ignore[arg-type]
