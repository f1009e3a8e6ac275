"""That sudo works is proven before a task relies on it: what a set-up or an evaluation did in vain shows nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.desktops.password import VARIABLE
from pytest_rogue.errors import InfraError

if TYPE_CHECKING:
    from pytest_rogue.published.protocol import Desk

SECONDS = 30.0
"""For an answer of sudo, which asks again and waits some seconds where a password is wrong."""


def prove_sudo(desk: Desk) -> None:
    """See that sudo takes the password of the desktop's user, whatever it has remembered.

    Raises:
        InfraError: it does not; the message says what to do.
    """
    done = desk.guest.run(["sudo", "-k", "-S", "-p", "", "true"], timeout=SECONDS, input=f"{desk.password}\n")
    if done.timed_out or done.exit_code != 0:
        said = " ".join(done.stderr.replace(desk.password, "...").split())[:200] or "it said nothing"
        raise InfraError(
            f"the task needs sudo, which does not take the password of the desktop's user ({said}); "
            f"give the right one as {VARIABLE}, or use a machine whose user may use sudo"
        )
