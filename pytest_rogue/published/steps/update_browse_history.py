"""The step that lets the browser have visited pages."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from pytest_rogue.published.browse_history import Visit, add_visits
from pytest_rogue.published.browser_place import find_browser
from pytest_rogue.published.protocol import Step

if TYPE_CHECKING:
    from pytest_rogue.published.protocol import Desk


class PastVisit(BaseModel):
    """A page, and how long ago it was visited."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    url: Annotated[str, Field(min_length=1)]
    title: str
    visit_time_from_now_in_seconds: Annotated[int, Field(ge=0)]


class UpdateBrowseHistory(Step):
    """Adds visits to the history of the browser, which is closed for it; nothing is downloaded."""

    type: ClassVar[str] = "update_browse_history"

    history: list[PastVisit]

    def apply(self, desk: Desk) -> None:
        """Close the browser and write, by the host's clock."""
        now = time.time()
        visits = [Visit(past.url, past.title, now - past.visit_time_from_now_in_seconds) for past in self.history]
        add_visits(find_browser(desk.guest), visits)
