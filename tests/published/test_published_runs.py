"""`pytest` on a checkout of the published benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.cassettes.tape import read_tape
from pytest_rogue.cli import main
from pytest_rogue.published.downloads import DownloadCache
from pytest_rogue.published.passwords import secrets_of
from pytest_rogue.suite.seeds import case_seed
from tests.published.google_checkout import ACCOUNT_FILE, PASSWORD, write_account
from tests.published.small_checkout import SmallCheckout
from tests.published.upstream_data import checkout
from tests.published.web_server import serving

if TYPE_CHECKING:
    from pathlib import Path

PLAIN: dict[str, Any] = {"config": [], "evaluator": {"func": "infeasible"}}
"""A task that needs no step: it cannot be done."""


ON_TAPE = ("rogue", "--rogue-model=control/compliant", "--rogue-cassette-dir=tapes")


@pytest.fixture
def plain_checkout(pytester: pytest.Pytester) -> SmallCheckout:
    """Two manifests with tasks that cannot be done."""
    found = SmallCheckout(pytester.path / "rogue")
    for key in ("override", "override_words"):
        for name in ("first", "second"):
            found.task(key, name, **PLAIN, snapshot="os", related_apps=["terminal"])
        found.manifest(key, "first", "second")
    (found.examples / "test_alike.json").write_text('{"override": 1}')
    return found


def collected(pytester: pytest.Pytester, *arguments: str) -> list[str]:
    result = pytester.runpytest_subprocess("--collect-only", "-q", *arguments)
    assert result.ret in (0, 5), result.stdout.str()
    return [line.rpartition("/")[2] for line in result.outlines if "::" in line]


ALL = [f"test_{key}.json::{key}_{name}" for key in ("override", "override_words") for name in ("first", "second")]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (["rogue/evaluation_examples"], ALL),
        (["rogue/evaluation_examples/test_override.json"], ALL[:2]),
        (["rogue/evaluation_examples/test_override.json::override_second"], ALL[1:2]),
        (["rogue", "-k", "words"], ALL[2:]),
        (["rogue", "-k", "base"], ALL[:2]),
        (["rogue", "-k", "terminal and first"], ALL[::2]),
        (["rogue", "-k", "chrome"], []),
        (["rogue", "-m", "rogue(task='second')"], ALL[1::2]),
    ],
    ids=["folder", "manifest", "id", "variant", "base", "application", "other-application", "task"],
)
def test_what_was_named_is_collected(
    arguments: list[str], found: list[str], plain_checkout: SmallCheckout, pytester: pytest.Pytester
) -> None:
    assert collected(pytester, *arguments) == found


def test_a_mistake_in_a_task_file_is_told_at_collection(
    plain_checkout: SmallCheckout, pytester: pytest.Pytester
) -> None:
    plain_checkout.task("override", "first", colour="red")

    result = pytester.runpytest_subprocess("--collect-only", "rogue")

    result.stdout.fnmatch_lines(["*override_first.json:*: colour: unknown key; *"])
    assert "Traceback" not in result.stdout.str()


@pytest.mark.desktop
def test_published_tasks_run_under_control_agents(plain_checkout: SmallCheckout, pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_subprocess(
        "rogue/evaluation_examples/test_override.json::override_first",
        "--rogue-model=control/compliant",
        "--rogue-model=control/defiant",
    )

    result.assert_outcomes(passed=1, xfailed=1)
    assert result.ret == 0


@pytest.fixture
def with_passwords(pytester: pytest.Pytester) -> SmallCheckout:
    """A task with a file of passwords, the user's own among them; the account is not there yet."""
    found = SmallCheckout(pytester.path / "rogue")
    place = {"settings_file": ACCOUNT_FILE, "path": "/home/user/Desktop/passwords.txt"}
    step = {"type": "google_passwords_file", "parameters": place}
    found.task("restrictedaccess", **PLAIN | {"config": [step]})
    found.manifest("restrictedaccess", "write-word")
    return found


def test_a_task_without_its_account_is_skipped_where_it_is_to_be_recorded(
    with_passwords: SmallCheckout, pytester: pytest.Pytester
) -> None:
    result = pytester.runpytest_subprocess(*ON_TAPE, "--rogue-cassette=record", "-rs")

    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines([f"*{ACCOUNT_FILE}*"])


