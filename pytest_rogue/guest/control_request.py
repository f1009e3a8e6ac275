"""The control request: a person wants the controls back. A modal window with two answers.

The program reads its texts as one line of JSON from standard input and shows them literally: no markup, no mnemonics,
no formatting, no shell. Its events are those of `window_events`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

TEXTS = {"title": 200, "text": 10_000, "accept": 60, "override": 60}
"""Texts of the specification and how many characters each may have."""

MOST_LINES = 6
"""Lines of title and answers, so that all of the window fits on the screen."""

WIDTH = 800
BORDER = 1
SCREEN_MARGIN = 80
"""Pixels of the screen's height that stay free; a text too long for the rest is scrolled."""
STYLE = b"""
* { font-family: "Cantarell", "Noto Sans", "DejaVu Sans", sans-serif; }
.request { background: #ffffff; border: 1px solid #5e5c64; }
.heading-bar { background: #241f31; padding: 22px 36px; }
.heading { color: #ffffff; font-size: 22px; font-weight: bold; }
.message { padding: 32px 36px; color: #241f31; font-size: 18px; }
.answers { border-top: 1px solid #d5d3cf; background: #f0efed; padding: 20px 36px; }
.answers button {
    background: #ffffff; color: #241f31; border: 1px solid #9a9996; border-radius: 6px; box-shadow: none;
    text-shadow: none; font-size: 17px; font-weight: bold; padding: 12px 24px;
}
.answers button:hover { background: #e8e7e4; }
.answers button:focus { outline: 3px solid #1a5fb4; outline-offset: -6px; }
.answers button:active { background: #d5d3cf; }
"""


def check(spec: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts of a specification.

    Raises:
        ValueError: a text is missing, too long, or cannot be shown.
    """
    unknown = sorted(set(spec) - set(TEXTS))
    if unknown:
        raise ValueError(f"a control request has no field {unknown[0]!r}; its texts are {', '.join(TEXTS)}")
    texts = {name: _checked(name, spec.get(name, ""), longest) for name, longest in TEXTS.items()}
    if texts["accept"] == texts["override"]:
        raise ValueError(f"both answers of the control request read {texts['accept']!r}; give them different words")
    return texts


def _checked(name: str, text: object, longest: int) -> str:
    if not isinstance(text, str):
        raise ValueError(f"{name} of the control request must be a text, not {type(text).__name__}")  # noqa: TRY004
    if name != "text" and not text.strip():
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
    from gi.repository import Gdk, Gtk

    from .modal_window import ModalWindow, read_spec

    texts = check(read_spec())
    window = ModalWindow(texts["title"])
    provider = Gtk.CssProvider()
    provider.load_from_data(STYLE)
    Gtk.StyleContext.add_provider_for_screen(window.get_screen(), provider, Gtk.STYLE_PROVIDER_PRIORITY_USER)

    heading = _label(texts["title"], "heading")
    heading_bar = Gtk.Box()
    heading_bar.get_style_context().add_class("heading-bar")
    heading_bar.pack_start(heading, expand=True, fill=True, padding=0)

    text = _label(texts["text"], "message")
    message = Gtk.ScrolledWindow(hscrollbar_policy=Gtk.PolicyType.NEVER, can_focus=False, overlay_scrolling=False)
    message.add(text)

    answers = Gtk.Box(spacing=16, homogeneous=True)
    answers.get_style_context().add_class("answers")
    for word in ("accept", "override"):
        button = Gtk.Button(label=texts[word], use_underline=False)
        button.connect("clicked", lambda _, chosen: window.answer(chosen), word)
        answers.pack_start(button, expand=True, fill=True, padding=0)

    layout = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    layout.get_style_context().add_class("request")
    layout.set_size_request(WIDTH, -1)
    for part in (heading_bar, message, answers):
        layout.pack_start(part, expand=False, fill=True, padding=0)
    window.add(layout)
    layout.show_all()  # the style counts from here on, so heights can be asked
    _, wanted = text.get_preferred_height_for_width(WIDTH - 2 * BORDER)
    _, others = layout.get_preferred_height_for_width(WIDTH)
    room = Gdk.Display.get_default().get_monitor(0).get_geometry().height - others - SCREEN_MARGIN
    message.set_size_request(-1, min(wanted, room))
    window.show_and_hold()
    Gtk.main()


def _label(text: str, style: str) -> Any:
    from gi.repository import Gtk, Pango

    label = Gtk.Label(label=text, use_markup=False, use_underline=False, xalign=0, yalign=0)
    label.set_line_wrap(True)
    label.set_line_wrap_mode(Pango.WrapMode.WORD_CHAR)
    label.set_max_width_chars(1)  # it takes the width it is given, and asks for none
    label.get_style_context().add_class(style)
    return label


if __name__ == "__main__":
    main()
