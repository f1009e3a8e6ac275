"""What passes between an agent and a desktop: actions one way, observations the other."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, get_args

ActionKind = Literal["python", "wait", "done", "fail"]
Executed = Literal["yes", "no", "unknown"]
Problem = Literal["unparsable", "truncated", "empty", "refused"]
"""Why a reply holds nothing to execute.

- `unparsable`: there are words, but no code block, or one of a language that is not executed.
- `truncated`: the reply was cut before it was complete.
- `empty`: there are no words and no actions.
- `refused`: the model's provider withheld the reply.
"""

_MEANT_TO_ACT = re.compile(r"```|~~~|[{}<>]|\w\(")
"""A block, JSON, a tag, or a call: it may have been meant to be executed."""

LONGEST_WAIT = 60.0
"""Seconds that one `wait` may take. Whoever needs more waits again, and sees the screen in between."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing the agent does.

    Attributes:
        kind: `python` runs pyautogui code in the desktop, `wait` lets time pass, `done` says that the task is complete,
            `fail` declines it or says that it cannot be done.
        code: Python source, for `python`.
        seconds: how long to wait, for `wait`; 0 to `LONGEST_WAIT`.

    Raises:
        ValueError: there is no such kind, or the seconds are out of bounds.
        TypeError: the code is not text.
    """

    kind: ActionKind
    code: str = ""
    seconds: float = 0.0

    def __post_init__(self) -> None:
        # Agents of one's own need not be type checked.
        kinds: tuple[str, ...] = get_args(ActionKind)
        code: object = self.code
        seconds: object = self.seconds
        if self.kind not in kinds:
            raise ValueError(f"there is no action {self.kind!r}; it is one of: {', '.join(kinds)}")
        if not isinstance(code, str):
            raise TypeError(f"the code of an action has to be text, not {type(code).__name__}")
        if not isinstance(seconds, int | float) or not 0 <= seconds <= LONGEST_WAIT:
            raise ValueError(f"an action waits between 0 and {LONGEST_WAIT:g} seconds, not {seconds!r}")

    @classmethod
    def python(cls, code: str) -> Action:
        """Run `code` in the desktop; `pyautogui` and `time` are imported already."""
        return cls("python", code=code)

    @classmethod
    def wait(cls, seconds: float = 1.0) -> Action:
        """Let `seconds` pass, `LONGEST_WAIT` at most."""
        return cls("wait", seconds=seconds)

    @classmethod
    def done(cls) -> Action:
        """Say that the task is complete."""
        return cls("done")

    @classmethod
    def fail(cls) -> Action:
        """Decline the task."""
        return cls("fail")

    @property
    def ends_episode(self) -> bool:
        """True for `done` and `fail`, which are never sent to the desktop."""
        return self.kind in ("done", "fail")


@dataclass(frozen=True, slots=True)
class ActionResult:
    """What became of one action.

    Attributes:
        action: the action.
        executed: `yes`, `no`, or `unknown` where the answer of the desktop was lost (it is never sent twice).
        stdout: what the code printed.
        stderr: what the code printed to standard error, tracebacks included.
        exit_code: exit code of the code's process, None where it is not known.
        timed_out: True where the code was cut at its time limit.
        seconds: how long it ran.
        note: what else the agent should know, in one sentence; empty for nothing.
    """

    action: Action
    executed: Executed = "yes"
    stdout: str = ""
    stderr: str = ""
    exit_code: int | None = 0
    timed_out: bool = False
    seconds: float = 0.0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Observation:
    """What the agent is shown before it decides.

    Attributes:
        step: number of agent turns taken so far; 0 for the first observation.
        steps_left: turns that remain, this one included.
        screenshot: PNG bytes of the whole screen with the cursor drawn, or None where not asked for.
        a11y: accessibility tree as XML (OSWorld's namespaces), or None where not asked for or not to be had.
        screen_size: width and height in pixels.
        results: what became of the actions of the previous turn, in order.
        notes: sentences about this observation (tree cut, tree unavailable, reply not understood).
    """

    step: int
    steps_left: int
    screenshot: bytes | None = None
    a11y: str | None = None
    screen_size: tuple[int, int] = (1920, 1080)
    results: tuple[ActionResult, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """What model calls have used.

    Attributes:
        calls: requests made, failed and repeated ones included; a fault found before anything was sent is none.
        retries: those of the calls that repeated an earlier one.
        prompt_tokens: tokens that were sent, as far as the provider counted them.
        completion_tokens: tokens that came back, as far as the provider counted them.
        cost: in US dollars, None where the price of any call is unknown, as that of one that failed and may be billed.
    """

    calls: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0

    def __add__(self, other: Usage) -> Usage:
        known = self.cost is not None and other.cost is not None
        return Usage(
            calls=self.calls + other.calls,
            retries=self.retries + other.retries,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost=(self.cost or 0.0) + (other.cost or 0.0) if known else None,
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """What an agent answers to an observation.

    Attributes:
        actions: to be executed in order, up to the first that ends the episode.
        reply: the agent's words, verbatim.
        reasoning: the agent's reasoning where its provider returns it.
        problem: why there is nothing to execute, or None.
        feedback: what the agent is told about the problem in its next observation.
        usage: model calls this decision took.
        finish_reason: why the model's reply ended, as its client names it (`stop`, `length`, ...); empty where no model
            was asked.
        actor: which agent decided: empty, or the path of a subagent (`0` delegated to `0.1`, and so on).
        log: what the agent's own program has logged since its last answer; empty for agents that are none.
        waited: seconds in which the agent could only wait for its provider (pauses, queues, attempts that failed); the
            episode may take so much longer.
    """

    actions: tuple[Action, ...] = ()
    reply: str = ""
    reasoning: str = ""
    problem: Problem | None = None
    feedback: str = ""
    usage: Usage = field(default_factory=Usage)
    finish_reason: str = ""
    actor: str = ""
    log: str = ""
    waited: float = 0.0

    @property
    def is_prose(self) -> bool:
        """True where the reply is words alone: not cut, and nothing in it may have been meant to be executed."""
        whole = self.problem in ("unparsable", "empty")
        return whole and bool(self.reply.strip()) and not _MEANT_TO_ACT.search(self.reply)
