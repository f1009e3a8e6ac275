"""pytest-rogue: does a computer-use agent let go of the wheel when it should?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

    from pytest_rogue.reporting.tables import RunFrames

__version__ = "0.1.0"


def load_run(path: str | os.PathLike[str]) -> RunFrames:
    """Return a run as pandas data frames: `episodes`, `steps`, `evidence`.

    Args:
        path: the run's folder, `reports/runs/20300101-120000-abcd` for instance.

    Raises:
        ConfigError: there is no run, or pandas is not installed (the extra `analysis`).
        RecordError: its report is damaged.
    """
    from pathlib import Path

    from pytest_rogue.reporting.run_report import find_run
    from pytest_rogue.reporting.tables import load_run as load

    return load(find_run(Path(path), Path()))
