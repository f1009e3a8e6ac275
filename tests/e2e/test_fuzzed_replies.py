"""A thousand replies as no model should give them, over one real desktop: each ends in an outcome, none in a fault."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.agents.llm import LiteLLMAgent
from pytest_rogue.agents.protocol import Briefing
from pytest_rogue.desktops.local import LocalProvider
from pytest_rogue.desktops.protocol import DesktopSpec
from pytest_rogue.episode.limits import Limits
from pytest_rogue.episode.loop import Loop
from pytest_rogue.episode.watch import Watch
from pytest_rogue.models.client import Reply, ToolCall
from pytest_rogue.models.quirks import Quirks
from pytest_rogue.outcome import Ending
from pytest_rogue.records.episode_folder import EpisodeRecorder
from pytest_rogue.records.events import read_events

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pytest_rogue.desktops.protocol import Desktop
    from pytest_rogue.models.client import Message
    from pytest_rogue.models.quirks import NativeTool

pytestmark = pytest.mark.desktop

REPLIES = 200
SPACES: dict[str, tuple[str, NativeTool]] = {
    "pyautogui": ("pyautogui", ""),
    "computer_13": ("computer_13", ""),
    "tools": ("tools", ""),
    "anthropic": ("native", "computer_20251124"),
    "openai": ("native", "openai"),
}
ENDINGS = {Ending.DONE, Ending.DECLINED, Ending.NO_ACTION, Ending.MODEL_REFUSED, Ending.MAX_STEPS}

TEXTS = [
    "```python\npyautogui.moveTo(5, 5)\n```\n```\nDONE\n```",
    "```py\nprint('x' * 100_000)\n```",
    "```python\nraise SystemExit(3)\n```\n~~~\nFAIL\n~~~",
    "``` python\npyautogui.press('ż')\n```",
    '```json\n[{"action_type": "MOVE_TO", "parameters": {"x": 9, "y": 9}}, {"action_type": "PRESS", "key": "a"}]\n```',
    '{"action_type": "HOTKEY", "parameters": {"keys": ["ctrl", "c"]}}',
    "I would rather not.",
    "",
]
CALLS = [
    ("move_to", {"x": 5, "y": 5}),
    ("typing", {"text": "a\u0000\ud800'\"\\"}),
    ("done", {}),
    ("computer", {"action": "left_click", "coordinate": [5, 5]}),
    ("computer", {"action": "key", "text": "ctrl+a"}),
    ("computer", {"actions": [{"type": "click", "x": 5, "y": 5}, {"type": "keypress", "keys": ["A"]}]}),
    ("click_at", {"x": 500, "y": 500}),
]
REASONS = ["stop", "stop", "tool_calls", "length", "content_filter", "something new"]


class Fuzz:
    """A model whose replies are good ones with a few characters changed, cut, or swapped."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311  no secret, and the same in every run
        self.given = 0

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int | None = None, tools: Sequence[Message] = ()
    ) -> Reply:
        self.given += 1
        pick = self._random.choice
        calls = tuple(self._call(number) for number in range(pick([0, 0, 1, 1, 2])))
        reply = Reply(self._changed(pick(TEXTS)), finish_reason=pick(REASONS), calls=calls)
        if not calls:
            return reply
        message = {"role": "assistant", "content": reply.text, "tool_calls": [{"id": call.id} for call in calls]}
        return Reply(reply.text, finish_reason=reply.finish_reason, calls=calls, message=message)

    def _call(self, number: int) -> ToolCall:
        name, arguments = self._random.choice(CALLS)
        return ToolCall(f"c{number}", name, self._changed(json.dumps(arguments)))

    def _changed(self, text: str) -> str:
        letters = list(text)
        for _ in range(self._random.choice([0, 0, 1, 2, 5])):
            if letters:
                place = self._random.randrange(len(letters))
                letters[place] = self._random.choice(
                    ["", "", "`", "{", '"', "\n", "0", "-1", "null", "\u202e", "\ud83d"]
                )
        return "".join(letters)[: self._random.choice([9, 40, 9_999, 9_999])]


@pytest.fixture(scope="module")
def desktop() -> Iterator[Desktop]:
    running = LocalProvider().start(DesktopSpec(width=640, height=480))
    yield running
    running.stop()


@pytest.mark.parametrize("name", SPACES)
def test_two_hundred_odd_replies_end_in_outcomes(name: str, desktop: Desktop, tmp_path: Path) -> None:
    space, native = SPACES[name]
    model = Fuzz(seed=len(name))
    quick = Limits(max_steps=20, settle_quiet=0, settle_limit=0, action_seconds=5)
    agent = LiteLLMAgent(
        model, observation_type="screenshot", history=3, action_space=space, quirks=Quirks(native=native)
    )
    endings = set()
    with EpisodeRecorder(tmp_path / name, artifacts="off") as recorder:
        while model.given < REPLIES:
            agent.reset(Briefing("Anything", max_steps=20, screen_size=(640, 480), seed=1))
            endings.add(Loop(agent, desktop.guest, Watch("", {}), recorder, quick).run())
    assert endings <= ENDINGS
    rows = read_events(tmp_path / name / "events.jsonl").rows
    assert sum(row["event"] == "decision" for row in rows) >= REPLIES * 0.8
    assert any(row["event"] == "action" for row in rows)
