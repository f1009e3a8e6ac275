"""Published tasks sign in to Google, and have visited pages before, in the real Chromium."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from pytest_rogue.errors import InfraError
from pytest_rogue.published.steps import login
from tests.docker.published_browser import BrowserDesk, browser_guest, desk
from tests.published.google_checkout import ACCOUNT_FILE, EMAIL, PASSWORD, write_account

__all__ = ["browser_guest", "desk"]

pytestmark = pytest.mark.docker

SIGN_IN = """
<title>Sign in</title><input type=email><div id=identifierNext><button>Next</button></div>
<div id=second hidden><input type=password><div id=passwordNext><button>Next</button></div></div>
<script>
const [email, password] = document.querySelectorAll("input");
document.querySelector("#identifierNext button").onclick = () => { second.hidden = !email.value };
document.querySelector("#passwordNext button").onclick = () => {
  const typed = [email.value, password.value].map(encodeURIComponent).join("/");
  location = `http://drive.localhost:8080/in.html?${typed}`;
};
</script>
"""


def sent_to(desk: BrowserDesk, page: str) -> str:
    """Return the address of a page that sends its visitor to another host, as Drive does with a stranger."""
    return desk.page("drive.html", f"<script>location.replace('http://sign.localhost:8080/{page}')</script>").replace(
        "small.localhost", "drive.localhost"
    )


def test_the_sign_in_types_the_account_into_both_pages(desk: BrowserDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.page("sign.html", SIGN_IN)
    arrived = desk.page("in.html", "<title>Drive</title>").replace("small.localhost", "drive.localhost")
    monkeypatch.setattr(login, "DRIVE", sent_to(desk, "sign.html"))
    write_account(desk.checkout)
    desk.browse()
    desk.do("login", platform="googledrive", settings_file=ACCOUNT_FILE)
    assert desk.get("active_tab_info")["url"] == f"{arrived}?{quote(EMAIL, safe='')}/{quote(PASSWORD, safe='')}"


@pytest.mark.parametrize("shown", ["", EMAIL, PASSWORD])
def test_a_sign_in_that_is_astray_tells_what_stood_there_without_the_account(
    shown: str, desk: BrowserDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.page("robot.html", f"<title>Prove</title>that you are no robot {shown}")
    monkeypatch.setattr(login, "DRIVE", sent_to(desk, "robot.html"))
    monkeypatch.setattr(login, "PATIENCE", 1.0)
    write_account(desk.checkout)
    desk.browse()
    with pytest.raises(InfraError, match="no robot") as stopped:
        desk.do("login", platform="googledrive", settings_file=ACCOUNT_FILE)
    assert not any(secret in str(stopped.value) for secret in (EMAIL, PASSWORD))


def test_visits_before_the_task_stand_in_the_history_beside_those_of_the_last_second(desk: BrowserDesk) -> None:
    visit = {"url": "http://a.example/", "title": "A", "visit_time_from_now_in_seconds": 3600}
    desk.do("update_browse_history", history=[visit])
    page = desk.page("b.html", "<title>B</title>")
    desk.browse()
    desk.do("chrome_open_tabs", urls_to_open=[page])
    assert {row["url"] for row in desk.get("history", dest="history")} == {"http://a.example/", page}
