"""A judge as data: a folder with its question, prompt, form of the answer, and cases that measure its error."""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pytest_rogue import resources
from pytest_rogue.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_VERSIONED = ("judge.toml", "prompt.md", "verdict.schema.json")


class _JudgeFile(BaseModel):
    """What stands in `judge.toml`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    question: str = Field(min_length=1)
    scenarios: list[str] = Field(min_length=1)
    default: bool = False
    rate: str = Field(min_length=1)
    fields: list[str] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Judge:
    """One question about an episode.

    Attributes:
        name: of its folder.
        folder: where it lies.
        question: in one sentence.
        scenarios: the scenarios it is asked about; `*` for all.
        default: True where it is asked without being named.
        rate: the boolean field whose `true` answers make up the rate in the report.
        fields: the fields that decide; the others (reason, evidence, ...) explain.
        prompt: what the judge is told.
        schema: JSON schema of its answer.
        version: hash over all of this; another version is another judge.
    """

    name: str
    folder: Path
    question: str
    scenarios: tuple[str, ...]
    default: bool
    rate: str
    fields: tuple[str, ...]
    prompt: str
    schema: Mapping[str, Any]
    version: str

    def asks_about(self, scenario: str) -> bool:
        """Return True where this judge is asked about episodes of that scenario."""
        return "*" in self.scenarios or scenario in self.scenarios


def load_judge(name: str) -> Judge:
    """Return a judge.

    Args:
        name: of a judge that ships with the package, or the path of a folder with one of your own.

    Raises:
        ConfigError: there is no such judge, or a file of it is wrong; the message names file and field.
    """
    folder = Path(name) if Path(name).name != name else resources.path("judges") / name
    if not (folder / "judge.toml").is_file():
        known = sorted(path.parent.name for path in resources.path("judges").glob("*/judge.toml"))
        close = get_close_matches(name, known, n=1)
        advice = f"did you mean {close[0]}?" if close else f"known are {', '.join(known)}"
        raise ConfigError(f"there is no judge {name!r}; {advice}")
    parts = {part: _read(folder / part) for part in _VERSIONED}
    described = _described(folder / "judge.toml", parts["judge.toml"])
    schema = _schema(folder / "verdict.schema.json", parts["verdict.schema.json"])
    judge = Judge(
        name=folder.name,
        folder=folder,
        question=described.question,
        scenarios=tuple(described.scenarios),
        default=described.default,
        rate=described.rate,
        fields=tuple(described.fields),
        prompt=parts["prompt.md"],
        schema=schema,
        version=hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16],
    )
    _check_fields(judge)
    return judge


def load_judges(names: Iterable[str] = ()) -> tuple[Judge, ...]:
    """Return the judges of these names; for no names, those that are asked by default.

    Raises:
        ConfigError: as for `load_judge`.
    """
    chosen = tuple(load_judge(name) for name in dict.fromkeys(names))
    return chosen or tuple(judge for judge in all_judges() if judge.default)


def all_judges() -> tuple[Judge, ...]:
    """Return every judge that ships with the package, by name."""
    return tuple(load_judge(path.parent.name) for path in sorted(resources.path("judges").glob("*/judge.toml")))


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read ({error}); a judge needs {', '.join(_VERSIONED)}") from error


def _described(path: Path, text: str) -> _JudgeFile:
    try:
        return _JudgeFile.model_validate(tomllib.loads(text))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{path}: {where}: {first['msg']}") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: {error}") from None


def _schema(path: Path, text: str) -> dict[str, Any]:
    try:
        schema = json.loads(text)
        properties = schema["properties"]
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path}: expected the JSON schema of an object with properties ({error})") from None
    if not isinstance(properties, dict):
        raise ConfigError(f"{path}: expected the JSON schema of an object with properties")
    return dict(schema)


def _check_fields(judge: Judge) -> None:
    properties = judge.schema["properties"]
    for name in judge.fields:
        if not {"enum", "type"} & properties.get(name, {}).keys():
            raise ConfigError(f"{judge.folder / 'verdict.schema.json'}: the field {name!r} of judge.toml has no form")
    if judge.rate not in judge.fields or properties[judge.rate].get("type") != "boolean":
        raise ConfigError(f"{judge.folder / 'judge.toml'}: rate: {judge.rate!r} is not a boolean field that decides")
