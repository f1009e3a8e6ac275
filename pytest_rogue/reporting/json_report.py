"""From results to `report.json`: every planned item is in it, whatever became of it.

The form is fixed by `reports/schema/report.schema.json`. But for times, and for the run's own facts, the report depends
on the plan and the results alone, not on the order in which they came or on who ran them.
"""

from __future__ import annotations

import platform
import sys
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pytest_rogue import __version__
from pytest_rogue.interaction import Usage
from pytest_rogue.outcome import Outcome, Verdict
from pytest_rogue.records import strict_json
from pytest_rogue.records.disk import write_atomically
from pytest_rogue.records.result import EpisodeResult
from pytest_rogue.stats import Rate, mean_of
from pytest_rogue.stats.clusters import Clusters, all_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pytest_rogue.records.store import PlannedItem

SCHEMA_VERSION = "1.0"


@dataclass(frozen=True, slots=True)
class _Episode:
    """A planned item and what came of it; `attempt` is 0 where it never ran."""

    item: PlannedItem
    result: EpisodeResult
    attempt: int

    @property
    def decided(self) -> bool:
        return self.result.verdict is not None and self.result.verdict.decided

    @property
    def began(self) -> bool:
        """False for an item that was left out, and for one whose desktop or agent never was there."""
        result = self.result
        if result.outcome in (Outcome.NOT_RUN, Outcome.SKIPPED):
            return False
        broke_in = result.faults[0].phase if result.faults else ""
        return result.ending is not None or result.verdict is not None or broke_in != "setup"

    @property
    def measures_a_model(self) -> bool:
        """False for a control, whose verdict is known before, and for what was only told in words."""
        return self.item.expected is None and self.item.mode == "desktop"

    @property
    def trial(self) -> tuple[str, bool]:
        """Its task, whose episodes are alike, and whether the verdict is misaligned."""
        return self.item.task or self.item.case_id, self.result.verdict is Verdict.MISALIGNED


def build_report(
    run: Mapping[str, Any], planned: Iterable[PlannedItem], results: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Build the report of a run.

    Args:
        run: `id`, `started` and `finished` (ISO 8601, UTC), `models` (list), `provider`, `options` (name to `{"value",
            "source"}`), `halted` (why the run was stopped early), `still_running` (bool); all but `id` may be missing.
        planned: every item of the run.
        results: by key, as `RunStore.results` gives them; an item without one did not run.

    Returns:
        Builtins only, as the schema has them.
    """
    episodes = [_episode(item, results.get(item.key)) for item in sorted(planned, key=lambda i: (i.order, i.key))]
    groups: dict[tuple[str, str, str], list[_Episode]] = {}
    for episode in episodes:
        groups.setdefault((episode.item.model, episode.item.scenario, episode.item.variant), []).append(episode)
    report = {
        "schema_version": SCHEMA_VERSION,
        "run": _run(run),
        "totals": {**_counts(episodes), **_rates([episode for episode in episodes if episode.measures_a_model])},
        "groups": [
            {
                "model": model,
                "mode": members[0].item.mode,
                "scenario": scenario,
                "variant": variant,
                **_counts(members),
                **_rates(members),
            }
            for (model, scenario, variant), members in groups.items()
        ],
        "episodes": [_entry(episode) for episode in episodes],
    }
    plain: dict[str, Any] = strict_json.plain(report)
    return plain


def write_report(path: Path, report: Mapping[str, Any]) -> None:
    """Write a report as strict JSON without secrets; the file is whole or not there.

    Raises:
        InfraError: the disk is full or the folder cannot be written.
    """
    write_atomically(path, strict_json.dumps(report, indent=2).encode() + b"\n")


def _episode(item: PlannedItem, result: Mapping[str, Any] | None) -> _Episode:
    if result is None:
        return _Episode(item, EpisodeResult(Outcome.NOT_RUN), 0)
    return _Episode(item, EpisodeResult.from_dict(dict(result)), int(result.get("attempt", 1)))


def _run(run: Mapping[str, Any]) -> dict[str, Any]:
    options = run.get("options", {})
    return {
        "id": run["id"],
        "version": __version__,
        "started": run.get("started"),
        "finished": run.get("finished"),
        "halted": run.get("halted"),
        "still_running": run.get("still_running", False),
        "models": list(run.get("models", ())),
        "provider": run.get("provider"),
        "options": {name: options[name] for name in sorted(options)},
        "python": platform.python_version(),
        "platform": sys.platform,
    }


def _counts(episodes: Sequence[_Episode]) -> dict[str, Any]:
    outcomes = Counter(episode.result.outcome for episode in episodes)
    expected = [episode for episode in episodes if episode.item.expected is not None]
    return {
        "planned": len(episodes),
        "run": sum(episode.began for episode in episodes),
        "decided": sum(episode.decided for episode in episodes),
        "outcomes": {outcome.value: outcomes[outcome] for outcome in Outcome},
        "expected": {
            "n": len(expected),
            "met": sum(episode.result.verdict == episode.item.expected for episode in expected),
        },
        "usage": asdict(sum((episode.result.usage for episode in episodes), Usage())),
    }


def _rates(episodes: Sequence[_Episode]) -> dict[str, Any]:
    """Average some episodes.

    The rate is over decided verdicts, also of episodes whose outcome is an error because their score was lost. So its
    numbers may be higher than the counts by outcome. Its interval knows that episodes of one task are alike.
    """
    trials = [episode.trial for episode in episodes if episode.decided]
    mean = mean_of(episode.result.score for episode in episodes)
    return {
        "misaligned": asdict(Rate.clustered(trials)),
        "clusters": _clusters(trials),
        "pass_k": _reliability(episodes),
        "score": {"mean": mean.value, "n_scored": mean.n, "n_total": len(episodes)},
    }


def _clusters(trials: Sequence[tuple[str, bool]]) -> dict[str, Any]:
    clusters = Clusters.of(trials)
    return {
        "tasks": len(clusters.counts),
        "n_effective": clusters.n_effective,
        "standard_error": clusters.standard_error,
    }


def _reliability(episodes: Sequence[_Episode]) -> list[dict[str, Any]]:
    """Return how likely 1, 2, ... decided epochs of one case are all corrigible; empty where none was decided."""
    cases = Clusters.of(
        ((episode.item.model, episode.item.scenario, episode.item.variant, episode.item.case_id), not misaligned)
        for episode in episodes
        if episode.decided
        for _task, misaligned in [episode.trial]
    ).counts
    found = [(k, *all_of(k, cases)) for k in range(1, max((n for _, n in cases), default=0) + 1)]
    return [{"k": k, "value": value, "cases": n} for k, value, n in found]


def _entry(episode: _Episode) -> dict[str, Any]:
    item = episode.item
    return {
        "nodeid": item.nodeid,
        "case": item.case_id,
        "case_hash": item.case_hash,
        "task": item.task,
        "scenario": item.scenario,
        "variant": item.variant,
        "model": item.model,
        "mode": item.mode,
        "epoch": item.epoch,
        "seed": item.seed,
        "folder": item.folder,
        "attempt": episode.attempt,
        "retried": episode.attempt > 1,
        "expected": item.expected,
        "decides": item.decides,
        **episode.result.to_dict(),
    }
