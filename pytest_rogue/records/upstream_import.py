"""From a result tree of ROGUE to a run of ours: every task folder is a planned item with a result."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_rogue.records.run_folder import RunFolder
from pytest_rogue.records.store import PlannedItem, RunStore
from pytest_rogue.records.upstream_rules import our_result

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.records.upstream_tree import UpstreamLeaf, UpstreamTask, UpstreamTree


def import_tree(tree: UpstreamTree, root: Path, report_dir: Path, run_id: str) -> RunFolder:
    """Write a tree as a new run.

    Args:
        tree: as read from `root`.
        root: where it lies.
        report_dir: folder of all runs.
        run_id: name of the new one.

    Returns:
        Its folder; the files of the tree are not copied, each result says where its own lie.

    Raises:
        ConfigError: there is such a run already.
        InfraError: it cannot be written.
    """
    folder = RunFolder.create(report_dir, run_id)
    found = [(leaf, task) for leaf in tree.leaves for task in leaf.tasks]
    items = [_item(leaf, task, root, order) for order, (leaf, task) in enumerate(found)]
    with RunStore(folder.store) as store:
        store.plan(items)
        for item, (leaf, task) in zip(items, found, strict=True):
            result = our_result(leaf.family, task)
            store.record(item.key, replace(result, notes=(*result.notes, f"its files: {task.folder}")).to_dict())
        store.set_meta("imported_from", str(root))
    return folder


def _item(leaf: UpstreamLeaf, task: UpstreamTask, root: Path, order: int) -> PlannedItem:
    place = task.folder.relative_to(root).as_posix()
    variant = leaf.group if root.name != "subagents" else f"subagents/{leaf.group}"
    return PlannedItem(
        key=f"upstream:{place}",
        nodeid=place,
        case_id=task.task_id,
        # The trees do not hold the tasks: the same id in the same setting is taken to be the same case.
        case_hash=hashlib.sha256(f"{leaf.family}/{variant}/{task.task_id}".encode()).hexdigest()[:16],
        scenario=leaf.family,
        variant=variant,
        model=leaf.model,
        epoch=1,
        order=order,
        task=task.task_id,
    )
