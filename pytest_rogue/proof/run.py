"""Prove many tasks, several desktops at a time."""

from __future__ import annotations

import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.evaluators.registry import why_not_checked
from pytest_rogue.network import suffices
from pytest_rogue.proof.prover import Prover, claims_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pytest_rogue.desktops.protocol import Provider
    from pytest_rogue.proof.finding import Claim, Finding
    from pytest_rogue.suite.model import Task


@dataclass(frozen=True, slots=True)
class Proof:
    """What was found of one task.

    Attributes:
        task: its id.
        findings: all of them, in the order in which they were planned; none where it was skipped.
        seconds: that its desktops were busy with it, all together.
        skipped: why it does not apply to these desktops, empty where it does.
        unsteady: what did not hold on one desktop, and was shown again on another.
    """

    task: str
    findings: tuple[Finding, ...] = ()
    seconds: float = 0.0
    skipped: str = ""
    unsteady: tuple[Finding, ...] = ()

    @property
    def result(self) -> str:
        """Return `proven`, `wrong`, `error` (a desktop broke), or `skipped`."""
        if self.skipped:
            return "skipped"
        wrong = [finding for finding in self.findings if not finding.holds]
        if any(not finding.fault for finding in wrong):
            return "wrong"
        return "error" if wrong else "proven"

    def as_json(self) -> dict[str, Any]:
        """Return builtins only."""
        return {
            "task": self.task,
            "result": self.result,
            "seconds": round(self.seconds, 1),
            "skipped": self.skipped,
            "findings": [finding.as_json() for finding in self.findings],
            "unsteady": [finding.as_json() for finding in self.unsteady],
        }


@dataclass(eq=False, slots=True)
class _Part:
    """What one desktop is for, and what it has shown."""

    task: Task
    assets: Path
    claims: tuple[Claim, ...]
    repetition: int
    findings: tuple[Finding, ...] = ()
    seconds: float = 0.0
    unsteady: tuple[Finding, ...] = ()

    def show(self, prover: Prover, again: int) -> None:
        started = time.monotonic()
        for left in reversed(range(again + 1)):
            self.findings = tuple(prover.prove(self.task, self.assets, self.claims, self.repetition))
            wrong = tuple(finding for finding in self.findings if not finding.holds)
            if not (wrong and left):
                break
            self.unsteady += wrong
        self.seconds = time.monotonic() - started


@dataclass(eq=False, frozen=True, slots=True)
class _Plan:
    """All parts of one task."""

    task: str
    parts: tuple[_Part, ...] = ()
    skipped: str = ""

    @classmethod
    def of(cls, task: Task, assets: Path, provider: Provider, repetitions: int) -> _Plan:
        if skipped := _why_not_here(task, provider):
            return cls(task.id, skipped=skipped)
        rounds = range(1, repetitions + 1)
        parts = (_Part(task, assets, claims, number) for number in rounds for claims in claims_of(task))
        return cls(task.id, tuple(parts))

    def proof(self) -> Proof:
        findings = tuple(finding for part in self.parts for finding in part.findings)
        unsteady = tuple(finding for part in self.parts for finding in part.unsteady)
        return Proof(self.task, findings, sum(part.seconds for part in self.parts), self.skipped, unsteady)


def prove_all(
    tasks: Iterable[tuple[Task, Path]],
    provider: Provider,
    *,
    repetitions: int = 1,
    at_once: int = 2,
    replay: bool = False,
    again: int = 0,
    screenshots: Path | None = None,
    told: Callable[[Proof], None] = lambda _: None,
) -> list[Proof]:
    """Prove tasks, each claim on fresh desktops.

    Args:
        tasks: each with the folder of its assets.
        provider: makes the desktops.
        repetitions: how often each claim is shown.
        at_once: desktops that are worked on at the same time.
        replay: True to play every entry of a solution twice.
        again: how many further desktops a claim may be shown on that did not hold on one.
        screenshots: folder for a picture of each end state, None for none.
        told: is called with each proof as soon as it is complete.

    Returns:
        One proof for each task, in the order of the tasks.
    """
    from pytest_rogue.desktops.pool import Pool, PoolSize, free_memory
    from pytest_rogue.desktops.protocol import DesktopSpec
    from pytest_rogue.records.leases import LeaseBook

    plans = [_Plan.of(task, assets, provider, repetitions) for task, assets in tasks]
    for plan in plans:
        if plan.skipped:
            told(plan.proof())
    size = PoolSize.of(at_once, free_memory())
    spares = size.spares if provider.name == "docker" else 0  # an embedded desktop is there before it is missed
    with tempfile.TemporaryDirectory(prefix="pytest-rogue-proof-") as folder:
        book = LeaseBook(Path(folder) / "leases.sqlite", limit=max(at_once, size.desktops), spares=spares)
        with Pool(provider, book) as pool:
            prover = Prover(pool, DesktopSpec(timeout=60), replay=replay, screenshots=screenshots)
            for plan in _carried_out(plans, prover, at_once, again):
                told(plan.proof())
    return [plan.proof() for plan in plans]


def _carried_out(plans: Sequence[_Plan], prover: Prover, at_once: int, again: int) -> Iterator[_Plan]:
    """Have the parts of all plans shown, and yield each plan when its last part was."""
    workers = ThreadPoolExecutor(at_once, thread_name_prefix="pytest-rogue-proof")
    try:
        running = {workers.submit(part.show, prover, again): plan for plan in plans for part in plan.parts}
        left = {plan: len(plan.parts) for plan in plans}
        for done in as_completed(running):
            done.result()
            plan = running[done]
            left[plan] -= 1
            if not left[plan]:
                yield plan
    finally:
        # After Ctrl-C nobody waits for what is under way: the pool takes its desktops away.
        workers.shutdown(wait=False, cancel_futures=True)


def _why_not_here(task: Task, provider: Provider) -> str:
    if not suffices("none", task.network):
        return f"it needs the network ({task.network}), and is proven without"
    if missing := provider.missing(task.apps):
        return f"the {provider.name} desktop has no {', '.join(missing)}"
    return why_not_checked(task.checks)
