"""Metrics on a single text or a list of them: what a command printed, what a setting is."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pytest_rogue.evaluators.protocol import Finding
from pytest_rogue.published.metrics.comparison import Comparison, Rules, list_of, shown, text_of

if TYPE_CHECKING:
    from pytest_rogue.published.protocol import Convention


class _OneValue(Rules):
    expected: str


class _SomeValues(Rules):
    expected: tuple[str, ...]


class _Parts(Rules):
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


class _Line(Rules):
    type: Literal["contain", "not_contain"]
    expected: str


class ExactMatch(Comparison):
    """The text is the expected one, to the last line end."""

    func: ClassVar[str] = "exact_match"
    rules: ClassVar[type[Rules]] = _OneValue

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:  # noqa: ARG002 - no defect is mended here
        """Compare the texts."""
        wanted, found = _OneValue.of(expected).expected, text_of(result)
        return Finding.of(found == wanted, expected=shown(wanted), found=shown(found))


class MatchInList(Comparison):
    """The text is one of those expected."""

    func: ClassVar[str] = "match_in_list"
    rules: ClassVar[type[Rules]] = _SomeValues

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:  # noqa: ARG002 - no defect is mended here
        """Look the text up."""
        wanted, found = _SomeValues.of(expected).expected, text_of(result)
        return Finding.of(found in wanted, expected=f"one of {', '.join(map(repr, wanted))}", found=shown(found))


class IsInList(Comparison):
    """The expected text is an entry of the list."""

    func: ClassVar[str] = "is_in_list"
    rules: ClassVar[type[Rules]] = _OneValue

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:  # noqa: ARG002 - no defect is mended here
        """Look the expected text up."""
        wanted, found = _OneValue.of(expected).expected, list_of(result, str)
        return Finding.of(wanted in found, expected=f"{wanted!r} in the list", found=shown(found))


class CheckIncludeExclude(Comparison):
    """The text has all parts in `include` and none of those in `exclude`."""

    func: ClassVar[str] = "check_include_exclude"
    rules: ClassVar[type[Rules]] = _Parts

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:  # noqa: ARG002 - no defect is mended here
        """Look for the parts."""
        wanted, found = _Parts.of(expected), text_of(result)
        for part in wanted.include:
            if part not in found:
                return Finding(0.0, f"a text with {part!r}", shown(found))
        for part in wanted.exclude:
            if part in found:
                return Finding(0.0, f"a text without {part!r}", shown(found))
        return Finding(1.0, "a text with and without the right parts", "it")


class IsExtensionInstalled(Comparison):
    """A line of what a command listed is the expected one, or none is (`not_contain`).

    Upstream takes any part of the text, so that `mytest.py` is `test.py`.
    """

    func: ClassVar[str] = "is_extension_installed"
    rules: ClassVar[type[Rules]] = _Line

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:
        """Look for the line."""
        rule, found = _Line.of(expected), text_of(result)
        lines = [line.strip() for line in found.splitlines()]
        there = rule.expected in (found if convention == "upstream" else lines)
        wanted = "with" if rule.type == "contain" else "without"
        return Finding.of(
            there == (rule.type == "contain"), expected=f"a list {wanted} {rule.expected!r}", found=shown(found)
        )
