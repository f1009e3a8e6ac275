"""Every metric that the published task files name is there, and takes what they say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from pytest_rogue.errors import InfraError
from pytest_rogue.published.kinds import metrics
from tests.published.judging import file, judged, score
from tests.published.upstream_data import checkout

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = frozenset(
    """
    exact_match match_in_list is_in_list check_include_exclude check_list is_extension_installed
    check_direct_json_object check_json_settings check_json_keybindings compare_config compare_text_file
    is_expected_url_pattern_match is_expected_active_tab_approximate is_expected_tabs check_accessibility_tree
    compare_pdfs compare_docx_files compare_table compare_image_list check_thunderbird_filter check_thunderbird_folder
    check_history_deleted is_cookie_deleted check_enabled_experiments is_expected_installed_extensions infeasible
""".split()  # noqa: SIM905 - 26 names read better so
)


def checks(evaluator: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Return name, options and expected value of each check of a task file."""
    if not isinstance(evaluator["func"], list):
        yield evaluator["func"], evaluator.get("options"), evaluator.get("expected")
        return
    for number, func in enumerate(evaluator["func"]):
        options, expected = evaluator.get("options"), evaluator.get("expected")
        yield (
            func,
            options[number] if isinstance(options, list) else options,
            expected[number] if isinstance(expected, list) else expected,
        )


def test_all_metrics_are_known_by_name() -> None:
    assert sorted(metrics()) == sorted(NAMES)


def test_every_check_of_the_published_task_files_is_taken() -> None:
    upstream = checkout()
    if upstream is None:
        pytest.skip("there is no checkout of the published benchmark; ROGUE_CHECKOUT names one")
    taken = 0
    for path in sorted((upstream / "evaluation_examples/examples").rglob("*.json")):
        for func, options, expected in checks(json.loads(path.read_text())["evaluator"]):
            kind = metrics()[func]
            kind.model_validate_json(json.dumps(options or {}))
            if expected and expected["type"] == "rule":
                assert kind.rules is not None, f"{path}: {func}"
                kind.rules.model_validate_json(json.dumps(expected["rules"]))
            taken += 1
    assert taken >= 686


@pytest.mark.parametrize(
    ("func", "rules", "said"),
    [
        ("exact_match", {"expected": 1}, "valid string"),
        ("exact_match", {"expect": "a"}, "Field required"),
        ("check_include_exclude", {"include": "spotify"}, "valid array"),
        ("check_list", {"expect": ["("]}, "no regular expression"),
        ("is_expected_url_pattern_match", {"expected": ["[a"]}, "no regular expression"),
        ("is_extension_installed", {"type": "contains", "expected": "a"}, "'contain' or 'not_contain'"),
        ("check_accessibility_tree", [{"xpath": "//a["}], "cannot be looked for"),
        ("check_accessibility_tree", [{"xpath": "//a[@other:id='b:c']"}], "has the prefix other"),
        ("check_accessibility_tree", [{"xpath": "count(//a)"}], "gives no elements"),
        ("check_accessibility_tree", [{"selectors": ["a[["]}], "cannot be looked for"),
        ("check_accessibility_tree", [{"text": "a"}], "either by its 'xpath' or by 'selectors'"),
        ("check_accessibility_tree", [], "at least 1"),
        ("check_thunderbird_filter", {"expect": [{"enable": "yes"}]}, "not permitted"),
    ],
)
def test_rules_that_cannot_work_are_told_when_they_are_read(func: str, rules: Any, said: str) -> None:
    kind = metrics()[func].rules
    assert kind is not None
    with pytest.raises(ValidationError, match=said.replace("(", r"\(")):
        kind.model_validate_json(json.dumps(rules))


@pytest.mark.parametrize(
    "sheet", [{"sheet_idx0": "XI0", "sheet_idx1": 0}, {"sheet_idx0": -1, "sheet_idx1": 0}, {"sheet_idx0": 0}]
)
def test_a_sheet_that_cannot_be_is_told_when_it_is_read(sheet: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        metrics()["compare_table"].model_validate_json(json.dumps({"rules": [{"type": "sheet_data", **sheet}]}))


def test_options_that_a_metric_does_not_have_are_refused() -> None:
    with pytest.raises(ValidationError, match="not permitted"):
        metrics()["compare_pdfs"].model_validate({"content_only": True})


def test_what_is_not_there_scores_nothing() -> None:
    told = judged("exact_match", None, asked={"expected": "a"})
    assert (told.score, told.found) == (0.0, "nothing")


def test_a_getter_that_does_not_fit_is_a_fault_and_no_score() -> None:
    with pytest.raises(InfraError, match="do not fit"):
        score("exact_match", ["a"], asked={"expected": "a"})
    with pytest.raises(InfraError, match="do not fit"):
        score("is_in_list", "a", asked={"expected": "a"})
    with pytest.raises(InfraError, match="do not fit"):
        score("compare_pdfs", "a", file("b"))


def test_what_cannot_be_done_is_never_compared() -> None:
    with pytest.raises(InfraError, match="ending"):
        metrics()["infeasible"]().compare(None, None, "ours")
