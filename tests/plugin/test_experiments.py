"""Presets by name: what they set, what wins over them, which cases they run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.settings import Settings, resolve
from pytest_rogue.suite.experiments import find_experiment, load_experiments
from pytest_rogue.suite.manifests import load_manifest
from tests.plugin.test_commands import command
from tests.suite.small_suite import SCENARIOS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.plugin.conftest import Suite

EXPERIMENTS = load_experiments()


def settings_under(name: str, *, cli: dict[str, str] | None = None, env: dict[str, str] | None = None) -> Settings:
    named = {"experiment": name} | (cli or {})
    return resolve(cli=named, env=env or {}, ini={}, experiment=lambda name: find_experiment(name).options)


def collected(result: pytest.RunResult) -> list[str]:
    return [line.partition("::")[0] for line in result.stdout.lines if "::" in line]


@pytest.fixture
def suite_with_scenarios(suite: Suite) -> Suite:
    """One case of `override`, the same with subagents, and one of `rewire`."""
    suite.manifest("write-word")
    (suite.folder / "variants.toml").write_text('[override.subagents]\nabout = "It may delegate."\nsubagents = true\n')
    derived = {"rogue_manifest": 1, "extends": "override.json", "variant": "subagents"}
    (suite.folder / "subagents_override.json").write_text(json.dumps(derived))
    suite.manifest("write-word", name="rewire.json", scenario="rewire", obstacle=None)
    return suite


def test_a_second_experiment_is_refused(suite: Suite) -> None:
    names = list(EXPERIMENTS)[:2]
    result = suite.run("--collect-only", *(f"--rogue-experiment={name}" for name in names))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [f"*--rogue-experiment is given more than once ({', '.join(names)}): start one run for each"]
    )


def test_there_is_one_for_each_of_the_seventy_published_runs() -> None:
    assert len(EXPERIMENTS) == 70


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_sets_options_that_there_are(name: str) -> None:
    for spelled in (name, f"{name}@published"):
        sources = settings_under(spelled).sources
        assert {option for option, source in sources.items() if source == "experiment"} == set(
            EXPERIMENTS[name].options
        )


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_has_a_packaged_manifest(name: str) -> None:
    experiment = EXPERIMENTS[name]
    prefix = "subagents_" if experiment.variant == "subagents" else ""
    manifest = load_manifest(SCENARIOS / f"{prefix}{experiment.scenario}.json")
    assert (manifest.scenario, manifest.variant) == (experiment.scenario, experiment.variant)


def test_experiments_of_a_scenario_differ_in_model_and_effort_only() -> None:
    shared: dict[tuple[str, str], set[str]] = {}
    for experiment in EXPERIMENTS.values():
        rest = {name: value for name, value in experiment.options.items() if name not in ("model", "reasoning_effort")}
        shared.setdefault((experiment.scenario, experiment.variant), set()).add(json.dumps(rest, sort_keys=True))
    assert {place: len(options) for place, options in shared.items()} == dict.fromkeys(shared, 1)


def test_what_the_published_run_had_otherwise_is_its_note_and_can_be_taken() -> None:
    assert find_experiment("gpt_rewire").note == "the published run had max_tokens_per_reply=1500, history=3"
    assert settings_under("gpt_rewire").history == 10
    assert settings_under("gpt_rewire@published").history == 3


def test_the_command_line_wins_over_an_experiment_and_that_over_the_environment() -> None:
    settings = settings_under(
        "gpt_override", cli={"max_steps": "7"}, env={"ROGUE_MAX_STEPS": "8", "ROGUE_HISTORY": "9", "ROGUE_SEED": "10"}
    )
    assert (settings.max_steps, settings.history, settings.seed) == (7, 20, 10)
    assert [settings.sources[name] for name in ("max_steps", "history", "seed")] == [
        "command line",
        "experiment",
        "environment",
    ]


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("gpt_override", "scenarios/override.json"),
        ("gpt_subagents_override", "scenarios/subagents_override.json"),
        ("gpt_rewire@published", "scenarios/rewire.json"),
    ],
)
def test_only_the_cases_of_the_experiment_are_run(suite_with_scenarios: Suite, name: str, file: str) -> None:
    result = suite_with_scenarios.run("--collect-only", "-q", f"--rogue-experiment={name}")

    assert collected(result) == [file]


def test_a_manifest_on_the_command_line_is_run_under_the_conditions_of_the_experiment(
    suite_with_scenarios: Suite,
) -> None:
    file = "scenarios/subagents_override.json"

    result = suite_with_scenarios.pytester.runpytest_subprocess(
        file, "--collect-only", "-q", "--rogue-experiment=gpt_override"
    )

    assert collected(result) == [file]


@pytest.mark.desktop
def test_an_experiment_is_run_with_its_options_and_another_model(suite_with_scenarios: Suite) -> None:
    result = suite_with_scenarios.run("--rogue-experiment=gpt_subagents_override", "--rogue-model=control/compliant")

    assert result.ret == 0, result.stdout.str()
    result.stdout.fnmatch_lines(
        [
            "rogue: *model=control/compliant (command line)*max-steps=30 (experiment)*",
            "rogue: gpt_subagents_override: the published run had *history=30",
        ]
    )
    (episode,) = suite_with_scenarios.report()["episodes"]
    assert (episode["scenario"], episode["variant"]) == ("override", "subagents")


def test_an_experiment_that_is_not_there_is_named_with_the_nearest(suite: Suite) -> None:
    suite.manifest("write-word")

    result = suite.run("--rogue-experiment=gpt_overide")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "there is no experiment 'gpt_overide' (did you mean 'gpt_override'?)" in result.stderr.str()


def test_experiments_are_listed_by_pattern(tmp_path: Path) -> None:
    done = command("experiments", "list", "claude*_rewire", folder=tmp_path)

    assert done.returncode == 0
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert names[0] == "experiment"
    assert "claude_rewire" in names
    assert all(name.startswith("claude") and name.endswith("_rewire") for name in names[1:])
    assert "the published run had" in done.stdout


def test_a_pattern_that_matches_nothing_is_said(tmp_path: Path) -> None:
    done = command("experiments", "list", "llama", folder=tmp_path)

    assert done.returncode == 1
    assert "no experiment matches 'llama'" in done.stderr
