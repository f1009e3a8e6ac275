"""The metric on the accessibility tree, in the form in which the guest writes it."""

from __future__ import annotations

import pytest

from pytest_rogue.desktops.guest_types import SeenTree
from pytest_rogue.errors import InfraError
from pytest_rogue.guest.accessibility_xml import NAMESPACES
from tests.published.judging import judged, score

DECLARED = "".join(f' xmlns:{prefix}="{uri}"' for prefix, uri in NAMESPACES.items())
TREE = f"""<desktop-frame{DECLARED}>
  <application name="Thunderbird">
    <tool-bar attr:id="Headers">
      <label name="To"/>
      <label name="Cc" st:showing="true" attr:class="pill">fox@a.example</label>
    </tool-bar>
  </application>
</desktop-frame>"""


def seen(rule: dict[str, object], tree: str = TREE) -> float:
    return score("check_accessibility_tree", tree, asked=[rule])


def test_an_element_is_found_by_its_xpath() -> None:
    assert seen({"xpath": "//application[@name='Thunderbird']//*[contains(text(), 'fox@a.example')]"}) == 1.0
    assert seen({"xpath": "//application[@name='Mail']//*[contains(text(), 'fox@a.example')]"}) == 0.0


def test_states_and_attributes_have_their_prefix() -> None:
    assert seen({"xpath": "//label[@st:showing='true' and @attr:class='pill']"}) == 1.0
    assert seen({"xpath": "//ancestor-or-self::label[@st:focused='true']"}) == 0.0


def test_an_element_is_found_by_one_of_its_css_selectors() -> None:
    assert seen({"selectors": ["button", 'tool-bar[attr|id=Headers] label[name=To]~[attr|class="pill"]']}) == 1.0
    assert seen({"selectors": ['tool-bar[attr|id=Footer] [attr|class="pill"]']}) == 0.0


def test_every_element_has_to_be_there() -> None:
    told = judged("check_accessibility_tree", TREE, asked=[{"xpath": "//label"}, {"xpath": "//button"}])
    assert (told.score, told.expected) == (0.0, "on the screen: //button")


def test_a_text_is_compared_whole_or_by_how_alike_it_is() -> None:
    assert seen({"xpath": "//label", "text": "fox@a.example"}) == 1.0
    assert seen({"xpath": "//label", "text": "fox@b.example"}) == 0.0
    assert 0.9 < seen({"xpath": "//label", "text": "fox@b.example", "exact": False}) < 1.0


def test_what_is_found_in_a_part_of_the_tree_is_there() -> None:
    tree = SeenTree(TREE, "cut after 20,000 nodes")
    assert score("check_accessibility_tree", tree, asked=[{"xpath": "//label"}]) == 1.0


@pytest.mark.parametrize("rule", [{"xpath": "//button"}, {"xpath": "//label", "text": "fox@b.example", "exact": False}])
def test_what_is_not_found_in_a_part_of_the_tree_cannot_be_told(rule: dict[str, object]) -> None:
    with pytest.raises(InfraError, match="is on the screen: cut after 20,000 nodes"):
        score("check_accessibility_tree", SeenTree(TREE, "cut after 20,000 nodes"), asked=[rule])


def test_what_is_no_tree_is_a_fault() -> None:
    with pytest.raises(InfraError, match="no XML"):
        seen({"xpath": "//a"}, "<desktop-frame>")


def test_no_entity_of_a_tree_is_expanded() -> None:
    tree = '<!DOCTYPE a [<!ENTITY word "Thunderbird">]><a><b>&word;</b></a>'
    with pytest.raises(InfraError, match="document type"):
        seen({"xpath": "//b[contains(., 'Thunderbird')]"}, tree)
