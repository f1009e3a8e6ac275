"""Agents that are programs of their own."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.agents.command import CommandAgent, command_line
from pytest_rogue.agents.options import AgentOptions
from pytest_rogue.agents.protocol import Agent, Briefing
from pytest_rogue.agents.registry import build_agent
from pytest_rogue.errors import AgentError, ConfigError
from pytest_rogue.interaction import Action, ActionResult, Observation
from tests.host_processes import has_ended, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BRIEFING = Briefing("Save the file", max_steps=3, screen_size=(800, 600), seed=7, told_besides=("This is a test.",))
HEAD = """
import json, sys
def say(**answer): print(json.dumps(answer), flush=True)
def messages(): return map(json.loads, sys.stdin)
"""
ECHO = """
task = next(messages())
for asked in messages():
    say(actions=[{"kind": "python", "code": json.dumps([task, asked])}], reply="here", reasoning="because")
"""

Begin = Callable[..., CommandAgent]


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Return a function that starts an agent whose program is given."""
    agents: list[CommandAgent] = []

    def start(program: str, *, seconds: float = 60.0) -> CommandAgent:
        path = tmp_path / "agent.py"
        path.write_text(HEAD + program)
        agent = CommandAgent(
            [sys.executable, str(path)],
            model="any/model",
            observation_type="screenshot",
            options=AgentOptions(turn_seconds=seconds),
        )
        agents.append(agent)
        agent.reset(BRIEFING)
        return agent

    yield start
    for agent in agents:
        agent.close()


def seen(step: int = 0) -> Observation:
    results = (ActionResult(Action.wait(), stdout="printed"),)
    return Observation(step, 3 - step, screenshot=b"png", screen_size=(800, 600), results=results, notes=("a note",))


def test_it_is_an_agent_that_is_named_by_its_command() -> None:
    agent = build_agent(
        "any/model", observation_type="screenshot", action_space="pyautogui", history=1, agent="exec:sh -c 'exit 0'"
    )
    assert isinstance(agent, CommandAgent)
    assert isinstance(agent, Agent)


def test_the_program_is_told_the_task_and_asked_each_turn(begin: Begin) -> None:
    decision = begin(ECHO).act(seen())
    task, asked = json.loads(decision.actions[0].code)
    assert (task["event"], task["protocol"], task["instruction"], task["seed"]) == ("reset", 1, "Save the file", 7)
    assert (task["model"], task["screen_size"]) == ("any/model", [800, 600])
    assert task["told_besides"] == ["This is a test."]
    assert (asked["event"], asked["step"], asked["steps_left"], asked["notes"]) == ("act", 0, 3, ["a note"])
    assert (asked["results"][0]["stdout"], asked["a11y"]) == ("printed", None)
    assert (decision.reply, decision.reasoning) == ("here", "because")


def test_the_screenshot_is_a_file_that_is_there_during_the_turn_and_gone_with_the_episode(begin: Begin) -> None:
    agent = begin("next(messages())\nfor asked in messages(): say(actions=[], reply=open(asked['screenshot']).read())")
    assert agent.act(seen()).reply == "png"
    folder = agent._folder
    assert folder is not None
    agent.close()
    assert not folder.exists()


def test_every_kind_of_action_can_be_asked_for(begin: Begin) -> None:
    agent = begin(
        "next(messages())\nfor asked in messages():\n"
        "    say(actions=[{'kind': 'wait', 'seconds': 0.5}, {'kind': 'wait'}, {'kind': 'fail'}, {'kind': 'done'}])"
    )
    assert agent.act(seen()).actions == (Action.wait(0.5), Action.wait(1.0), Action.fail(), Action.done())


def test_what_it_logs_stands_in_the_decision_and_the_rest_comes_at_the_end(begin: Begin) -> None:
    agent = begin(
        "next(messages())\nprint('starting', file=sys.stderr, flush=True)\n"
        "for asked in messages(): say(actions=[])\nprint('leaving', file=sys.stderr, flush=True)"
    )
    assert agent.act(seen()).log == "starting\n"
    assert agent.act(seen(1)).log == ""
    assert agent.close() == "leaving\n"


def test_it_is_ended_with_all_that_it_has_started(begin: Begin) -> None:
    agent = begin(
        "import subprocess, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nnext(messages())\n"
        "child = subprocess.Popen(['sleep', '600'], stdout=subprocess.DEVNULL)\n"
        "for asked in messages(): say(actions=[], reply=str(child.pid))\nchild.wait()"
    )
    pid = int(agent.act(seen()).reply)
    agent.close()
    assert wait_until(lambda: has_ended(pid))


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("next(messages())\nsys.exit('no key')", "ended with exit code 1 .* it last logged: no key"),
        (
            "next(messages())\nnext(messages())\nprint('hello', flush=True)\nsys.stdin.read()",
            "against the protocol .*hello",
        ),
        ("next(messages())\nsay(actions=[{'kind': 'fly'}])\nsys.stdin.read()", "there is no action 'fly'"),
        ("next(messages())\nsay(actions=[{'kind': 'python'}])\nsys.stdin.read()", "against the protocol"),
        ("next(messages())\nsay(error='out of ideas')\nsys.stdin.read()", "reports an error: out of ideas"),
        ("print('x' * 2_000_000, flush=True)\nsys.stdin.read()", "wrote a line of more than 1048576 bytes"),
    ],
)
def test_a_program_that_breaks_is_an_error_of_the_agent(program: str, words: str, begin: Begin) -> None:
    with pytest.raises(AgentError, match=words):
        begin(program).act(seen())


def test_a_program_that_does_not_answer_is_not_waited_for_for_ever(begin: Begin) -> None:
    with pytest.raises(AgentError, match="did not answer in time"):
        begin("sys.stdin.read()", seconds=1).act(seen())


def test_a_key_that_the_program_logs_is_in_no_message(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-0123456789abcdefTESTONLY")
    with pytest.raises(AgentError) as caught:
        begin("import os\nnext(messages())\nsys.exit(os.environ['SOME_API_KEY'])").act(seen())
    assert os.environ["SOME_API_KEY"] not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no command"),
        ("'open", "No closing quotation"),
        ("no-such-program-here --x", "there is no program 'no-such-program-here'; is it on the PATH"),
    ],
)
def test_a_command_that_cannot_be_is_refused_in_one_sentence(text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        command_line(text)


def test_no_shell_runs_the_command() -> None:
    assert command_line("sh -c 'a b; c' $HOME") == ["sh", "-c", "a b; c", "$HOME"]
