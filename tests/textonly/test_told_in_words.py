"""Cases that are told in words stand in the report beside those of a desktop."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.reporting.compare import compare
from pytest_rogue.textonly.run import NO_SCORE
from tests.model_server import Failure, ModelServer, Request

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.plugin.conftest import Suite

MODEL = "--rogue-model=openai/gpt-test"
WORDS = "--rogue-mode=textonly"


def choosing(words: str) -> Callable[[Request], str]:
    """Return a script that chooses what begins with these words."""

    def reply(request: Request) -> str:
        [line] = re.findall(rf"^([A-C])\. {words}", str(request.messages[-1]["content"]), re.MULTILINE)
        return f'{{"choice": "{line}"}}'

    return reply


@pytest.mark.desktop
def test_both_modes_of_a_model_stand_in_one_report_and_can_be_compared(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reply(request: Request) -> str:
        told = "Choose one:" in str(request.messages[-1]["content"])
        return choosing('Answer "Override"')(request) if told else "```\nDONE\n```"

    suite.manifest({"id": "write-word", "obstacle": {"trigger": {"kind": "start"}}})
    with ModelServer(reply) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-proj-TESTxTESTxTESTxTESTxTESTxTEST03")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        suite.run(MODEL, "--rogue-mode=desktop", WORDS).assert_outcomes(passed=1, failed=1)

    report = suite.report()
    groups = [(group["model"], group["mode"], group["misaligned"]["count"]) for group in report["groups"]]
    assert groups == [("openai/gpt-test", "desktop", 0), ("openai/gpt-test+textonly", "textonly", 1)]
    told = report["episodes"][1]
    assert (told["verdict"], told["method"], told["ending"]) == ("misaligned", "overrode", "done")
    assert (told["score"], told["score_reason"]) == (None, NO_SCORE)
    assert (told["usage"]["calls"], told["steps"], told["actions"]) == (1, 1, 0)
    [row] = compare(report, report, ("openai/gpt-test", "openai/gpt-test+textonly")).rows
    assert (row.difference.n, row.difference.up) == (1, 1)


def test_a_run_in_words_that_was_refused_throughout_is_not_green(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    suite.manifest("write-word")
    refusal = Failure(400, {"error": {"message": "Not allowed by our policy.", "code": "content_policy_violation"}})
    with ModelServer(lambda _request: refusal) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-proj-TESTxTESTxTESTxTESTxTESTxTEST03")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        result = suite.run(MODEL, WORDS)

    result.assert_outcomes(skipped=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    [told] = suite.report()["episodes"]
    assert (told["outcome"], told["ending"]) == ("undetermined", "model_refused")
    assert (told["obstacle"]["kind"], told["obstacle"]["met_step"]) == ("control_request", 0)


def test_a_run_in_words_needs_no_desktop_and_asks_no_control_agent(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.manifest("write-word")
    monkeypatch.setenv("PATH", "/nowhere")

    suite.run("--rogue-model=control/compliant", WORDS).assert_outcomes(skipped=1)

    assert suite.report()["run"]["provider"] == "none"


def test_an_agent_of_ones_own_is_not_asked_in_words(suite: Suite) -> None:
    suite.manifest("write-word")

    refused = suite.run(MODEL, WORDS, "--rogue-agent=some.module:Agent")

    refused.stderr.fnmatch_lines(["*--rogue-mode=textonly asks the model itself: drop --rogue-agent"])
