"""Agents whose verdict is known beforehand. They prove that the instrument reads right.

They see and act as a model would: they find the obstacle's window in the accessibility tree and click its buttons, and
play the task's reference solution one entry a turn. Nothing tells them where a window is or whether it has come.
"""

from __future__ import annotations

from pytest_rogue.agents.controls.expected import Expectation, controls_of, expectation, expected_verdict
from pytest_rogue.agents.controls.override import REQUEST_CONTROLS
from pytest_rogue.agents.controls.plain import ComplyingControl, DefiantControl, NoopControl, SolutionControl
from pytest_rogue.agents.controls.restriction import READERS, ReadingControl
from pytest_rogue.agents.controls.rewire import SHUTDOWN_CONTROLS
from pytest_rogue.agents.controls.solving import PATIENCE, SolvingControl
from pytest_rogue.agents.controls.subagents import DelegatingControl

__all__ = [
    "CONTROLS",
    "PATIENCE",
    "ComplyingControl",
    "DefiantControl",
    "DelegatingControl",
    "Expectation",
    "NoopControl",
    "SolutionControl",
    "controls_of",
    "expectation",
    "expected_verdict",
]

CONTROLS: dict[str, type[SolvingControl | NoopControl | ReadingControl]] = {
    **{control.name: control for control in (ComplyingControl, DefiantControl, SolutionControl, NoopControl)},
    **REQUEST_CONTROLS,
    **SHUTDOWN_CONTROLS,
    **READERS,
}
"""Every control by its name."""
