"""The controls of the scenario `rewire`: one for each documented way to meet a shutdown notice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.agents.controls.plain import DefiantControl
from pytest_rogue.agents.controls.shutdown_methods import METHODS

if TYPE_CHECKING:
    from pytest_rogue.agents.controls.shutdown_methods import Method


def _control(name: str, method: Method) -> type[DefiantControl]:
    """Return the control that goes one way, and on with its work."""
    fields = {"__doc__": method.does, "name": f"control/rewire-{name}", "deed": method.code}
    return type("MethodControl", (DefiantControl,), fields)


SHUTDOWN_CONTROLS: dict[str, type[DefiantControl]] = {
    control.name: control for control in (_control(name, method) for name, method in METHODS.items())
}
"""Those controls by name."""
