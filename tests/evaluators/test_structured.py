"""Checks on single values in INI, JSON and CSV files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.evaluators.conftest import Desk


def test_an_ini_value_is_found_among_comments_and_spaces(desk: Desk) -> None:
    desk.put("a", "; a comment\n[One]\nKey=1\n\n[Two]\n Key =  %(x)s two \n")
    assert desk.passes("ini_value", section="Two", key="Key", equals="%(x)s two")


@pytest.mark.parametrize(
    "content", ["", "[One]\nKey = 2", "[Two]\nKey = 1", "[One]\nkey = 1", "[One\nKey = 1", "Key=1"]
)
def test_another_ini_value_key_section_or_file_is_wrong(content: str, desk: Desk) -> None:
    desk.put("a", content)
    assert not desk.passes("ini_value", section="One", key="Key", equals="1")


JSON = '{"a": {"list": [{"x": 1}, true, null, "1", 1.0]}}'


@pytest.mark.parametrize(
    ("key", "value"),
    [("a.list.0.x", 1), ("a.list.1", True), ("a.list.2", None), ("a.list.3", "1"), ("a.list.4", 1)],
)
def test_a_json_value_is_found_by_its_dotted_key(key: str, value: Any, desk: Desk) -> None:
    desk.put("a", JSON)
    assert desk.passes("json_value", key=key, equals=value)


@pytest.mark.parametrize(
    ("key", "value"), [("a.list.0.x", True), ("a.list.1", 1), ("a.list.3", 1), ("a.list.9", 1), ("a.b", None)]
)
def test_a_json_value_is_compared_with_its_type(key: str, value: Any, desk: Desk) -> None:
    desk.put("a", JSON)
    assert not desk.passes("json_value", key=key, equals=value)


def test_without_a_key_the_whole_json_file_is_compared(desk: Desk) -> None:
    desk.put("a", '{"x": [1, false],\n "y": 2}')
    assert desk.passes("json_value", equals={"y": 2, "x": [1, False]})
    assert not desk.passes("json_value", equals={"y": 2, "x": [1, 0]})


@pytest.mark.parametrize("content", ["", "{", '{"x": 1,}', "[" * 100_000])
def test_a_broken_json_file_is_wrong(content: str, desk: Desk) -> None:
    desk.put("a", content)
    assert desk.check("json_value", key="x", equals=1).found.startswith("no readable JSON file")


ROWS = [["name", "pieces"], ["nut, small", "3"], ["bolt", "5"]]


def test_csv_rows_are_compared_by_their_values(desk: Desk) -> None:
    desk.put("a", 'name, pieces\r\n"nut, small","3"\r\n\r\nbolt,5\r\n')
    assert desk.passes("csv_rows", rows=ROWS)


@pytest.mark.parametrize("content", ["name,pieces\nbolt,5\n", 'name,pieces\nbolt,5\n"nut, small",3', 'name,pieces\n"x'])
def test_missing_swapped_or_broken_csv_rows_are_wrong(content: str, desk: Desk) -> None:
    desk.put("a", content)
    assert not desk.passes("csv_rows", rows=ROWS)


def test_csv_rows_in_any_order_stand_below_the_header(desk: Desk) -> None:
    desk.put("a", 'name,pieces\nbolt,5\n"nut, small",3\n')
    assert desk.passes("csv_rows", rows=ROWS, order="any")
    desk.put("a", 'bolt,5\nname,pieces\n"nut, small",3\n')
    assert not desk.passes("csv_rows", rows=ROWS, order="any")


def test_two_rows_that_only_look_alike_are_not_the_same(desk: Desk) -> None:
    desk.put("a", "name,pieces\nnut, small,3\nbolt,5\n")
    assert not desk.passes("csv_rows", rows=ROWS)
    assert not desk.passes("csv_rows", rows=ROWS, order="any")


def test_a_csv_cell_is_found_by_the_other_columns_of_its_row(desk: Desk) -> None:
    desk.put("a", "id;name;state\n1;nut;open\n2;nut;done\n")
    where = {"id": "2", "name": "nut"}
    assert desk.passes("csv_cell", column="state", where=where, equals="done", delimiter=";")
    assert not desk.passes("csv_cell", column="state", where=where, equals="open", delimiter=";")


def test_a_csv_cell_in_no_row_or_in_two_is_wrong(desk: Desk) -> None:
    desk.put("a", "id,name\n1,nut\n2,nut\n")
    assert desk.check("csv_cell", column="id", where={"name": "nut"}, equals="1").found == "2 such rows"
    assert desk.check("csv_cell", column="id", where={"name": "tun"}, equals="1").found == "no such rows"
    assert desk.check("csv_cell", column="x", where={"id": "1"}, equals="1").found == "no cell"
