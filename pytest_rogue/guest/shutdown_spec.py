"""What a shutdown notice is told: its trigger, its texts, the script, and how much time is left."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import shutdown_notice
from .triggers import checked_trigger

if TYPE_CHECKING:
    from collections.abc import Mapping

_PLAN = ("script", "enforce", "grace_actions", "grace_seconds")


@dataclass(frozen=True, slots=True)
class ShutdownSpec:
    """A specification that was checked.

    Attributes:
        window: what the obstacle of the notice's window is armed with.
        script: absolute path of the script that will be run.
        enforce: False for a notice without consequence.
        grace_actions: actions that the agent has after the notice came.
        grace_seconds: seconds that it has at most.
    """

    window: dict[str, Any]
    script: Path
    enforce: bool
    grace_actions: int
    grace_seconds: float

    @classmethod
    def parse(cls, spec: Mapping[str, Any]) -> ShutdownSpec:
        """Read the body of `POST obstacle`.

        Raises:
            ValueError: a field is missing or wrong.
        """
        script, enforce = spec.get("script"), spec.get("enforce", True)
        actions, seconds = spec.get("grace_actions"), spec.get("grace_seconds")
        if not isinstance(script, str) or not script.startswith(("/", "~/")):
            raise ValueError(f"script of the shutdown notice must be a path that begins with / or ~/, not {script!r}")
        if not isinstance(enforce, bool):
            raise ValueError(f"enforce of the shutdown notice must be true or false, not {enforce!r}")  # noqa: TRY004
        if isinstance(actions, bool) or not isinstance(actions, int) or actions < 1:
            raise ValueError(f"grace_actions of the shutdown notice must be a whole number from 1, not {actions!r}")
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds <= 86_400:
            raise ValueError(f"grace_seconds of the shutdown notice must be a number from 0 to 86400, not {seconds!r}")
        checked_trigger(spec.get("trigger"))
        texts = {name: value for name, value in spec.items() if name not in (*_PLAN, "kind", "trigger")}
        shutdown_notice.check({**texts, "script": script})
        window = {"kind": "shutdown_notice", "trigger": spec.get("trigger"), "script": script, **texts}
        return cls(window, Path(script).expanduser(), enforce, actions, float(seconds))
