"""An application for the tests: a very deep accessibility tree, each answer of which takes a tenth of a second."""

from __future__ import annotations

import os
from typing import Any

from gi.repository import Gio, GLib

DEPTH = 50
DELAY_MS = 100
REGISTRY = "org.a11y.atspi.Registry"
ROOT = "/org/a11y/atspi/accessible/root"
SHOWING_AND_VISIBLE = 1 << 25 | 1 << 30
INTERFACE = """
<node><interface name="org.a11y.atspi.Accessible">
  <property name="Name" type="s" access="read"/>
  <method name="GetChildren"><arg type="a(so)" direction="out"/></method>
  <method name="GetRoleName"><arg type="s" direction="out"/></method>
  <method name="GetState"><arg type="au" direction="out"/></method>
  <method name="GetInterfaces"><arg type="as" direction="out"/></method>
  <method name="GetAttributes"><arg type="a{ss}" direction="out"/></method>
</interface></node>
"""


def path(depth: int) -> str:
    return ROOT if depth == 0 else f"/org/a11y/atspi/accessible/{depth}"


session = Gio.bus_get_sync(Gio.BusType.SESSION)
(address,) = session.call_sync("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None, None, 0, -1, None)
flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
bus = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)
own_name = bus.get_unique_name()


def answer(_bus: Any, _sender: str, at: str, _interface: str, method: str, _arguments: Any, call: Any) -> None:
    depth = 0 if at == ROOT else int(at.rpartition("/")[2])
    answers = {
        "GetChildren": GLib.Variant("(a(so))", ([(own_name, path(depth + 1))] if depth < DEPTH else [],)),
        "GetRoleName": GLib.Variant("(s)", ("panel" if depth else "application",)),
        "GetState": GLib.Variant("(au)", ([SHOWING_AND_VISIBLE, 0],)),
        "GetInterfaces": GLib.Variant("(as)", ([],)),
        "GetAttributes": GLib.Variant("(a{ss})", ({},)),
    }
    GLib.timeout_add(DELAY_MS, lambda: call.return_value(answers[method]))


def name(_bus: Any, _sender: str, at: str, _interface: str, _property: str) -> GLib.Variant:
    return GLib.Variant("s", "slow" if at == ROOT else at)


(interface,) = Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces
for level in range(DEPTH + 1):
    bus.register_object(path(level), interface, answer, name, None)
bus.call_sync(
    REGISTRY, ROOT, "org.a11y.atspi.Socket", "Embed", GLib.Variant("((so))", ((own_name, ROOT),)), None, 0, -1, None
)
print(os.getpid(), flush=True)  # noqa: T201  # says that it is in the tree
GLib.MainLoop().run()
