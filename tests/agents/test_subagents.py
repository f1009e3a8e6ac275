"""Delegation: a stack of agents in the place of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rogue.agents.llm import LiteLLMAgent
from pytest_rogue.agents.protocol import Briefing
from pytest_rogue.agents.registry import build_agent
from pytest_rogue.agents.subagents import MOST_DEPTH, ONE_BLOCK_ONLY, Delegation, delegated, prompts_at
from pytest_rogue.agents.wording import besides
from pytest_rogue.errors import ModelRefused
from pytest_rogue.interaction import Action, ActionResult, Decision, Observation
from pytest_rogue.models.litellm_client import LiteLLMClient
from tests.model_server import ModelServer, Request, Say

if TYPE_CHECKING:
    from pytest_rogue.agents.protocol import Agent, ObservationType

BRIEFING = Briefing(
    "the whole job", max_steps=20, screen_size=(100, 100), seed=1, told_besides=("A test.",), solution=("print(1)",)
)
DONE = Decision((Action.done(),), reply="I am through.")
WORK = Decision((Action.python("print(1)"),), reply="I work.")
NOTHING = Decision(problem="unparsable", reply="Hm.", feedback="No block.")


def hand_over(subtask: str) -> Decision:
    return Decision(problem="unparsable", reply=f"I delegate.\n```delegate\n{subtask}\n```")


class Puppet:
    """Gives prepared decisions; keeps what it was told and shown."""

    observation_type: ObservationType = "screenshot"

    def __init__(self, *decisions: Decision) -> None:
        self.decisions = list(decisions)
        self.briefing: Briefing | None = None
        self.seen: list[Observation] = []
        self.heir_of: Agent | None = None

    def reset(self, briefing: Briefing) -> None:
        self.briefing = briefing

    def act(self, observation: Observation) -> Decision:
        self.seen.append(observation)
        return self.decisions.pop(0)

    def inherit(self, other: Agent) -> None:
        self.heir_of = other


def team(*puppets: Puppet, pass_history: bool = False) -> Delegation:
    """Return a delegation that takes these agents in the order in which they are started."""
    waiting = iter(puppets)
    made = Delegation(lambda _: next(waiting), pass_history=pass_history)
    made.reset(BRIEFING)
    return made


def turns(agent: Delegation, count: int) -> list[Decision]:
    shown = (Observation(step, 20 - step, results=(ActionResult(Action.wait(step)),)) for step in range(count))
    return [agent.act(observation) for observation in shown]


@pytest.mark.parametrize(
    ("reply", "subtask"),
    [
        ("```delegate\nSave the file.\n```", "Save the file."),
        ("I see.\r\n\r\n~~~~ Delegate\r\nOne.\r\nTwo.\r\n~~~~\r\n", "One.\nTwo."),
        ("```delegate\n \n```", None),
        ("```delegate\nnever closed", None),
        ("```python\nprint(1)\n```\n```delegate\nSave.\n```", None),
        ("```delegate\nSave.\n```\n```delegate\nClose.\n```", None),
        ("I could delegate this.", None),
    ],
)
def test_one_delegate_block_and_no_other_hands_work_over(reply: str, subtask: str | None) -> None:
    assert delegated(reply) == subtask


def test_to_hand_over_takes_a_turn_in_which_nothing_is_done() -> None:
    [decision] = turns(team(Puppet(hand_over("a part")), Puppet()), 1)
    assert (decision.actions, decision.problem, decision.actor) == ((Action.wait(0),), None, "0")


def test_the_subagent_is_told_its_part_and_what_is_left_of_the_budget() -> None:
    child = Puppet(WORK)
    turns(team(Puppet(hand_over("a part")), child), 2)
    assert child.briefing is not None
    assert (child.briefing.instruction, child.briefing.max_steps) == ("a part", 19)
    assert child.briefing.told_besides == (*BRIEFING.told_besides, *besides(prompts_at(1)))


def test_every_turn_tells_whose_it_was() -> None:
    grandchild = Puppet(WORK, DONE)
    decisions = turns(team(Puppet(hand_over("a"), WORK), Puppet(hand_over("b"), DONE), grandchild), 6)
    assert [decision.actor for decision in decisions] == ["0", "0.1", "0.1.1", "0.1.1", "0.1", "0"]


def test_a_second_subagent_of_the_same_agent_has_another_path() -> None:
    parent = Puppet(hand_over("a"), hand_over("b"))
    decisions = turns(team(parent, Puppet(DONE), Puppet(WORK)), 4)
    assert [decision.actor for decision in decisions] == ["0", "0.1", "0", "0.2"]


@pytest.mark.parametrize(
    ("ending", "reason"), [(Action.done(), "it says that it is done"), (Action.fail(), "it declined")]
)
def test_a_subagent_that_ends_ends_only_itself_and_is_reported(ending: Action, reason: str) -> None:
    parent = Puppet(hand_over("a part"), DONE)
    child = Puppet(WORK, Decision((ending,), reply="All saved."))
    decisions = turns(team(parent, child), 4)
    assert decisions[2].actions == (Action.wait(0),)
    assert decisions[3].actions == (Action.done(),)
    [news] = parent.seen[1].notes
    assert news.splitlines() == [
        f"Your subagent 0.1 has ended after 2 turns: {reason}.",
        "Its task was: a part",
        "Its last words: All saved.",
    ]


def test_what_a_subagent_does_before_it_ends_is_done() -> None:
    child = Puppet(Decision((Action.python("print(1)"), Action.done()), reply="Done."))
    decisions = turns(team(Puppet(hand_over("a")), child), 2)
    assert decisions[1].actions == (Action.python("print(1)"),)


def test_long_last_words_are_cut_to_their_end() -> None:
    parent = Puppet(hand_over("a"), DONE)
    turns(team(parent, Puppet(Decision((Action.done(),), reply="x" * 500 + "end"))), 3)
    assert parent.seen[1].notes[0].endswith(": " + "x" * 397 + "end")


def test_nobody_is_shown_the_results_of_another_agents_actions() -> None:
    parent, child = Puppet(hand_over("a"), WORK, DONE), Puppet(WORK, DONE)
    turns(team(parent, child), 5)
    assert [len(seen.results) for seen in child.seen] == [0, 1]
    assert [len(seen.results) for seen in parent.seen] == [0, 0, 1]


def test_a_subagent_without_usable_replies_ends_before_the_episode_does() -> None:
    parent = Puppet(hand_over("a"), DONE)
    decisions = turns(team(parent, Puppet(NOTHING, NOTHING)), 4)
    assert [decision.problem for decision in decisions] == [None, "unparsable", None, None]
    assert "no reply that could be executed" in parent.seen[1].notes[0]


def test_withheld_replies_of_a_subagent_end_as_model_refused(
    no_options_from_outside: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdefTESTONLY")
    with ModelServer([Say(finish_reason="content_filter", message={"content": None})]) as server:
        client = LiteLLMClient("openai/some-model", api_base=server.url)
        child = LiteLLMAgent(client, observation_type="a11y_tree", history=3)
        agent = Delegation(lambda depth: child if depth else Puppet(hand_over("a part")))
        agent.reset(BRIEFING)
        assert [decision.problem for decision in turns(agent, 3)] == [None, "refused", "refused"]
        with pytest.raises(ModelRefused, match="3 replies in a row"):
            turns(agent, 1)


def test_the_first_agents_problems_are_those_of_the_episode() -> None:
    assert [decision.problem for decision in turns(team(Puppet(NOTHING, NOTHING)), 2)] == ["unparsable"] * 2


def test_a_reply_that_delegates_and_does_more_is_told_so() -> None:
    both = Decision(problem="unparsable", reply="```python\nprint(1)\n```\n```delegate\na\n```")
    [decision] = turns(team(Puppet(both)), 1)
    assert (decision.problem, decision.feedback) == (
        "unparsable",
        "A delegate block has to stand alone in a reply, without other blocks and tool calls, so nothing was done.",
    )


def calling(arguments: str) -> Say:
    """Return a reply that delegates and calls a tool."""
    call = {"id": f"call {arguments}", "type": "function", "function": {"name": "click", "arguments": arguments}}
    return Say("```delegate\na part\n```", "tool_calls", message={"tool_calls": [call]})


def open_calls(request: Request) -> set[str]:
    """Return the ids of the calls in a conversation that are not answered in it."""
    called = {call["id"] for message in request.messages for call in message.get("tool_calls") or ()}
    return called - {message.get("tool_call_id") for message in request.messages}


def test_a_delegate_block_beside_a_tool_call_is_refused_and_leaves_no_open_call(
    no_options_from_outside: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdefTESTONLY")
    with ModelServer([calling('{"x": 5, "y": 5}'), calling('{"x": "nowhere"}'), "DONE"]) as server:
        client = LiteLLMClient("openai/some-model", api_base=server.url)
        agent = Delegation(
            lambda _: LiteLLMAgent(client, observation_type="a11y_tree", history=3, action_space="tools"),
            pass_history=True,
        )
        agent.reset(BRIEFING)
        beside, handed_over, childs = turns(agent, 3)
        turns(agent, 1)
    assert (beside.actions, beside.problem, beside.feedback) == ((), "unparsable", ONE_BLOCK_ONLY)
    assert (handed_over.problem, childs.actor) == (None, "0.1")
    assert [open_calls(request) for request in server.requests] == [set()] * 4
    assert "call" in str(server.requests[2].messages), "the child has been told of the first call and its answer"


def test_subagents_stand_eight_deep_at_most() -> None:
    deep = [Puppet(hand_over(f"part {number}")) for number in range(MOST_DEPTH)]
    last = Puppet(hand_over("one more"), WORK)
    decisions = turns(team(*deep, last), MOST_DEPTH + 2)
    assert [decision.actor.count(".") for decision in decisions] == [*range(MOST_DEPTH), MOST_DEPTH, MOST_DEPTH]
    assert "No subagent was started" in last.seen[1].notes[0]


def test_only_agents_that_may_delegate_are_told_how() -> None:
    assert [prompts_at(depth) for depth in (0, 1, MOST_DEPTH)] == [
        ("delegate",),
        ("delegate", "subagent"),
        ("subagent",),
    ]


def test_history_is_passed_on_only_where_asked_for() -> None:
    for passed in (False, True):
        parent, child = Puppet(hand_over("a")), Puppet(WORK)
        turns(team(parent, child, pass_history=passed), 2)
        assert (child.heir_of is parent) is passed


def test_a_new_episode_begins_with_the_first_agent() -> None:
    agent = team(Puppet(hand_over("a"), WORK), Puppet(WORK))
    turns(agent, 2)
    agent.reset(BRIEFING)
    assert turns(agent, 1)[0].actor == "0"


def test_a_control_in_subagent_form_declines_what_its_subagent_declines() -> None:
    agent = build_agent(
        "control/solution", observation_type="screenshot", action_space="pyautogui", history=0, subagents=True
    )
    agent.reset(Briefing("cannot be done", max_steps=20, screen_size=(100, 100), seed=1))
    decisions = [agent.act(Observation(0, 20)), agent.act(Observation(1, 19)), agent.act(Observation(2, 18))]
    assert [d.actions[0].kind for d in decisions if isinstance(d, Decision)] == ["wait", "wait", "fail"]


def test_a_control_in_subagent_form_lets_its_subagent_do_all() -> None:
    agent = build_agent(
        "control/solution", observation_type="screenshot", action_space="pyautogui", history=0, subagents=True
    )
    agent.reset(BRIEFING)
    decisions = [agent.act(Observation(step, 20 - step)) for step in range(4)]
    said = [(d.actor, d.actions[0].kind) for d in decisions if isinstance(d, Decision)]
    assert said == [("0", "wait"), ("0.1", "python"), ("0.1", "wait"), ("0", "done")]
