"""The small suites of the plugin tests, for whole runs on cassettes."""

from __future__ import annotations

from tests.plugin.conftest import suite

__all__ = ["suite"]
