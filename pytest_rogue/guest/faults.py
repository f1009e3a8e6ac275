"""What can go wrong in the guest, as it is told to the client."""

from __future__ import annotations


class GuestError(Exception):
    """A fault with a name.

    Args:
        kind: one word for programs, `window_timeout` for instance.
        message: one sentence for people: what, where, what to do.
    """

    status = 500

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class BadRequest(GuestError):
    """The request is wrong; sending it again would not help."""

    status = 400

    def __init__(self, message: str) -> None:
        super().__init__("bad_request", message)


class NotFound(GuestError):
    """There is no such path, file, or folder."""

    status = 404

    def __init__(self, message: str) -> None:
        super().__init__("not_found", message)


class Unreadable(GuestError):
    """It is there, and the desktop's user may not look at it or cannot: a finding, not a fault of the guest."""

    status = 403

    def __init__(self, message: str) -> None:
        super().__init__("unreadable", message)


class TooLarge(GuestError):
    """More bytes than the guest takes or gives at once."""

    status = 413

    def __init__(self, message: str) -> None:
        super().__init__("too_large", message)
