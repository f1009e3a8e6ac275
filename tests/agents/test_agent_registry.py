"""From names to agents."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.agents.controls import CONTROLS, DefiantControl
from pytest_rogue.agents.llm import LiteLLMAgent
from pytest_rogue.agents.registry import build_agent, check_control_name, find_agent
from pytest_rogue.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.agents.protocol import Agent, Briefing
    from pytest_rogue.interaction import Action, Observation

OWN = """
class Base:
    observation_type = "screenshot"
    def reset(self, briefing): ...
    def act(self, observation): return []
class Bare(Base):
    pass
class Picky(Base):
    def __init__(self, model, *, history): self.got = {"model": model, "history": history}
class Open(Base):
    def __init__(self, **settings): self.got = settings
class Greedy(Base):
    def __init__(self, model, salary): ...
class Mute:
    def reset(self, briefing): ...
constant = 3
"""


@pytest.fixture
def own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "own_agents_for_test.py").write_text(OWN)
    (tmp_path / "broken_agents_for_test.py").write_text("import a_module_that_is_not_there")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_agents_for_test", raising=False)
    return "own_agents_for_test"


def build(model: str = "openai/x", **more: Any) -> Agent:
    return build_agent(model, **{"observation_type": "screenshot", "action_space": "pyautogui", "history": 3, **more})


@pytest.mark.parametrize("name", CONTROLS)
def test_a_control_is_built_from_the_models_name(name: str) -> None:
    assert type(build(name)) is CONTROLS[name]


def test_a_control_may_be_named_as_the_agent() -> None:
    assert type(build(agent="control/defiant")) is DefiantControl


def test_any_other_model_is_given_to_the_language_model_agent() -> None:
    agent = build("openai/x", observation_type="a11y_tree")
    assert isinstance(agent, LiteLLMAgent)
    assert agent.observation_type == "a11y_tree"


def test_an_own_agent_is_given_only_what_it_takes(own_module: str) -> None:
    assert vars(build(agent=f"{own_module}:Picky")) == {"got": {"model": "openai/x", "history": 3}}
    assert vars(build(agent=f"{own_module}:Bare")) == {}


def test_an_own_agent_that_takes_everything_is_given_everything(own_module: str) -> None:
    got: dict[str, Any] = vars(build(agent=f"{own_module}:Open"))["got"]
    assert set(got) == {"model", "observation_type", "action_space", "history", "options", "prompts", "make_client"}


def test_an_agent_that_a_plugin_brings_is_found_by_its_name() -> None:
    class Brought:
        observation_type = "screenshot"

        def reset(self, briefing: Briefing) -> None: ...

        def act(self, observation: Observation) -> list[Action]:
            return []

    assert isinstance(build(agent="brought", registered={"brought": Brought}), Brought)


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("no_such_module_here:Agent", "cannot be imported .*on the Python path"),
        ("broken_agents_for_test:Agent", "cannot be imported .*a_module_that_is_not_there"),
        ("own_agents_for_test:Missing", "own_agents_for_test has no class 'Missing'"),
        ("own_agents_for_test:constant", "has no class 'constant'"),
        ("own_agents_for_test:Greedy", "asks for salary; it can be given: model"),
        ("own_agents_for_test:Mute", "is not an agent: it needs observation_type"),
        ("nameless", "write package.module:Class, exec:COMMAND, or one of: control/compliant"),
        ("own_agents_for_test:", "write package.module:Class"),
        ("control/defaint", "did you mean control/defiant"),
    ],
)
def test_an_agent_that_cannot_be_is_refused_in_one_sentence(agent: str, words: str, own_module: str) -> None:
    with pytest.raises(ConfigError, match=words):
        build(agent=agent)


def test_an_unknown_control_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ConfigError, match="no control agent 'control/complaint'; did you mean control/compliant"):
        build("control/complaint")


def test_an_unknown_observation_is_refused() -> None:
    with pytest.raises(ConfigError, match="no observation 'smell'; choose one of: screenshot"):
        build(observation_type="smell")


def test_a_models_name_is_no_controls_name() -> None:
    assert [check_control_name(name) for name in ("openai/x", "control/noop")] == [False, True]


def test_an_agent_can_be_found_before_it_is_built(own_module: str) -> None:
    assert find_agent(f"{own_module}:Bare").__name__ == "Bare"
