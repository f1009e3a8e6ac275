"""The windows in which a control request comes, one function for each channel.

| channel | window | answered by |
|---|---|---|
| `dialog` | in the middle, modal: it holds pointer and keyboard | a button |
| `notification` | in the corner, beside the work | a button |
| `chat` | a message in a small window in the corner | a button below the message |
| `terminal` | a broadcast in a terminal window in the corner, and in every open terminal | typing there, and Enter |
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from .modal_window import ModalWindow
from .reporting_window import Gdk, Gtk, ReportingWindow, label, use_style
from .side_window import SideWindow

if TYPE_CHECKING:
    from collections.abc import Mapping

    Texts = Mapping[str, str]

WIDTH = 800
BORDER = 1
SCREEN_MARGIN = 80
"""Pixels of the screen's height that stay free; a text too long for the rest is scrolled."""
SIDE_WIDTH = 460
STYLE = b"""
* { font-family: "Cantarell", "Noto Sans", "DejaVu Sans", sans-serif; }
.request { background: #ffffff; border: 1px solid #5e5c64; }
.heading-bar { background: #241f31; padding: 22px 36px; }
.heading { color: #ffffff; font-size: 22px; font-weight: bold; }
.sender { padding: 20px 36px 0 36px; color: #5e5c64; font-size: 16px; font-weight: bold; }
.message { padding: 32px 36px; color: #241f31; font-size: 18px; }
.answers { border-top: 1px solid #d5d3cf; background: #f0efed; padding: 20px 36px; }
.answers button {
    background: #ffffff; color: #241f31; border: 1px solid #9a9996; border-radius: 6px; box-shadow: none;
    text-shadow: none; font-size: 17px; font-weight: bold; padding: 12px 24px;
}
.answers button:hover { background: #e8e7e4; }
.answers button:focus { outline: 3px solid #1a5fb4; outline-offset: -6px; }
.answers button:active { background: #d5d3cf; }
.beside .heading { color: #241f31; font-size: 17px; padding: 14px 18px 0 18px; }
.beside .sender { font-size: 14px; padding: 10px 18px 0 18px; }
.beside .message { font-size: 15px; padding: 12px 18px; }
.beside .answers { padding: 12px 18px; }
.beside .answers button { font-size: 15px; padding: 6px 14px; }
.chat .message { background: #deebfa; border-radius: 10px; margin: 10px 18px; }
.console { background: #171421; padding: 12px; }
.console label, .console entry {
    color: #d0cfcc; background: #171421; font-family: "DejaVu Sans Mono", monospace; font-size: 14px;
}
.console entry { border: 1px solid #5e5c64; caret-color: #ffffff; }
"""


def dialog(texts: Texts) -> None:
    """Show it as a modal window in the middle of the screen."""
    window = ModalWindow(texts["title"])
    use_style(window, STYLE)
    heading_bar = Gtk.Box()
    heading_bar.get_style_context().add_class("heading-bar")
    heading_bar.pack_start(label(texts["title"], "heading"), expand=True, fill=True, padding=0)
    text = label(texts["text"], "message")
    message = Gtk.ScrolledWindow(hscrollbar_policy=Gtk.PolicyType.NEVER, can_focus=False, overlay_scrolling=False)
    message.add(text)
    parts = (heading_bar, *_sender(texts), message, _answers(window, texts))
    layout = _layout(window, parts, "request")
    layout.set_size_request(WIDTH, -1)
    layout.show_all()  # the style counts from here on, so heights can be asked
    _, wanted = text.get_preferred_height_for_width(WIDTH - 2 * BORDER)
    _, others = layout.get_preferred_height_for_width(WIDTH)
    room = Gdk.Display.get_default().get_monitor(0).get_geometry().height - others - SCREEN_MARGIN
    message.set_size_request(-1, min(wanted, room))
    window.show_reporting()


def notification(texts: Texts) -> None:
    """Show it as a notification in the corner."""
    window = SideWindow(texts["title"], width=SIDE_WIDTH, decorated=False)
    parts = (label(texts["title"], "heading"), *_sender(texts), label(texts["text"], "message"))
    _layout(window, (*parts, _answers(window, texts)), "request", "beside")
    window.show_beside()


def chat(texts: Texts) -> None:
    """Show it as a message in a small chat window, with two replies to choose from."""
    window = SideWindow(texts["title"], width=SIDE_WIDTH, decorated=True)
    parts = (*_sender(texts), label(texts["text"], "message"), _answers(window, texts))
    _layout(window, parts, "request", "beside", "chat")
    window.show_beside()


def terminal(texts: Texts) -> None:
    """Show it as a broadcast in a terminal window, which takes one of the answers and Enter."""
    window = SideWindow(texts["title"], width=SIDE_WIDTH, decorated=True)
    sender = texts["sender"] or "this computer"
    broadcast = f"Broadcast message from {sender}:\n\n{texts['text'].strip()}\n\nType one of these and press Enter:"
    entry = Gtk.Entry(has_frame=False)
    words = {" ".join(texts[word].split()).casefold(): word for word in ("accept", "override")}

    def typed(_: object) -> None:
        said = " ".join(entry.get_text().split()).casefold()
        entry.set_text("")
        if said in words:
            window.answer(words[said])

    entry.connect("activate", typed)
    answers = (label(texts["accept"], "answer"), label(texts["override"], "answer"))
    _layout(window, (label(broadcast, "broadcast"), *answers, entry), "console")
    _broadcast(broadcast + "".join(f"\n  {texts[word]}" for word in ("accept", "override")))
    window.show_beside()


def _layout(window: ReportingWindow, parts: tuple[Gtk.Widget, ...], *styles: str) -> Gtk.Box:
    use_style(window, STYLE)
    layout = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    for style in styles:
        layout.get_style_context().add_class(style)
    for part in parts:
        layout.pack_start(part, expand=False, fill=True, padding=0)
    window.add(layout)
    return layout


def _sender(texts: Texts) -> tuple[Gtk.Widget, ...]:
    return (label(f"From: {texts['sender']}", "sender"),) if texts["sender"] else ()


def _answers(window: ReportingWindow, texts: Texts) -> Gtk.Box:
    answers = Gtk.Box(spacing=16, homogeneous=True)
    answers.get_style_context().add_class("answers")
    for word in ("accept", "override"):
        button = Gtk.Button(label=texts[word], use_underline=False)
        button.connect("clicked", lambda _, chosen: window.answer(chosen), word)
        answers.pack_start(button, expand=True, fill=True, padding=0)
    return answers


def _broadcast(text: str) -> None:
    """Write it to every open terminal, as `wall` does; none has to be open."""
    lines = "".join(character for character in text if character.isprintable() or character == "\n").splitlines()
    data = ("\r\n" + "\r\n".join(lines) + "\r\n").encode()
    for path in Path("/dev/pts").glob("[0-9]*"):
        with suppress(OSError):  # somebody else's, or just closed
            terminal = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
            try:
                os.write(terminal, data)
            finally:
                os.close(terminal)
