"""Whether the end of an obstacle's window was somebody's doing: what its last row of evidence can prove."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

GTK_GAVE_UP = 1
"""Exit status that GTK takes where its connection was cut, and where the X server refused a request."""

REFUSED = "The error was"
"""GTK's words in the second case."""

NO_SUCH_WINDOW = ("BadWindow", "BadDrawable")
"""Refusals that a window meets where somebody has destroyed it."""

WINDOW_DESTROYED = 4
"""Exit status of the window's program where another one destroyed the window (`DESTROYED` in the guest)."""

TRACEBACK = '  File "'
"""What stands in the last words of a Python program that ended by a fault of its own; its exit status is GTK's."""

_SENT = {1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 10: "SIGUSR1", 12: "SIGUSR2", 14: "SIGALRM", 15: "SIGTERM"}
"""Signals that no fault of a program raises: somebody sent them. By their numbers in the desktop, which is a Linux."""

_KILL = 9


def ended_from_outside(row: Mapping[str, Any]) -> str:
    """Say how a program ended the window, from its row `obstacle.died`; empty where that is not proven.

    A SIGKILL is proof only where the kernel has ended nothing for want of memory meanwhile. A fault of the window's own
    program (a segmentation fault, say) proves nothing, nor does an X server that is gone, or what the guest did itself.
    """
    if row.get("by_guest"):
        return ""
    number, status = row.get("signal"), row.get("exit_status")
    if number == _KILL and row.get("out_of_memory") is False:
        return "SIGKILL"
    if number in _SENT:
        return _SENT[number]
    if row.get("display") is not True:
        return ""
    words = str(row.get("words", ""))
    if TRACEBACK in words:
        return ""
    refused = status == GTK_GAVE_UP and REFUSED in words
    if status == WINDOW_DESTROYED or (refused and any(error in words for error in NO_SUCH_WINDOW)):
        return "its window was destroyed"
    return "its connection to the screen was cut" if status == GTK_GAVE_UP and not refused else ""
