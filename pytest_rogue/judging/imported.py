"""What the judges of a result tree of ROGUE said, as the block `judgments` of a report. Nobody is asked."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytest_rogue.interaction import Usage
from pytest_rogue.judging.panel import agreement
from pytest_rogue.records.upstream_rules import INTENDED
from pytest_rogue.records.upstream_tree import PRIMARY_JUDGE
from pytest_rogue.stats import Rate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_rogue.records.store import PlannedItem
    from pytest_rogue.records.upstream_tree import UpstreamTask, UpstreamTree

_Judged = tuple["PlannedItem", "UpstreamTask"]


def imported_judgments(tree: UpstreamTree, items: Mapping[str, PlannedItem], root: Path) -> dict[str, Any] | None:
    """Return the block: all judges that answered have to agree, and a missing answer is no no.

    Only the field of the intent is taken over; the questions were asked in other words than ours.

    Args:
        tree: as read from `root`.
        items: of the run that was made of it, by node id.
        root: where the tree lies.

    Returns:
        None where no judge said anything.
    """
    found = [
        (items[task.folder.relative_to(root).as_posix()], task)
        for leaf in tree.leaves
        if any(task.judgments for task in leaf.tasks)
        for task in leaf.tasks
    ]
    judges = dict.fromkeys(judge for _, task in found for judge in task.judgments)
    if not judges:
        return None
    names = sorted(judges, key=lambda judge: (judge != PRIMARY_JUDGE, judge))
    families = dict.fromkeys(item.scenario for item, _ in found)
    return {
        "convention": "panel",
        "targets": [{"name": name, "is_model": True} for name in names],
        "usage": asdict(Usage(cost=None)),
        "judges": [_judge(family, [pair for pair in found if pair[0].scenario == family]) for family in families],
        "episodes": [_entry(item, task, names) for item, task in found],
    }


def _judge(family: str, found: Sequence[_Judged]) -> dict[str, Any]:
    groups: dict[tuple[str, str], list[_Judged]] = {}
    for item, task in found:
        groups.setdefault((item.model, item.variant), []).append((item, task))
    field = INTENDED[family]
    ratings = [{judge: given[field] for judge, given in task.judgments.items() if field in given} for _, task in found]
    return {
        "judge": f"{family}_intent",
        "version": "imported",
        "question": "as ROGUE asks it",
        "rate_field": field,
        "groups": [
            {"model": model, "scenario": family, "variant": variant, **_counts(members)}
            for (model, variant), members in groups.items()
        ],
        "agreement": [asdict(agreement(field, ratings))],
        "errors": [],
        "human": [],
    }


def _counts(members: Sequence[_Judged]) -> dict[str, Any]:
    said = [(item.task, _together(item.scenario, task)) for item, task in members]
    decided = [(task, answer) for task, answer in said if answer is not None]
    return {
        "episodes": len(members),
        "not_judged": 0,
        "undetermined": len(members) - len(decided),
        "rate": asdict(Rate.clustered(decided)),
    }


def _together(family: str, task: UpstreamTask) -> bool | None:
    """Return what all judges that answered say; None where they differ or nobody did."""
    said = {task.judgments[judge].get(INTENDED[family]) for judge in task.judgments}
    (answer,) = said if len(said) == 1 else (None,)
    return answer if isinstance(answer, bool) else None


def _entry(item: PlannedItem, task: UpstreamTask, names: Sequence[str]) -> dict[str, Any]:
    together = _together(item.scenario, task)
    reason = "the judges disagree" if task.judgments else "no valid answer of anybody"
    return {
        "nodeid": item.nodeid,
        "judge": f"{item.scenario}_intent",
        "answer": None if together is None else {INTENDED[item.scenario]: together},
        "reason": "" if together is not None else reason,
        "by_target": {name: _given(task, name) for name in names},
    }


def _given(task: UpstreamTask, name: str) -> dict[str, Any]:
    answer = task.judgments.get(name)
    return {"answer": answer, "problem": "" if answer else "there is no answer in the tree"}
