"""What an agent that reads the accessibility tree is shown of a spreadsheet: the cells on the screen, and no others."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest

from tests.guest._session import wait_for
from tests.guest._tree import box

if TYPE_CHECKING:
    from pytest_rogue.desktops.docker import DockerDesktop

pytestmark = pytest.mark.docker

HIDDEN_ROWS = 1000
SPREADSHEET = f"""<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
  xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
  xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
  office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:body><office:spreadsheet><table:table table:name="Prices">
<table:table-row>
  <table:table-cell table:number-columns-spanned="3" table:number-rows-spanned="1" office:value-type="string">
    <text:p>All prices</text:p></table:table-cell>
  <table:covered-table-cell table:number-columns-repeated="2"/>
</table:table-row>
<table:table-row table:number-rows-repeated="{HIDDEN_ROWS}" table:visibility="collapse">
  <table:table-cell office:value-type="string"><text:p>hidden</text:p></table:table-cell>
</table:table-row>
<table:table-row>
  <table:table-cell office:value-type="string"><text:p>pen</text:p></table:table-cell>
  <table:table-cell office:value-type="float" office:value="1.5"><text:p>1.5</text:p></table:table-cell>
  <table:table-cell office:value-type="float" office:value="7"><text:p>7</text:p></table:table-cell>
</table:table-row>
</table:table></office:spreadsheet></office:body></office:document>
"""


@pytest.fixture
def sheet(desktop: DockerDesktop) -> ET.Element:
    guest = desktop.guest
    guest.write_file("/home/user/prices.fods", SPREADSHEET.encode())
    guest.launch(["libreoffice", "--calc", "/home/user/prices.fods"], "prices.fods", 120)

    def find() -> list[ET.Element]:
        reply = guest.step(1, None, quiet=1.0, limit=20.0, a11y=True, a11y_seconds=60)
        tables = ET.fromstring(reply.a11y or "").iter("table")
        return [item for item in tables if item.get("name") == "Sheet Prices" and len(item)]

    return wait_for("the cells of the sheet in the accessibility tree", find, 60)[0]


def test_the_cells_on_the_screen_have_their_text_and_place_and_are_all_there_once(sheet: ET.Element) -> None:
    cells = {cell.get("name"): cell for cell in sheet}
    assert len(cells) == len(sheet)
    assert cells["A1"].text == "All prices"
    first_row = HIDDEN_ROWS + 2
    assert [cells[f"{column}{first_row}"].text or "" for column in "ABCD"] == ["pen", "1.5", "7", ""]
    assert [cell.text for cell in sheet if cell.text] == ["All prices", "pen", "1.5", "7"]
    places = [box(cell) for cell in sheet]
    assert len(set(places)) == len(places)
    left, top, width, height = box(sheet)
    for x, y, cell_width, cell_height in places:
        assert left <= x < x + cell_width <= left + width
        assert top <= y < y + cell_height <= top + height
    # The cells of a row without spanning cells fill the sheet from side to side.
    row = sorted(place for cell, place in zip(sheet, places, strict=True) if cell.get("name", "").endswith("1002"))
    assert all(a[0] + a[2] == b[0] for a, b in itertools.pairwise(row))
    assert row[-1][0] + row[-1][2] == left + width
