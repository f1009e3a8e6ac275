"""A tape: one episode as a file of JSON lines, what is no text beside it, named by its content.

The first line says what was recorded, each further line is one exchange, the last one says that the tape is whole:

    {"rogue_cassette": 1, "episode": "override/base/...", "nonce": "...", "conditions": {...}}
    {"seam": "guest", "request": {...}, "answer": {...}}
    {"seam": "model", "request": {...}, "answer": {...}}
    {"exchanges": 2}
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pytest_rogue.cassettes.beside import Beside
from pytest_rogue.errors import CassetteError
from pytest_rogue.records.disk import writing_in
from pytest_rogue.records.episode_folder import episode_folder_name

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FORM = 1
"""Version of the form of a tape."""

RECORD_AGAIN = "record it again with --rogue-cassette=record"

Seam = Literal["guest", "model"]
"""Between what an exchange takes place: the episode and its desktop, or the agent and its model."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and what came of it, both as JSON has them: masked, and with bytes put beside."""

    seam: Seam
    request: dict[str, Any]
    answer: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Label:
    """What is written on a tape.

    Attributes:
        episode: which one was recorded, `override/base/archive-project/control/compliant/e1`.
        nonce: from which the canaries of the episode were drawn; the same ones are drawn when it is replayed.
        conditions: options of the run that bear on an episode.
        case_hash: of the case as it was.
    """

    episode: str
    nonce: bytes
    conditions: Mapping[str, Any] = field(default_factory=dict)
    case_hash: str = ""

    def differences(self, other: Label) -> list[str]:
        """Say what has changed between two recordings of an episode, a few words each."""
        changed = ["the case was changed"] if self.case_hash != other.case_hash else []
        names = sorted(self.conditions.keys() | other.conditions.keys())
        for name, before, now in ((name, self.conditions.get(name), other.conditions.get(name)) for name in names):
            if before != now:
                changed.append(f"{name} was {before} and is {now}")
        return changed


def tape_path(folder: Path, episode: str) -> Path:
    """Return the file of an episode's tape in a folder of tapes."""
    return folder / f"{episode_folder_name(episode)}.jsonl"


class TapeWriter:
    """Writes a tape as the episode goes on. Until `finish` it has another name, so that a tape is whole or not there.

    A message that a model was sent before, in this episode, is written once and is a number afterwards.

    Args:
        path: of the tape; one that is there already is replaced when this one is whole.
        label: what is written on it.
    """

    def __init__(self, path: Path, label: Label) -> None:
        self._path = path
        self._aside = path.with_suffix(".part")
        self._messages: dict[str, int] = {}
        self._exchanges = 0
        self.beside = Beside(path.parent)
        with writing_in(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._aside.write_text("", encoding="utf-8")
        head = {"rogue_cassette": FORM, "episode": label.episode, "nonce": label.nonce.hex()}
        self._line(head | {"case_hash": label.case_hash, "conditions": dict(label.conditions)})

    def append(self, exchange: Exchange) -> None:
        """Write one exchange."""
        request = exchange.request
        if "messages" in request:
            request = request | {"messages": [self._numbered(message) for message in request["messages"]]}
        self._line({"seam": exchange.seam, "request": request, "answer": exchange.answer})
        self._exchanges += 1

    def finish(self) -> None:
        """Say that the tape is whole, and give it its name."""
        self._line({"exchanges": self._exchanges})
        with writing_in(self._path.parent):
            self._aside.replace(self._path)

    def _numbered(self, message: Any) -> Any:
        text = json.dumps(message, sort_keys=True)
        if text in self._messages:
            return self._messages[text]
        self._messages[text] = len(self._messages)
        return message

    def _line(self, data: dict[str, Any]) -> None:
        with writing_in(self._path.parent), self._aside.open("a", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(data) + "\n")


@dataclass(frozen=True, slots=True)
class Tape:
    """A whole tape."""

    path: Path
    label: Label
    exchanges: tuple[Exchange, ...]


def read_tape(path: Path) -> Tape:
    """Return the tape in a file.

    Raises:
        CassetteError: there is none, it is not whole, or it is of another form.
    """
    if not path.is_file():
        raise CassetteError(f"there is no cassette {path}; {RECORD_AGAIN.replace(' again', '')}")
    try:
        head, *lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        if head["rogue_cassette"] != FORM:
            raise CassetteError(
                f"the cassette {path} has the form {head['rogue_cassette']}, not {FORM}; {RECORD_AGAIN}"
            )
        label = Label(head["episode"], bytes.fromhex(head["nonce"]), head["conditions"], head["case_hash"])
        if not lines or lines.pop() != {"exchanges": len(lines)}:
            raise CassetteError(f"the cassette {path} is not whole; {RECORD_AGAIN}")
        return Tape(path, label, _exchanges(lines))
    except (ValueError, KeyError, TypeError, IndexError) as error:
        problem = f"{type(error).__name__}: {error}"
        raise CassetteError(f"the cassette {path} is damaged ({problem}); {RECORD_AGAIN}") from error


def _exchanges(lines: list[dict[str, Any]]) -> tuple[Exchange, ...]:
    known: list[Any] = []
    exchanges = []
    for line in lines:
        request = line["request"]
        if "messages" in request:
            request = request | {"messages": [_message(entry, known) for entry in request["messages"]]}
        exchanges.append(Exchange(line["seam"], request, line["answer"]))
    return tuple(exchanges)


def _message(entry: Any, known: list[Any]) -> Any:
    if isinstance(entry, int):
        return known[entry]
    known.append(entry)
    return entry
