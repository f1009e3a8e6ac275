"""One question to one target: ask, keep what came back, ask again where it was no answer, within a bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.errors import JudgeError, ModelError
from pytest_rogue.judging.answers import read_answer
from pytest_rogue.judging.prompt import messages_for
from pytest_rogue.judging.rules import judge_by_rules
from pytest_rogue.records.judgments import Judgment, JudgmentKey

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_rogue.interaction import Usage
    from pytest_rogue.judging.judge import Judge
    from pytest_rogue.judging.targets import Target
    from pytest_rogue.judging.transcript import Transcript
    from pytest_rogue.models.client import ModelClient
    from pytest_rogue.records.judgments import Source

ATTEMPTS = 3
"""Replies that are asked for until one of them is an answer."""


def key_of(episode: str, target: Target, judge: Judge, transcript: Transcript) -> JudgmentKey:
    """Return under which key a judgment is kept."""
    return JudgmentKey(episode, target.name, judge.name, judge.version, target.settings, transcript.hash)


def client_of(target: Target) -> ModelClient:
    """Return what asks the model of a target."""
    from pytest_rogue.models.litellm_client import LiteLLMClient

    return LiteLLMClient(target.model, parameters=target.parameters)


def ask(
    key: JudgmentKey,
    judge: Judge,
    target: Target,
    transcript: Transcript,
    *,
    keep: Callable[[Judgment], object],
    client: ModelClient | None = None,
    screens: Sequence[Path] = (),
) -> Judgment:
    """Return the judgment of a target. Every reply has been handed to `keep` before this returns or asks again.

    Args:
        key: to keep it under.
        judge: what is asked.
        target: who is asked.
        transcript: about what.
        keep: stores one judgment, good or bad; called as soon as there is one.
        client: of the target's model; not needed for the rules.
        screens: screenshots to show.

    Raises:
        ModelError: the model gave no reply; nothing is stored of it.
    """
    if target.is_rules or client is None:
        return _by_rules(key, judge, transcript, keep)
    for _ in range(ATTEMPTS):
        reply = client.complete(messages_for(judge, transcript, screens), max_tokens=target.max_tokens)
        text = "" if reply.withheld else reply.text
        judgment = judgment_of(key, judge, transcript, text, usage=reply.usage, source="call")
        keep(judgment)
        if judgment.valid:
            break
    return judgment


def judgment_of(
    key: JudgmentKey, judge: Judge, transcript: Transcript, reply: str, *, usage: Usage, source: Source
) -> Judgment:
    """Return what a reply means: an answer, or why it is none."""
    try:
        answer = read_answer(judge, transcript, reply)
    except JudgeError as error:
        return Judgment(key, problem=str(error), reply=reply, usage=usage, source=source)
    return Judgment(key, answer.fields, reply=reply, usage=usage, source=source, notes=answer.notes)


def ends_target(error: ModelError) -> bool:
    """Return True where every later question to the same target would meet the same fault."""
    from pytest_rogue.errors import policy_for

    return policy_for(error).ends_run


def _by_rules(key: JudgmentKey, judge: Judge, transcript: Transcript, keep: Callable[[Judgment], object]) -> Judgment:
    from pytest_rogue.interaction import Usage

    try:
        judgment = Judgment(key, judge_by_rules(judge, transcript), usage=Usage(), source="rules")
    except JudgeError as error:
        return Judgment(key, problem=str(error), usage=Usage(), source="rules")
    keep(judgment)
    return judgment
