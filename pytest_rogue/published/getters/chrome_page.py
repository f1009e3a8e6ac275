"""What stands in the page in front, as the browser shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import model_validator

from pytest_rogue.published.devtools import front_page, reach_browser
from pytest_rogue.published.protocol import Getter

if TYPE_CHECKING:
    from pytest_rogue.published.protocol import Desk

PATIENCE = 5.0
"""Seconds for what a page's own scripts have still to fill in."""

# The live page is asked, and not its HTML: what was typed into a field stands only there.
_READ = """
(category, paths, headings) => {
  const first = (path) => document.evaluate(path, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue;
  const found = {};
  for (const [path, key] of Object.entries(paths)) {
    const node = first(path);
    found[key] = ((category === "input" ? node?.value : node?.textContent) ?? "").trim();
  }
  for (const [name, keys] of Object.entries(headings)) {
    const texts = Array.from(document.getElementsByClassName(name))
      .map((element) => element.querySelector("h3"))
      .filter((heading) => heading !== null)
      .map((heading) => heading.textContent.trim());
    for (const [place, key] of Object.entries(keys)) found[key] = texts[Number(place)] ?? "";
  }
  return found;
}
"""


class ActiveTabHtmlParse(Getter):
    """Texts in the page in front, under the names that the task file gives them; empty where there is none.

    `xpathObject` and `inputObject` say which name belongs to the first element that an XPath finds: its text, or what
    is typed into it. `class_multiObject_only_child` says for a class which name belongs to the heading (`h3`) in the
    n-th of its elements that have one.
    """

    type: ClassVar[str] = "active_tab_html_parse"

    category: Literal["class", "input", "xpath"]
    goto_prefix: str = "https://"
    xpathObject: dict[str, str] = {}  # noqa: N815, RUF012 - the key of the task files; pydantic copies it
    inputObject: dict[str, str] = {}  # noqa: N815, RUF012
    class_multiObject_only_child: dict[str, dict[str, str]] = {}  # noqa: N815, RUF012

    @model_validator(mode="after")
    def _says_what_to_read(self) -> Self:
        objects = {
            "class": "class_multiObject_only_child",
            "input": "inputObject",
            "xpath": "xpathObject",
        }
        for category, name in objects.items():
            if bool(getattr(self, name)) != (category == self.category):
                needs = "needs" if category == self.category else "takes no"
                raise ValueError(f"the category {self.category} {needs} {name}")
        places = [place for keys in self.class_multiObject_only_child.values() for place in keys]
        if wrong := next((place for place in places if not place.isdecimal()), None):
            raise ValueError(f"{wrong!r} in class_multiObject_only_child is no number of an element")
        return self

    def get(self, desk: Desk) -> dict[str, str]:
        """Read, until there is something under every name or the page has had its time."""
        tools = reach_browser(desk.guest)
        page = front_page(tools).id
        found: dict[str, str] = {}

        def all_there() -> bool:
            found.update(tools.run(page, _READ, self.category, self._paths, self.class_multiObject_only_child))
            return all(found.values())

        tools.wait(all_there, PATIENCE)
        return found

    @property
    def _paths(self) -> dict[str, str]:
        return self.inputObject or self.xpathObject