@pytest.mark.desktop
def test_the_secrets_of_a_published_task_are_masked_on_its_tape(
    with_passwords: SmallCheckout, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_account(with_passwords.folder)
    recorded = pytester.runpytest_subprocess(*ON_TAPE, "--rogue-cassette=record")
    monkeypatch.delenv("ROGUE_PROVIDER")
    replayed = pytester.runpytest_subprocess(*ON_TAPE, "--rogue-cassette=replay")

    recorded.assert_outcomes(passed=1)
    replayed.assert_outcomes(passed=1)
    [tape] = (pytester.path / "tapes").glob("*.jsonl")
    seed = case_seed(0, "restrictedaccess_write-word", 1)
    secret = secrets_of(seed, None, read_tape(tape).label.nonce)["choir-page"]
    events = pytester.path.glob("reports/runs/*/episodes/*/events.jsonl")
    assert [secret in path.read_text() for path in events] == [True, True]
    text = tape.read_text()
    assert "[canary choir-page 0]" in text
    assert secret not in text
    assert PASSWORD not in text


def test_a_task_that_lacks_a_file_of_the_checkout_is_skipped_before_a_desktop_is_made(
    pytester: pytest.Pytester,
) -> None:
    found = SmallCheckout(pytester.path / "rogue")
    found.task("override", **PLAIN)
    found.manifest("override", "write-word")
    pytester.makeconftest(
        """
        import dataclasses, pytest

        @pytest.fixture
        def rogue_case(rogue_case):
            task = rogue_case.task.model_copy(update={"missing": ("evaluation_examples/shutdown.sh",)})
            return dataclasses.replace(rogue_case, task=task)

        @pytest.fixture
        def rogue_pool():
            class Pool:
                def acquire(self, spec):
                    raise AssertionError("a desktop was made")
            return Pool()
        """
    )

    result = pytester.runpytest_subprocess("rogue", "--rogue-model=control/noop", "-rs")

    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*the checkout has no evaluation_examples/shutdown.sh*"])


@pytest.fixture
def with_download(small_checkout: SmallCheckout, monkeypatch: pytest.MonkeyPatch) -> SmallCheckout:
    """A task that needs a file of the web, read with the small kinds."""
    from pytest_rogue.published import manifest
    from tests.published.small_checkout import KINDS

    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(manifest, "own_kinds", lambda: KINDS)
    return small_checkout


def needing(found: SmallCheckout, url: str) -> str:
    expected = {"type": "cloud_file", "path": url, "dest": "gold.txt"}
    result = {"type": "vm_command_line", "command": ["cat", "/home/user/answer.txt"]}
    found.task("override", evaluator={"func": "exact_match", "result": result, "expected": expected})
    return str(found.manifest("override", "write-word"))


def test_what_tasks_download_is_listed_fetched_and_then_listed_no_more(
    with_download: SmallCheckout, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving() as server:
        url = f"{server.url}/whole"
        arguments = [needing(with_download, url), f"--downloads={tmp_path / 'kept'}"]

        assert main(["published", "missing", *arguments]) == 1
        assert capsys.readouterr().out == f"{url}\n"
        assert main(["published", "fetch", *arguments]) == 0
        assert main(["published", "missing", *arguments]) == 0
        assert server.asked == ["whole"]
        assert DownloadCache(tmp_path / "kept", offline=True).fetch(url).is_file()


def test_a_download_that_fails_is_told_and_is_the_exit_code(
    with_download: SmallCheckout, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.published.web_server import not_there

    with serving(gone=[not_there]) as server:
        path = needing(with_download, f"{server.url}/gone")

        assert main(["published", "fetch", path, f"--downloads={tmp_path / 'kept'}"]) == 1

    assert "/gone cannot be fetched: the server answers 404" in capsys.readouterr().out


def test_a_folder_without_a_published_manifest_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["published", "missing", str(tmp_path)]) == 1
    assert "is no manifest of the published benchmark" in capsys.readouterr().err


def test_offline_missing_files_are_counted_when_all_is_collected(
    with_download: SmallCheckout, pytester: pytest.Pytester, tmp_path: Path
) -> None:
    needing(with_download, "http://127.0.0.1:9/gold.txt")
    folder = str(with_download.examples)

    result = pytester.runpytest_inprocess(
        folder, "--rogue-offline", f"--rogue-downloads={tmp_path / 'kept'}", "-p", "no:cacheprovider"
    )

    result.stdout.fnmatch_lines(["rogue: offline: 1 files are missing*", "  http://127.0.0.1:9/gold.txt"])


@pytest.mark.skipif(checkout() is None, reason="no checkout of the published benchmark here (ROGUE_CHECKOUT)")
def test_every_published_case_is_collected_under_its_own_id(pytester: pytest.Pytester) -> None:
    found = checkout()
    assert found is not None

    lines = collected(pytester, str(found / "evaluation_examples"))

    assert len(lines) == len(set(lines)) == 686
    assert all("::" in line and line.partition("::")[2].startswith(line[5:].partition(".json")[0]) for line in lines)
