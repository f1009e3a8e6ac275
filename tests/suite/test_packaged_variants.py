"""The variants that come with the package: every one has a manifest, and every purpose of ROGUE's has one."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.agents.wording import besides
from pytest_rogue.settings import OPTIONS
from pytest_rogue.suite.manifests import load_manifest
from pytest_rogue.suite.variants import load_variants
from tests.suite.small_suite import SCENARIOS

if TYPE_CHECKING:
    from pathlib import Path

VARIANTS = load_variants(SCENARIOS / "variants.toml")
THERE = [
    (scenario, name)
    for scenario, variants in VARIANTS.items()
    for name in variants
    if (SCENARIOS / f"{scenario}.json").is_file()
]
ROGUE = [
    "override_descriptionablation",
    "override_realismablation",
    "override_realismablation_concise",
    "override_realismablation_neutral",
    "override_realismablation_usercentered",
    "restrictedaccess_informationablation",
    "restrictedaccess_realismablation",
    "restrictedaccess_realismablation_deadline",
    "restrictedaccess_realismablation_desktopprivacy",
    "restrictedaccess_realismablation_login",
    "restrictedaccess_timetaskpressureablation",
    "restrictedaccess_urgencycreativitycompletionablation",
    "rewire_directcommandmitigation",
    "rewire_notimepressureablation",
    "rewire_realismablation",
    "rewire_realismablation_sessionlimit",
    "rewire_realismablation_updaterestart",
    "rewire_realismablation_usershutdown",
    "rewire_scriptvisibilityablation",
    "rewire_timetaskpressureablation",
    "subagents_override",
    "subagents_restrictedaccess",
    "subagents_restrictedaccess_realismablation",
    "subagents_rewire",
    "subagents_rewire_directcommandmitigation",
]
"""The variants that ROGUE defines (neuroagents-lab/ROGUE at e63b1e9)."""


def manifest_of(scenario: str, name: str) -> Path:
    """Return the file of a variant; that of subagents is as public as the scenario itself."""
    if name == "subagents":
        return SCENARIOS / f"subagents_{scenario}.json"
    return SCENARIOS / "variants" / f"{scenario}_{name}.json"


@pytest.mark.parametrize(("scenario", "name"), THERE)
def test_every_variant_of_a_packaged_scenario_has_a_manifest_that_loads(scenario: str, name: str) -> None:
    manifest = load_manifest(manifest_of(scenario, name))
    base = load_manifest(SCENARIOS / f"{scenario}.json")
    assert (manifest.scenario, manifest.variant) == (scenario, name)
    assert [case.id for case in manifest.cases] == [case.id for case in base.cases]


@pytest.mark.parametrize("path", sorted((SCENARIOS / "variants").iterdir()), ids=lambda path: str(path.name))
def test_every_manifest_of_a_variant_is_named_after_it(path: Path) -> None:
    manifest = load_manifest(path)
    assert path.name == f"{manifest.scenario}_{manifest.variant}.json"


@pytest.mark.parametrize(("scenario", "name"), THERE)
def test_every_variant_is_another_case_than_the_base(scenario: str, name: str) -> None:
    base = {case.hash for case in load_manifest(SCENARIOS / f"{scenario}.json").cases}
    variant = {case.hash for case in load_manifest(manifest_of(scenario, name)).cases}
    assert not base & variant


def test_no_two_variants_of_a_scenario_are_the_same_cases() -> None:
    first = {name: load_manifest(manifest_of(scenario, name)).cases[0].hash for scenario, name in THERE}
    assert len(set(first.values())) == len(first)


@pytest.mark.parametrize("scenario", VARIANTS)
def test_a_scenario_without_its_manifest_yet_has_no_derived_ones(scenario: str) -> None:
    has_base = (SCENARIOS / f"{scenario}.json").is_file()
    assert has_base or not list((SCENARIOS / "variants").glob(f"{scenario}_*.json"))


def test_the_scenarios_have_the_controls_that_tell_what_an_obstacle_does() -> None:
    for scenario in VARIANTS:
        assert {"no_conflict", "precedence"} <= VARIANTS[scenario].keys()


def test_every_variant_of_rogue_has_one_counterpart_in_its_scenario() -> None:
    claims = [
        (counterpart, scenario)
        for scenario, variants in VARIANTS.items()
        for variant in variants.values()
        for counterpart in variant.counterpart_of
    ]
    assert sorted(name for name, _ in claims) == sorted(ROGUE)
    assert all(scenario in name for name, scenario in claims)


def test_every_variant_stands_in_the_documentation() -> None:
    page = (SCENARIOS.parent / "docs" / "variants.md").read_text(encoding="utf-8")
    for variants in VARIANTS.values():
        for name, variant in variants.items():
            counterparts = ", ".join(f"`{counterpart}`" for counterpart in variant.counterpart_of)
            assert f"| `{name}` | {variant.about} | {counterparts} |" in page


def test_every_prompt_of_a_variant_is_an_option_and_a_file() -> None:
    named = {name for variants in VARIANTS.values() for variant in variants.values() for name in variant.prompts}
    option = next(option for option in OPTIONS if option.name == "prompt")
    assert all(option.parse(name) == name for name in named)
    assert all(besides(named))


def test_every_prompt_of_the_option_is_a_file_and_every_file_an_option() -> None:
    option = next(option for option in OPTIONS if option.name == "prompt")
    folder = resources.files("pytest_rogue.agents") / "prompts"
    files = {path.name.removesuffix(".md") for kind in ("besides", "each_turn") for path in (folder / kind).iterdir()}
    assert all(option.parse(name) == name for name in files - {"delegate", "subagent"})
    assert files - {"delegate", "subagent"} == set(option.help.split(": ")[1].removesuffix(" (repeatable)").split(", "))
