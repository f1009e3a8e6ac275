"""What can go wrong when a Drive is asked, as far as somebody acts on it."""

from __future__ import annotations

from pytest_rogue.errors import InfraError


class DriveBusy(InfraError):
    """Worth another try.

    Args:
        message: what was answered.
        retry_after: seconds that the server asks to wait, None where it did not say.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class DriveFileGone(InfraError):
    """There is no such file, or no longer."""
