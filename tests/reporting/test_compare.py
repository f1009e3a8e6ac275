"""Two runs on the cases they share: what is compared, what is left out, and the exit code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.cli import main
from pytest_rogue.errors import ConfigError, RecordError
from pytest_rogue.outcome import Outcome, Verdict
from pytest_rogue.records.result import EpisodeResult
from pytest_rogue.records.store import PlannedItem
from pytest_rogue.reporting.compare import compare, comparison_lines
from pytest_rogue.reporting.json_report import build_report
from pytest_rogue.reporting.reports_on_disk import read_report

if TYPE_CHECKING:
    from pathlib import Path


def report(verdicts: str, *, model: str = "m", case_hash: str = "h", epochs: int = 1, **options: Any) -> dict[str, Any]:
    """A run with a letter for each episode: c(orrigible), m(isaligned), u(ndetermined)."""
    words = {verdict.value[0]: verdict for verdict in Verdict}
    items = [
        PlannedItem(
            key=str(place),
            nodeid=f"case-{place // epochs}-{place % epochs}",
            case_id=f"case-{place // epochs}",
            case_hash=case_hash,
            scenario="override",
            variant="base",
            model=model,
            epoch=place % epochs + 1,
            order=place,
            task=f"task-{place // epochs}",
        )
        for place in range(len(verdicts))
    ]
    results = {
        str(place): EpisodeResult(Outcome(words[letter].value), verdict=words[letter]).to_dict()
        for place, letter in enumerate(verdicts)
    }
    given = {name: {"value": value, "source": "command line"} for name, value in {"max_steps": 20, **options}.items()}
    return build_report({"id": "run", "options": given}, items, results)


def test_a_run_that_got_worse_on_enough_tasks_is_worse() -> None:
    (row,) = compare(report("c" * 10), report("m" * 8 + "cc")).rows
    assert (row.difference.up, row.difference.down, row.verdict) == (8, 0, "worse")
    assert row.difference.p == pytest.approx(2 / 2**8)


def test_a_difference_on_few_tasks_is_not_shown() -> None:
    (row,) = compare(report("c" * 10), report("mmm" + "c" * 7)).rows
    assert row.verdict == "no difference shown"


def test_a_run_that_got_better_is_not_worse() -> None:
    found = compare(report("m" * 10), report("c" * 10))
    assert ([row.verdict for row in found.rows], found.worse) == (["better"], ())


def test_epochs_of_one_task_make_one_pair() -> None:
    (row,) = compare(report("ccmm", epochs=2), report("cmmm", epochs=2)).rows
    assert (row.difference.n, row.difference.up, row.difference.value) == (2, 1, 0.25)


def test_two_models_are_compared_where_each_run_has_one() -> None:
    (row,) = compare(report("cc", model="a"), report("cm", model="b")).rows
    assert (row.before, row.after, row.difference.up) == ("a", "b", 1)


def test_a_changed_case_is_left_out_and_named() -> None:
    found = compare(report("c"), report("c", case_hash="other"))
    assert found.rows == ()
    assert found.left_out == ("override base case-0: the case is not the same in both runs",)


def test_a_case_that_is_decided_in_one_run_only_is_left_out_and_named() -> None:
    found = compare(report("cu"), report("cm"))
    assert found.rows[0].difference.n == 1
    assert found.left_out == ("override base case-1: decided in the second run only",)


def test_an_undecided_epoch_of_a_compared_case_is_named() -> None:
    found = compare(report("cu", epochs=2), report("cc", epochs=2))
    assert found.left_out == ("case-0-1 in run run: undetermined",)


def test_runs_under_other_conditions_are_compared_and_told_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = "--rogue-max-steps was 15 in the first run and is 50 in the second"
    for name, steps in (("a", 15), ("b", 50)):
        (tmp_path / name).write_text(json.dumps(report("c" * 10, max_steps=steps, max_cost=steps)))
    main(["compare", str(tmp_path / "a"), str(tmp_path / "b")])
    assert f"  other conditions: {said}" in capsys.readouterr().out.splitlines()
    main(["compare", str(tmp_path / "a"), str(tmp_path / "b"), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (told["conditions"], told["rows"][0]["difference"]["n"]) == ([said], 10)


def test_a_run_that_does_not_know_its_conditions_is_named() -> None:
    imported = report("c")
    imported["run"] |= {"id": "imported", "options": {}}
    assert compare(report("c"), imported).conditions == ("those of run imported are not recorded",)


def test_runs_without_a_model_in_common_need_names() -> None:
    two = {**report("c"), "groups": [{"model": "a"}, {"model": "b"}]}
    with pytest.raises(ConfigError, match="--model-a"):
        compare(two, report("c"))


def test_the_lines_say_the_difference_with_its_interval_and_its_numbers() -> None:
    # 8 / 12 -+ 1.96 sqrt(9 - 64 / 12) / 12
    lines = comparison_lines(compare(report("c" * 10), report("m" * 8 + "cc")))
    assert lines[1] == (
        "  m  override: +80.0 points [+35.4, +97.9], 10 tasks, 8 up, 0 down, p 0.00781, corrected 0.00781: worse"
    )


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--fail-if-worse",), 11)], ids=["by-default", "asked-for"])
def test_the_command_fails_for_a_worse_run_only_where_it_is_asked_to(
    tmp_path: Path, options: tuple[str, ...], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = tmp_path / "a.json", tmp_path / "b.json"
    before.write_text(json.dumps(report("c" * 10)))
    after.write_text(json.dumps(report("m" * 10)))
    assert main(["compare", str(before), str(after), "--json", *options]) == code
    assert json.loads(capsys.readouterr().out)["rows"][0]["verdict"] == "worse"


def test_the_command_takes_the_id_of_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("before", "after"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "report.json").write_text(json.dumps(report("c" * 10)))
    assert main(["compare", "before", "after", f"--report-dir={tmp_path}"]) == 0
    assert "10 tasks, 0 up, 0 down" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["{", "[]", '{"schema_version": "2.0", "run": 0, "groups": 0, "episodes": 0}'])
def test_what_is_no_report_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "report.json").write_text(text)
    with pytest.raises(RecordError, match=r"report\.json: "):
        read_report(tmp_path)


def test_a_plan_says_how_many_cases_and_epochs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--detect=0.1", "--power=0.8", "--baseline=0.3"]) == 0
    assert [line.split() for line in capsys.readouterr().out.splitlines()[2:4]] == [
        ["1", "356", "356"],
        ["2", "267", "534"],
    ]


def test_a_plan_for_the_impossible_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--detect=0.9", "--baseline=0.3"]) == 1
    assert "shares lie between 0 and 1" in capsys.readouterr().err
