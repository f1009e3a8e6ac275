"""What the stock guest server asks for one accessibility tree, one call after the other; runs inside a desktop.

Of each node: role, name, states, attributes, place and size, text, value, every action with its description and key;
then its children, one by one, whether they show or not, 50 deep and 1,024 wide. Of a spreadsheet: the cells that show,
row by row, until one does not. Before all that, the version of LibreOffice; in the end, XML. The start of the
interpreter and the import of the library are not counted, since a server has done that before.

Prints the seconds it took and the number of nodes.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
import warnings
import xml.etree.ElementTree as ET
from typing import Any

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402  # the version has to be named first

warnings.simplefilter("ignore")  # the names that the stock server's library uses are old ones
DEEPEST, WIDEST = 50, 1024
FIRST_CELL_WITHIN = 500


def walk(node: Any, above: ET.Element, depth: int = 0) -> int:
    """Put a node and all below it into the tree, and return how many these are."""
    try:
        role = node.get_role_name()
        item = ET.SubElement(above, role.replace(" ", "-") or "unknown", name=node.get_name())
        describe(node, item)
        if depth >= DEEPEST:
            return 1
        children = showing_cells(node) if role == "table" and "Sheet" in node.get_name() else all_children(node)
        return 1 + sum(walk(child, item, depth + 1) for child in children)
    except GLib.Error:
        return 0  # it has gone meanwhile


def describe(node: Any, item: ET.Element) -> None:
    for state in node.get_state_set().get_states():
        item.set(state.value_nick, "true")
    for key, value in node.get_attributes().items():
        item.set(key, value)
    component, text, value, action = (
        node.get_component_iface(),
        node.get_text_iface(),
        node.get_value_iface(),
        node.get_action_iface(),
    )
    if component:
        box = component.get_extents(Atspi.CoordType.SCREEN)
        item.set("box", f"{box.x}, {box.y}, {box.width}, {box.height}")
    if text:
        item.text = Atspi.Text.get_text(text, 0, Atspi.Text.get_character_count(text))
    if value:
        numbers = Atspi.Value.get_current_value, Atspi.Value.get_minimum_value, Atspi.Value.get_maximum_value
        for ask in (*numbers, Atspi.Value.get_minimum_increment):
            item.set(ask.__name__, str(ask(value)))
    if action:
        for place in range(Atspi.Action.get_n_actions(action)):
            name = Atspi.Action.get_action_name(action, place)
            item.set(f"{name}_desc", Atspi.Action.get_action_description(action, place))
            item.set(f"{name}_key", Atspi.Action.get_key_binding(action, place))


def all_children(node: Any) -> Any:
    for place in range(min(node.get_child_count(), WIDEST)):
        child = node.get_child_at_index(place)
        if child:
            yield child


def showing_cells(sheet: Any) -> Any:
    columns = Atspi.Table.get_n_columns(sheet.get_table_iface())
    for row in range(FIRST_CELL_WITHIN):
        for column in range(columns):
            cell = sheet.get_child_at_index(row * columns + column)
            if not cell.get_state_set().contains(Atspi.StateType.SHOWING):
                if column == 0:
                    return
                break
            yield cell


def main() -> None:
    desktop = Atspi.get_desktop(0)
    began = time.perf_counter()
    if shutil.which("libreoffice"):
        subprocess.run(["libreoffice", "--version"], capture_output=True, check=False)
    root = ET.Element("desktop-frame")
    nodes = sum(walk(application, root) for application in all_children(desktop))
    ET.tostring(root)
    sys.stdout.write(f"{time.perf_counter() - began} {nodes}\n")


main()
