"""What people say about episodes: read from CSV, kept beside the judges' answers, compared with them.

The file has a line of headings: `episode` (the item's node id), `judge`, `person`, and the fields of the judges that
decide; a field that is not of the line's judge stays empty.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import ConfigError
from pytest_rogue.judging.coverage import Cache
from pytest_rogue.records.judgments import Judgment, JudgmentKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pytest_rogue.judging.coverage import Question
    from pytest_rogue.judging.episodes import RecordedEpisode
    from pytest_rogue.judging.judge import Judge
    from pytest_rogue.records.judgments import JudgmentStore

HUMAN = "human"
_HEADINGS = ("episode", "judge", "person")
_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def read_labels(path: Path, episodes: Iterable[RecordedEpisode], judges: Sequence[Judge]) -> tuple[Judgment, ...]:
    """Return the labels in a file, ready to be stored.

    Args:
        path: CSV, UTF-8, as this module's docstring has it.
        episodes: those that may be labelled.
        judges: those whose questions may be answered.

    Raises:
        ConfigError: a line names an unknown episode or judge, or a value that the field does not take; the message
            names file and line. Nothing of the file is used then.
    """
    by_name = {episode.nodeid: episode for episode in episodes}
    by_judge = {judge.name: judge for judge in judges}
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            if not set(_HEADINGS) <= set(reader.fieldnames or ()):
                raise ConfigError(
                    f"{path}:1: the headings {', '.join(_HEADINGS)} are needed, and the fields of the judges"
                )
            return tuple(_label(f"{path}:{reader.line_num}", row, by_name, by_judge) for row in reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"{path} cannot be read as CSV: {error}") from error


def keep_labels(labels: Iterable[Judgment], store: JudgmentStore) -> int:
    """Store the labels that say something new, and return how many those are. A person's last label counts."""
    cache = Cache(store.all())
    added = 0
    for label in labels:
        known = cache.answer(label.key)
        if known is None or known.answer != label.answer:
            store.append(label)
            cache.add(label)
            added += 1
    return added


def labels_of(judge: Judge, asked: Iterable[Question], cache: Cache) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Return the labels that concern these questions, by episode's key and person."""
    shown = {question.key.transcript for question in asked if question.key}
    return {
        (judgment.key.episode, judgment.key.target.removeprefix(f"{HUMAN}:")): judgment.answer
        for judgment in cache.valid()
        if judgment.source == HUMAN
        and judgment.answer is not None
        and (judgment.key.judge, judgment.key.judge_version) == (judge.name, judge.version)
        and judgment.key.transcript in shown
    }


def _label(
    where: str, row: Mapping[str, str], episodes: Mapping[str, RecordedEpisode], judges: Mapping[str, Judge]
) -> Judgment:
    episode, judge, person = episodes.get(row["episode"]), judges.get(row["judge"]), (row["person"] or "").strip()
    if episode is None or episode.transcript is None:
        raise ConfigError(f"{where}: there is no such episode to judge in this run: {row['episode']!r}")
    if judge is None:
        raise ConfigError(f"{where}: there is no judge {row['judge']!r}; known are {', '.join(judges)}")
    if not person:
        raise ConfigError(f"{where}: the person is missing")
    answer = {name: _value(where, judge, name, row.get(name)) for name in judge.fields}
    key = JudgmentKey(episode.key, f"{HUMAN}:{person}", judge.name, judge.version, HUMAN, episode.transcript.hash)
    return Judgment(key, answer, source="human")


def _value(where: str, judge: Judge, name: str, text: str | None) -> Any:
    form = judge.schema["properties"][name]
    value = (text or "").strip()
    if form.get("type") == "boolean":
        if value.lower() not in _WORDS:
            raise ConfigError(f"{where}: {name}: expected true or false, found {value!r}")
        return _WORDS[value.lower()]
    if value not in form["enum"]:
        raise ConfigError(f"{where}: {name}: expected one of {', '.join(form['enum'])}, found {value!r}")
    return value
