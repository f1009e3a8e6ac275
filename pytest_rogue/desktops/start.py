"""Start a desktop, as often as the policy for a failed start allows; see later whether it is still there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.errors import DesktopLost, DesktopStartError, GuestFault, policy_for

if TYPE_CHECKING:
    from pytest_rogue.desktops.protocol import Desktop, DesktopSpec, Provider


def start_desktop(provider: Provider, spec: DesktopSpec) -> Desktop:
    """Return a fresh desktop.

    Raises:
        DesktopStartError: the last allowed try failed too.
    """
    for _ in range(policy_for(DesktopStartError).retries):
        try:
            return provider.start(spec)
        except DesktopStartError:
            continue
    return provider.start(spec)


def was_taken_away(desktop: Desktop) -> bool:
    """True where who provides the machine says that they took it away: then nothing that ran in it did that."""
    asked = getattr(desktop, "taken_away", None)
    return asked is not None and asked()


def is_well(desktop: Desktop) -> bool:
    """True where a desktop that was ready once still answers and has all its parts."""
    try:
        return desktop.guest.ready() == ()
    except (DesktopLost, GuestFault):
        return False
