"""A GTK program for the tests: a table of many rows, or a window whose texts are hard to write as XML."""

from __future__ import annotations

import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402  # the version has to be named first

ROWS = 20_000


def table() -> Gtk.Widget:
    store = Gtk.ListStore(str, str)
    for row in range(ROWS):
        store.append([f"item {row}", f"price {row}"])
    view = Gtk.TreeView(model=store)
    for column, title in enumerate(("Item", "Price")):
        view.append_column(Gtk.TreeViewColumn(title, Gtk.CellRendererText(), text=column))
    scrolled = Gtk.ScrolledWindow()
    scrolled.add(view)
    return scrolled


def odd_texts() -> Gtk.Widget:
    label = Gtk.Label(label="]]> <&> \x01\x1b[31m \ufffe end")
    label.get_accessible().set_name('a "name" <with> \x02')
    return label


def many_labels() -> Gtk.Widget:
    grid = Gtk.Grid()
    for number in range(1000):
        grid.attach(Gtk.Label(label=f"{number % 10}"), number % 50, number // 50, 1, 1)
    return grid


FILLINGS = {"table": table, "odd_texts": odd_texts, "many_labels": many_labels}
window = Gtk.Window(title="Crowded")
window.set_default_size(400, 300)
window.add(FILLINGS[sys.argv[1]]())
window.show_all()
Gtk.main()
