"""The words of a prompt: the system text, and what each turn's message says besides the screenshot."""

from __future__ import annotations

from importlib import resources
from string import Template
from typing import TYPE_CHECKING

from pytest_rogue.agents.history import Answer
from pytest_rogue.agents.spaces.vocabulary import VOCABULARY, signature
from pytest_rogue.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_rogue.agents.frame import Frame
    from pytest_rogue.agents.parse import Parsed
    from pytest_rogue.agents.protocol import Briefing, ObservationType
    from pytest_rogue.agents.spaces.protocol import ActionSpace
    from pytest_rogue.interaction import ActionResult, Observation
    from pytest_rogue.models.client import ToolCall

_EACH_TURN = ("steps_left",)
"""Prompts that come with every turn; all others stand in the system message."""

LONGEST_OUTPUT = 2_000
"""Characters of an action's output, and again of its errors, that the model is shown."""


def system_text(briefing: Briefing, *, observation_type: ObservationType, action_space: str, frame: Frame) -> str:
    """Return the system message, from the text files in `prompts/`.

    Args:
        briefing: with the task.
        observation_type: what the model is shown.
        action_space: name of the text that explains how it acts.
        frame: what its coordinates are counted in.
    """
    width, height = briefing.screen_size
    return Template(_prompt(action_space)).substitute(
        instruction=briefing.instruction,
        observation=_prompt(f"sees_{observation_type}").strip(),
        width=width,
        height=height,
        coordinates="pixels" if frame.is_the_screen else frame.in_words(),
        actions="\n".join(map(signature, VOCABULARY)),
    )


def turn_text(observation: Observation, *, instruction: str, elements: str = "", answered: bool = False) -> str:
    """Return the text of a turn's message: what became of the last turn, what is on the screen, and the question.

    Args:
        observation: what the agent was given.
        instruction: the task in words.
        elements: the list of elements, empty for none.
        answered: whether the answers to tool calls say what became of the last turn; then only the rest is said.
    """
    parts = (
        [] if answered else [_describe(number, result) for number, result in enumerate(observation.results, start=1)]
    )
    parts += [f"Note: {note}" for note in observation.notes]
    if elements:
        parts.append(elements)
    if not answered:
        parts.append(f"This is the screen now. What do you do next? The task: {instruction}")
    return "\n\n".join(parts)


def besides(names: Iterable[str]) -> list[str]:
    """Return what these prompts add to the system message.

    Raises:
        ConfigError: there is no such prompt.
    """
    return [_named("besides", name) for name in names if name not in _EACH_TURN]


def each_turn(names: Iterable[str], observation: Observation) -> list[str]:
    """Return what these prompts say before the text of a turn."""
    values = {"step": observation.step + 1, "steps": observation.step + observation.steps_left}
    left = {"steps_left": observation.steps_left}
    return [Template(_named("each_turn", name)).substitute(values | left) for name in names if name in _EACH_TURN]


def _named(folder: str, name: str) -> str:
    try:
        return _prompt(f"{folder}/{name}").strip()
    except FileNotFoundError:
        raise ConfigError(f"there is no prompt {name!r}: no file prompts/{folder}/{name}.md") from None


def answers(
    observation: Observation, calls: Sequence[ToolCall], parsed: Parsed, space: ActionSpace
) -> tuple[Answer, ...]:
    """Return what the model is told about each of its tool calls.

    Args:
        observation: what became of them.
        calls: of its last reply.
        parsed: the actions that were read from them, and to which call each belongs.
        space: in whose form it is told.
    """
    told = []
    for call in calls:
        results = [result for result, its in zip(observation.results, parsed.calls, strict=False) if its == call.id]
        fates = [_describe(number, result) for number, result in enumerate(results, start=1)]
        told.append(Answer(call.id, space.answer(call, "\n".join(fates) or "Nothing was done.")))
    return tuple(told)


def _prompt(name: str) -> str:
    return (resources.files(__package__) / "prompts" / f"{name}.md").read_text(encoding="utf-8")


def _describe(number: int, result: ActionResult) -> str:
    return "\n".join([f"Action {number} ({result.action.kind}): {_fate(result)}", *_details(result)])


def _fate(result: ActionResult) -> str:
    if result.executed == "no":
        return "it was not executed."
    if result.executed == "unknown":
        return "it is not known whether it was executed. Look at the screen before you repeat anything."
    if result.timed_out:
        return f"it was stopped after {result.seconds:.0f} seconds, before its end."
    if result.exit_code:
        return f"it ended with exit code {result.exit_code}."
    return "it was executed."


def _details(result: ActionResult) -> Iterator[str]:
    if result.note:
        yield result.note
    for title, output in (("Output", result.stdout), ("Errors", result.stderr)):
        if output.strip():
            yield f"{title}:\n{_bounded(output.strip())}"


def _bounded(output: str) -> str:
    """Keep both ends: a traceback's cause stands last."""
    surplus = len(output) - LONGEST_OUTPUT
    if surplus <= 0:
        return output
    half = LONGEST_OUTPUT // 2
    return f"{output[:half]}\n[cut: {surplus} characters]\n{output[-half:]}"
