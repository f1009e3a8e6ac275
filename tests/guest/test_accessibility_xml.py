from __future__ import annotations

import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from pytest_rogue.guest.accessibility_node import IMAGE, STATES, Node
from pytest_rogue.guest.accessibility_xml import NAMESPACES, as_xml

BASE = "https://accessibility.ubuntu.example.org/ns/"
anything = st.text(st.characters(), max_size=20)


def parsed(*applications: Node) -> ET.Element:
    return ET.fromstring(as_xml(applications))  # our own


def only(node: Node) -> ET.Element:
    return next(iter(parsed(node)))


@given(name=anything, role=anything, text=anything, key=anything, value=anything)
def test_it_is_well_formed_whatever_applications_say(name: str, role: str, text: str, key: str, value: str) -> None:
    node = Node(":1.1", "/a", name=name, role=role, text=text, attributes={key: value, key + " ": value})
    node.actions = ((key, value, value), (key.upper(), value, value))
    assert len(parsed(node)) == 1


@given(text=st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffc\ufffd\ufffe\uffff")))
def test_text_and_name_arrive_as_they_are(text: str) -> None:
    element = only(Node(":1.1", "/a", role="label", name=text, text=text))
    assert (element.get("name"), element.text or "") == (text, text)


def test_line_breaks_in_a_name_are_kept() -> None:
    assert only(Node(":1.1", "/a", role="label", name="a\nb\tc")).get("name") == "a\nb\tc"


def test_what_xml_cannot_hold_is_left_out() -> None:
    assert only(Node(":1.1", "/a", role="label", text="a\x00b\x1bc\ufffed")).text == "abcd"


def test_objects_embedded_in_a_text_are_left_out() -> None:
    assert only(Node(":1.1", "/a", role="label", text="a\ufffcb\ufffdc")).text == "abc"


def test_the_root_is_the_desktop_frame_with_the_namespaces_of_ubuntu() -> None:
    assert parsed().tag == "desktop-frame"
    assert NAMESPACES == {
        "st": BASE + "state",
        "attr": BASE + "attributes",
        "cp": BASE + "component",
        "doc": BASE + "document",
        "docattr": BASE + "document/attributes",
        "txt": BASE + "text",
        "val": BASE + "value",
        "act": BASE + "action",
    }


def test_a_role_is_the_tag_with_hyphens_for_blanks() -> None:
    assert only(Node(":1.1", "/a", role="push button")).tag == "push-button"


def test_the_status_bar_has_the_tag_that_agents_know() -> None:
    assert only(Node(":1.1", "/a", role="statusbar")).tag == "status-bar"


def test_states_place_value_attributes_and_actions_have_their_namespaces() -> None:
    node = Node(":1.1", "/a", role="slider", states=1 << STATES.index("has_tooltip"), interfaces=(IMAGE,))
    node.box = (10, -2, 30, 40)
    node.values = {"value": 3.0}
    node.attributes = {"toolkit": "gtk"}
    node.actions = (("Click", "Presses it", "<Alt>p"),)
    assert only(node).attrib == {
        "name": "",
        "image": "true",
        f"{{{BASE}state}}has_tooltip": "true",
        f"{{{BASE}component}}screencoord": "(10, -2)",
        f"{{{BASE}component}}size": "(30, 40)",
        f"{{{BASE}value}}value": "3.0",
        f"{{{BASE}attributes}}toolkit": "gtk",
        f"{{{BASE}action}}click_desc": "Presses it",
        f"{{{BASE}action}}click_kb": "<Alt>p",
    }


def test_children_keep_their_order() -> None:
    parent = Node(":1.1", "/a", role="panel")
    parent.children = [Node(":1.1", f"/{name}", role="label", name=name) for name in "cab"]
    assert [child.get("name") for child in only(parent)] == ["c", "a", "b"]


def test_a_tree_of_any_depth_is_written() -> None:
    top = node = Node(":1.1", "/a", role="panel")
    for _ in range(5000):
        node.children = [Node(":1.1", "/b", role="panel")]
        node = node.children[0]
    assert as_xml([top]).count("<panel") == 5001
