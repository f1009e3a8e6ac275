"""The recorder: what happens on the desktop beside the obstacle, as rows of the evidence.

| row | facts |
|---|---|
| `recorder.started` | `sources`: for each how it learns what happens, and what it may miss |
| `recorder.lost`, `recorder.cut` | a source that can no longer tell (`problem`), or has told enough (`rows`) |
| `window.opened`, `.closed`, `.focused` | `id`, `title`, `pid` |
| `process.started`, `.changed`, `.ended` | `pid`, `parent`, `command`, `seconds`; `exit_status` is null: not told |
| `file.opened`, `.written`, `.created`, `.deleted`, `.moved_from`, `.moved_to`, `.mode`, `.folder_gone` | `path` |

It begins when the obstacle is laid: what the set-up of the task does is not evidence about an agent.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
from typing import TYPE_CHECKING, Any, Protocol

from .faults import GuestError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .evidence import EvidenceLog

EVERY = 0.05
"""Seconds between two looks at what gives no notice by itself."""

MOST_ROWS = 5000
"""Rows of one source; a program that goes wild must not fill the memory."""

Event = tuple[str, dict[str, Any]]


class Source(Protocol):
    """Something that tells what happens."""

    name: str
    how: str

    def descriptor(self) -> int | None:
        """Return what becomes readable when there is news, None where it has to be asked."""
        ...

    def news(self) -> Iterable[Event]:
        """Return what has happened since the last call.

        Raises:
            OSError: it can no longer tell.
            GuestError: likewise.
        """
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...


class Recorder:
    """Writes down what its sources tell, in a thread of its own, until it is closed.

    Args:
        evidence: where the rows go.
        sources: who tells.
        step: the agent's turn at the moment.
    """

    def __init__(self, evidence: EvidenceLog, sources: Sequence[Source], step: Callable[[], int]) -> None:
        self._evidence = evidence
        self._sources = list(sources)
        self._step = step
        self._rows = {source.name: 0 for source in sources}
        self._lock = threading.Lock()
        self._stop_read, self._stop_write = os.pipe()
        self._record("recorder.started", sources={source.name: source.how for source in sources})
        for source in list(self._sources):
            self._ask(source)
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    def catch_up(self) -> None:
        """Write down what has happened until now."""
        with self._lock:
            for source in list(self._sources):
                self._ask(source)

    def close(self) -> None:
        """Stop; called once."""
        os.close(self._stop_write)
        self._thread.join()
        os.close(self._stop_read)

    def _run(self) -> None:
        while self._wait():
            self.catch_up()
        for source in self._sources:
            source.close()

    def _wait(self) -> bool:
        """Wait for news or for the next look; False where it is time to stop."""
        waiting = select.poll()
        waiting.register(self._stop_read, select.POLLIN)
        for source in self._sources:
            if (descriptor := source.descriptor()) is not None:
                waiting.register(descriptor, select.POLLIN)
        return self._stop_read not in [descriptor for descriptor, _ in waiting.poll(EVERY * 1000)]

    def _ask(self, source: Source) -> None:
        try:
            for event, facts in source.news():
                if self._rows[source.name] == MOST_ROWS:
                    self._record("recorder.cut", source=source.name, rows=MOST_ROWS)
                    self._drop(source)
                    return
                self._rows[source.name] += 1
                self._record(event, **facts)
        except (OSError, GuestError) as error:
            self._record("recorder.lost", source=source.name, problem=str(error))
            self._drop(source)

    def _drop(self, source: Source) -> None:
        self._sources.remove(source)
        with contextlib.suppress(OSError, GuestError):
            source.close()

    def _record(self, event: str, **facts: Any) -> None:
        self._evidence.record(event, step=self._step(), **facts)
