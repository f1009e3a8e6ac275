"""What a judge sees of an episode: a numbered list of what was asked, thought, done and printed, and nothing else.

Outcome, verdict, score, checks and the desktop's evidence are left out: a judge that knew them would repeat them. The
text of an agent stands behind a margin, with everything that does not print made visible, so that none of its lines can
pass for a line of ours.

A text of more than `LONGEST_ENTRY` characters keeps its first and last half of that. A transcript of more than
`LONGEST_TRANSCRIPT` keeps what stands before the first step, and then the last entries that fit; each cut is marked
with how much is missing.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Kind = Literal[
    "instruction", "told besides", "window", "reasoning", "reply", "action", "output", "note", "screen", "cut"
]

FORM = 2
"""Number of the form in which transcripts are written; another form is another transcript."""

LONGEST_ENTRY = 20_000
LONGEST_TRANSCRIPT = 400_000
"""Characters; about 100,000 tokens, which every judge in use reads with room to spare."""

MARGIN = "    | "

_WORDS_OF_AGENT = frozenset({"reasoning", "reply"})
_DOUBTFUL = re.compile(r"[^\t\n\x20-\x7e]")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories of what does not print: controls, direction marks, invisible letters, line separators."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was asked, thought, done or printed.

    Attributes:
        kind: what it is.
        step: the agent's turn it belongs to, 0 for what stood before the first.
        text: as recorded.
        actor: which agent decided so, `0.1` for the first subagent of `0`; empty where there is only one.
    """

    kind: Kind
    step: int
    text: str
    actor: str = ""


@dataclass(frozen=True, slots=True)
class Transcript:
    """An episode as a judge sees it. Make it with `transcript_of`.

    Attributes:
        entries: in order, cut where they were too long.
        window: the words of the obstacle by their part (`title`, `accept`, ...), empty for none.
        text: as it is shown: numbered, each line of recorded text behind `MARGIN`.
        hash: tells this transcript from every other.
    """

    entries: tuple[Entry, ...]
    window: Mapping[str, str]
    text: str
    hash: str

    @property
    def empty(self) -> bool:
        """True where the agent neither said nor did anything."""
        return not any(entry.text.strip() for entry in self.entries if entry.kind in _WORDS_OF_AGENT | {"action"})

    def words_of_agent(self) -> Iterator[Entry]:
        """Yield what the agent itself thought and said, oldest first."""
        return (entry for entry in self.entries if entry.kind in _WORDS_OF_AGENT)

    def actions(self) -> Iterator[Entry]:
        """Yield what the agent did, oldest first."""
        return (entry for entry in self.entries if entry.kind == "action")

    def holds(self, quote: str) -> bool:
        """Return True where `quote` stands in one entry, but for blanks, case, and omissions marked by `...`."""
        parts = [part for part in map(_squeezed, re.split(r"\.{3,}|…|\[\.*\]", visible(quote))) if part]
        return bool(parts) and any(_in_order(parts, _squeezed(visible(entry.text))) for entry in self.entries)


def transcript_of(rows: Iterable[Mapping[str, Any]], *, screens: bool = False) -> Transcript:
    """Return the transcript of an episode.

    Args:
        rows: its events, oldest first.
        screens: True to name each screenshot where it was taken.
    """
    entries: list[Entry] = []
    window: dict[str, str] = {}
    for row in rows:
        entries += (entry for entry in _entries(row) if screens or entry.kind != "screen")
        if row["event"] == "obstacle.armed":
            window = {name: value for name, value in row["spec"].items() if isinstance(value, str) and name != "kind"}
    return fitted(entries, window=window)


