"""Files from the web, each fetched once: a cache that all runs and all workers share.

A file stands under the SHA-256 of its content, and beside it, under that of its URL, what was fetched from where. Both
are renamed into place when they are whole, so that nobody ever finds a part of a file.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from pytest_rogue.errors import InfraError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tenacity import RetryCallState

MOST_BYTES = 2 * 1024**3
"""Of one file."""

MOST_SECONDS = 900.0
"""That one attempt to fetch a file may take."""

SILENCE = 30.0
"""Seconds without a byte after which an attempt is given up."""

ATTEMPTS = 3

ATTEMPTS_IN_A_CROWD = 8
"""Where the server answers that it has too much to do, as the hosts of data sets do by the minute."""

LONGEST_WAIT = 300.0
"""Seconds that a server may ask to be left alone for; one that asks for more is not waited for."""

_BUSY = (429, 503)


class _BrokenOff(Exception):
    """An attempt failed in a way in which the next one may not."""


class _Busy(_BrokenOff):
    """The server has too much to do, and asks to wait `seconds`, None where it does not say how long."""

    def __init__(self, said: str, seconds: float | None) -> None:
        super().__init__(said if seconds is None else f"{said}, and asks to wait {seconds:g} s")
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class DownloadCache:
    """Files from the web.

    Attributes:
        folder: where they are kept.
        offline: whether nothing is fetched, and only what is there already is given out.
        most_bytes: that a file may have.
        most_seconds: that one attempt to fetch one may take.
    """

    folder: Path
    offline: bool = False
    most_bytes: int = MOST_BYTES
    most_seconds: float = MOST_SECONDS

    def fetch(self, url: str) -> Path:
        """Return the file of a URL, whole; it is not to be changed.

        Raises:
            InfraError: it cannot be had; the message names the URL and what to do.
        """
        if (found := self._whole(url)) is not None:
            return found
        if self.offline:
            raise InfraError(f"{url} was not fetched yet, and --rogue-offline forbids it; run once without")
        if not url.startswith(("http://", "https://")):
            raise InfraError(f"{url} cannot be fetched: only http and https can")
        try:
            with self._locked(url):
                return self._whole(url) or self._fetch(url)
        except OSError as error:
            raise InfraError(
                f"{url} cannot be kept in {self.folder}: {error}; name another --rogue-downloads"
            ) from error

    def missing(self, urls: Iterable[str]) -> list[str]:
        """Return those URLs, each once, whose file is not there."""
        return [url for url in dict.fromkeys(urls) if self._kept(url) is None]

    def _kept(self, url: str) -> dict[str, Any] | None:
        """Return what was noted of a URL whose file is there with the size it should have."""
        try:
            note = json.loads(self._note(url).read_bytes())
            same = note["url"] == url and (self.folder / "files" / note["sha256"]).stat().st_size == note["size"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return dict(note) if same else None

    def _whole(self, url: str) -> Path | None:
        """Return the file of a URL if its content is what was fetched, to the last byte."""
        note = self._kept(url)
        if note is None:
            return None
        path = self.folder / "files" / str(note["sha256"])
        with path.open("rb") as file:
            return path if hashlib.file_digest(file, "sha256").hexdigest() == note["sha256"] else None

    def _note(self, url: str) -> Path:
        return self.folder / "urls" / f"{hashlib.sha256(url.encode(errors='replace')).hexdigest()}.json"

    @contextmanager
    def _locked(self, url: str) -> Iterator[None]:
        """Hold the only right to fetch a URL. The kernel takes it from a process that dies."""
        for name in ("files", "urls", "partial"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        with self._note(url).with_suffix(".lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # whoever holds it is bound in time
            yield

    def _fetch(self, url: str) -> Path:
        from tenacity import RetryError, Retrying, retry_if_exception_type

        tries = Retrying(stop=_is_enough, wait=_pause, retry=retry_if_exception_type(_BrokenOff))
        try:
            return tries(self._attempt, url)
        except RetryError as error:
            problem = error.last_attempt.exception()
            raise InfraError(
                f"{url} cannot be fetched ({problem}); see whether it can be reached, and try again"
            ) from error

    def _attempt(self, url: str) -> Path:
        import httpx

        with tempfile.NamedTemporaryFile(dir=self.folder / "partial") as partial:
            try:
                with httpx.stream(
                    "GET", url, headers={"Accept-Encoding": "identity"}, follow_redirects=True, timeout=SILENCE
                ) as response:
                    _check_status(url, response.status_code, response.headers.get("Retry-After", ""))
                    digest, size = self._receive(url, response.iter_raw(), partial)
                    announced = response.headers.get("Content-Length")
            except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
                raise _BrokenOff(f"{type(error).__name__}: {error}") from error
            if announced is not None and announced != str(size):
                raise _BrokenOff(f"{size} bytes came of {announced}")
            path = self.folder / "files" / digest
            _put(Path(partial.name), path)
        self._write_note(url, {"url": url, "sha256": digest, "size": size})
        return path

    def _receive(self, url: str, pieces: Iterable[bytes], partial: IO[bytes]) -> tuple[str, int]:
        """Write what comes; return its SHA-256 (hex) and its size in bytes."""
        deadline = time.monotonic() + self.most_seconds
        hashed, size = hashlib.sha256(), 0
        for piece in pieces:
            size += len(piece)
            if size > self.most_bytes:
                raise InfraError(f"{url} has more than the {self.most_bytes:,} bytes that are fetched")
            if time.monotonic() > deadline:
                raise _BrokenOff(f"it did not come within {self.most_seconds:g} s")
            hashed.update(piece)
            partial.write(piece)
        partial.flush()
        return hashed.hexdigest(), size

    def _write_note(self, url: str, note: Mapping[str, object]) -> None:
        with tempfile.NamedTemporaryFile("w", dir=self.folder / "partial") as partial:
            json.dump(note, partial)
            partial.flush()
            _put(Path(partial.name), self._note(url))


def default_folder() -> Path:
    """Return where files are kept unless something else is said: below the user's cache folder."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pytest-rogue" / "downloads"


def _check_status(url: str, status: int, retry_after: str) -> None:
    said = f"the server answers {status}"
    if status in _BUSY:
        raise _Busy(said, float(retry_after) if retry_after.isdecimal() else None)
    if status >= 500:
        raise _BrokenOff(said)
    if status != 200:
        raise InfraError(f"{url} cannot be fetched: {said}")


def _is_enough(state: RetryCallState) -> bool:
    fault = state.outcome.exception() if state.outcome else None
    if not isinstance(fault, _Busy):
        return state.attempt_number >= ATTEMPTS
    return state.attempt_number >= ATTEMPTS_IN_A_CROWD or (fault.seconds or 0.0) > LONGEST_WAIT


def _pause(state: RetryCallState) -> float:
    from tenacity import wait_exponential, wait_random_exponential

    fault = state.outcome.exception() if state.outcome else None
    if not isinstance(fault, _Busy):
        return wait_exponential(multiplier=0.25, max=5)(state)
    # Without a word of the server's, workers that were refused together come back apart.
    return wait_random_exponential(multiplier=1, max=60)(state) if fault.seconds is None else fault.seconds


def _put(whole: Path, path: Path) -> None:
    """Let a file that is whole stand at `path`, too, in one go; one that stands there is replaced."""
    aside = whole.with_name(f"{whole.name}-whole")
    aside.hardlink_to(whole)
    aside.replace(path)
    aside.unlink(missing_ok=True)  # both names of one file: then to rename does nothing
