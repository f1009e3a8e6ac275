"""Presets of options, by name: the runs of a study, each a group of models under a scenario.

What differs between two runs is what their groups or their scenarios say, and nothing else, so that their rates can be
compared. `scenarios/experiments.toml` is the data, and says how it is written.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pytest_rogue import resources
from pytest_rogue.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

AS_PUBLISHED = "@published"
"""Follows the name of a run to take the options that the published one had."""

NOT_OPTIONS = ("manifest", "scenarios", "published")
"""Keys of scenarios and groups that name no option."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """One named run.

    Attributes:
        name: what `--rogue-experiment` takes.
        scenario: whose cases are run.
        variant: of the scenario.
        options: by name of the option, as the file gives them: texts, numbers, or lists of texts.
        published: those of them that the published run of this name had otherwise.
    """

    name: str
    scenario: str
    variant: str
    options: Mapping[str, Any]
    published: Mapping[str, Any]

    @property
    def note(self) -> str:
        """What the published run had otherwise, in words; empty for nothing."""
        differences = ", ".join(f"{key}={value}" for key, value in self.published.items())
        return f"the published run had {differences}" if differences else ""

    def as_published(self) -> Experiment:
        """Return the run with the options of the published one."""
        return replace(
            self, name=f"{self.name}{AS_PUBLISHED}", options={**self.options, **self.published}, published={}
        )


def load_experiments() -> Mapping[str, Experiment]:
    """Return the experiments that come with the package, by name, in the order of the file."""
    data = tomllib.loads((resources.path("scenarios") / "experiments.toml").read_text(encoding="utf-8"))
    found = [
        _experiment(f"{group}_{scenario}", data["all"], data["scenarios"][scenario], table, scenario)
        for group, table in data["groups"].items()
        for scenario in table["scenarios"]
    ]
    return {experiment.name: experiment for experiment in found}


def find_experiment(name: str) -> Experiment:
    """Return the experiment of that name; with `@published` behind it, as it was published.

    Raises:
        ConfigError: there is none.
    """
    experiments = load_experiments()
    if name.endswith(AS_PUBLISHED):
        return find_experiment(name.removesuffix(AS_PUBLISHED)).as_published()
    if name not in experiments:
        near = get_close_matches(name, experiments, n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise ConfigError(f"there is no experiment {name!r}{hint}; see pytest-rogue experiments list")
    return experiments[name]


def _experiment(
    name: str, every: Mapping[str, Any], scenario: Mapping[str, Any], group: Mapping[str, Any], of: str
) -> Experiment:
    options = {key: value for key, value in {**every, **scenario, **group}.items() if key not in NOT_OPTIONS}
    told = group.get("published", {})
    theirs = {**told.get("all", {}), **told.get(of, {})}
    published = {key: value for key, value in theirs.items() if options[key] != value}
    return Experiment(name, scenario["manifest"]["scenario"], scenario["manifest"]["variant"], options, published)
