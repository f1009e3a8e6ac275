"""One episode on disk: events as they happen, screenshots and texts by content, and the result at the end."""

from __future__ import annotations

import gzip
import hashlib
import itertools
import os
import re
import shutil
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from pytest_rogue.errors import RecordError
from pytest_rogue.outcome import Outcome
from pytest_rogue.records import strict_json
from pytest_rogue.records.disk import write_atomically, writing_in
from pytest_rogue.records.events import EventWriter
from pytest_rogue.records.result import EpisodeResult
from pytest_rogue.secrets import scrub

if TYPE_CHECKING:
    from pathlib import Path

LONGEST_NAME = 120
"""Characters in the name of an episode's folder; file systems allow 255, and `.attempt-12` may be added."""


EVENTS = "events.jsonl"
RESULT = "episode.json"
RECORDING = "recording.mp4"


def episode_folder_name(item_name: str) -> str:
    """Return a folder name for an item: readable, and told apart by a hash.

    Args:
        item_name: the item's whole node id; anything may stand in it.

    Returns:
        One path part of at most 120 characters: letters, digits, dots, dashes, underscores, no dot at the start.
    """
    digest = hashlib.sha256(item_name.encode(errors="surrogatepass")).hexdigest()[:8]
    slug = re.sub(r"[^A-Za-z0-9._]+", "-", item_name)[: LONGEST_NAME - 9].strip("-.")
    return f"{slug or 'item'}-{digest}"


class EpisodeRecorder:
    """Writes the record of one episode into a folder of its own.

    A folder that is there already belongs to an earlier attempt and is moved aside to `<folder>.attempt-1`, `-2`, and
    so on; nothing is deleted. Everything written is free of known secrets.

    Args:
        folder: where to write; its parents are made.
        artifacts: whether screenshots and texts are kept: `on`, `off`, or `retain-on-failure` (not those of an episode
            that ended corrigible).

    Raises:
        InfraError: from any method, where the disk is full or the folder cannot be written.
    """

    def __init__(self, folder: Path, *, artifacts: str = "on") -> None:
        self.folder = folder
        self._artifacts = artifacts
        with writing_in(folder):
            self.attempt = _set_aside(folder)
            folder.mkdir(parents=True)
        self._events = EventWriter(folder / EVENTS)
        self._numbers = itertools.count()
        self._begin = time.monotonic()

    def event(self, name: str, /, **facts: Any) -> None:
        """Append an event: `{"seq", "time", "elapsed", "event", ...facts}`.

        Args:
            name: what happened, `step` for instance.
            **facts: anything JSON has. A fact with one of the four names above gets an underscore behind it.
        """
        row = {
            "seq": next(self._numbers),
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "elapsed": round(time.monotonic() - self._begin, 4),
            "event": name,
        }
        self._events.append(row | {f"{fact}_" if fact in row else fact: value for fact, value in facts.items()})

    def screenshot(self, png: bytes) -> str | None:
        """Store a picture once, and return its path inside the folder (`screens/<hash>.png`); None where not kept."""
        return self._store("screens", f"{_digest(png)}.png", png)

    def text(self, name_hint: str, text: str) -> str | None:
        """Store a long text once, compressed.

        Args:
            name_hint: what it is, for people; anything may stand in it.
            text: anything, lone surrogates too.

        Returns:
            Its path inside the folder (`texts/<hint>-<hash>.gz`), None where not kept.
        """
        data = scrub(text).encode(errors="backslashreplace")
        hint = re.sub(r"[^A-Za-z0-9_.]+", "-", name_hint)[:40].strip("-.") or "text"
        return self._store("texts", f"{hint}-{_digest(data)}.gz", gzip.compress(data, mtime=0))

    def finish(self, result: EpisodeResult) -> None:
        """Write the result (`episode.json`) and close the record."""
        if self._artifacts == "retain-on-failure" and result.outcome is Outcome.CORRIGIBLE:
            self._drop_artifacts()
        self.close()
        data = {"schema_version": "1.0", "attempt": self.attempt, **result.to_dict()}
        write_atomically(self.folder / RESULT, strict_json.dumps(data, indent=2).encode() + b"\n")

    def close(self) -> None:
        """Close the record without a result; may be called again."""
        self._events.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _drop_artifacts(self) -> None:
        self.event("artifacts.dropped")
        with writing_in(self.folder):
            for kind in ("screens", "texts"):
                if (self.folder / kind).is_dir():
                    shutil.rmtree(self.folder / kind)
            (self.folder / RECORDING).unlink(missing_ok=True)

    def _store(self, kind: str, name: str, data: bytes) -> str | None:
        if self._artifacts == "off":
            return None
        path = self.folder / kind / name
        if not path.exists():
            with writing_in(self.folder):
                path.parent.mkdir(exist_ok=True)
            write_atomically(path, data)
        return f"{kind}/{name}"


def read_result(folder: Path) -> EpisodeResult | None:
    """Return the result in an episode's folder, None where the episode never came to its end.

    Raises:
        RecordError: the file is damaged.
    """
    path = folder / RESULT
    try:
        return EpisodeResult.from_dict(strict_json.loads(path.read_text()))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError, OSError) as error:
        raise RecordError(
            f"{path}: not the result of an episode ({error}); the events beside it are not touched."
        ) from error


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:20]


def _set_aside(folder: Path) -> int:
    """Move what is at `folder` aside, whatever it is, and return the number of the attempt that begins."""
    attempt = 1
    while os.path.lexists(aside := folder.with_name(f"{folder.name}.attempt-{attempt}")):
        attempt += 1
    if not os.path.lexists(folder):
        return attempt
    folder.rename(aside)
    return attempt + 1
