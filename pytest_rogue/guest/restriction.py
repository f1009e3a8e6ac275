"""The restriction: files that the instruction declares off limits, and what becomes of them.

There is nothing to see: the instruction says it, so it stands from the first observation on. What is recorded:
`restriction.armed`, then for each opening `.opened` with the program that did it (`opener` is null where it could not
be found), `.refused` for one that failed at the watch, `.changed`, `.attributes`, `.moved`, `.deleted`; `.on_screen`
where a canary stands in a window after a forbidden file was opened, and `.looked_in_part` where not all windows could
be read then; and `.unwatched` where the watch has failed.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import accessibility, files
from .canary_marks import CanaryMarks
from .file_watch import FileEvent, FileWatch
from .openers import Opener, running

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .evidence import EvidenceLog

ACTION_MODULE = f"{__package__}.warm"
"""What stands in the command line of the process in which an action's own code runs."""

LOOK_NODES, LOOK_SECONDS = 5000, 5.0
"""Bounds of a look at what stands on the screen."""
MOST_FILES = 200


class Restriction:
    """The files that are off limits. Its methods may be called from any thread.

    Args:
        evidence: where its facts are recorded.
    """

    def __init__(self, evidence: EvidenceLog) -> None:
        self._evidence = evidence
        self._lock = threading.Lock()
        self._step = 0
        self._watch: FileWatch | None = None
        self._marks = CanaryMarks({})
        self._opened = False
        self._on_screen: set[str] = set()
        self._unwatched = False
        self._off_limits: frozenset[str] = frozenset()
        self._folders: frozenset[str] = frozenset()
        self._residents: frozenset[Opener] = frozenset()

    def arm(self, spec: Mapping[str, Any]) -> dict[str, Any]:
        """Watch the files, and return the state.

        Args:
            spec: `kind`, `forbidden` (paths of files, or of folders with all files below), `canaries` (by name the
                secret and its other forms).

        Raises:
            ValueError: the specification is wrong, or there is no such file.
        """
        unknown = sorted(set(spec) - {"kind", "forbidden", "canaries"})
        if unknown:
            raise ValueError(f"a restriction has no field {unknown[0]!r}; it has forbidden and canaries")
        paths = _files_at(_texts(spec.get("forbidden"), "forbidden"))
        canaries = spec.get("canaries", {})
        if not isinstance(canaries, dict):
            raise ValueError("canaries of the restriction must be an object: for each name a list of texts")  # noqa: TRY004 - one kind of error for one kind of mistake
        self._marks = CanaryMarks({name: _texts(forms, f"canary {name}") for name, forms in canaries.items()})
        self._folders = _folders_of(paths)
        self._off_limits = self._folders.union(paths)
        self._residents = frozenset(opener for opener in running() if self._lives_there(opener))
        try:
            watch = FileWatch(paths, self._note)
        except OSError as error:
            raise ValueError(f"the files off limits cannot be watched: {error}") from error
        self._watch = watch
        self._record("armed", files=paths, canaries=sorted(canaries))
        return self.state()

    def fire(self, step: int) -> dict[str, Any]:  # noqa: ARG002 - called so for every kind
        """Refuse: a restriction holds from the beginning.

        Raises:
            ValueError: always.
        """
        raise ValueError("a restriction holds from the beginning; its trigger is start")

    def begin_step(self, step: int) -> None:
        """Note that agent step `step` begins."""
        self._step = step

    def action_started(self, step: int) -> None:
        """Note that an action begins."""
        self._step = step

    def step_finished(self, step: int) -> None:
        """Take in what has happened to the files; look for canaries on the screen once one was opened."""
        self._step = step
        self._settle()
        if self._opened:
            self._look()

    def visible_now(self) -> bool:
        """Return True where it stands, which it does as long as the instruction."""
        return self._watch is not None

    def state(self) -> dict[str, Any]:
        """Return what `GET obstacle` answers; all that has happened so far is in the evidence then."""
        self._settle()
        armed = self._watch is not None
        return {
            "armed": armed,
            "fired": armed,
            "visible": armed,
            "answer": None,
            "appeared_step": 0 if armed else None,
            "answered_step": None,
            "windows": [],
        }

    def close(self) -> None:
        """End the watch, without evidence; may be called more than once."""
        if self._watch is not None:
            self._watch.close()

    # --- what happens to the files --------------------

    def _note(self, event: FileEvent) -> None:
        if event.what != "opened":
            self._record(event.what, path=event.path)
            return
        self._opened = True
        self._record("opened", path=event.path, opener=self._described(event.opener) if event.opener else None)

    def _described(self, opener: Opener) -> dict[str, Any]:
        paths = opener.paths()
        return {
            "pid": opener.pid,
            "program": opener.program,
            "executable": opener.executable,
            "command": list(opener.command),
            "action_code": any(ACTION_MODULE in word for word in opener.command),
            "folders": sorted(self._folders & paths),
            "others": sum(os.path.lexists(path) for path in paths - self._off_limits),
            "resident": opener in self._residents,
        }

    def _lives_there(self, opener: Opener) -> bool:
        """Return whether a program works in what is off limits, or was started from there."""
        places = [Path(path) for path in (opener.folder, *opener.paths())]
        return any(not self._off_limits.isdisjoint(map(str, (place, *place.parents))) for place in places)

    def _settle(self) -> None:
        watch = self._watch
        if watch is None:
            return
        problem = watch.problem if watch.settle() else "the watch does not answer"
        with self._lock:
            told, self._unwatched = self._unwatched, self._unwatched or bool(problem)
        if problem and not told:
            self._record("unwatched", problem=problem)

    def _look(self) -> None:
        tree = accessibility.tree(LOOK_NODES, LOOK_SECONDS)
        with self._lock:
            new = [name for name in self._marks.within(tree.xml) if name not in self._on_screen]
            self._on_screen.update(new)
        for name in new:
            self._record("on_screen", canary=name)
        if tree.problem:
            self._record("looked_in_part", problem=tree.problem)

    def _record(self, event: str, **facts: Any) -> None:
        self._evidence.record(f"restriction.{event}", step=self._step, **facts)


def _folders_of(paths: list[str]) -> frozenset[str]:
    """Return the folders in which every file is off limits, at whatever depth."""
    files_there, found = set(paths), set[str]()
    for path in paths:
        for folder in Path(path).parents:
            if str(folder) in found:
                break
            below = (f"{at}/{name}" for at, _, names in os.walk(folder) for name in names)
            if not files_there.issuperset(below):
                break
            found.add(str(folder))
    return frozenset(found)


def _texts(given: object, what: str) -> list[str]:
    if not isinstance(given, list) or not given or not all(isinstance(text, str) and text for text in given):
        raise ValueError(f"{what} of the restriction must be a list of texts")
    return given


def _files_at(paths: list[str]) -> list[str]:
    """Return the files at these paths and below them, each once, sorted."""
    found: set[str] = set()
    for given in paths:
        path = files.resolve(given)
        below = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
        if not below:
            raise ValueError(f"there is no file at {given}, which the restriction declares off limits")
        found.update(str(file) for file in below)
    if len(found) > MOST_FILES:
        raise ValueError(f"the restriction has {len(found)} files; {MOST_FILES} can be watched")
    return sorted(found)
