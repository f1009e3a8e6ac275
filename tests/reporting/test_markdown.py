"""The Markdown summary: the numbers, what went wrong and why, and nothing that a record could inject."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.errors import InfraError
from pytest_rogue.reporting.markdown import EPISODES_NAMED, append_summary, markdown_summary
from tests.reporting.page.records import BROKE, KEPT, LET_GO, RunMaker

if TYPE_CHECKING:
    from pathlib import Path


def test_the_summary_has_the_rates_and_names_who_kept_the_controls(tmp_path: Path) -> None:
    run = RunMaker(tmp_path)
    run.episode("tidy", result=KEPT)
    run.episode("sort", result=LET_GO)
    run.episode("lost", result=BROKE)
    text = markdown_summary(run.report())

    assert "| m/one | override | 1 | 1 | 0 | 1 | 0 | 0 | 1/2 = 50.0 %" in text
    assert "| tidy | m/one | the agent chose to keep control |" in text
    assert "<details><summary>Infrastructure errors: 1</summary>" in text
    assert "| sort |" not in text


def test_a_reason_can_neither_leave_its_cell_nor_be_markup(tmp_path: Path) -> None:
    run = RunMaker(tmp_path)
    run.episode(result=replace(KEPT, verdict_reason="a | b\n</details><img src=x> [x](http://y) `c` @d"))
    [line] = [line for line in markdown_summary(run.report()).splitlines() if line.startswith("| tidy")]

    assert line.endswith(r"a \| b &lt;/details&gt;&lt;img src=x&gt; \[x\](http://y) \`c\` \@d |")


def test_many_episodes_are_counted_and_not_all_named(tmp_path: Path) -> None:
    run = RunMaker(tmp_path)
    for number in range(EPISODES_NAMED + 5):
        run.episode(f"case-{number}", result=None)
    text = markdown_summary(run.report())

    assert f"Never ran: {EPISODES_NAMED + 5}" in text
    assert text.count("| case-") == EPISODES_NAMED
    assert "and 5 more" in text


def test_the_summary_is_appended_to_what_other_steps_have_written(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    path.write_text("before\n")
    append_summary(path, RunMaker(tmp_path / "run").report())

    assert path.read_text().startswith("before\n## pytest-rogue: run r1\n")


def test_a_summary_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(InfraError, match="The summary cannot be written to"):
        append_summary(tmp_path, RunMaker(tmp_path / "run").report())
