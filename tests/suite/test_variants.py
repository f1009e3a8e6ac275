"""What a variant changes, and how a mistake in one is told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.errors import TaskError
from pytest_rogue.suite.manifests import Manifest, load_manifest
from pytest_rogue.suite.model import ControlRequest, Launch
from pytest_rogue.suite.sniff import is_manifest, variant_of

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.suite.model import Case
    from tests.suite.small_suite import Suite


def derived(suite: Suite, table: str, **changes: object) -> Path:
    """Write the base manifest, a file of variants, and a manifest that applies one of them."""
    suite.write()
    (suite.folder / "variants.toml").write_text(table)
    path = suite.folder / "variants" / "override_other.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"rogue_manifest": 1, "extends": "../override.json", "variant": "other"} | changes))
    return path


def changed(suite: Suite, table: str) -> Case:
    return load_manifest(derived(suite, f'[override.other]\nabout = "Something."\n{table}')).cases[0]


def base(suite: Suite) -> Case:
    return load_manifest(suite.write()).cases[0]


def asked(case: Case) -> ControlRequest:
    assert isinstance(case.obstacle, ControlRequest)
    return case.obstacle


def test_it_has_the_cases_of_the_manifest_it_extends(suite: Suite) -> None:
    manifest: Manifest = load_manifest(derived(suite, '[override.other]\nabout = "Something."'))
    assert (manifest.scenario, manifest.variant) == ("override", "other")
    assert [(case.id, case.variant, case.derived) for case in manifest.cases] == [
        ("alpha", "other", True),
        ("beta", "other", True),
    ]


def test_its_cases_stand_in_its_own_file_and_their_assets_where_those_of_the_base_are(suite: Suite) -> None:
    case = changed(suite, "")
    assert (case.manifest.name, case.folder) == ("override_other.json", suite.folder)


def test_it_lays_its_keys_over_the_obstacle_of_manifest_and_case(suite: Suite) -> None:
    path = derived(suite, '[override.other]\nabout = "Something."\nobstacle.title = "Third"')
    suite.write(cases=[{"id": "alpha", "obstacle": {"title": "Second", "accept": "Sure"}}])
    (case,) = load_manifest(path).cases
    assert (asked(case).title, asked(case).accept, asked(case).text) == ("Third", "Sure", "May I?")


def test_it_may_leave_nothing_in_the_way(suite: Suite) -> None:
    case = changed(suite, "no_obstacle = true")
    assert (case.obstacle, case.decides) == (None, False)


def test_with_nothing_at_stake_no_verdict_is_expected(suite: Suite) -> None:
    assert base(suite).decides
    assert not changed(suite, "obstacle.at_stake = false").decides


def test_its_sentences_follow_the_instruction(suite: Suite) -> None:
    assert changed(suite, 'instruction = "Hurry."').task.instruction == "Write done into ~/a.txt.\n\nHurry."


def test_its_steps_follow_the_set_up(suite: Suite) -> None:
    case = changed(suite, 'setup = [{ kind = "launch", command = ["mousepad"], window = "Mousepad" }]')
    assert [step.kind for step in case.task.setup] == ["file", "launch"]
    assert isinstance(case.task.setup[-1], Launch)


def test_it_may_make_the_job_impossible(suite: Suite) -> None:
    task = changed(suite, "impossible = true").task
    assert (task.impossible, task.checks, task.solution) == (True, (), ())


def test_it_says_what_the_agent_is_told_and_whether_it_may_delegate(suite: Suite) -> None:
    case = changed(suite, 'prompts = ["evaluation"]\nsubagents = true')
    assert (case.prompts, case.subagents) == (("evaluation",), True)
    assert (base(suite).prompts, base(suite).subagents) == ((), False)


def test_it_may_build_on_another_one(suite: Suite) -> None:
    table = (
        '[override.first]\nabout = "One."\ninstruction = "One."\nobstacle.title = "A"\nobstacle.text = "B"\n'
        '[override.other]\nabout = "Two."\nbased_on = "first"\ninstruction = "Two."\nobstacle.title = "C"\n'
    )
    case = load_manifest(derived(suite, table)).cases[0]
    assert case.task.instruction.endswith("\n\nOne.\n\nTwo.")
    assert (asked(case).title, asked(case).text) == ("C", "B")


# --- the hash of a case


@pytest.mark.parametrize(
    "table",
    [
        'instruction = "Hurry."',
        'setup = [{ kind = "folder", path = "~/a" }]',
        "impossible = true",
        'prompts = ["evaluation"]',
        "subagents = true",
        "no_obstacle = true",
        "obstacle.at_stake = false",
        'obstacle.channel = "chat"',
        'obstacle.authority = "user"',
        "obstacle.repeat = { times = 2 }",
        'obstacle.trigger = { kind = "after_task" }',
    ],
)
def test_the_hash_covers_what_a_variant_changes(suite: Suite, table: str) -> None:
    assert changed(suite, table).hash != base(suite).hash


def test_a_variant_that_changes_nothing_has_the_hash_of_the_base(suite: Suite) -> None:
    assert changed(suite, "").hash == base(suite).hash


# --- mistakes


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("# none yet", "has no variant 'other' of override; the file has no table [override.other]"),
        ('[override.othre]\nabout = "?"', "has no variant 'other' of override; did you mean 'othre'?"),
        ("[override.other]\n", "variants.toml:1: override.other.about: this key is missing"),
        (
            '[override.other]\nabout = "?"\ninstruktion = "?"',
            "variants.toml:3: override.other.instruktion: unknown key; did you mean 'instruction'?",
        ),
        ('[override.other]\nabout = "?"\nbased_on = "no"', "variants.toml:1: override.other: based_on names 'no'"),
        (
            '[override.other]\nabout = "?"\nno_obstacle = true\nobstacle.title = "?"',
            "no_obstacle leaves nothing to lay the keys of obstacle over",
        ),
        ('[override.other]\nabout = "?"\nobstacle.titel = "?"', "obstacle.titel: unknown key; did you mean 'title'?"),
        ("[override.other\n", "variants.toml:1: not valid TOML"),
        ('override = "?"', "variants.toml:1: override: a table [scenario.variant] was expected"),
        (
            '[override.other]\nabout = "?"\nsetup = [{ kind = "file", path = "~/a", asset = "b" }]',
            "the set-up of a variant writes content, not assets",
        ),
    ],
)
def test_a_mistake_in_a_variant_is_told_with_its_place(suite: Suite, table: str, said: str) -> None:
    with pytest.raises(TaskError) as mistake:
        load_manifest(derived(suite, table))
    assert said in str(mistake.value)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"extends": "../rewire.json"}, "there is no manifest '../rewire.json' to apply a variant to (looked for"),
        ({"extends": "override_other.json"}, "'override_other.json' applies a variant itself"),
        ({"extends": 1}, "'extends' is the path of a manifest, from this one"),
        ({"variant": "../other"}, "'variant' is a name of"),
        ({"cases": ["alpha"]}, 'unknown key "cases"'),
    ],
)
def test_a_mistake_in_a_derived_manifest_is_told_with_its_place(
    suite: Suite, changes: dict[str, object], said: str
) -> None:
    with pytest.raises(TaskError) as mistake:
        load_manifest(derived(suite, '[override.other]\nabout = "?"', **changes))
    assert str(mistake.value).startswith(f"{suite.folder}/variants/override_other.json:1: ")
    assert said in str(mistake.value)


def test_a_suite_without_a_file_of_variants_is_told_so(suite: Suite) -> None:
    path = derived(suite, "")
    (suite.folder / "variants.toml").unlink()
    with pytest.raises(TaskError, match=r"variants\.toml: there is no such file of variants"):
        load_manifest(path)


def test_a_glance_tells_the_variant_of_a_derived_manifest(suite: Suite) -> None:
    path = derived(suite, "")
    assert is_manifest(path)
    assert (variant_of(path), variant_of(suite.manifest)) == ("other", "")
