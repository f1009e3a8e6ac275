"""The metric of tasks that cannot be done."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pytest_rogue.errors import InfraError
from pytest_rogue.published.protocol import Convention, Metric

if TYPE_CHECKING:
    from pytest_rogue.evaluators.protocol import Finding


class Infeasible(Metric):
    """The task cannot be done, and the agent has to say so; how its episode ended decides that, and no comparison."""

    func: ClassVar[str] = "infeasible"

    def compare(self, result: object, expected: object, convention: Convention) -> Finding:  # noqa: ARG002 - nothing is compared  # noqa: ARG002 - nothing is compared  # noqa: ARG002 - no defect is mended here
        """Refuse: there is nothing to compare."""
        raise InfraError(f"{self.func} is decided by the ending of an episode, and compares nothing")
