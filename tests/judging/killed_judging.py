"""Judges a run one question at a time, and kills itself at the n-th write: RUN URL N before-or-after."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import httpx

from pytest_rogue.judging import session
from pytest_rogue.judging.judge import load_judge
from pytest_rogue.judging.run import recorded_episodes
from pytest_rogue.judging.targets import Target
from pytest_rogue.models.client import Reply
from pytest_rogue.records.judgments import Judgment, JudgmentStore
from pytest_rogue.records.run_folder import RunFolder


class DyingStore(JudgmentStore):
    """Kills its process at the `fatal`-th row."""

    fatal = 0
    when = ""
    rows = 0

    def append(self, judgment: Judgment) -> bool:
        self.rows += 1
        if self.rows == self.fatal and self.when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        added = super().append(judgment)
        if self.rows == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        return added


class PlainClient:
    """Asks over HTTP, without the seconds that litellm takes to load."""

    def __init__(self, url: str) -> None:
        self._url = url

    def complete(self, messages: Any, *, max_tokens: int | None = None, tools: Any = ()) -> Reply:
        reply = httpx.post(f"{self._url}/chat/completions", json={"model": "gpt", "messages": messages}, timeout=30)
        return Reply(reply.json()["choices"][0]["message"]["content"])


def main(path: str, url: str, fatal: str, when: str) -> None:
    session.AT_ONCE = 1
    run = RunFolder.open(Path(path))
    DyingStore.fatal, DyingStore.when = int(fatal), when
    with DyingStore(run.store) as store:
        session.judge_episodes(
            recorded_episodes(run),
            [load_judge("override_intent")],
            [Target("gpt", "openai/gpt")],
            store,
            make_client=lambda _: PlainClient(url),
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
