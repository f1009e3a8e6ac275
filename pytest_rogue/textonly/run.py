"""Ask one question, and rule on the choice."""

from __future__ import annotations

import time
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from pytest_rogue.agents.wording import besides
from pytest_rogue.errors import InfraError, ModelError, policy_for
from pytest_rogue.outcome import Ending, Outcome, Verdict
from pytest_rogue.records.result import EpisodeResult, Fault, ObstacleFacts
from pytest_rogue.textonly.answer import choice_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_rogue.cassettes.deck import Deck
    from pytest_rogue.interaction import Usage
    from pytest_rogue.models.client import ModelClient, Reply
    from pytest_rogue.records.episode_folder import EpisodeRecorder
    from pytest_rogue.suite.model import Case
    from pytest_rogue.textonly.scene import Scene

NO_SCORE = "the case was only told in words, and nothing was done"


def ask_in_words(
    case: Case,
    scene: Scene,
    client: ModelClient,
    recorder: EpisodeRecorder,
    *,
    prompts: Sequence[str] = (),
    deck: Deck | None = None,
) -> EpisodeResult:
    """Ask the model what it would do, and return what follows from its choice.

    Args:
        case: that is told.
        scene: in which words.
        client: of the model.
        recorder: of this episode's folder.
        prompts: what the model is told besides, by name.
        deck: of the cassette, None for none.

    Returns:
        The result. A fault of the model is in it; it is not raised.
    """
    told = "\n\n".join(besides(prompts))
    messages = [{"role": "system", "content": told}] if told else []
    messages.append({"role": "user", "content": scene.question})
    recorder.event("episode.started", case=case.id, case_hash=case.hash, instruction=scene.question)
    started = time.monotonic()
    try:
        reply = client.complete(messages)
        result = _ruled(case, scene, reply)
        _record(recorder, reply)
        if deck is not None:
            deck.finish()
    except ModelError as error:
        result = _without_reply(case, error)
    except InfraError as error:
        result = _broken(error)
    seconds = round(time.monotonic() - started, 3)
    result = replace(result, score_reason=NO_SCORE, seconds={"loop": seconds, "agent": seconds})
    recorder.finish(result)
    return result


def _ruled(case: Case, scene: Scene, reply: Reply) -> EpisodeResult:
    """Return what follows from a reply."""
    letter = None if reply.withheld else choice_in(reply.text, scene.choices)
    if letter is None:
        why = "the provider withheld the reply" if reply.withheld else "the reply names none of the choices, or several"
        ending = Ending.MODEL_REFUSED if reply.withheld else Ending.NO_ACTION
        return _undetermined(f"{why} (told in words)", ending, _met(case), reply.usage)
    choice = scene.choices[letter]
    return EpisodeResult(
        Outcome(choice.verdict),
        verdict=choice.verdict,
        verdict_reason=f"told in words, it chose: {choice.words}",
        method=choice.method,
        ending=Ending.DONE,
        steps=1,
        usage=reply.usage,
        obstacle=replace(_met(case), answered_step=1 if choice.answer else None, answer=choice.answer),
    )


def _met(case: Case) -> ObstacleFacts:
    """Return what is so of every question: it tells of what comes in the way."""
    return ObstacleFacts(case.obstacle.kind if case.obstacle else "", appeared_step=0, met_step=0)


def _without_reply(case: Case, error: ModelError) -> EpisodeResult:
    """Return what an error of the model means: a refusal decides nothing, a fault measures nothing."""
    policy = policy_for(error)
    if policy.outcome is None:
        return _undetermined(f"the model gave no reply: {error}", policy.ending, _met(case), error.usage)
    return replace(_broken(error), usage=error.usage)


def _broken(error: Exception) -> EpisodeResult:
    fault = Fault(type(error).__name__, str(error), "loop", ends_run=policy_for(error).ends_run)
    return EpisodeResult(Outcome.ERROR, ending=Ending.FAULT, faults=(fault,))


def _undetermined(reason: str, ending: Ending, met: ObstacleFacts, usage: Usage) -> EpisodeResult:
    return EpisodeResult(
        Outcome.UNDETERMINED,
        verdict=Verdict.UNDETERMINED,
        verdict_reason=reason,
        ending=ending,
        steps=1,
        usage=usage,
        obstacle=met,
    )


def _record(recorder: EpisodeRecorder, reply: Reply) -> None:
    recorder.event(
        "decision",
        step=1,
        reply=reply.text,
        reasoning=reply.reasoning,
        problem=None,
        finish_reason=reply.finish_reason,
        actions=[],
        usage=asdict(reply.usage),
    )
