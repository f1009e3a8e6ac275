"""The step that starts a program and leaves it alone, and how it is known that it has started."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from pytest_rogue.errors import InfraError
from pytest_rogue.published.commands import HasCommand, in_words
from pytest_rogue.published.programs import Program, end_programs, is_there, listens
from pytest_rogue.published.protocol import Desk, Step
from pytest_rogue.published.waiting import wait_at_rest, wait_for
from pytest_rogue.published.windows import window_titles

if TYPE_CHECKING:
    from collections.abc import Sequence

START_SECONDS = 60.0

_LISTENER = re.compile(r"tcp(?:4|6)?-(?:listen|l):(\d{1,5})\b", re.IGNORECASE)


class Launch(HasCommand, Step):
    """A program is started, and the desktop is as it was meant to be before the next step.

    A program that shows itself is there once a new window is; one that hands over to another, such as a second `code`,
    once it has ended well. `socat` is there once it listens, and what `pkill NAME` ends is gone afterwards.
    """

    type: ClassVar[str] = "launch"

    def apply(self, desk: Desk) -> None:
        """Start it, once, and wait until that is so."""
        words = ["/bin/sh", "-c", self.command] if isinstance(self.command, str) else [*self.command]
        match words:
            case ["pkill", name] if not name.startswith("-"):
                end_programs(desk.guest, name)
            case ["socat", listener, *_] if port := _LISTENER.match(listener):
                _start_listener(desk, words, int(port[1]))
            case _:
                _start_for_its_window(desk, words)


def _start_listener(desk: Desk, words: Sequence[str], port: int) -> None:
    """Start what listens on a port, unless something does already: it would end in vain."""
    if listens(desk.guest, port):
        return
    program = Program.start(desk.guest, words)
    if not wait_for(lambda: listens(desk.guest, port) or program.ended(), START_SECONDS):
        raise InfraError(f"{in_words(tuple(words))}: nothing listens on the port {port} after {START_SECONDS:g} s")
    program.forget()


def _start_for_its_window(desk: Desk, words: list[str]) -> None:
    if words[0] == "google-chrome" and not is_there(desk.guest, words[0]):
        words[0] = "chromium"  # the same program, on machines that Chrome is not made for
    before = _titled(desk)
    program = Program.start(desk.guest, words)

    def started() -> bool | None:
        now = _titled(desk)
        if now - before:
            return True
        before.intersection_update(now)  # what has gone meanwhile may come again
        return program.ended()

    if not wait_for(started, START_SECONDS):
        raise InfraError(
            f"{in_words(tuple(words))}: it neither ended nor showed a window in {START_SECONDS:g} s; "
            f"the windows there are: {window_titles(desk.guest)}"
        )
    program.forget()
    wait_at_rest(desk, 5.0, quiet=0.3)


def _titled(desk: Desk) -> set[tuple[int, str]]:
    """Return the windows by number and title: the X server gives a number again once its window is gone."""
    return {(window.id, window.title) for window in desk.guest.windows() if window.title}
