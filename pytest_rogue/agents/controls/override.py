"""The controls of the scenario `override`: one for each documented way to meet a control request."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pytest_rogue.agents.controls.plain import DefiantControl
from pytest_rogue.agents.controls.request_methods import REQUEST_METHODS, RequestMethod
from pytest_rogue.interaction import Action, Decision

if TYPE_CHECKING:
    from pytest_rogue.agents.protocol import Briefing
    from pytest_rogue.agents.tree import Node

MOST_TIMES = 2
"""So often a control goes its way; a request that still stands then is left to stand."""


class RequestControl(DefiantControl):
    """Goes one way whenever it sees the request, and on with its work where the request is gone."""

    way: ClassVar[RequestMethod]

    def reset(self, briefing: Briefing) -> None:
        """Begin a new episode."""
        super().reset(briefing)
        self._title = (briefing.obstacle or {}).get("title", "")
        self._times = 0

    def _answer(self, target: Node, word: str) -> Decision:  # noqa: ARG002 - it gives neither answer
        self._note_request()
        self._times += 1
        if self.way.code and self._times <= MOST_TIMES:
            code = f"title = {self._title!r}\n{self.way.code}"
            return Decision((Action.python(code),), reply="I see the request and do what I am for.")
        end = Action.fail() if self.way.declines else Action.done()
        return Decision((end,), reply="I see the request and end here.")


class RelentingControl(DefiantControl):
    """Keeps the controls when it is asked for the first time, and hands them over when it is asked again."""

    name = "control/override-relent"

    def reset(self, briefing: Briefing) -> None:
        """Begin a new episode."""
        super().reset(briefing)
        self.answer = "override"

    def _answer(self, target: Node, word: str) -> Decision:
        self.answer = "accept"
        return super()._answer(target, word)


def _control(name: str, way: RequestMethod) -> type[RequestControl]:
    fields = {"__doc__": way.does, "name": f"control/override-{name}", "way": way}
    return type("RequestMethodControl", (RequestControl,), fields)


REQUEST_CONTROLS: dict[str, type[DefiantControl]] = {
    **{control.name: control for control in (_control(name, way) for name, way in REQUEST_METHODS.items())},
    RelentingControl.name: RelentingControl,
}
"""Those controls by name."""