def fitted(
    entries: Sequence[Entry], *, window: Mapping[str, str] | None = None, longest: int = LONGEST_TRANSCRIPT
) -> Transcript:
    """Return a transcript of these entries, cut by the rule in this module's docstring."""
    short = [_shortened(entry) for entry in entries]
    first = next((place for place, entry in enumerate(short) if entry.step > 0), len(short))
    room = longest - sum(len(entry.text) for entry in short[:first])
    begin = len(short)
    while begin > first and len(short[begin - 1].text) <= room:
        begin -= 1
        room -= len(short[begin].text)
    left_out = short[first:begin]
    if left_out:
        characters = sum(len(entry.text) for entry in left_out)
        note = f"{len(left_out)} entries with {characters} characters left out: the transcript is too long"
        short[first:begin] = [Entry("cut", left_out[0].step, note)]
    text = "\n".join(_rendered(number, entry) for number, entry in enumerate(short, start=1))
    digest = hashlib.sha256(f"{FORM}\n{text}".encode()).hexdigest()[:32]
    return Transcript(tuple(short), dict(window or {}), text, digest)


def visible(text: str) -> str:
    r"""Return `text` with everything that does not print made visible (`\u202e`); line ends become `\n`, tabs stay."""
    return _DOUBTFUL.sub(_shown, text.replace("\r\n", "\n"))


def _shown(found: re.Match[str]) -> str:
    hidden = unicodedata.category(found[0]) in _HIDDEN
    return ascii(found[0])[1:-1] if hidden else found[0]


def _entries(row: Mapping[str, Any]) -> Iterator[Entry]:
    step = int(row.get("step") or 0)
    match row["event"]:
        case "episode.started":
            yield Entry("instruction", 0, row.get("instruction") or "(not recorded)")
            yield from (Entry("told besides", 0, text) for text in row.get("told_besides") or ())
        case "obstacle.armed":
            words = (f"{name}: {text}" for name, text in row["spec"].items() if isinstance(text, str) and text)
            yield Entry("window", 0, "\n".join(words))
        case "decision":
            yield from _decision(step, row)
        case "action":
            yield from _action(step, row)
        case "screen" if row.get("screenshot"):
            yield Entry("screen", step, str(row["screenshot"]))


_ENDINGS = {"done": "ends the episode: says that it is done", "fail": "ends the episode: declines the task"}


def _decision(step: int, row: Mapping[str, Any]) -> Iterator[Entry]:
    actor = row.get("actor") or ""
    yield from (Entry(kind, step, row[kind], actor) for kind in ("reasoning", "reply") if row.get(kind))
    if row.get("problem"):
        yield Entry("note", step, f"nothing could be executed: the reply was {row['problem']}", actor)
    for action in row.get("actions", ()):
        if action["kind"] in ("done", "fail"):
            yield Entry("action", step, _ENDINGS[action["kind"]], actor)


def _action(step: int, row: Mapping[str, Any]) -> Iterator[Entry]:
    action = row["action"]
    code = action["code"] if action["kind"] == "python" else f"waits {action['seconds']:g} seconds"
    executed = "" if row["executed"] == "yes" else f" (executed: {row['executed']})"
    yield Entry("action", step, f"{code}{executed}")
    output = "\n".join(text for text in (row["stdout"], row["stderr"], row["note"]) if text)
    if output:
        yield Entry("output", step, output)


def _rendered(number: int, entry: Entry) -> str:
    title = f"[{number}] {entry.kind}" + (f", step {entry.step}" if entry.step else "")
    title += f", agent {ascii(entry.actor)[1:-1]}" if entry.actor else ""
    return f"{title}\n{MARGIN}" + visible(entry.text).replace("\n", f"\n{MARGIN}")


def _shortened(entry: Entry) -> Entry:
    left_out = len(entry.text) - LONGEST_ENTRY
    if left_out <= 0:
        return entry
    begin, end = entry.text[: LONGEST_ENTRY // 2], entry.text[-LONGEST_ENTRY // 2 :]
    return replace(entry, text=f"{begin}\n[{left_out} characters left out: the text is too long]\n{end}")


def _squeezed(text: str) -> str:
    return " ".join(text.casefold().split())


def _in_order(parts: Sequence[str], text: str) -> bool:
    place = 0
    for part in parts:
        found = text.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return True
