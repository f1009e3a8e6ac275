"""Wakes the accessibility bus, so that every application that starts later is readable."""

from __future__ import annotations

import os
import struct

from .dbus import BusError, Call, Connection, Reader, marshal_texts
from .faults import GuestError

_TIMEOUT = 20.0


def connect_session() -> Connection:
    """Connect to the session bus in the environment.

    Raises:
        GuestError: `bus_lost`.
    """
    return _connect(os.environ.get("DBUS_SESSION_BUS_ADDRESS", ""), "the session bus")


def enable(bus: Connection) -> None:
    """Tell all applications that somebody reads them, and start what they register with.

    Args:
        bus: the session bus; it is closed.

    Raises:
        GuestError: `a11y_lost`.
    """
    _start(bus, "org.a11y.Bus")
    for name in ("IsEnabled", "ScreenReaderEnabled"):
        _ask(bus, "org.freedesktop.DBus.Properties", "Set", "ssv", _boolean_property("org.a11y.Status", name))
    address = Reader(_ask(bus, "org.a11y.Bus", "GetAddress")).text()
    bus.close()
    registry = _connect(address, "the accessibility bus")
    _start(registry, "org.a11y.atspi.Registry")
    registry.close()


def _start(bus: Connection, service: str) -> None:
    own, path = "org.freedesktop.DBus", "/org/freedesktop/DBus"
    body = _with_number(marshal_texts(service), 0)
    if bus.call(Call(own, path, own, "StartServiceByName", "su", body), timeout=_TIMEOUT) is None:
        raise GuestError("a11y_lost", f"{service} does not start: is at-spi2-core installed?")


def _connect(address: str, what: str) -> Connection:
    try:
        return Connection(address, timeout=_TIMEOUT)
    except BusError as error:
        raise GuestError("bus_lost", f"{what} does not answer: {error}") from None


def _ask(bus: Connection, interface: str, member: str, signature: str = "", body: bytes = b"") -> bytes:
    call = Call("org.a11y.Bus", "/org/a11y/bus", interface, member, signature, body)
    answer = bus.call(call, timeout=_TIMEOUT)
    if answer is None:
        raise GuestError("a11y_lost", f"org.a11y.Bus does not answer {member}: is at-spi2-core installed?")
    return answer


def _boolean_property(interface: str, name: str) -> bytes:
    """Marshal the arguments of `Properties.Set` for the value true."""
    return _with_number(marshal_texts(interface, name) + b"\x01b\0", 1)


def _with_number(body: bytes, number: int) -> bytes:
    return body + bytes(-len(body) % 4) + struct.pack("<I", number)
