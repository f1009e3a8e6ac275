"""The steps and getters of published tasks that have to do with the browser, on the real Chromium."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.desktops.docker import DockerProvider
from pytest_rogue.errors import GuestFileMissing, InfraError
from pytest_rogue.published import kinds
from pytest_rogue.published.browser_place import find_browser
from pytest_rogue.published.steps import login
from tests.docker.conftest import IMAGE, RUN, SPEC
from tests.published.desks import desk_with
from tests.published.google_checkout import ACCOUNT_FILE, PASSWORD, write_account

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_rogue.desktops.guest_client import GuestClient
    from pytest_rogue.published.protocol import Desk

pytestmark = pytest.mark.docker

SITE = '''
import http.server, os
BOATS = b"""<title>Boats</title><h1>Boats</h1>
<div class=boat><h3> Ketch </h3></div><div class=boat>none</div><div class=boat><h3>Yawl</h3></div>
<input id=port><script>port.value = "Whitby"</script>"""
SIGN_IN = b"""<title>Sign in</title><input type=email><div id=identifierNext><button>Next</button></div>
<div id=second hidden><input type=password><div id=passwordNext><button>Next</button></div></div>
<script>
const [email, password] = document.querySelectorAll("input");
document.querySelector("#identifierNext button").onclick = () => { second.hidden = !email.value };
document.querySelector("#passwordNext button").onclick = () => {
  location = "http://drive.localhost:8080/in?" + password.value.length;
};
</script>"""
ASTRAY = b"<title>Prove</title>that you are no robot"
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        host = self.headers["Host"].partition(":")[0]
        sends_away = host in ("drive.localhost", "stuck.localhost") and not self.path.startswith("/in")
        self.send_response(302 if sends_away else 200)
        if sends_away:
            self.send_header("Location", f"http://{'sign' if host[0] == 'd' else 'robot'}.localhost:8080/")
        self.send_header("Set-Cookie", "seen=1; Max-Age=100000")
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write({"sign.localhost": SIGN_IN, "robot.localhost": ASTRAY}.get(host, BOATS))
server = http.server.ThreadingHTTPServer(("127.0.0.1", 8080), Page)
if not os.fork():
    os.setsid()
    server.serve_forever()
'''
ONE = "http://one.localhost:8080/a"
TWO = "http://two.localhost:8080/b?sizes=1,2&kind=x"


@pytest.fixture(scope="module")
def guest() -> Iterator[GuestClient]:
    provider = DockerProvider(image=IMAGE, run_id=RUN)
    try:
        desktop = provider.start(SPEC)
        desktop.guest.run(["python3", "-c", SITE])
        yield desktop.guest
        desktop.stop()
    finally:
        provider.close()


@pytest.fixture
def desk(guest: GuestClient, tmp_path: Path) -> Iterator[Desk]:
    """A desk whose browser has never run."""
    desk = desk_with(guest, tmp_path)
    yield desk
    place = find_browser(guest)
    if place.command:
        apply(desk, "launch", command=["pkill", "chrome"])
    guest.run(["find", place.folder, "-mindepth", "1", "-delete"])


@pytest.fixture
def browsing(desk: Desk) -> Desk:
    """A desk whose browser runs as the published tasks start it."""
    apply(desk, "launch", command=["google-chrome", "--remote-debugging-port=1337"])
    apply(desk, "launch", command=["socat", "tcp-listen:9222,fork", "tcp:localhost:1337"])
    return desk


def apply(desk: Desk, kind: str, **parameters: Any) -> None:
    kinds.steps()[kind].model_validate_json(json.dumps(parameters)).apply(desk)


def got(desk: Desk, kind: str, **fields: Any) -> Any:
    return kinds.getters()[kind].model_validate_json(json.dumps(fields)).get(desk)


def test_pages_are_opened_in_the_place_of_the_first_tab_and_read_as_they_stand(browsing: Desk) -> None:
    apply(browsing, "chrome_open_tabs", urls_to_open=[ONE, TWO])
    assert got(browsing, "open_tabs_info") == [{"url": TWO, "title": "Boats"}, {"url": ONE, "title": "Boats"}]
    assert got(browsing, "active_tab_info") == {"url": TWO, "title": "Boats"}
    assert got(browsing, "active_url_from_accessTree") == TWO
    asked = got(browsing, "active_tab_url_parse", parse_keys=["sizes", "none"], split_list=True)
    assert asked == {"sizes": ["1", "2"], "none": [""]}
    names = {"boat": {"0": "first", "1": "second"}}
    read = got(browsing, "active_tab_html_parse", category="class", class_multiObject_only_child=names)
    assert read == {"first": "Ketch", "second": "Yawl"}
    typed = got(browsing, "active_tab_html_parse", category="input", inputObject={"//input": "port"})
    assert typed == {"port": "Whitby"}
    text = got(browsing, "active_tab_html_parse", category="xpath", xpathObject={"//h1": "heading"})
    assert text == {"heading": "Boats"}
    assert got(browsing, "chrome_appearance_mode_ui") == "system"


def test_a_site_that_cannot_be_reached_is_named(browsing: Desk) -> None:
    with pytest.raises(InfraError, match=r"http://127\.0\.0\.1:8099/ cannot be opened"):
        apply(browsing, "chrome_open_tabs", urls_to_open=["http://127.0.0.1:8099/"])


def test_settings_are_read_once_the_browser_is_closed(desk: Desk) -> None:
    wanted = {"enable_do_not_track": True, "profile": {"name": "Ada", "default_content_setting_values": {"images": 1}}}
    desk.guest.write_file(f"{find_browser(desk.guest).folder}/Default/Preferences", json.dumps(wanted).encode())
    assert got(desk, "enable_do_not_track") == "true"
    assert got(desk, "profile_name") == "Ada"
    assert got(desk, "data_delete_automacally") == "false"
    assert got(replace(desk, convention="upstream"), "data_delete_automacally") == "true"


def test_past_visits_are_in_the_history_and_cookies_are_those_of_the_sites(desk: Desk) -> None:
    visit = {"url": "http://a.example/", "title": "A", "visit_time_from_now_in_seconds": 3600}
    apply(desk, "update_browse_history", history=[visit])
    assert [row["url"] for row in got(desk, "history", dest="history")] == ["http://a.example/"]
    apply(desk, "launch", command=["google-chrome", "--remote-debugging-port=1337"])
    apply(desk, "chrome_open_tabs", urls_to_open=[ONE])
    assert got(desk, "cookie_data", dest="cookies") == [{"domain": "one.localhost", "name": "seen"}]


def test_a_browser_that_was_closed_has_no_pages_and_no_mode(desk: Desk) -> None:
    for kind in ("open_tabs_info", "chrome_appearance_mode_ui"):
        with pytest.raises(GuestFileMissing, match="it was closed"):
            got(desk, kind)
    assert got(replace(desk, convention="upstream"), "chrome_appearance_mode_ui") == "system"


def test_the_sign_in_goes_through_both_pages(browsing: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login, "DRIVE", "http://drive.localhost:8080/")
    write_account(tmp_path)
    apply(browsing, "login", platform="googledrive", settings_file=ACCOUNT_FILE)
    assert got(browsing, "active_tab_info")["url"] == f"http://drive.localhost:8080/in?{len(PASSWORD)}"


def test_a_sign_in_that_is_astray_tells_what_stood_there(
    browsing: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(login, "DRIVE", "http://stuck.localhost:8080/")
    monkeypatch.setattr(login, "PATIENCE", 1.0)
    write_account(tmp_path)
    with pytest.raises(InfraError, match="no robot") as stopped:
        apply(browsing, "login", platform="googledrive", settings_file=ACCOUNT_FILE)
    assert PASSWORD not in str(stopped.value)
