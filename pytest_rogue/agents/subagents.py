"""Delegation: an agent that may hand a part of its work to a subagent, which works at the same desktop.

A stack of agents takes the place of one. The one on top sees the screen and decides; each of its turns counts like any
other, and so does the turn in which work is handed over. To delegate, a reply holds one fenced block of the language
`delegate` with the subtask, no other block, and no tool call. A subagent that says that it is done, or declines, ends
only itself: the agent below goes on, and reads what became of it. What ends an episode otherwise, a granted control
request above all, ends it for all of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pytest_rogue.agents.wording import besides
from pytest_rogue.interaction import Action, Decision

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rogue.agents.protocol import Agent, Briefing
    from pytest_rogue.interaction import Observation

MOST_DEPTH = 8
"""Subagents of subagents: so many may stand above the first agent (ROGUE, `MAX_SUBAGENT_DEPTH`)."""

PROBLEMS_IN_A_ROW = 2
"""So many replies of a subagent without anything to execute end it; an episode stands one more.

Withheld ones are not among them: those end the episode, as they do without subagents.
"""

LONGEST_WORDS = 400
"""Characters of a subagent's last words that are reported."""

DONE, DECLINED = "it says that it is done", "it declined"
"""Why a subagent has ended, as the agent below it is told."""

ONE_BLOCK_ONLY = (
    "A delegate block has to stand alone in a reply, without other blocks and tool calls, so nothing was done."
)

_BLOCK = re.compile(
    r"^[ \t]*(?P<fence>`{3,}|~{3,})[ \t]*delegate[ \t]*\n(?P<subtask>.*?)\n[ \t]*(?P=fence)[ \t]*$",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)


@runtime_checkable
class Heir(Protocol):
    """An agent that can go on from what another one has seen and said."""

    def inherit(self, other: Agent) -> None:
        """Take over the turns of `other`, after `reset`."""
        ...


def prompts_at(depth: int) -> tuple[str, ...]:
    """Return the prompts that tell an agent at this depth what it may do: 0 is the first one."""
    return (*(("delegate",) if depth < MOST_DEPTH else ()), *(("subagent",) if depth else ()))


def delegated(reply: str) -> str | None:
    """Return the subtask that a reply hands over, None where it hands over nothing, or does something else as well."""
    block = _BLOCK.search(reply.replace("\r\n", "\n"))
    if block is None or not block["subtask"].strip():
        return None
    rest = reply.replace("\r\n", "\n").replace(block[0], "", 1)
    return None if _FENCE.search(rest) else block["subtask"].strip()


@dataclass(slots=True)
class _Frame:
    """One agent of the stack: its path, what it was asked to do, and what it is told next."""

    path: str
    agent: Agent
    subtask: str = ""
    news: tuple[str, ...] = ()
    fresh: bool = True  # it has not decided since another one did
    children: int = 0
    turns: int = 0
    problems: int = 0


class Delegation:
    """An agent that consists of one that may delegate, and its subagents.

    Args:
        make: returns a new agent for a depth; 0 is the first one.
        pass_history: True where a subagent that can (`Heir`) begins with the turns of the agent that delegates.
    """

    def __init__(self, make: Callable[[int], Agent], *, pass_history: bool = False) -> None:
        self._make = make
        self._pass_history = pass_history
        self._first = make(0)
        self._stack: list[_Frame] = []
        self._briefing: Briefing | None = None
        self.observation_type = self._first.observation_type

    def reset(self, briefing: Briefing) -> None:
        """Begin a new episode, without subagents."""
        self._briefing = briefing
        self._first.reset(_told_of_depth(briefing, 0))
        self._stack = [_Frame("0", self._first)]

    def act(self, observation: Observation) -> Decision:
        """Let the agent on top decide; a subagent that is through makes place for the one below."""
        frame = self._stack[-1]
        answer = frame.agent.act(_as_shown_to(frame, observation))
        decision = answer if isinstance(answer, Decision) else Decision(tuple(answer))
        decision = replace(decision, actor=frame.path)
        frame.fresh, frame.news = False, ()
        frame.turns += 1
        subtask = None if decision.problem == "refused" or decision.actions else delegated(decision.reply)
        if subtask is not None:
            self._hand_over(frame, subtask, observation)
            return replace(decision, actions=(Action.wait(0),), problem=None, feedback="")
        if decision.problem != "refused" and _BLOCK.search(decision.reply):
            problem = decision.problem or "unparsable"
            decision = replace(decision, actions=(), problem=problem, feedback=ONE_BLOCK_ONLY)
        return decision if len(self._stack) == 1 else self._after_turn(frame, decision)

    def _hand_over(self, frame: _Frame, subtask: str, observation: Observation) -> None:
        frame.problems = 0
        if len(self._stack) > MOST_DEPTH:
            frame.news = (f"No subagent was started: they may stand {MOST_DEPTH} deep, and you are the last.",)
            return
        if self._briefing is None:
            raise RuntimeError("the agent was asked to act before it was reset")
        frame.children += 1
        frame.fresh = True
        depth = len(self._stack)
        child = self._make(depth)
        briefing = replace(self._briefing, instruction=subtask, max_steps=max(0, observation.steps_left - 1))
        child.reset(_told_of_depth(briefing, depth))
        if self._pass_history and isinstance(child, Heir):
            child.inherit(frame.agent)
        self._stack.append(_Frame(f"{frame.path}.{frame.children}", child, subtask))

    def _after_turn(self, frame: _Frame, decision: Decision) -> Decision:
        """Take a subagent's turn: it goes on, or is through."""
        if decision.problem == "refused":
            return decision
        frame.problems = frame.problems + 1 if decision.problem or not decision.actions else 0
        if frame.problems >= PROBLEMS_IN_A_ROW:
            return self._return(frame, "it gave no reply that could be executed", decision, ())
        for position, action in enumerate(decision.actions):
            if action.ends_episode:
                reason = DONE if action.kind == "done" else DECLINED
                return self._return(frame, reason, decision, decision.actions[:position])
        return decision

    def _return(self, frame: _Frame, reason: str, decision: Decision, actions: tuple[Action, ...]) -> Decision:
        self._stack.pop()
        words = decision.reply.strip()[-LONGEST_WORDS:] or "none"
        said = f"Your subagent {frame.path} has ended after {frame.turns} turns: {reason}."
        self._stack[-1].news = (f"{said}\nIts task was: {frame.subtask}\nIts last words: {words}",)
        return replace(decision, actions=actions or (Action.wait(0),), problem=None, feedback="")


def _told_of_depth(briefing: Briefing, depth: int) -> Briefing:
    """Return the briefing with what an agent at this depth is told of delegation."""
    return replace(briefing, told_besides=(*briefing.told_besides, *besides(prompts_at(depth))))


def _as_shown_to(frame: _Frame, observation: Observation) -> Observation:
    """Return the observation as this agent sees it: what another one did last is not its own result."""
    results = () if frame.fresh else observation.results
    return replace(observation, results=results, notes=(*frame.news, *observation.notes))
