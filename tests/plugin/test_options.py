"""Every option has three sources, and a wrong value is one sentence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.desktops.observed import png_size
from pytest_rogue.errors import ConfigError
from pytest_rogue.settings import OPTIONS, resolve

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite


def test_the_command_line_wins_over_the_environment_and_that_over_the_ini_file() -> None:
    settings = resolve(
        cli={"max_steps": "1"},
        env={"ROGUE_MAX_STEPS": "2", "ROGUE_HISTORY": "3"},
        ini={"rogue_max_steps": "4", "rogue_history": "5", "rogue_seed": "6"},
    )

    assert (settings.max_steps, settings.history, settings.seed, settings.epochs) == (1, 3, 6, 1)
    assert [settings.sources[name] for name in ("max_steps", "history", "seed", "epochs")] == [
        "command line",
        "environment",
        "ini file",
        "default",
    ]


def test_models_in_the_environment_are_separated_by_blanks() -> None:
    assert resolve(cli={}, env={"ROGUE_MODEL": "a/b  c/d"}, ini={}).model == ("a/b", "c/d")


@pytest.mark.parametrize(
    ("cli", "said"),
    [
        ({"max_steps": "many"}, "--rogue-max-steps=many: expected a whole number from 1 to 1000"),
        ({"max_steps": "0"}, "--rogue-max-steps=0"),
        ({"wall_timeout": "nan"}, "expected a number of seconds above 0"),
        ({"observation": "screenshots"}, "did you mean screenshot?"),
        ({"action_space": "telepathy"}, "expected one of pyautogui, computer_13, native, tools"),
        ({"model": ["a/b", "a/b"]}, "names a/b more than once"),
        ({"report_dir": "  "}, "non-empty"),
        ({"screen_size": "1920"}, "--rogue-screen-size=1920: expected WIDTHxHEIGHT in pixels"),
        ({"screen_size": "100x100"}, "at least 320x200"),
    ],
)
def test_a_wrong_value_names_option_value_and_what_is_expected(cli: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        resolve(cli=cli, env={}, ini={})


def test_every_option_stands_in_the_help(pytester: pytest.Pytester) -> None:
    text = pytester.runpytest_subprocess("--help").stdout.str()

    for option in OPTIONS:
        assert option.cli in text
        assert option.ini in text


def test_the_header_says_which_source_won(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    suite.manifest("write-word")
    suite.pytester.makeini("[pytest]\nrogue_epochs = 2\n")
    monkeypatch.setenv("ROGUE_MAX_STEPS", "7")
    monkeypatch.delenv("ROGUE_PROVIDER")

    result = suite.run("--collect-only", "--rogue-history=3")

    result.stdout.fnmatch_lines(
        ["rogue: *max-steps=7 (environment), history=3 (command line)*epochs=2 (ini file)*provider=auto"]
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--rogue-max-steps=no"], "--rogue-max-steps=no: expected a whole number"),
        (["--rogue-provider=dokcer"], "no provider 'dokcer'"),
        (["--rogue-model=control/complaint"], "did you mean control/compliant"),
        (["--rogue-model=openai/gpt-x"], "OPENAI_API_KEY"),
        (["--rogue-model=nosuchvendor/model"], "nosuchvendor/model"),
        (["--rogue-model=ollama/x", "--rogue-action-space=native"], "choose --rogue-action-space=tools"),
        (["--rogue-agent=nowhere.at.all:Agent"], "nowhere.at.all"),
        (["--rogue-agent=exec:no-such-program-here"], "there is no program 'no-such-program-here'"),
        (["--rogue-resume=never-was"], "never-was"),
        (["--reruns=2"], "--only-rerun"),
    ],
)
def test_a_user_mistake_is_one_sentence_and_exit_code_4(suite: Suite, arguments: list[str], said: str) -> None:
    suite.manifest("write-word")
    chosen = arguments if any("resume" in text for text in arguments) else [*arguments, "--rogue-run-id=r1"]
    if not any("model" in text for text in arguments):
        chosen.append("--rogue-model=control/noop")

    result = suite.pytester.runpytest_subprocess("scenarios", *chosen)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    text = result.stderr.str() + result.stdout.str()
    assert said in text
    assert "Traceback" not in text
    assert not list(suite.pytester.path.glob("reports/runs/*"))


@pytest.mark.parametrize(
    "option",
    [
        "--rogue-max-misaligned=0.1",
        "--rogue-baseline=baseline.json",
        "--rogue-exit-codes=gates",
        "--rogue-resume=r1",
        "--rogue-agent=own:Agent",
        "--rogue-judge-targets=rules",
    ],
)
def test_an_option_of_a_models_run_is_refused_where_no_model_is_named(
    suite: Suite, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.manifest("write-word")
    monkeypatch.setenv("ROGUE_MODEL", "")

    result = suite.pytester.runpytest_subprocess("scenarios", option)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    name = option.partition("=")[0]
    result.stderr.fnmatch_lines([f"*a run with {name} measures nothing without a model: add --rogue-model=NAME"])


def test_a_variable_that_is_written_nearly_like_an_option_is_told(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ROGUE_MODLE", "ROGUE_DESKTOP_PASSWORD", "ROGUE_VM_EMULATION", "ROGUE_AWS_ADDRESS_SERVICE"):
        monkeypatch.setenv(name, "some-value")
    result = suite.run("--collect-only")
    told = [line for line in result.outlines if "is no option" in line]
    assert told == ["rogue: ROGUE_MODLE in the environment is no option; did you mean ROGUE_MODE or ROGUE_MODEL?"]


def test_gates_in_the_ini_file_let_ordinary_tests_run_without_a_model(suite: Suite) -> None:
    suite.pytester.makeini("[pytest]\nrogue_max_misaligned = 0.1\n")
    suite.pytester.makepyfile("def test_it(): pass")
    assert suite.pytester.runpytest_subprocess().ret == 0


@pytest.mark.desktop
def test_the_screen_has_the_size_that_is_asked_for(suite: Suite) -> None:
    suite.manifest("write-word", obstacle=None)

    assert suite.run("--rogue-model=control/noop", "--rogue-screen-size=800x600").ret == 0

    [screen, *_] = (suite.pytester.path / "reports/runs/r1/episodes").glob("*/screens/*.png")
    assert png_size(screen.read_bytes()) == (800, 600)


@pytest.mark.desktop
def test_prompts_and_subagents_are_conditions_of_a_run(suite: Suite) -> None:
    suite.manifest("write-word", obstacle=None)
    chosen = ("--rogue-model=control/noop", "--rogue-prompt=evaluation", "--rogue-prompt=steps_left")
    assert suite.run(*chosen, "--rogue-subagents").ret == 0

    again = suite.pytester.runpytest_subprocess("scenarios", "--rogue-resume=r1", *chosen, "--rogue-subagents")
    other = suite.pytester.runpytest_subprocess("scenarios", "--rogue-resume=r1", *chosen)

    again.stdout.fnmatch_lines(["*1 deselected*"])
    assert "--rogue-subagents was True and is False" in other.stderr.str() + other.stdout.str()
