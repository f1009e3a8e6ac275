"""What a run leaves for people: the page, the summary for a CI server, and the command that makes both again."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.plugin.test_commands import command
from tests.reporting.page.records import RunMaker

if TYPE_CHECKING:
    from pathlib import Path

    from tests.plugin.conftest import Suite


@pytest.fixture
def run(tmp_path: Path) -> Path:
    maker = RunMaker(tmp_path / "reports" / "runs" / "r1")
    maker.episode()
    maker.report()
    return maker.path


@pytest.mark.desktop
def test_every_run_ends_with_its_page_and_a_summary_for_the_ci_server(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.manifest("write-word")
    summary = suite.pytester.path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))

    result = suite.run("--rogue-model=control/compliant")

    run = suite.pytester.path / "reports" / "runs" / "r1"
    result.stdout.fnmatch_lines([f"page:*{run}/report.html"])
    assert len(list((run / "report-data").glob("*.js"))) == 1
    assert "| control/compliant | override | 1 | 0 |" in summary.read_text()


@pytest.mark.desktop
def test_a_summary_that_cannot_be_written_fails_the_run_and_not_the_report(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.manifest("write-word")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(suite.pytester.path))

    result = suite.run("--rogue-model=control/compliant")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["The summary cannot be written to *: Is a directory."])
    assert suite.report()["totals"]["planned"] == 1


@pytest.mark.desktop
def test_a_run_that_lost_its_report_is_shown_from_its_store(suite: Suite) -> None:
    suite.manifest("write-word")
    suite.run("--rogue-model=control/compliant")
    run = suite.pytester.path / "reports" / "runs" / "r1"
    (run / "report.json").unlink()

    done = command("report", "r1", "--format=markdown", folder=suite.pytester.path)

    assert done.returncode == 0, done.stderr
    assert "the run was ended before it could write its report" in done.stdout
    assert "| control/compliant | override | 1 | 0 |" in done.stdout


def test_the_command_makes_the_page_again_by_id_and_by_folder(run: Path, tmp_path: Path) -> None:
    by_id = command("report", "r1", folder=tmp_path)
    by_folder = command("report", str(run), "--standalone", folder=tmp_path)

    assert (by_id.returncode, by_id.stdout) == (0, f"{run}/report.html\n"), by_id.stderr
    assert (by_folder.returncode, by_folder.stdout) == (0, f"{run}/report-standalone.html\n"), by_folder.stderr


def test_the_command_forgets_episodes_that_are_no_longer_in_the_run(run: Path, tmp_path: Path) -> None:
    command("report", "r1", folder=tmp_path)
    (run / "report-data" / "old.js").touch()
    command("report", "r1", folder=tmp_path)

    assert [path.name for path in (run / "report-data").iterdir()] == ["tidy-0.js"]
    assert not list(run.glob(".*"))


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_the_command_writes_tables(run: Path, tmp_path: Path, form: str) -> None:
    done = command("report", "r1", f"--format={form}", folder=tmp_path)

    assert done.stdout.splitlines() == [f"{run}/{name}.{form}" for name in ("episodes", "steps", "evidence")]


def test_a_run_that_does_not_exist_is_named_with_those_that_do(run: Path, tmp_path: Path) -> None:
    (run / "run.sqlite").touch()
    done = command("report", "r2", folder=tmp_path)

    assert done.returncode == 1
    assert "is not a run" in done.stderr
    assert "did you mean r1?" in done.stderr


def test_a_report_of_another_form_is_refused(run: Path, tmp_path: Path) -> None:
    text = (run / "report.json").read_text()
    (run / "report.json").write_text(text.replace('"schema_version": "1.0"', '"schema_version": "2.0"'))
    done = command("report", "r1", folder=tmp_path)

    assert done.returncode == 1
    assert "has form 2.0, this version reads 1.0" in done.stderr


def test_a_damaged_report_is_named(run: Path, tmp_path: Path) -> None:
    (run / "report.json").write_text("{")
    done = command("report", "r1", folder=tmp_path)

    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert "report.json cannot be read" in done.stderr


def test_standalone_is_for_the_page_only(run: Path, tmp_path: Path) -> None:
    shutil.rmtree(run / "episodes")
    done = command("report", "r1", "--format=csv", "--standalone", folder=tmp_path)

    assert "leave it out with --format=csv" in done.stderr
