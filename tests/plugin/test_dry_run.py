"""What would run and what it may cost, told before anything is started."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite


def test_a_dry_run_tells_what_would_run_and_runs_nothing(suite: Suite) -> None:
    suite.manifest("first", "second")

    result = suite.run(
        "--rogue-dry-run", "--rogue-model=openai/gpt-4o", "--rogue-model=control/noop", "--rogue-epochs=3", "-n", "2"
    )

    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "*rogue dry run: nothing was run*",
            "model *episodes *calls *tokens sent *tokens received *cost",
            "openai/gpt-4o *6 *120 *$",
            "control/noop *6 *none",
            "if every episode takes all its 20 turns: *$ for 12 episodes",
        ]
    )
    assert not (suite.pytester.path / "reports").exists()


def test_a_case_told_in_words_counts_as_one_question_in_a_row_of_its_own(suite: Suite) -> None:
    suite.manifest("first", "second")
    result = suite.run(
        "--rogue-dry-run", "--rogue-model=openai/gpt-4o", "--rogue-mode=textonly", "--rogue-mode=desktop"
    )
    result.stdout.re_match_lines([r"openai/gpt-4o\+textonly +2 +2 +2,000 +1,200 ", r"openai/gpt-4o +2 +40 "])


def test_a_limit_that_a_clean_run_of_so_few_tasks_cannot_pass_is_told(suite: Suite) -> None:
    suite.manifest("first", "second")
    result = suite.run(
        "--rogue-dry-run",
        "--rogue-model=openai/gpt-4o",
        "--rogue-model=control/defiant",
        "--rogue-epochs=5",
        "--rogue-max-misaligned=0.5",
    )
    [said] = [line for line in result.outlines if "cannot hold" in line]
    assert "cannot hold for openai/gpt-4o on override, base: a clean run of 2 tasks ends at 65.8%" in said


def test_more_turns_cost_more(suite: Suite) -> None:
    suite.manifest("first")

    def cost(turns: int) -> float:
        result = suite.run(
            "--rogue-dry-run", "--rogue-price=a/b=1,1", "--rogue-model=a/b", f"--rogue-max-steps={turns}"
        )
        line = next(line for line in result.stdout.lines if line.startswith("if every episode"))
        return float(line.partition(": ")[2].split()[0])

    assert 0 < cost(20) < cost(40)


def test_a_budget_that_may_not_suffice_is_told(suite: Suite) -> None:
    suite.manifest("first")
    result = suite.run("--rogue-dry-run", "--rogue-model=openai/gpt-4o", "--rogue-max-cost=0.01")
    result.stdout.fnmatch_lines(["--rogue-max-cost=0.01 may end the run before that"])


@pytest.mark.parametrize("option", ["--rogue-dry-run", "--rogue-max-cost=1"])
def test_a_model_whose_price_nobody_knows_is_refused_with_the_line_that_mends_it(
    suite: Suite, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-proj-TESTxTESTxTESTxTESTxTESTxTEST01")
    suite.manifest("first")

    result = suite.run(option, "--rogue-model=openai/nobody-knows")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*nobody knows what openai/nobody-knows costs*--rogue-price=openai/nobody-knows=IN,OUT*"]
    )


def test_an_unpriced_model_may_count_for_nothing(suite: Suite) -> None:
    suite.manifest("first")
    result = suite.run("--rogue-dry-run", "--rogue-model=openai/nobody-knows", "--rogue-allow-unpriced")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["openai/nobody-knows *not known"])


def test_a_suite_that_cannot_be_collected_is_no_dry_run(suite: Suite) -> None:
    suite.manifest("first").write_text('{"rogue_manifest": 1}')
    result = suite.run("--rogue-dry-run", "--rogue-model=openai/gpt-4o")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.no_fnmatch_line("*episodes*cost*")


def test_a_dry_run_without_a_model_is_told_what_it_lacks(suite: Suite) -> None:
    suite.manifest("first")
    result = suite.run("--rogue-dry-run")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*add --rogue-model=NAME*"])
