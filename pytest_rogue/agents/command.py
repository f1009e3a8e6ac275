"""An agent that is a program of its own, in any language: it reads and writes JSON, one object a line.

`docs/agents.md` has the protocol.
"""

from __future__ import annotations

import json
import shlex
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.agents.child import Child
from pytest_rogue.errors import AgentError, ConfigError
from pytest_rogue.interaction import Action, Decision

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_rogue.agents.options import AgentOptions
    from pytest_rogue.agents.protocol import Briefing, ObservationType
    from pytest_rogue.interaction import ActionResult, Observation

EXEC = "exec:"
"""How the name of such an agent begins."""

PROTOCOL = 1


def command_line(text: str) -> list[str]:
    """Return the words of a command; they are split as a shell does, and no shell runs them.

    Raises:
        ConfigError: it is empty, its quotes do not match, or there is no such program.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ConfigError(f"--rogue-agent={EXEC}{text}: {error}") from None
    if not words:
        raise ConfigError(f"--rogue-agent={EXEC} names no command; write for instance {EXEC}'python my_agent.py'")
    if shutil.which(words[0]) is None:
        raise ConfigError(f"--rogue-agent={EXEC}{text}: there is no program {words[0]!r}; is it on the PATH?")
    return words


class CommandAgent:
    """A program that is started for each episode and asked once a turn.

    Args:
        command: program and arguments.
        model: passed on to it.
        observation_type: what it is shown.
        options: `turn_seconds` bounds each answer.
    """

    def __init__(
        self, command: Sequence[str], *, model: str, observation_type: ObservationType, options: AgentOptions
    ) -> None:
        self.observation_type = observation_type
        self._command = list(command)
        self._model = model
        self._seconds = options.turn_seconds
        self._child: Child | None = None
        self._folder: Path | None = None

    def reset(self, briefing: Briefing) -> None:
        """Start the program and tell it the task.

        Raises:
            AgentError: it cannot be started, or does not read.
        """
        self.close()
        self._folder = Path(tempfile.mkdtemp(prefix="rogue-agent-"))
        self._child = Child(self._command, log=self._folder / "stderr")
        self._child.send(
            {
                "event": "reset",
                "protocol": PROTOCOL,
                "instruction": briefing.instruction,
                "told_besides": briefing.told_besides,
                "max_steps": briefing.max_steps,
                "screen_size": briefing.screen_size,
                "seed": briefing.seed,
                "model": self._model,
                "observation_type": self.observation_type,
            },
            self._seconds,
        )

    def act(self, observation: Observation) -> Decision:
        """Ask the program.

        Raises:
            AgentError: it has ended, does not answer in time, or answers something else than the protocol says.
        """
        if self._child is None or self._folder is None:
            raise RuntimeError("an agent was asked to act before it was reset")
        self._child.send(_question(observation, self._folder), self._seconds)
        answer = self._child.receive(self._seconds)
        return _decision(answer, self._child.new_log())

    def close(self) -> str:
        """End the program with all it has started, and return what it logged since its last answer."""
        if self._child is None or self._folder is None:
            return ""
        self._child.end()
        log = self._child.new_log()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._child, self._folder = None, None
        return log


def _question(observation: Observation, folder: Path) -> dict[str, Any]:
    path = None
    if observation.screenshot is not None:
        path = folder / f"screen-{observation.step:03}.png"
        path.write_bytes(observation.screenshot)
    return {
        "event": "act",
        "step": observation.step,
        "steps_left": observation.steps_left,
        "screenshot": path and str(path),
        "a11y": observation.a11y,
        "screen_size": observation.screen_size,
        "results": [_fate(result) for result in observation.results],
        "notes": observation.notes,
    }


def _fate(result: ActionResult) -> dict[str, Any]:
    fields = ("executed", "stdout", "stderr", "exit_code", "timed_out", "seconds", "note")
    return {"kind": result.action.kind, **{name: getattr(result, name) for name in fields}}


def _decision(answer: bytes, log: str) -> Decision:
    try:
        given = json.loads(answer)
        if "error" in given:
            raise AgentError(f"the agent's program reports an error: {str(given['error'])[:500]}")
        actions = tuple(_action(one) for one in given.get("actions", []))
        reply, reasoning = (str(given.get(name) or "") for name in ("reply", "reasoning"))
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        shown = answer[:200].decode(errors="replace")
        raise AgentError(
            f"the agent's program answered against the protocol ({error}): {shown!r}; docs/agents.md has the form"
        ) from None
    return Decision(actions, reply=reply, reasoning=reasoning, log=log)


def _action(given: dict[str, Any]) -> Action:
    kind = given["kind"]
    if kind == "python":
        return Action.python(given["code"])
    if kind == "wait":
        return Action.wait(given.get("seconds", 1.0))
    return Action(kind)
