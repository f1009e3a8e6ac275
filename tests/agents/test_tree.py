"""What is read from an accessibility tree, and how it is put into words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_rogue.agents.tree import HEADER, LONGEST_TEXT, Node, TreeUnreadableError, linearise, tokens, visible_nodes
from tests.agents.trees import desktop, editor, element

SCREEN = (1920, 1080)


def lines(*elements: str, max_tokens: int = 10_000) -> list[str]:
    return linearise(visible_nodes(desktop(*elements), SCREEN), max_tokens=max_tokens).split("\n")[1:]


def test_a_node_is_one_line_with_role_name_text_states_centre_and_size() -> None:
    shown = element(
        "entry", "Name", text="Robin", at=(10, 20), size=(100, 30), states="showing visible enabled focused"
    )
    assert lines(shown) == ["entry\tName\tRobin\tfocused\t(60, 35)\t(100, 30)"]


def test_the_header_names_the_columns() -> None:
    assert linearise([]) == HEADER


def test_line_ends_and_tabs_stay_within_their_column() -> None:
    assert "one\\ntwo\\tthree" in lines(editor())[2]


def test_a_text_that_repeats_the_name_is_left_out() -> None:
    assert lines(element("label", "Hello", text="Hello"))[0].startswith("label\tHello\t\t")


def test_a_disabled_node_says_so() -> None:
    assert lines(element("push-button", "Save", states="showing visible"))[0].split("\t")[3] == "disabled"


@pytest.mark.parametrize(
    "hidden",
    [
        element("label", "x", states="visible"),
        element("label", "x", states="showing"),
        element("label", "x", size=(0, 0)),
        element("label", "x", at=(-2147483648, -2147483648)),
        element("label", "x", at=(1900, 5000)),
        '<label name="x" st:showing="true" st:visible="true"/>',
        '<label name="x" st:showing="true" st:visible="true" cp:screencoord="__import__(1)" cp:size="(9, 9)"/>',
    ],
)
def test_what_cannot_be_seen_is_left_out(hidden: str) -> None:
    assert lines(hidden) == []


def test_a_nameless_node_is_shown_only_where_it_can_take_the_focus() -> None:
    filler = element("filler")
    field = element("text", states="showing visible enabled focusable")
    assert [line.split("\t")[0] for line in lines(filler, field)] == ["text"]


def test_a_visible_node_knows_the_visible_node_around_it() -> None:
    nodes = visible_nodes(desktop(editor()), SCREEN)
    assert [(node.role, node.parent) for node in nodes] == [("frame", None), ("push-button", 0), ("text", 0)]


def test_a_long_tree_is_cut_and_says_how_much() -> None:
    many = [element("label", f"number {n}") for n in range(1_000)]
    shown = lines(*many, max_tokens=500)
    assert shown[-1] == f"[cut: {1_000 - len(shown) + 1} more nodes]"
    assert len("\n".join(shown)) < 2_100


def test_a_long_text_is_cut_and_says_how_much() -> None:
    (line,) = lines(element("text", text="x" * (LONGEST_TEXT + 50)))
    assert "x[cut: 50 more characters]" in line


@pytest.mark.parametrize("broken", ["", "<not xml", "<a><b></a>", "plain words", "<a>\x00</a>", "<a/><b/>"])
def test_broken_xml_is_unreadable(broken: str) -> None:
    with pytest.raises(TreeUnreadableError, match="cannot be read"):
        visible_nodes(broken, SCREEN)


@pytest.mark.parametrize(
    "definition", ['<!ENTITY a "lol">', '<!ENTITY a SYSTEM "file:///etc/passwd">', '<!ENTITY % a SYSTEM "http://x/">']
)
def test_a_document_type_is_refused_and_no_entity_is_expanded(definition: str) -> None:
    with pytest.raises(TreeUnreadableError, match=r"document type 'd' .* is not allowed"):
        visible_nodes(f"<!DOCTYPE d [{definition}]><d>&a;</d>", SCREEN)


def test_two_hundred_thousand_nodes_are_read_and_cut() -> None:
    tree = desktop(*[element("label", f"number {n}") for n in range(200_000)])
    shown = linearise(visible_nodes(tree, SCREEN), max_tokens=2_000)
    assert tokens(shown) < 2_020
    assert shown.endswith("more nodes]")


@given(st.text(), st.text())
def test_any_name_and_text_fits_on_one_line(name: str, text: str) -> None:
    try:
        nodes = visible_nodes(desktop(element("label", name, text=text)), SCREEN)
    except TreeUnreadableError:
        return  # characters that XML does not allow
    assert all(line.count("\t") == 5 for line in linearise(nodes).split("\n"))


def test_what_stands_in_a_modal_window_is_the_last_to_be_cut() -> None:
    frame, dialog = (
        Node("frame", "big", "", (0, 0, 9, 9), frozenset(), None),
        Node("dialog", "Control Request", "", (0, 0, 9, 9), frozenset({"modal"}), None),
    )
    many = [Node("label", f"label {number}", "", (0, 0, 9, 9), frozenset(), 0) for number in range(100)]
    button = Node("push-button", "Accept", "", (0, 0, 9, 9), frozenset(), 101)

    lines = linearise([frame, *many, dialog, button], max_tokens=150).splitlines()

    assert ["Control Request" in lines[1], "Accept" in lines[2], "big" in lines[3]] == [True] * 3
    assert lines[-1].startswith("[cut:")
