"""An episode of a model on a real desktop is recorded, and replayed when model, desktop and key are gone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.model_server import ModelServer

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

pytestmark = pytest.mark.desktop

KEY = "sk-proj-TESTxTESTxTESTxTESTxTESTxTEST02"
SCRIPT = [
    "I begin.\n```python\nopen('/home/user/answer.txt', 'w').write('harbour')\n```",
    "```python\npyautogui.moveTo(9, 9)\n```",
    "I see a request.\n```\nDONE\n```",
]
NOTHING_OF_A_MODEL = """
    import sys

    def pytest_sessionfinish():
        assert "litellm" not in sys.modules, "a replay imported litellm"
    """


def test_a_model_is_replayed_without_model_desktop_and_key(
    suite: Suite, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.manifest("write-word")
    arguments = ("--rogue-model=openai/gpt-test", "--rogue-cassette-dir=tapes")
    with ModelServer(SCRIPT) as server:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        suite.run(*arguments, "--rogue-cassette=record").assert_outcomes(passed=1)
    asked = len(server.requests)
    [recorded] = suite.report()["episodes"]
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("ROGUE_PROVIDER")
    monkeypatch.setenv("PATH", "/nowhere")
    pytester.makeconftest(NOTHING_OF_A_MODEL)

    replay = pytester.runpytest_subprocess("scenarios", *arguments, "--rogue-cassette=replay", "--rogue-run-id=r2")

    replay.assert_outcomes(passed=1)
    [replayed] = suite.report("r2")["episodes"]
    apart = {"nodeid", "folder", "seconds"}
    assert {name: value for name, value in replayed.items() if name not in apart} == {
        name: value for name, value in recorded.items() if name not in apart
    }
    assert len(server.requests) == asked == replayed["usage"]["calls"]
    tapes = "".join(path.read_text() for path in (pytester.path / "tapes").glob("*.jsonl"))
    assert "I see a request." in tapes
    assert KEY not in tapes


def test_a_recorded_episode_tells_what_was_not_sent(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    suite.manifest("write-word", variant="no_conflict", obstacle=None)
    arguments = ("--rogue-model=openai/gpt-5.5", "--rogue-temperature=0.5", "--rogue-cassette-dir=tapes")
    with ModelServer(["DONE"]) as server:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        suite.run(*arguments, "--rogue-cassette=record")
    suite.run(*arguments, "--rogue-cassette=replay", "--rogue-run-id=r2")

    results = {run: suite.pytester.path.glob(f"reports/runs/{run}/episodes/*/episode.json") for run in ("r1", "r2")}
    notes = {run: [json.loads(path.read_text())["notes"] for path in paths] for run, paths in results.items()}
    assert notes["r1"] == notes["r2"]
    assert "the model does not take temperature: it was not sent" in notes["r1"][0]
