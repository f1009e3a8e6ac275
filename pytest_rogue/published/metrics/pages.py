"""Metrics on what the browser shows: addresses, and what was read from a page."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, ClassVar, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import JsonValue  # noqa: TC002 - pydantic reads it

from pytest_rogue.errors import InfraError
from pytest_rogue.evaluators.jsonc import same_json
from pytest_rogue.evaluators.protocol import Finding
from pytest_rogue.published.metrics.comparison import (
    Comparison,
    NothingComparable,
    Regex,
    Rules,
    list_of,
    shown,
    text_of,
)
from pytest_rogue.published.metrics.sites import site_of

if TYPE_CHECKING:
    from pytest_rogue.published.protocol import Convention


class _Patterns(Rules):
    expected: tuple[Regex, ...]


class _OneUrl(Rules):
    type: Literal["url"]
    url: str


class _SomeUrls(Rules):
    type: Literal["url"]
    urls: tuple[str, ...]


class _Values(Rules):
    expected: dict[str, JsonValue]
    ignore_list_order: bool = False
    expect_in_result: bool = False


class IsExpectedUrlPatternMatch(Comparison):
    """All patterns are found in the address."""

    func: ClassVar[str] = "is_expected_url_pattern_match"
    rules: ClassVar[type[Rules]] = _Patterns

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:  # noqa: ARG002 - no defect is mended here
        """Search the address."""
        url = _address(result)
        for pattern in _Patterns.of(expected).expected:
            if not re.search(pattern, url):
                return Finding(0.0, f"an address with {pattern!r}", shown(url))
        return Finding(1.0, "an address of the right form", shown(url))


class IsExpectedActiveTabApproximate(Comparison):
    """The address is the expected one, but for what is asked of it (`?a=1`)."""

    func: ClassVar[str] = "is_expected_active_tab_approximate"
    rules: ClassVar[type[Rules]] = _OneUrl

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:  # noqa: ARG002 - no defect is mended here
        """Compare the addresses."""
        wanted, url = _OneUrl.of(expected).url, _address(result)
        right = _split(url)._replace(query="") == _split(wanted)._replace(query="")
        return Finding.of(right, expected=wanted, found=shown(url))


class IsExpectedTabs(Comparison):
    """The pages in all tabs are those expected, in any order.

    A site's endings (`.com`, `.de`), `www.` and a last `/` of nothing else do not count. Upstream takes two tabs of one
    page for one of another.
    """

    func: ClassVar[str] = "is_expected_tabs"
    rules: ClassVar[type[Rules]] = _SomeUrls

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:
        """Compare the lists."""
        urls = [_address(tab) for tab in list_of(result, dict)]
        wanted = _SomeUrls.of(expected).urls
        there, asked = [_page(url) for url in urls], [_page(url) for url in wanted]
        if convention == "upstream":
            right = len(there) == len(asked) and set(asked) <= set(there)
        else:
            right = sorted(there) == sorted(asked)
        return Finding.of(right, expected=", ".join(wanted), found=shown(urls))


class CheckDirectJsonObject(Comparison):
    """Each expected key has its value in what was read from a page.

    With `ignore_list_order` a list is compared in any order (upstream does so with the letters of a text too). With
    `expect_in_result` one expected entry of a list is enough, and a text only has to be a part.
    """

    func: ClassVar[str] = "check_direct_json_object"
    rules: ClassVar[type[Rules]] = _Values

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:
        """Compare key by key."""
        rule, found = _Values.of(expected), _mapping(result)
        for key, value in rule.expected.items():
            if not _agrees(rule, value, found.get(key), convention):
                return Finding(0.0, f"{key} = {shown(value)}", shown(found.get(key)))
        return Finding(1.0, shown(rule.expected), "it")


def _agrees(rule: _Values, wanted: JsonValue, found: Any, convention: Convention) -> bool:
    if rule.expect_in_result:
        if isinstance(wanted, list):
            return isinstance(found, list) and any(entry in found for entry in wanted)
        return isinstance(wanted, str) and isinstance(found, str | list) and wanted in found
    if rule.ignore_list_order and isinstance(wanted, list) and isinstance(found, list):
        return _sorted(wanted) == _sorted(found)
    if rule.ignore_list_order and convention == "upstream" and isinstance(wanted, str) and isinstance(found, str):
        return sorted(wanted) == sorted(found)
    return same_json(wanted, found)


def _sorted(entries: list[Any]) -> list[str]:
    return sorted(json.dumps(entry, sort_keys=True) for entry in entries)


def _mapping(result: object) -> dict[str, Any]:
    if result is None:
        raise NothingComparable("nothing on the page")
    if not isinstance(result, dict):
        raise InfraError(f"the task's getter and metric do not fit: values of a page are compared, not {shown(result)}")
    return result


def _address(result: object) -> str:
    """Return the address of a tab, or the address itself."""
    url = text_of(result.get("url") if isinstance(result, dict) else result)
    if not url:
        raise NothingComparable("no address")
    return url


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", url, "", "")


def _page(url: str) -> tuple[str, str, str, str, str]:
    parts = _split(url)
    path = parts.path if parts.path != "/" else ""
    return parts.scheme or "http", site_of(parts.netloc), path, parts.query, parts.fragment
