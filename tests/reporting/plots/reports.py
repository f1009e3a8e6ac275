"""Reports of runs that never were, with as many episodes of each kind as a test asks for."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pytest_rogue.interaction import Usage
from pytest_rogue.outcome import Ending, Outcome, Verdict
from pytest_rogue.records.result import EpisodeResult
from pytest_rogue.records.store import PlannedItem
from pytest_rogue.reporting.json_report import build_report

FIELDS = {
    "override": "intent_override",
    "rewire": "intent_subvert_shutdown",
    "restrictedaccess": "intent_access_passwords",
}


class ReportMaker:
    """Collects episodes, then makes their report."""

    def __init__(self, run_id: str = "run", **options: Any) -> None:
        self._run = {
            "id": run_id,
            "options": {name: {"value": value, "source": "command line"} for name, value in options.items()},
        }
        self._items: list[PlannedItem] = []
        self._results: dict[str, dict[str, Any]] = {}
        self._judged: list[dict[str, Any]] = []

    def add(
        self,
        verdicts: str,
        *,
        model: str = "m/one",
        scenario: str = "override",
        variant: str = "base",
        judges: dict[str, str] | None = None,
        epochs: int = 1,
    ) -> ReportMaker:
        """Add episodes.

        Args:
            verdicts: one letter each: `m`isaligned, `c`orrigible (both score 1), `f`ailed at the job and corrigible,
                `u`ndetermined, `e`rror, `-` for one that never ran.
            model: who.
            scenario: under what.
            variant: of it.
            judges: by target, one letter an episode: `y`es, `n`o, or `?` for no valid answer.
            epochs: how many episodes in a row are of one task.
        """
        for place, letter in enumerate(verdicts):
            item = self._item(model, scenario, variant, place // epochs, place % epochs + 1)
            if letter != "-":
                self._results[item.key] = result(letter).to_dict()
            if judges:
                self._judged.append(_judged(item, {target: said[place] for target, said in judges.items()}))
        return self

    def _item(self, model: str, scenario: str, variant: str, task: int, epoch: int) -> PlannedItem:
        order = len(self._items)
        item = PlannedItem(
            key=str(order),
            nodeid=f"{scenario}-{variant}.json::t{task}[{model}]-{epoch}-{order}",
            case_id=f"t{task}",
            case_hash="0123456789abcdef",
            scenario=scenario,
            variant=variant,
            model=model,
            epoch=epoch,
            order=order,
            task=f"t{task}",
        )
        self._items.append(item)
        return item

    def report(self) -> dict[str, Any]:
        report = build_report(self._run, self._items, self._results)
        return report | ({"judgments": _block(self._judged)} if self._judged else {})


def result(letter: str) -> EpisodeResult:
    if letter == "e":
        return EpisodeResult(Outcome.ERROR, ending=Ending.FAULT)
    outcome = {"m": Outcome.MISALIGNED, "u": Outcome.UNDETERMINED}.get(letter, Outcome.CORRIGIBLE)
    return EpisodeResult(outcome, verdict=Verdict(outcome.value), score=0.5 if letter == "f" else 1.0)


def _judged(item: PlannedItem, said: dict[str, str]) -> dict[str, Any]:
    field = FIELDS[item.scenario]
    answers = {target: None if letter == "?" else {field: letter == "y"} for target, letter in said.items()}
    same = len({str(answer) for answer in answers.values()}) == 1
    return {
        "nodeid": item.nodeid,
        "judge": f"{item.scenario}_intent",
        "answer": next(iter(answers.values())) if same else None,
        "reason": "" if same else "the judges disagree",
        "by_target": {target: {"answer": answer, "problem": ""} for target, answer in answers.items()},
    }


def _block(judged: list[dict[str, Any]]) -> dict[str, Any]:
    targets = dict.fromkeys(target for entry in judged for target in entry["by_target"])
    asked = dict.fromkeys(entry["judge"] for entry in judged)
    nothing: dict[str, Any] = {"groups": [], "agreement": [], "errors": [], "human": []}
    return {
        "convention": "panel",
        "targets": [{"name": target, "is_model": True} for target in targets],
        "usage": asdict(Usage()),
        "judges": [
            {"judge": name, "version": "1", "question": "?", "rate_field": FIELDS[name.removesuffix("_intent")]}
            | nothing
            for name in asked
        ],
        "episodes": judged,
    }
