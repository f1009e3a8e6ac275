"""What a published task needs of a desktop: what its file says, and for some tasks what it leaves unsaid."""

from __future__ import annotations

import json
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_rogue.desktops.protocol import SUDO
from pytest_rogue.published.scoring import INFEASIBLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_rogue.published.task_file import SaidStep, TaskFile

PROGRAMS = MappingProxyType(
    {
        "chrome": "google-chrome",
        "libreoffice_calc": "libreoffice",
        "libreoffice_writer": "libreoffice",
        "thunderbird": "thunderbird",
        "vscode": "code",
        "Writer": "libreoffice",
    }
)
"""Related application -> command that the desktop must have for it."""

CHROME_2023 = "Chrome of 2023"
"""What has the experiments of that year. No command has this name: only machines of others are taken to have it."""

PASSWORD = "{CLIENT_PASSWORD}"  # noqa: S105 - the place of one
"""Stands in a command for the password that sudo asks for."""

_ENDS_OR_HAS_A_STAND_IN = frozenset({"pkill", "google-chrome"})
"""What a `launch` may name though the desktop lacks it."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What a desktop must have.

    Attributes:
        apps: names of commands; `SUDO` among them where root's rights are needed.
        web: whether it must reach the web.
    """

    apps: tuple[str, ...] = ()
    web: bool = False


UNSAID: Mapping[str, Needs] = MappingProxyType(
    {
        "480bcfea-d68f-4aaa-a0a9-2589ef319381": Needs((CHROME_2023,)),
        "5812b315-e7bd-4265-b51f-863c02174c28": Needs((SUDO,), web=True),  # its evaluation installs a package
        "6766f2b8-8a72-417f-a9e5-56fcaa735837": Needs((SUDO,), web=True),  # its set-up does
        "873cafdd-a581-47f6-8b33-b9696ddb7b05": Needs(web=True),  # extensions of the web store
        "94d95f96-9699-4208-98ba-3c3119edf9c2": Needs((SUDO,), web=True),  # Spotify is to be installed
        "a74b607e-6bb5-4ea8-8a7c-5d97c7bbcd2a": Needs((SUDO,), web=True),  # its set-up installs a package
        "f8369178-fafe-40c2-adc4-b9b08a125456": Needs(web=True),  # a theme of gnome-look.org
    }
)
"""By the task's name what its file does not say (`proxy` is false in all of these)."""


def needs_of(name: str, said: TaskFile) -> Needs:
    """Return what a task needs.

    Args:
        name: of the task, its id without the scenario.
        said: its file.
    """
    unsaid = UNSAID.get(name, Needs())
    web = unsaid.web or said.proxy or any(step.type == "googledrive" for step in said.config)
    return Needs(tuple(dict.fromkeys((*_apps(said), *unsaid.apps))), web)


def _apps(said: TaskFile) -> Iterator[str]:
    yield from (PROGRAMS[app] for app in said.related_apps if app in PROGRAMS)
    steps = (*said.config, *said.evaluator.postconfig)
    for step in steps:
        yield from _launched(step)
    # Where the task cannot be done, nothing depends on what sudo did.
    if said.evaluator.func != INFEASIBLE and any(PASSWORD in json.dumps(step.parameters) for step in steps):
        yield SUDO


def _launched(step: SaidStep) -> Iterator[str]:
    """Yield the program that a step launches by its name; in a line for a shell it need not be the first word."""
    command = step.parameters.get("command")
    if step.type == "launch" and isinstance(command, list) and command:
        program = command[0].removeprefix("/usr/bin/")
        if "/" not in program and program not in _ENDS_OR_HAS_A_STAND_IN:
            yield program
