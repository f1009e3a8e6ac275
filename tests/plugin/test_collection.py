"""Manifests become items."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.plugin.conftest import Suite


def collected(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if "::" in line]


def files_below(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and path.parent != folder and "__pycache__" not in path.parts
    )


def test_an_entry_becomes_one_item_for_each_model_and_epoch(suite: Suite) -> None:
    suite.manifest("write-word")

    result = suite.run(
        "--collect-only", "-q", "--rogue-model=openai/gpt-x", "--rogue-model=control/noop", "--rogue-epochs=2"
    )

    assert collected(result) == [
        "scenarios/override.json::write-word[openai/gpt-x]",
        "scenarios/override.json::write-word[openai/gpt-x-e2]",
        "scenarios/override.json::write-word[control/noop]",
        "scenarios/override.json::write-word[control/noop-e2]",
    ]


def test_a_word_of_k_that_is_in_a_models_name_is_told_with_another_way_to_select(suite: Suite) -> None:
    suite.manifest("write-word")

    told = suite.run("--collect-only", "-k", "rewire or word", "--rogue-model=control/rewire-cancel")
    other = suite.run("--collect-only", "-k", "word", "--rogue-model=control/rewire-cancel")

    told.stdout.fnmatch_lines(["rogue: -k also looks at the model's name, and 'rewire' is in control/rewire-cancel: *"])
    assert "-k also looks" not in other.stdout.str()


def test_without_a_model_items_are_collected_and_skipped_with_the_reason(suite: Suite) -> None:
    suite.manifest("write-word")

    result = suite.run("-rs")

    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*pass --rogue-model=NAME to run it*"])
    assert result.ret == 0
    assert not (suite.pytester.path / "reports").exists()


@pytest.mark.parametrize("words", ["override", "write", "urgent", "base"])
def test_k_finds_scenario_id_tag_and_variant(suite: Suite, words: str) -> None:
    suite.manifest({"id": "write-word", "tags": ["urgent"]})

    assert len(collected(suite.run("--collect-only", "-q", "-k", words))) == 1


@pytest.fixture
def suite_with_variants(suite: Suite) -> Suite:
    """A manifest with one case, and two variants of it."""
    suite.manifest("write-word")
    tables = (f'[override.{name}]\nabout = "Something."\ninstruction = "{name}"\n' for name in ("sham", "urgent"))
    (suite.folder / "variants.toml").write_text("".join(tables))
    (suite.folder / "variants").mkdir()
    for name in ("sham", "urgent"):
        derived = {"rogue_manifest": 1, "extends": "../override.json", "variant": name}
        (suite.folder / "variants" / f"override_{name}.json").write_text(json.dumps(derived))
    return suite


@pytest.mark.parametrize(
    ("choice", "found"),
    [
        ((), ["base", "sham", "urgent"]),
        (("-k", "override"), ["base"]),
        (("-k", "sham"), ["sham"]),
        (("-k", "variants and not sham"), ["urgent"]),
        (("-m", "rogue(scenario='override')"), ["base", "sham", "urgent"]),
        (("-m", "rogue(variant='sham')"), ["sham"]),
    ],
)
def test_variants_are_chosen_by_their_own_name(
    suite_with_variants: Suite, choice: tuple[str, ...], found: list[str]
) -> None:
    files = {
        "scenarios/override.json": "base",
        "scenarios/variants/override_sham.json": "sham",
        "scenarios/variants/override_urgent.json": "urgent",
    }

    result = suite_with_variants.run("--collect-only", "-q", *choice)

    assert sorted(files[line.partition("::")[0]] for line in collected(result)) == found


def test_an_item_of_a_variant_can_be_named_on_the_command_line(suite_with_variants: Suite) -> None:
    name = "scenarios/variants/override_sham.json::write-word"

    result = suite_with_variants.pytester.runpytest_subprocess(name, "--collect-only", "-q")

    assert collected(result) == [name]


def test_m_selects_by_scenario(suite: Suite) -> None:
    suite.manifest("write-word")

    assert len(collected(suite.run("--collect-only", "-q", "-m", "rogue(scenario='override')"))) == 1
    assert not collected(suite.run("--collect-only", "-q", "-m", "rogue(scenario='rewire')"))


def test_an_item_can_be_named_on_the_command_line(suite: Suite) -> None:
    suite.manifest("first", "second")

    result = suite.pytester.runpytest_subprocess("scenarios/override.json::second", "--collect-only", "-q")

    assert collected(result) == ["scenarios/override.json::second"]


def test_other_json_files_are_left_alone(suite: Suite) -> None:
    (suite.folder / "notes.json").write_text('{"a": 1}')
    (suite.folder / "broken.json").write_text("{")

    result = suite.run("--collect-only")

    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


@pytest.mark.parametrize("case_id", ["../escaped", "/tmp/abs", "a\u0000b", "C:\\x", "..", ""])
def test_an_id_that_is_no_plain_name_is_refused_at_collection(suite: Suite, case_id: str) -> None:
    suite.manifest({"id": case_id, "task": suite.task("write-word")})
    before = files_below(suite.pytester.path)

    result = suite.run("--rogue-model=control/noop", "-p", "no:cacheprovider")

    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*override.json:*"])
    assert f"case {json.dumps(case_id)}: the id" in result.stdout.str()
    assert files_below(suite.pytester.path) == before
    assert not (suite.pytester.path.parent / "escaped").exists()


def manifest_text(**fields: object) -> str:
    right = {"rogue_manifest": 1, "scenario": "override", "variant": "base", "obstacle": None, "cases": ["write-word"]}
    return json.dumps(right | fields)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"rogue_manifest": 1, ', "JSON"),
        ('{"rogue_manifest": 1, "scenario": "override"}', "'cases' is missing"),
        (manifest_text(scenario="overide"), "override"),
        (manifest_text(rogue_manifest=99), "rogue_manifest"),
        (manifest_text(cases=["nowhere"]), "nowhere"),
        (manifest_text(cases=["write-word", "write-word"]), "write-word"),
        (manifest_text(obstacle={"kind": "control_request", "txet": "?"}), "text"),
        (manifest_text(cases="write-word"), "cases"),
    ],
)
def test_a_broken_manifest_is_one_sentence_with_its_place(suite: Suite, text: str, said: str) -> None:
    suite.task("write-word")
    (suite.folder / "override.json").write_text(text)

    result = suite.run("--rogue-model=control/noop")

    output = result.stdout.str()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "override.json:" in output
    assert said in output
    assert "Traceback" not in output
    assert "INTERNALERROR" not in output


def test_collecting_imports_none_of_the_heavy_libraries(suite: Suite) -> None:
    suite.manifest("write-word")
    suite.pytester.makeconftest(
        """
        import sys

        def pytest_unconfigure():
            heavy = {"litellm", "boto3", "docker", "PIL", "numpy", "pandas", "httpx", "openai", "anthropic"}
            print("HEAVY:", sorted(heavy & set(sys.modules)))
        """
    )

    result = suite.run("--collect-only", "-q", "-s", "--rogue-model=openai/gpt-x")

    result.stdout.fnmatch_lines(["HEAVY: [[]]"])


def test_a_project_without_scenarios_does_not_even_import_pydantic(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_nothing(): import sys; assert 'pydantic' not in sys.modules")

    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_vs_code_can_list_the_items(suite: Suite) -> None:
    # Its discovery breaks on an item that has a callspec and stands in a file that is no Python module.
    suite.manifest("write-word")
    suite.pytester.makeconftest(
        """
        def pytest_collection_modifyitems(items):
            for item in items:
                assert not hasattr(item, "callspec"), item
                assert item.location[0] == "scenarios/override.json", item.location
        """
    )

    assert suite.run("--collect-only", "-q", "--rogue-model=openai/gpt-x").ret == 0


def test_plugin_loads_by_its_entry_point_and_by_name_at_once() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "pytest_rogue.plugin", "--help"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "--rogue-max-steps" in done.stdout
