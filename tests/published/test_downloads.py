"""A file of the web is fetched once and whole, whatever the server does."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.errors import InfraError
from pytest_rogue.published import downloads
from pytest_rogue.published.downloads import DownloadCache
from tests.published import web_server
from tests.published.web_server import WHOLE, serving

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server is on this machine."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def cache(tmp_path: Path) -> DownloadCache:
    """An empty cache."""
    return DownloadCache(tmp_path / "cache")


def files_of(cache: DownloadCache, *, of: str) -> list[Path]:
    return list((cache.folder / of).iterdir())


def test_a_file_is_fetched_once(cache: DownloadCache) -> None:
    with serving() as server:
        first, second = cache.fetch(f"{server.url}/whole"), cache.fetch(f"{server.url}/whole")

    assert (first.read_bytes(), first, server.asked) == (WHOLE, second, ["whole"])


def test_the_same_content_from_two_places_is_kept_once(cache: DownloadCache) -> None:
    with serving(other=[web_server.whole]) as server:
        assert cache.fetch(f"{server.url}/whole") == cache.fetch(f"{server.url}/other")

    assert len(files_of(cache, of="files")) == 1


@pytest.mark.parametrize("first", [web_server.broken_off, web_server.broken_server], ids=["broken-off", "server-error"])
def test_what_failed_once_is_tried_again(first: Callable[[Any], None], cache: DownloadCache) -> None:
    with serving(file=[first, web_server.whole]) as server:
        assert cache.fetch(f"{server.url}/file").read_bytes() == WHOLE
        assert server.asked == ["file", "file"]


def test_a_server_that_has_too_much_to_do_is_asked_again_as_it_says(cache: DownloadCache) -> None:
    with serving(file=[*[web_server.crowded] * 6, web_server.whole]) as server:
        assert cache.fetch(f"{server.url}/file").read_bytes() == WHOLE
        assert len(server.asked) == 7


def test_a_server_that_wants_a_long_wait_is_not_waited_for(cache: DownloadCache) -> None:
    with serving(file=[web_server.crowded_for_long]) as server, pytest.raises(InfraError, match="asks to wait 3600 s"):
        cache.fetch(f"{server.url}/file")

    assert server.asked == ["file"]


def test_a_server_that_never_has_time_is_given_up(cache: DownloadCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloads, "_pause", lambda _: 0.0)
    with serving(file=[web_server.crowded_for_ever]) as server, pytest.raises(InfraError, match="answers 429"):
        cache.fetch(f"{server.url}/file")

    assert len(server.asked) == 8


@pytest.mark.parametrize("answer", [web_server.without_length, web_server.elsewhere], ids=["no-length", "redirected"])
def test_a_file_comes_whole_also(answer: Callable[[Any], None], cache: DownloadCache) -> None:
    with serving(file=[answer]) as server:
        assert cache.fetch(f"{server.url}/file").read_bytes() == WHOLE


@pytest.mark.parametrize("answer", [web_server.broken_off, web_server.broken_server], ids=["broken-off", "500"])
def test_a_part_of_a_file_is_never_kept(answer: Callable[[Any], None], cache: DownloadCache) -> None:
    with serving(file=[answer]) as server, pytest.raises(InfraError, match="/file cannot be fetched"):
        cache.fetch(f"{server.url}/file")

    assert files_of(cache, of="files") == files_of(cache, of="partial") == []
    assert len(server.asked) == 3


def test_no_more_is_taken_than_the_server_has_promised(cache: DownloadCache) -> None:
    with serving(file=[web_server.too_long]) as server:
        try:
            kept = cache.fetch(f"{server.url}/file").read_bytes()
        except InfraError:
            kept = b""

    assert kept in (b"", WHOLE[:10])


def test_what_is_not_there_is_asked_for_once(cache: DownloadCache) -> None:
    with serving(file=[web_server.not_there]) as server, pytest.raises(InfraError, match="the server answers 404"):
        cache.fetch(f"{server.url}/file")

    assert server.asked == ["file"]


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    cache = DownloadCache(tmp_path, most_bytes=100)
    with serving() as server, pytest.raises(InfraError, match="more than the 100 bytes"):
        cache.fetch(f"{server.url}/whole")

    assert files_of(cache, of="files") == []


def test_a_file_that_was_changed_in_the_cache_is_fetched_again(cache: DownloadCache) -> None:
    with serving() as server:
        path = cache.fetch(f"{server.url}/whole")
        path.write_bytes(WHOLE[::-1])

        assert cache.fetch(f"{server.url}/whole").read_bytes() == WHOLE
        assert len(server.asked) == 2


def test_offline_gives_what_is_there_and_asks_nobody(cache: DownloadCache) -> None:
    offline = DownloadCache(cache.folder, offline=True)
    with serving() as server:
        cache.fetch(f"{server.url}/whole")

        assert offline.fetch(f"{server.url}/whole").read_bytes() == WHOLE
        assert offline.missing([f"{server.url}/whole", f"{server.url}/other"]) == [f"{server.url}/other"]
        with pytest.raises(InfraError, match="--rogue-offline forbids it"):
            offline.fetch(f"{server.url}/other")
        assert server.asked == ["whole"]


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://127.0.0.1/x", "whole"])
def test_only_the_web_is_asked(url: str, cache: DownloadCache) -> None:
    with pytest.raises(InfraError, match="only http and https"):
        cache.fetch(url)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with serving() as server, pytest.raises(InfraError, match="name another --rogue-downloads"):
        DownloadCache(tmp_path / "file" / "cache").fetch(f"{server.url}/whole")


def test_several_processes_fetch_a_file_once(cache: DownloadCache) -> None:
    code = (
        "import sys; from pathlib import Path; from pytest_rogue.published.downloads import DownloadCache; "
        "print(len(DownloadCache(Path(sys.argv[1])).fetch(sys.argv[2]).read_bytes()))"
    )
    with serving(file=[web_server.slowly]) as server:
        command = [sys.executable, "-c", code, str(cache.folder), f"{server.url}/file"]
        processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
        printed = [process.communicate()[0].strip() for process in processes]

    assert (printed, server.asked) == ([str(len(WHOLE))] * 3, ["file"])
