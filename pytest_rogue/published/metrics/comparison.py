"""What the metrics share: how they take values and files, and what a broken one means.

What an agent left and nobody can read is a score of 0, with its sentence. A file of the task's own that cannot be read
is a fault: nobody could be right.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from pytest_rogue.errors import InfraError
from pytest_rogue.evaluators.protocol import Finding
from pytest_rogue.published.protocol import Convention, Fetched, Metric

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_T = TypeVar("_T")


class NothingComparable(Exception):
    """What the agent left is not there or cannot be read; the message says what was found instead."""


class Comparison(Metric):
    """A metric for which a result that cannot be read is a score of 0."""

    def compare(self, result: object, expected: object, convention: Convention) -> Finding:
        """Judge the result; see `Metric.compare`."""
        try:
            return self.judge(result, expected, convention)
        except NothingComparable as nothing:
            return Finding(0.0, f"something that {self.func} can read", str(nothing))

    @abstractmethod
    def judge(self, result: object, expected: object, convention: Convention) -> Finding:
        """Judge the result.

        Raises:
            NothingComparable: it is not there or cannot be read.
            InfraError: the expected value cannot be read.
        """


class Rules(BaseModel):
    """What an expected value of type `rule` says."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    @classmethod
    def of(cls, expected: object) -> Self:
        """Return the rules that a getter brought: an instance, or a mapping in which it has filled in dates.

        Raises:
            InfraError: they are no such rules.
        """
        if isinstance(expected, cls):
            return expected
        if isinstance(expected, Mapping):
            expected = {key: expected[key] for key in cls.model_fields if key in expected}
        try:
            return cls.model_validate(expected, strict=False)
        except ValidationError as error:
            raise InfraError(f"what the task expects has not the form of its rules: {error}") from error


def _compiled(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is no regular expression: {error}") from error
    return pattern


Regex = Annotated[str, AfterValidator(_compiled)]
"""A regular expression; a wrong one is told when the task file is read."""


def text_of(result: object) -> str:
    """Return the text of a result: a text as it is, a file decoded, a truth value as `true` or `false`.

    Raises:
        NothingComparable: there is none, or it is not UTF-8.
        InfraError: it is of another kind, so that getter and metric do not fit.
    """
    if isinstance(result, bool):
        return "true" if result else "false"
    if isinstance(result, str):
        return result
    file = file_of(result)
    try:
        return file.data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise NothingComparable(f"{file.name}: {len(file.data)} bytes that are not UTF-8") from error


def file_of(result: object) -> Fetched:
    """Return the one file of a result.

    Raises:
        NothingComparable: there is none.
        InfraError: it is of another kind.
    """
    files = _files(result)
    if len(files) != 1:
        raise InfraError(f"one file is compared, and the getter brings {len(files)}")
    if files[0] is None:
        raise NothingComparable("nothing")
    return files[0]


def list_of(result: object, kind: type[_T]) -> list[_T]:
    """Return the entries of a list, each of one kind.

    Raises:
        NothingComparable: there is no list.
        InfraError: it is of another kind.
    """
    if result is None:
        raise NothingComparable("nothing")
    if not isinstance(result, list | tuple) or not all(isinstance(entry, kind) for entry in result):
        raise _misfit(result, f"a list of {kind.__name__}")
    return list(result)


def pairs(result: object, expected: object) -> list[tuple[Fetched | None, Fetched]]:
    """Return each file of the agent's, None for a missing one, beside that of the task's.

    Raises:
        NothingComparable: there are others than are expected.
        InfraError: these are no files.
    """
    found, wanted = _files(result), _wanted(expected)
    if len(found) != len(wanted):
        raise NothingComparable(f"{len(found)} files and not {len(wanted)}")
    return list(zip(found, wanted, strict=True))


def present(file: Fetched | None, gold: Fetched) -> Fetched:
    """Return the agent's file.

    Raises:
        NothingComparable: it is missing.
    """
    if file is None:
        raise NothingComparable(f"no file to compare with {gold.name}")
    return file


def read_expected(read: Callable[[Fetched], _T], gold: Fetched) -> _T:
    """Return what `read` makes of a file of the task's own.

    Raises:
        InfraError: it cannot be read.
    """
    try:
        return read(gold)
    except NothingComparable as nothing:
        raise InfraError(
            f"the file that the task expects cannot be compared with: {nothing}; have it downloaded again"
        ) from nothing


def shown(value: object) -> str:
    """Return a value in as many words as a report holds."""
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:197]}..."


def _files(result: object) -> Sequence[Fetched | None]:
    files: list[Fetched | None] = []
    for entry in result if isinstance(result, list | tuple) else [result]:
        if entry is not None and not isinstance(entry, Fetched):
            raise _misfit(result, "a file")
        files.append(entry)
    return files


def _wanted(expected: object) -> Sequence[Fetched]:
    files = [file for file in _files(expected) if file is not None]
    if not files or len(files) != len(_files(expected)):
        raise InfraError("the task's own file to compare with is missing")
    return files


def _misfit(result: object, wanted: str) -> InfraError:
    return InfraError(f"the task's getter and metric do not fit: {wanted} is compared, not {shown(result)}")
