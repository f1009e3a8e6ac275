"""What the guest answers about recordings, beside the video itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.guest._guest import running_guest
from tests.video import needs_ffmpeg

if TYPE_CHECKING:
    from pathlib import Path

    from tests.guest._guest import Guest

pytestmark = pytest.mark.desktop


@pytest.mark.parametrize("bounds", [{"frames_per_second": 0}, {"frames_per_second": 16}, {"width": 4000}])
def test_a_recording_that_would_cost_too_much_is_refused(guest: Guest, bounds: dict[str, int]) -> None:
    status, kind, message = guest.refused("recording", action="start", **bounds)
    assert (status, kind) == (400, "bad_request")
    assert "1 to 15 frames a second" in message


def test_what_was_never_recorded_cannot_be_taken(guest: Guest) -> None:
    response = guest.http.get("/rogue/v1/recording")
    assert response.status_code == 400
    assert "start a recording first" in response.json()["error"]["message"]


def test_stopping_what_does_not_run_does_nothing(tmp_path: Path) -> None:
    with running_guest(tmp_path) as guest:
        assert guest.post("recording", action="stop") == {}


def test_an_action_that_is_neither_start_nor_stop_is_refused(guest: Guest) -> None:
    assert guest.refused("recording", action="pause")[:2] == (400, "bad_request")


@needs_ffmpeg
def test_a_desktop_is_recorded_once_and_gives_each_piece_once(tmp_path: Path) -> None:
    with running_guest(tmp_path) as guest:
        guest.post("recording", action="start")
        assert guest.refused("recording", action="start")[0] == 400
        first = guest.get("recording", wait="60")
        assert first["data"]
        guest.post("recording", action="stop")
        assert guest.refused("recording", action="start")[0] == 400
        again = guest.get("recording", since="0")
        assert again["data"].startswith(first["data"].rstrip("=")[:100])
        guest.get("recording", since="100")
        assert guest.http.get("/rogue/v1/recording", params={"since": "0"}).status_code == 400
