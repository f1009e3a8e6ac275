"""Prove one task on fresh desktops, with the steps that an episode is made of. No obstacle is laid."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pytest_rogue.episode.limits import Limits
from pytest_rogue.episode.setup import apply_setup
from pytest_rogue.errors import DesktopLost, InfraError, policy_for
from pytest_rogue.evaluators.evaluate import evaluate
from pytest_rogue.evaluators.registry import evaluator_for
from pytest_rogue.interaction import Action
from pytest_rogue.outcome import Ending
from pytest_rogue.proof.finding import Claim, Finding, why_not

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_rogue.desktops.guest_client import GuestClient
    from pytest_rogue.desktops.pool import Pool
    from pytest_rogue.desktops.protocol import DesktopSpec
    from pytest_rogue.suite.model import Task

_LIMITS = Limits()

_PATIENCE = 5.0
"""Seconds for an application to write what the last key or click of a solution has told it to."""


class CodeFailed(Exception):
    """The code of a claim is missing or did not run to its end; the message says which entry, and what it said."""


def claims_of(task: Task) -> tuple[tuple[Claim, ...], ...]:
    """Return what is claimed of `task`, the claims that one desktop can show together.

    Where to score only reads, the untouched desktop becomes the one on which the solution is played.
    """
    if task.impossible:
        return ((Claim.UNTOUCHED, Claim.DECLINED),)
    if any(evaluator_for(check).disturbs for check in task.checks):
        return ((Claim.UNTOUCHED,), (Claim.SOLUTION,), (Claim.NEAR_MISS,))
    return ((Claim.UNTOUCHED, Claim.SOLUTION), (Claim.NEAR_MISS,))


class Prover:
    """Shows claims on fresh desktops.

    Args:
        pool: where the desktops come from; several threads may share it.
        spec: what they are like.
        replay: True to play every entry of a solution twice, as happens to one that an obstacle came into.
        screenshots: folder for a picture of each end state, None for none.
    """

    def __init__(self, pool: Pool, spec: DesktopSpec, *, replay: bool = False, screenshots: Path | None = None) -> None:
        self._pool = pool
        self._spec = spec
        self._times = 2 if replay else 1
        self._screenshots = screenshots

    def prove(self, task: Task, assets: Path, claims: Sequence[Claim], repetition: int) -> list[Finding]:
        """Return what one fresh desktop shows of these claims; another one, where the first was lost on the way.

        A desktop that breaks otherwise is a finding of its own: a fault, which says nothing about the task.
        """
        lost: list[Finding] = []
        for _ in range(1 + policy_for(DesktopLost).retries):
            try:
                return self._on_one_desktop(task, assets, claims, repetition)
            except DesktopLost as error:
                lost = _faulty(task, claims, repetition, error)
        return lost

    def _on_one_desktop(self, task: Task, assets: Path, claims: Sequence[Claim], repetition: int) -> list[Finding]:
        try:
            desktop = self._pool.acquire(self._spec)
        except InfraError as error:
            return _faulty(task, claims, repetition, error)
        found: list[Finding] = []
        try:
            apply_setup(task, desktop.guest, assets)
            _rest(desktop.guest)
            for claim in claims:
                found.append(self._show(claim, task, desktop.guest, repetition))  # noqa: PERF401 - kept if the next breaks
        except DesktopLost:
            raise
        except InfraError as error:
            found += _faulty(task, claims[len(found) :], repetition, error)
        finally:
            self._pool.release(desktop)
        return found

    def _show(self, claim: Claim, task: Task, guest: GuestClient, repetition: int) -> Finding:
        expected = claim.promised(impossible=task.impossible)
        try:
            if claim is Claim.SOLUTION:
                _play(guest, task.solution, "solution", self._times)
            elif claim is Claim.NEAR_MISS:
                _play(guest, task.near_miss, "near_miss", 1)
        except CodeFailed as error:
            return Finding(task.id, claim, repetition, expected, None, str(error))
        finally:
            self._keep_screenshot(guest, f"{task.id}-{claim.replace(' ', '-')}-{repetition}.png")
        ending = Ending.DECLINED if claim is Claim.DECLINED else Ending.DONE
        scored = evaluate(task, guest, ending=ending)
        deadline = time.monotonic() + _PATIENCE
        while scored.score is not None and scored.score < expected and time.monotonic() < deadline:
            _rest(guest)
            scored = evaluate(task, guest, ending=ending)
        if scored.score is None:
            return Finding(task.id, claim, repetition, expected, None, scored.reason, fault=True)
        reason = "" if scored.score == expected else why_not(scored.checks, expected, scored.score)
        return Finding(task.id, claim, repetition, expected, scored.score, reason)

    def _keep_screenshot(self, guest: GuestClient, name: str) -> None:
        if self._screenshots is not None:
            self._screenshots.mkdir(parents=True, exist_ok=True)
            (self._screenshots / name).write_bytes(guest.screenshot())


def _play(guest: GuestClient, entries: Sequence[str], what: str, times: int) -> None:
    """Play code as an agent's turns would be.

    Raises:
        CodeFailed: there are no entries, or one did not run to its end.
        InfraError: the desktop broke.
    """
    if not entries:
        raise CodeFailed(f"the task has no {what}")
    for number, code in enumerate(entries, start=1):
        for _ in range(times):
            reply = guest.step(
                number,
                Action.python(code),
                timeout=_LIMITS.action_seconds,
                quiet=_LIMITS.settle_quiet,
                limit=_LIMITS.settle_limit,
                screenshot=False,
            )
            result = reply.result
            if result is None or result.executed != "yes":
                raise InfraError(f"what became of entry {number} of {what} is not known")
            if result.timed_out or result.exit_code != 0:
                said = result.note or (result.stderr.strip().splitlines() or ["it said nothing"])[-1]
                raise CodeFailed(
                    f"entry {number} of {what} did not run to its end (exit code {result.exit_code}): {said}"
                )


def _rest(guest: GuestClient) -> None:
    """Wait until the screen is at rest, as before the first turn of an episode."""
    guest.step(0, None, quiet=_LIMITS.settle_quiet, limit=_LIMITS.settle_limit, screenshot=False)


def _faulty(task: Task, claims: Sequence[Claim], repetition: int, error: InfraError) -> list[Finding]:
    return [
        Finding(task.id, claim, repetition, claim.promised(impossible=task.impossible), None, str(error), fault=True)
        for claim in claims
    ]
