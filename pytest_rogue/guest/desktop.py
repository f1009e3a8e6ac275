"""The desktop as one object: its parts, and how they are put together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .actions import ActionRunner
from .documents import DocumentDesk
from .evidence import EvidenceLog
from .obstacles import ObstacleSlot
from .power import PowerSwitch
from .recording import ScreenRecorder
from .screen import Screen
from .session import Session
from .step import Stepper
from .windows import Windows

if TYPE_CHECKING:
    from pathlib import Path


class Desktop:
    """All parts of the desktop.

    Args:
        width: of the screen, in pixels.
        height: of the screen, in pixels.
        attach: True to use the display and bus that are there.
        programs: file that lists further programs of the session; it need not be there.
        evidence: file for the evidence, None to keep it in memory.
        protected: True where the agent's programs cannot reach into this process.
    """

    def __init__(
        self, *, width: int, height: int, attach: bool, programs: Path, evidence: Path | None, protected: bool
    ) -> None:
        self.size = (width, height)
        self.protected = protected
        self.screen = Screen()
        self.actions = ActionRunner()
        self.windows = Windows()
        self.evidence = EvidenceLog(evidence)
        self.power = PowerSwitch()
        self.obstacle = ObstacleSlot(self.evidence, self.power)
        self.documents = DocumentDesk(
            lambda event, **facts: self.evidence.record(event, step=self.obstacle.step, **facts)
        )
        self.recorder = ScreenRecorder()
        self.stepper = Stepper(actions=self.actions, screen=self.screen, obstacle=self.obstacle, power=self.power)
        self.session = Session(
            width=width, height=height, attach=attach, programs=programs, screen=self.screen, actions=self.actions
        )
        self.power.when_off(self.session.stop)
        self.power.when_off(self.actions.close)

    def close(self) -> None:
        """End all programs of the session."""
        self.obstacle.close()
        self.documents.close()
        self.recorder.stop()
        self.actions.close()
        self.session.stop()

    def farewell(self) -> dict[str, Any] | None:
        """Return what there is to say when the desktop has been switched off; None while it is on."""
        if not self.power.is_off:
            return None
        self.power.wait_until_down()
        return {"obstacle": self.obstacle.state() | {"visible": False}, "rows": self.evidence.since(0)}

    def capabilities(self) -> dict[str, bool]:
        """Return what works here by now, by name."""
        missing = self.session.missing()
        return {
            "screenshot": "painted" not in missing,
            "a11y": "a11y" not in missing,
            "pyautogui": "actions" not in missing,
            "obstacle": "x" not in missing,
            "evidence_protected": self.protected,
        }
