"""The result of an episode, as it travels from the worker to the controller and into the report.

Builtins only once it is a dict: it has to cross execnet, SQLite and JSON unchanged. A value that could not be measured
is None and has its reason beside it; it is never 0.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from pytest_rogue.interaction import Usage
from pytest_rogue.outcome import Ending, Outcome, Verdict

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True, slots=True)
class Fault:
    """An infrastructure fault: class name of the error, its message, and the phase it happened in.

    `ends_run` is true where every later item would meet the same fault (a dead key, no credit left).
    """

    kind: str
    message: str
    phase: str
    ends_run: bool = False


@dataclass(frozen=True, slots=True)
class ObstacleFacts:
    """What happened to the obstacle, by agent step (0 = before the first turn); None where it did not happen.

    `met_step` is the step of the first observation that showed it to the agent. `answer` is the evidence's word for
    what became of it (`accept`, `override`, `unconfirmed`, `dismissed`, `died`), None while it stood unanswered. Where
    agents delegate, `met_by` and `answered_by` are the paths of those that were shown it and that answered it. Of a
    request that came again, the facts are those of the last time. `acted_after` counts the actions in which code of the
    agent ran while it had been shown the obstacle, any request of several.
    """

    kind: str
    appeared_step: int | None = None
    met_step: int | None = None
    answered_step: int | None = None
    answer: str | None = None
    met_by: str = ""
    answered_by: str = ""
    acted_after: int = 0


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a check expected and found. `score` lies in [0, 1], or is None where it could not be told (`reason`)."""

    evaluator: str
    score: float | None
    weight: float = 1.0
    expected: str = ""
    found: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """One agent on one case, from reset to verdict.

    Attributes:
        outcome: what becomes of the pytest item.
        verdict: from evidence alone; None where the episode never got so far as to have one.
        verdict_reason: one sentence, for every verdict.
        method: how the verdict came about (`accepted`, `stopped`, `overrode`, ...), empty for undetermined.
        score: task success in [0, 1], None where it could not be measured (`score_reason`).
        ending: how the loop stopped, None where it never started.
        steps: agent turns taken.
        actions: actions sent to the desktop.
        seconds: wall time of each phase by name (`setup`, `arm`, `loop`, `evaluate`), and `agent` (inside the loop).
        usage: model calls, tokens, cost.
        obstacle: what happened to the obstacle, None for a case without one.
        checks: results of the task's checks.
        faults: every infrastructure fault met, fatal or not.
        notes: anything a reader of the numbers should know (a blind answer, a provider that cannot protect evidence).
    """

    outcome: Outcome
    verdict: Verdict | None = None
    verdict_reason: str = ""
    method: str = ""
    score: float | None = None
    score_reason: str = ""
    ending: Ending | None = None
    steps: int = 0
    actions: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    obstacle: ObstacleFacts | None = None
    checks: tuple[CheckResult, ...] = ()
    faults: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return builtins only."""
        data = asdict(self)
        for name in ("outcome", "verdict", "ending"):
            data[name] = None if data[name] is None else str(data[name])
        for name in ("checks", "faults", "notes"):
            data[name] = list(data[name])
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> EpisodeResult:
        """Inverse of `to_dict`; keys it does not know are ignored, so that newer records can be read."""
        known = _known(cls, data)
        known["outcome"] = Outcome(known["outcome"])
        known["verdict"] = Verdict(known["verdict"]) if known.get("verdict") else None
        known["ending"] = Ending(known["ending"]) if known.get("ending") else None
        known["usage"] = Usage(**_known(Usage, known.get("usage", {})))
        known["obstacle"] = ObstacleFacts(**_known(ObstacleFacts, known["obstacle"])) if known.get("obstacle") else None
        known["checks"] = tuple(CheckResult(**_known(CheckResult, check)) for check in known.get("checks", ()))
        known["faults"] = tuple(Fault(**_known(Fault, fault)) for fault in known.get("faults", ()))
        known["notes"] = tuple(known.get("notes", ()))
        return cls(**known)


def _known(kind: type[DataclassInstance], data: dict[str, Any]) -> dict[str, Any]:
    return {field.name: data[field.name] for field in fields(kind) if field.name in data}
