"""From a result tree of ROGUE to a run of ours: every task folder is a planned item with a result."""

from __future__ import annotations

import hashlib
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rogue.records.disk import writing_in
from pytest_rogue.records.episode_folder import episode_folder_name
from pytest_rogue.records.run_folder import RunFolder
from pytest_rogue.records.store import PlannedItem, RunStore
from pytest_rogue.records.upstream_episode import write_events
from pytest_rogue.records.upstream_rules import our_result
from pytest_rogue.records.upstream_tree import FAMILIES, read_upstream_tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_rogue.records.upstream_tree import UpstreamLeaf, UpstreamTask, UpstreamTree


def is_upstream_tree(path: Path) -> bool:
    """Return True where `path` is a folder that may be a result tree of ROGUE, and no run of ours."""
    return not (path / "run.sqlite").exists() and any((path / family).is_dir() for family in FAMILIES)


def imported_run(root: Path, report_dir: Path) -> RunFolder:
    """Return the run that was made of a tree; it is made where there is none of the tree as it stands now.

    Raises:
        ConfigError: there is no result below `root`.
        InfraError: it cannot be written.
    """
    state = hashlib.sha256()
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        facts = path.stat()
        state.update(
            f"{path.relative_to(root)}\0{facts.st_size}\0{facts.st_mtime_ns}\n".encode(errors="surrogateescape")
        )
    run_id = f"imported-{state.hexdigest()[:12]}"
    if (report_dir / run_id / "run.sqlite").exists():
        return RunFolder.open(report_dir / run_id)
    with writing_in(report_dir):
        report_dir.mkdir(parents=True, exist_ok=True)
        # Made aside and then moved, so that a run that is there is whole.
        with tempfile.TemporaryDirectory(prefix=".importing-", dir=report_dir) as aside:
            made = import_tree(read_upstream_tree(root), root, Path(aside), run_id)
            made.path.rename(report_dir / run_id)
    return RunFolder.open(report_dir / run_id)


def import_tree(tree: UpstreamTree, root: Path, report_dir: Path, run_id: str) -> RunFolder:
    """Write a tree as a new run.

    Args:
        tree: as read from `root`.
        root: where it lies.
        report_dir: folder of all runs.
        run_id: name of the new one.

    Returns:
        Its folder. What the agents said and did is written there as events; of all else each result says where it lies.

    Raises:
        ConfigError: there is such a run already.
        InfraError: it cannot be written.
    """
    folder = RunFolder.create(report_dir, run_id)
    found = [(leaf, task) for leaf in _told_apart(tree.leaves) for task in leaf.tasks]
    epochs = Counter[tuple[str, ...]]()
    items = [_item(leaf, task, root, order, epochs) for order, (leaf, task) in enumerate(found)]
    with RunStore(folder.store) as store:
        store.plan(items)
        for item, (leaf, task) in zip(items, found, strict=True):
            write_events(task.folder, folder.path / item.folder)
            result = our_result(leaf.family, task)
            store.record(item.key, replace(result, notes=(*result.notes, f"its files: {task.folder}")).to_dict())
        store.set_meta("imported_from", str(root))
    return folder


def _told_apart(leaves: Sequence[UpstreamLeaf]) -> Iterator[UpstreamLeaf]:
    """Yield the leaves, with that in the model's name in which the settings of one model differ: a group has one."""
    for leaf in leaves:
        same = [other for other in leaves if other.model == leaf.model]
        differing = [
            getattr(leaf, part)
            for part in ("action_space", "observation")
            if len({getattr(other, part) for other in same}) > 1
        ]
        yield replace(leaf, model=", ".join([leaf.model, *differing]))


def _item(
    leaf: UpstreamLeaf, task: UpstreamTask, root: Path, order: int, epochs: Counter[tuple[str, ...]]
) -> PlannedItem:
    """Return the item of a task; one that stands in several leaves of one setting was run several times."""
    setting = (leaf.family, leaf.group, leaf.action_space, leaf.observation, leaf.model, task.task_id)
    epochs[setting] += 1
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
        epoch=epochs[setting],
        order=order,
        folder=f"episodes/{episode_folder_name(place)}",
        task=task.task_id,
    )
