"""From a reply's text to actions, for the `pyautogui` action space.

A reply is executed as a whole or not at all:

- Every fenced block (three or more backticks or tildes) is one action, in order, up to the first `DONE` or `FAIL`.
  A block ends at a line that holds nothing but its fence; indentation, trailing blanks and CRLF do not matter. A block
  may also stand on one line, fences and all.
- A block is code if its info string begins with `python`, `py` or `python3`, in any case, or is empty. Where the whole
  block stands on one line, its first word is the language, unless it is all there is or Python goes on from it.
- `WAIT`, `DONE` and `FAIL`, alone in a block or alone as the reply, in any case, are actions of their own. In capitals
  on a last line of their own they are split off from the code above them.
- Words outside of blocks are the model's thoughts and are not executed; neither are empty blocks.

Nothing at all is executed, and the model is told why, if a block is not closed or the reply was cut before its first
block (`truncated`), if a block is of another language or there is no block (`unparsable`), or if there is no text
(`empty`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from keyword import iskeyword
from typing import TYPE_CHECKING

from pytest_rogue.interaction import Action, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FENCE = re.compile(r"(?P<fence>`{3,}|~{3,})(?P<rest>.*)")
_LANGUAGE_AND_BODY = re.compile(r"(?P<language>[A-Za-z][\w+#-]*)\s+(?P<body>.+)")
_ASSIGNMENT = re.compile(r"(?:\*\*|//|<<|>>|[-+*/%@&|^])?=")
_CODE_LANGUAGES = frozenset({"", "python", "python3", "py"})
_SPECIAL = {"WAIT": Action.wait(), "DONE": Action.done(), "FAIL": Action.fail()}

_FEEDBACK: dict[Problem, str] = {
    "empty": "Your reply was empty. Nothing was done.",
    "truncated": (
        "Your reply was cut off before it was complete. Nothing of it was done. "
        "Be brief, and close every code block with its fence on a line of its own."
    ),
    "unparsable": (
        "Your reply held no code block, so nothing was done. "
        "Put pyautogui code, or one of WAIT, DONE and FAIL, into a ```python block."
    ),
}


@dataclass(frozen=True, slots=True)
class Parsed:
    """The actions of a reply, or why there are none and what the model is told about it.

    `calls` names for each action the tool call it came from; it is empty where the model acts by words.
    """

    actions: tuple[Action, ...] = ()
    problem: Problem | None = None
    feedback: str = ""
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a reply; `language` in small letters, empty where none was named."""

    language: str
    body: str
    closed: bool


def parse_pyautogui(text: str, finish_reason: str = "stop") -> Parsed:
    """Read the actions of a reply by the rules of this module.

    Args:
        text: the reply, verbatim.
        finish_reason: why the reply ended; `length` says that it was cut.
    """
    blocks = fenced_blocks(text)
    if not all(block.closed for block in blocks):
        return failed("truncated")
    foreign = [block.language for block in blocks if block.language not in _CODE_LANGUAGES]
    if foreign:
        feedback = f"Only Python blocks are executed. Your reply held a {foreign[0][:40]!r} block, so nothing was done."
        return Parsed(problem="unparsable", feedback=feedback)
    alone = _SPECIAL.get(text.strip(" \t\n`").upper())
    actions = (alone,) if alone else tuple(up_to_the_end(_actions(blocks)))
    if actions:
        return Parsed(actions)
    if finish_reason == "length":
        return failed("truncated")
    return failed("unparsable" if text.strip() else "empty")


def fenced_blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a reply, in order."""
    return list(_blocks(text.replace("\r\n", "\n").split("\n")))


def special_word(text: str) -> Action | None:
    """Return what WAIT, DONE or FAIL says: alone in any case, or in capitals on the last line; None for neither."""
    bare = text.strip(" \t\r\n`")
    return _SPECIAL.get(bare.upper()) or _SPECIAL.get(bare.rpartition("\n")[2].strip())


def failed(problem: Problem) -> Parsed:
    """Return that nothing of a reply is executed, with the usual words for the model."""
    return Parsed(problem=problem, feedback=_FEEDBACK[problem])


def _blocks(lines: list[str]) -> Iterator[Block]:
    remaining = iter(lines)
    for line in remaining:
        opening = _FENCE.fullmatch(line.strip())
        if opening is None:
            continue
        fence, rest = opening["fence"], opening["rest"].strip()
        inline, closing, after = rest.partition(fence)
        if closing and not after:
            yield _one_line_block(inline)
        elif fence[0] not in rest:
            language = rest.split(maxsplit=1)[0].lower() if rest else ""
            yield _rest_of_block(language, fence, len(line) - len(line.lstrip()), remaining)


def _one_line_block(inline: str) -> Block:
    inline = inline.strip()
    found = _LANGUAGE_AND_BODY.fullmatch(inline)
    if found is None:
        return Block("", "" if inline.lower() in _CODE_LANGUAGES else inline, closed=True)
    language, body = found["language"], found["body"]
    # `import os` and `x = 1` name no language. In doubt it is one: what is refused is told, what is executed is done.
    if iskeyword(language) or _ASSIGNMENT.match(body):
        return Block("", inline, closed=True)
    return Block(language.lower(), body, closed=True)


def _rest_of_block(language: str, fence: str, indent: int, lines: Iterator[str]) -> Block:
    body: list[str] = []
    for line in lines:
        bare = line.strip()
        if len(bare) >= len(fence) and set(bare) == {fence[0]}:
            return Block(language, "\n".join(body), closed=True)
        # A block in a list is indented as a whole; what stands further in is the code's own indentation.
        body.append(line[min(indent, len(line) - len(line.lstrip())) :])
    return Block(language, "\n".join(body), closed=False)


def _actions(blocks: Iterable[Block]) -> Iterator[Action]:
    for block in blocks:
        body = block.body.strip("\n").rstrip()
        if alone := _SPECIAL.get(body.strip().upper()):
            yield alone
            continue
        code, _, last = body.rpartition("\n")
        special = _SPECIAL.get(last)
        if special:
            body = code.rstrip()
        if body.strip():
            yield Action.python(body)
        if special:
            yield special


def up_to_the_end(actions: Iterable[Action]) -> Iterator[Action]:
    """Yield the actions up to the first that ends the episode."""
    for action in actions:
        yield action
        if action.ends_episode:
            return
