"""The metric on what stands on the screen, as the accessibility tree of the published benchmark's server tells it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field, RootModel, model_validator

from pytest_rogue.desktops.guest_types import SeenTree
from pytest_rogue.errors import InfraError
from pytest_rogue.evaluators.libraries import require
from pytest_rogue.evaluators.protocol import Finding
from pytest_rogue.guest.accessibility_xml import NAMESPACES
from pytest_rogue.published.metrics.comparison import Comparison, Rules, text_of

if TYPE_CHECKING:
    from pytest_rogue.published.protocol import Convention

_LITERAL = re.compile(r"'[^']*'|\"[^\"]*\"")
_PREFIX = re.compile(r"([A-Za-z_][\w.-]*):(?!:)")  # two colons follow an axis


class _Element(Rules):
    xpath: str | None = None
    selectors: tuple[str, ...] | None = None
    text: str | None = None
    exact: bool = True

    @model_validator(mode="after")
    def _works(self) -> _Element:
        if (self.xpath is None) == (self.selectors is None):
            raise ValueError("an element is told either by its 'xpath' or by 'selectors'")
        require("lxml")
        require("cssselect")
        from lxml import etree

        # An empty tree does not let libxml2 see them.
        unknown = sorted({*_PREFIX.findall(_LITERAL.sub("", self.xpath or ""))} - NAMESPACES.keys())
        if unknown:
            raise ValueError(f"{self.named!r} has the prefix {unknown[0]}; there is {', '.join(NAMESPACES)}")
        try:
            found = self.find(etree.Element("desktop-frame"))
        except (etree.XPathError, SyntaxError, LookupError, TypeError) as error:
            raise ValueError(f"{self.named!r} cannot be looked for: {error}") from error
        if not isinstance(found, list):
            raise ValueError(f"{self.named!r} gives no elements")  # noqa: TRY004 - pydantic tells a ValueError
        return self

    @property
    def named(self) -> str:
        """What is looked for, for the reader of a report."""
        return self.xpath if self.xpath is not None else ", ".join(self.selectors or ())

    def find(self, tree: Any) -> Any:
        """Return the elements that are in a tree."""
        if self.xpath is not None:
            from lxml.etree import XPath

            return XPath(self.xpath, namespaces=NAMESPACES)(tree)
        from lxml.cssselect import CSSSelector

        return CSSSelector(self.named, namespaces=NAMESPACES)(tree)

    def score(self, texts: list[str]) -> float:
        """Return how well the best text fits."""
        if self.text is None:
            return 1.0
        if self.exact:
            return float(self.text in texts)
        from rapidfuzz import fuzz

        return max(fuzz.ratio(self.text, text) / 100 for text in texts)


class _Elements(RootModel[tuple[_Element, ...]]):
    root: tuple[_Element, ...] = Field(min_length=1)


class CheckAccessibilityTree(Comparison):
    """Each element is on the screen; where a rule has a text, its score is how alike the best element's text is.

    XPath and CSS selectors name states, attributes and the rest by `st`, `attr`, `cp`, `doc`, `docattr`, `txt`, `val`
    and `act`. What is not found in a tree that is not whole may be there all the same: that is a fault.
    """

    func: ClassVar[str] = "check_accessibility_tree"
    rules: ClassVar[type[_Elements]] = _Elements

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:  # noqa: ARG002 - no defect is mended here
        """Look for each element, and multiply the scores."""
        elements = expected if isinstance(expected, _Elements) else _Elements.model_validate(expected, strict=False)
        seen = result if isinstance(result, SeenTree) else SeenTree(text_of(result))
        tree, score = _tree(seen.xml), 1.0
        for element in elements.root:
            texts = [_text(found) for found in element.find(tree)]
            fits = element.score(texts) if texts else 0.0
            if fits < 1.0 and seen.problem:
                raise InfraError(f"it cannot be told whether {element.named} is on the screen: {seen.problem}")
            if not texts:
                return Finding(0.0, f"on the screen: {element.named}", "nothing like it")
            score *= fits
        return Finding(score, "these elements on the screen", "they" if score == 1.0 else f"alike to {score:.3f}")


def _tree(text: str) -> Any:
    from lxml import etree

    if "<!DOCTYPE" in text:
        raise InfraError("the desktop's accessibility tree has a document type, which no desktop writes")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        return etree.fromstring(text.encode(), parser)
    except etree.XMLSyntaxError as error:
        raise InfraError(f"the desktop's accessibility tree is no XML: {error}") from error


def _text(found: Any) -> str:
    """Return the text of an element, or of what else an XPath gives (an attribute)."""
    return found if isinstance(found, str) else found.text or ""
