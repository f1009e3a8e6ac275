"""A tree that is too long is cut so that what is left can be read."""

from __future__ import annotations

import pytest

from pytest_rogue.desktops.tree_cut import cut_tree

TREE = "<a><b n='ż'><c/></b><d><e>text</e></d></a>"


def test_a_tree_within_the_limit_is_left_alone() -> None:
    assert cut_tree(TREE, 5) == (TREE, "")


@pytest.mark.parametrize(
    ("nodes", "left"),
    [
        (1, "<a></a>"),
        (2, "<a><b n='ż'></b></a>"),
        (3, "<a><b n='ż'><c/></b></a>"),
        (4, "<a><b n='ż'><c/></b><d></d></a>"),
    ],
)
def test_what_is_open_where_it_is_cut_is_closed(nodes: int, left: str) -> None:
    assert cut_tree(TREE, nodes) == (left, f"it was cut after {nodes:,} nodes")


def test_what_is_no_xml_is_left_to_whoever_judges_it() -> None:
    assert cut_tree("<not xml", 5) == ("<not xml", "")


def test_a_document_type_is_not_read() -> None:
    text = "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;<b/></a>"
    assert cut_tree(text, 1) == (text, "")
