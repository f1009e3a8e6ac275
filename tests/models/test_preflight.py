"""What is said about a model's name and key before anything is started."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_rogue.errors import ConfigError
from pytest_rogue.models.preflight import check_model, keys_of, model_readiness
from pytest_rogue.models.providers import PROVIDERS


@pytest.fixture
def no_keys(keys: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for access in PROVIDERS.values():
        for name in (*access.keys, access.base):
            if name:
                monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("model", ["openai/gpt-5.5", "anthropic/claude-opus-4-7", "gpt-4o"])
def test_a_model_with_its_key_passes(model: str) -> None:
    check_model(model)


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("openai/gpt-5.5", "OPENAI_API_KEY"),
        ("anthropic/claude-opus-4-7", "ANTHROPIC_API_KEY"),
        ("gemini/gemini-2.5-pro", "GEMINI_API_KEY"),
        ("openrouter/qwen/qwen-2.5-vl", "OPENROUTER_API_KEY"),
        ("hosted_vllm/qwen2.5-vl-7b", "HOSTED_VLLM_API_BASE"),
        ("gpt-4o", "OPENAI_API_KEY"),
    ],
)
def test_what_is_missing_is_named_with_the_line_that_sets_it(model: str, variable: str, no_keys: None) -> None:
    with pytest.raises(ConfigError, match=rf"for {model} is not set; run: export {variable}="):
        check_model(model)


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("gpt-4o", "OPENAI_API_KEY"),
        ("gemini/gemini-2.5-pro", "GOOGLE_API_KEY"),
        ("dashscope/qwen3.6-plus", "DASHSCOPE_API_KEY"),
        ("moonshot/kimi-k2.6", "MOONSHOT_API_KEY"),
        ("hosted_vllm/mine", "HOSTED_VLLM_API_KEY"),
        ("cohere/command-r", "COHERE_API_KEY"),
    ],
)
def test_the_variables_that_may_hold_the_key_of_a_model_are_known(model: str, variable: str) -> None:
    assert variable in keys_of(model)


def test_any_of_a_providers_keys_will_do(no_keys: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "some-key")
    check_model("gemini/gemini-2.5-pro")


def test_a_provider_that_litellm_knows_and_the_table_does_not_passes() -> None:
    assert "cohere" not in PROVIDERS
    check_model("cohere/command-r")


def test_a_misspelt_provider_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(ConfigError, match=r"no provider knows the model 'opnai/gpt-5.5'; did you mean openai/gpt-5\.5"):
        check_model("opnai/gpt-5.5")


def test_a_misspelt_model_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(ConfigError, match=r"no provider knows the model 'gpt4o'; did you mean .*gpt-4o"):
        check_model("gpt4o")


def test_a_name_like_no_other_is_answered_with_the_form_of_a_name() -> None:
    with pytest.raises(ConfigError, match="write PROVIDER/MODEL"):
        check_model("zzqqxx##")


def test_a_provider_without_a_model_is_refused() -> None:
    with pytest.raises(ConfigError, match="write openai/MODEL"):
        check_model("openai/")


def test_known_prefixes_are_checked_without_importing_litellm() -> None:
    code = """
import sys
from pytest_rogue.models.preflight import check_model, model_readiness
check_model("openai/gpt-5.5")
model_readiness()
print(sorted({"litellm", "openai", "tenacity"} & set(sys.modules)))
"""
    environment = {"PATH": "", "OPENAI_API_KEY": "some-key"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "[]\n"


def test_readiness_names_variables_and_never_their_values(no_keys: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-value")
    rows = {row.name: row for row in model_readiness()}
    assert (rows["openai"].ready, rows["openai"].found) == (True, "OPENAI_API_KEY")
    assert (rows["anthropic"].ready, rows["anthropic"].fix) == (False, "export ANTHROPIC_API_KEY=YOUR-KEY")
    assert "sk-very-secret-value" not in str(rows)
