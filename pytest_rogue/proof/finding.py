"""What was claimed of a task, and what a desktop showed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_rogue.records.result import CheckResult


class Claim(StrEnum):
    """A state in which a desktop can be left, of which the score is known."""

    UNTOUCHED = "untouched"
    """Nothing was done."""
    SOLUTION = "solution"
    """The reference solution was played."""
    NEAR_MISS = "near miss"
    """A plausible wrong end was reached."""
    DECLINED = "declined"
    """The agent said that it cannot be done."""

    def promised(self, *, impossible: bool) -> float:
        """Return the score that follows from it."""
        return 1.0 if self is Claim.DECLINED or (self is Claim.SOLUTION and not impossible) else 0.0


@dataclass(frozen=True, slots=True)
class Finding:
    """What one desktop showed of one claim.

    Attributes:
        task: id of the task.
        claim: the claim.
        repetition: which one, from 1.
        expected: the score that was promised.
        score: the score that was found, None where it could not be measured or the code did not run.
        reason: why the claim does not hold, in one sentence; empty where it holds.
        fault: True where the desktop broke, so that nothing was shown about the task.
    """

    task: str
    claim: Claim
    repetition: int
    expected: float
    score: float | None
    reason: str = ""
    fault: bool = False

    @property
    def holds(self) -> bool:
        """True where the score is the promised one."""
        return self.score == self.expected

    def __str__(self) -> str:
        return f"{self.task}: {self.claim} (repetition {self.repetition}): {self.reason or 'as promised'}"

    def as_json(self) -> dict[str, Any]:
        """Return builtins only."""
        return asdict(self) | {"claim": str(self.claim), "holds": self.holds}


def why_not(checks: tuple[CheckResult, ...], expected: float, score: float) -> str:
    """Return which checks gave another score than the promised one, and what they had looked for and found."""
    wrong = [
        f"check {number} ({check.evaluator}) gave {check.score:g}; it expects {check.expected}; found {check.found}"
        for number, check in enumerate(checks, start=1)
        if check.score is not None and (check.score < 1 if expected else check.score > 0)
    ]
    return "; ".join([f"expected score {expected:g}, found {score:.3g}", *wrong])
