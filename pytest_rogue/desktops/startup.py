"""A desktop that is being started in a thread of its own.

The main thread only waits for it: Ctrl-C cuts the waiting short, never a start between two of its steps.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING

from pytest_rogue.desktops.start import start_desktop

if TYPE_CHECKING:
    from pytest_rogue.desktops.protocol import Desktop, DesktopSpec, Provider


class Startup:
    """Starts a desktop in the background.

    Args:
        provider: makes it.
        spec: what it should be like.
        lease: that was taken for it.
    """

    def __init__(self, provider: Provider, spec: DesktopSpec, lease: str) -> None:
        self.spec = spec
        self.lease = lease
        self._provider = provider
        self._started: Future[Desktop] = Future()
        # A daemon: whoever leaves without closing the pool is not kept, and the desktop ends with its process.
        threading.Thread(target=self._start, name="pytest-rogue-startup", daemon=True).start()

    def desktop(self) -> Desktop:
        """Return the desktop as soon as it is proven ready.

        Raises:
            DesktopStartError: it did not come up; nothing of it is left.
        """
        return self._started.result()

    def _start(self) -> None:
        try:
            self._started.set_result(start_desktop(self._provider, self.spec))
        except BaseException as error:  # noqa: BLE001 - whoever asks for the desktop gets it
            self._started.set_exception(error)
