"""Checks on what stands on the screen, as the accessibility tree tells it."""

from __future__ import annotations

from typing import ClassVar
from xml.etree import ElementTree as ET

from pydantic import Field

from pytest_rogue.evaluators.protocol import Evaluator, Finding, GuestReader

_SHOWING = "showing"


class ScreenEntries(Evaluator):
    """Fields of a form that stands on the screen, by label, hold this text, each in the one field with its label.

    For a job that ends in front of a filled-in form; whatever is saved, check where it was saved.
    """

    name: ClassVar[str] = "screen_entries"

    application: str
    """As the accessibility tree names it, `Thunderbird` for instance."""
    entries: dict[str, str] = Field(min_length=1)

    def look(self, reader: GuestReader) -> Finding:
        """Read the tree and compare the fields."""
        fields = _entries(reader.accessibility_tree(), self.application)
        told = []
        for label, wanted in self.entries.items():
            found = [text for name, text in fields if name == label]
            if found != [wanted]:
                shown = " and ".join(map(repr, found)) if found else "not on the screen"
                told.append(f"{label} is {shown}")
        expected = ", ".join(f"{label} = {text!r}" for label, text in self.entries.items())
        return Finding.of(not told, expected=expected, found="; ".join(told) or "this")


def _entries(tree: str, application: str) -> list[tuple[str, str]]:
    """Return label and text of all fields that an application shows."""
    root = ET.fromstring(tree)  # noqa: S314 - the guest writes it, without a document type
    return [
        (entry.get("name", ""), entry.text or "")
        for program in root.iter("application")
        if program.get("name") == application
        for entry in program.iter("entry")
        if any(key.endswith(f"}}{_SHOWING}") and value == "true" for key, value in entry.attrib.items())
    ]
