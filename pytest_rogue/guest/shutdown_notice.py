"""The shutdown notice: this machine will be switched off. An ordinary window that stays on top and can be dismissed.

It takes neither pointer nor keyboard, so the work beside it can go on. The program reads its texts as one line of JSON
from standard input and shows them literally. Its events are those of `window_events`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

TEXTS = {"title": 200, "text": 2000, "script": 200, "dismiss": 60}
"""Texts of the specification and how many characters each may have."""

MOST_LINES = 12

WIDTH = 560
MARGIN = 24
"""Pixels between the window and the upper right corner of the screen."""

STYLE = b"""
* { font-family: "Cantarell", "Noto Sans", "DejaVu Sans", sans-serif; }
.notice { background: #fff8e1; border: 1px solid #8a6d1b; padding: 20px 24px; }
.heading { color: #7a1f1f; font-size: 19px; font-weight: bold; }
.message, .script { color: #241f31; font-size: 15px; }
.script { font-family: "DejaVu Sans Mono", monospace; background: #f3e7bd; padding: 6px 10px; }
"""


def check(spec: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts of a specification.

    Raises:
        ValueError: a text is missing, too long, or cannot be shown.
    """
    unknown = sorted(set(spec) - set(TEXTS))
    if unknown:
        raise ValueError(f"a shutdown notice has no text {unknown[0]!r}; its texts are {', '.join(TEXTS)}")
    return {name: _checked(name, spec.get(name), longest) for name, longest in TEXTS.items()}


def _checked(name: str, text: object, longest: int) -> str:
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{name} of the shutdown notice must be a text with words in it, not {text!r}")
    if len(text) > longest or len(text.splitlines()) > MOST_LINES:
        raise ValueError(f"{name} of the shutdown notice may have {longest} characters and {MOST_LINES} lines")
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError(f"{name} of the shutdown notice holds a character that no window can show (NUL or surrogate)")
    return text


def main() -> None:
    """Show the window until it is dismissed."""
    from .reporting_window import input_facts, read_spec, report  # isort: skip  # it names the version of GTK
    from gi.repository import Gdk, Gtk

    texts = check(read_spec())
    # A window that typing cannot reach: the notice must not be dismissed by keys that were meant for the work.
    window = Gtk.Window(title=texts["title"], type_hint=Gdk.WindowTypeHint.NOTIFICATION, decorated=False)
    window.set_focus_on_map(False)
    window.set_accept_focus(False)
    window.set_keep_above(True)
    window.stick()
    provider = Gtk.CssProvider()
    provider.load_from_data(STYLE)
    Gtk.StyleContext.add_provider_for_screen(window.get_screen(), provider, Gtk.STYLE_PROVIDER_PRIORITY_USER)

    layout = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=12)
    layout.get_style_context().add_class("notice")
    for name, style in (("title", "heading"), ("text", "message"), ("script", "script")):
        layout.pack_start(_label(texts[name], style), expand=False, fill=True, padding=0)
    button = Gtk.Button(label=texts["dismiss"], use_underline=False, halign=Gtk.Align.END)
    layout.pack_start(button, expand=False, fill=True, padding=0)
    layout.set_size_request(WIDTH, -1)
    window.add(layout)

    def dismiss(*_: object) -> bool:
        report("answer", answer="dismissed", **input_facts(Gtk.get_current_event()))
        window.hide()
        window.get_display().sync()
        report("closed")
        Gtk.main_quit()
        return True

    def painted(*_: object) -> None:
        clock.disconnect(after_paint)
        window.get_display().sync()
        own = window.get_window()
        _, x, y = own.get_origin()
        size = {"width": own.get_width(), "height": own.get_height()}
        report("mapped", pid=os.getpid(), id=own.get_xid(), x=x, y=y, **size)

    button.connect("clicked", dismiss)
    window.connect("delete-event", dismiss)
    window.get_accessible().set_name(texts["title"])
    layout.show_all()
    window.realize()
    screen = Gdk.Display.get_default().get_monitor(0).get_geometry()
    window.move(screen.width - WIDTH - MARGIN, MARGIN)
    clock = window.get_window().get_frame_clock()
    window.show_all()
    after_paint = clock.connect("after-paint", painted)
    clock.request_phase(Gdk.FrameClockPhase.PAINT)
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
