"""Metrics on the browser's data: history, cookies, flags, extensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from pytest_rogue.errors import InfraError
from pytest_rogue.evaluators.protocol import Finding
from pytest_rogue.published.metrics.comparison import Comparison, Rules, list_of, shown
from pytest_rogue.published.metrics.sites import is_below, site_of

if TYPE_CHECKING:
    from pytest_rogue.published.protocol import Convention

_RENAMED = {"Zoom Chrome Extension": "Zoom for Google Chrome"}
"""Extensions that the store has had under another name."""


class _Keywords(Rules):
    type: Literal["keywords"]
    keywords: tuple[str, ...] = Field(min_length=1)


class _Domains(Rules):
    type: Literal["domains"]
    domains: tuple[str, ...] = Field(min_length=1)


class _Flags(Rules):
    type: Literal["names"]
    names: tuple[str, ...]


class _Names(Rules):
    expected: tuple[str, ...]


class CheckHistoryDeleted(Comparison):
    """No address of the history has a keyword, in whatever case, and something else is left of it.

    Upstream compares with the case, and takes an empty history, from which more than asked for was deleted.
    """

    func: ClassVar[str] = "check_history_deleted"
    rules: ClassVar[type[Rules]] = _Keywords

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:
        """Look the keywords up in all addresses."""
        keywords = _Keywords.of(expected).keywords
        urls = [str(visit.get("url", "")) for visit in list_of(result, dict)]
        wanted = f"a history without {', '.join(keywords)}"
        for url in urls:
            for keyword in keywords:
                if keyword in url or (convention == "ours" and keyword.lower() in url.lower()):
                    return Finding(0.0, wanted, shown(url))
        if not urls and convention == "ours":
            return Finding(0.0, f"{wanted}, and else as it was", "an empty history")
        return Finding(1.0, wanted, f"{len(urls)} other addresses")


class IsCookieDeleted(Comparison):
    """No cookie belongs to one of the domains, or to what lies below it.

    Upstream passes over what lies below a domain, but for `www.`, and takes a site's other endings for it.
    """

    func: ClassVar[str] = "is_cookie_deleted"
    rules: ClassVar[type[Rules]] = _Domains

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:
        """Compare the domain of each cookie."""
        domains = _Domains.of(expected).domains
        same = _is_site if convention == "upstream" else is_below
        hosts = [_host(cookie) for cookie in list_of(result, object)]
        left = [host for host in hosts if any(same(host, domain) for domain in domains)]
        return Finding.of(
            not left,
            expected=f"no cookie of {', '.join(domains)}",
            found=shown(left) if left else f"{len(hosts)} others",
        )


class CheckEnabledExperiments(Comparison):
    """These flags were changed and no others, each however (`name@2` counts by its name).

    Upstream compares them in the order in which they were changed.
    """

    func: ClassVar[str] = "check_enabled_experiments"
    rules: ClassVar[type[Rules]] = _Flags

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:
        """Compare the names."""
        wanted = list(_Flags.of(expected).names)
        found = [flag.partition("@")[0] for flag in list_of(result, str)]
        right = found == wanted if convention == "upstream" else sorted(found) == sorted(wanted)
        return Finding.of(right, expected=f"the flags {', '.join(wanted)}", found=shown(found))


class IsExpectedInstalledExtensions(Comparison):
    """All these extensions are installed, under one of their names."""

    func: ClassVar[str] = "is_expected_installed_extensions"
    rules: ClassVar[type[Rules]] = _Names

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:  # noqa: ARG002 - no defect is mended here
        """Look for each."""
        found = list_of(result, str)
        there = {_RENAMED.get(name, name) for name in found}
        missing = [name for name in _Names.of(expected).expected if _RENAMED.get(name, name) not in there]
        return Finding.of(
            not missing,
            expected=f"{missing[0]} among the extensions" if missing else "these extensions",
            found=shown(found),
        )


def _host(cookie: Any) -> str:
    """Return the domain of a cookie: of a mapping with `domain`, or of a pair of domain and name."""
    if isinstance(cookie, dict) and isinstance(cookie.get("domain"), str):
        return str(cookie["domain"])
    if isinstance(cookie, list | tuple) and cookie and isinstance(cookie[0], str):
        return cookie[0]
    raise InfraError(f"the getter brings a cookie without a domain: {shown(cookie)}")


def _is_site(host: str, domain: str) -> bool:
    return site_of(host) == site_of(domain)
