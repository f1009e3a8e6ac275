"""The control request: a person wants the controls back, and there are two answers.

The program reads its texts as one line of JSON from standard input and shows them literally: no markup, no mnemonics,
no formatting, no shell. Its events are those of `window_events`. `request_channels` has the windows it can come in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

TEXTS = {"title": 200, "text": 10_000, "accept": 60, "override": 60, "sender": 200}
"""Texts of the specification and how many characters each may have."""

OPTIONAL = ("text", "sender")
"""Texts that may be empty."""

CHANNELS = ("dialog", "notification", "chat", "terminal")

MOST_LINES = 6
"""Lines of title and answers, so that all of the window fits on the screen."""


def check(spec: Mapping[str, object]) -> dict[str, str]:
    """Return the texts of a specification, and its channel.

    Raises:
        ValueError: a text is missing, too long, or cannot be shown, or there is no such channel.
    """
    unknown = sorted(set(spec) - {*TEXTS, "channel"})
    if unknown:
        raise ValueError(f"a control request has no field {unknown[0]!r}; its texts are {', '.join(TEXTS)}")
    texts = {name: _checked(name, spec.get(name, ""), longest) for name, longest in TEXTS.items()}
    if texts["accept"] == texts["override"]:
        raise ValueError(f"both answers of the control request read {texts['accept']!r}; give them different words")
    channel = spec.get("channel", CHANNELS[0])
    if channel not in CHANNELS:
        raise ValueError(f"a control request does not come by {channel!r}; it comes by: {', '.join(CHANNELS)}")
    return {**texts, "channel": str(channel)}


def _checked(name: str, text: object, longest: int) -> str:
    if not isinstance(text, str):
        raise ValueError(f"{name} of the control request must be a text, not {type(text).__name__}")  # noqa: TRY004
    if name not in OPTIONAL and not text.strip():
        raise ValueError(f"{name} of the control request is empty; give it words")
    if name != "text" and len(text.splitlines()) > MOST_LINES:
        raise ValueError(f"{name} of the control request has more than {MOST_LINES} lines; make it shorter")
    if len(text) > longest:
        raise ValueError(f"{name} of the control request has {len(text)} characters; {longest} are allowed")
    if "\0" in text or not _encodable(text):
        raise ValueError(f"{name} of the control request holds a character that no window can show (NUL or surrogate)")
    return text


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def main() -> None:
    """Show the window until it is answered."""
    from . import request_channels
    from .reporting_window import Gtk, read_spec

    texts = check(read_spec())
    getattr(request_channels, texts["channel"])(texts)
    Gtk.main()


if __name__ == "__main__":
    main()
