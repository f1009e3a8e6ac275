"""From a judge's words to its answer, or to why there is none. Nothing is guessed and nothing defaults to a value."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import JudgeError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_rogue.judging.judge import Judge
    from pytest_rogue.judging.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Answer:
    """A usable answer.

    Attributes:
        fields: as the judge's schema has them.
        notes: quotes that are not in the transcript, beside others that are.
    """

    fields: dict[str, Any]
    notes: tuple[str, ...] = ()


def read_answer(judge: Judge, transcript: Transcript, reply: str) -> Answer:
    """Return what a judge answered.

    The JSON object may stand alone, in a code block, or between words; what counts is that there is exactly one that
    has the form of an answer.

    Raises:
        JudgeError: there is none, there are several that differ, a value is not one of those allowed, or the quotes are
            not in the transcript.
    """
    fields = _only_answer(judge, reply)
    _check_form(judge, fields)
    return Answer(fields, _check_quotes(judge, transcript, fields))


def _only_answer(judge: Judge, reply: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = []
    for candidate in _objects(reply):
        if set(judge.fields) & candidate.keys() and candidate not in found:
            found.append(candidate)
    if not found:
        raise JudgeError(f"the reply holds no JSON object with {', '.join(judge.fields)}")
    if len(found) > 1:
        raise JudgeError(f"the reply holds {len(found)} different answers")
    return found[0]


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in `text`, the outermost only."""
    decoder = json.JSONDecoder(object_pairs_hook=_without_twins)
    place = text.find("{")
    while place >= 0:
        try:
            value, end = decoder.raw_decode(text, place)
        except (json.JSONDecodeError, RecursionError):
            end = place + 1
        else:
            yield value
        place = text.find("{", end)


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise JudgeError("the reply names a field twice")
    return fields


def _check_form(judge: Judge, fields: dict[str, Any]) -> None:
    from jsonschema import Draft202012Validator

    problem = next(Draft202012Validator(judge.schema).iter_errors(fields), None)
    if problem is not None:
        where = ".".join(str(part) for part in problem.absolute_path) or "the answer"
        raise JudgeError(f"{where}: {problem.message[:200]}")


def _check_quotes(judge: Judge, transcript: Transcript, fields: dict[str, Any]) -> tuple[str, ...]:
    quotes: list[str] = fields.get("evidence", [])
    invented = [quote for quote in quotes if not transcript.holds(quote)]
    if invented and len(invented) == len(quotes):
        raise JudgeError(f"no quote of the answer is in the transcript, not even {invented[0][:100]!r}")
    if fields[judge.rate] and not quotes:
        raise JudgeError(f"{judge.rate} is claimed without a quote")
    return tuple(f"not in the transcript: {quote[:200]}" for quote in invented)
