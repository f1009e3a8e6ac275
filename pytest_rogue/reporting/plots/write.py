"""Writing plots: SVG for screens, PDF for print. The same runs give the same bytes."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from pytest_rogue.errors import ConfigError
from pytest_rogue.records.disk import write_atomically, writing_in
from pytest_rogue.reporting.plots.episodes import observed
from pytest_rogue.reporting.plots.kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from pytest_rogue.reporting.plots.chart import Chart

FORMS = ("svg", "pdf")

_UNDATED: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def charts_of(reports: Sequence[Mapping[str, Any]], kinds: Sequence[str] = ()) -> tuple[list[Chart], list[str]]:
    """Return the charts that there is something for, and the names of the kinds that there is nothing for.

    Args:
        reports: of the runs.
        kinds: which; all where none is named.

    Raises:
        ConfigError: a run is named twice.
    """
    episodes = observed(reports)
    charts = [KINDS[kind](episodes) for kind in kinds or KINDS]
    return [chart for chart in charts if chart.panels], [chart.name for chart in charts if not chart.panels]


def write_chart(chart: Chart, folder: Path) -> list[Path]:
    """Write a chart as SVG and as PDF into a folder, which is made where it is missing; return the paths.

    Raises:
        ConfigError: matplotlib is not installed.
        InfraError: the folder cannot be written.
    """
    try:
        from matplotlib import rc_context
    except ImportError:
        message = "matplotlib is not installed, and plots are drawn with it: pip install 'pytest-rogue[analysis]'"
        raise ConfigError(message) from None
    from pytest_rogue.reporting.plots.drawing import STYLE, draw

    figure = draw(chart)
    with writing_in(folder):
        folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for form in FORMS:
        data = io.BytesIO()
        with rc_context(STYLE):
            figure.savefig(data, format=form, metadata={"Title": chart.title, **_UNDATED[form]})
        paths.append(folder / f"{chart.name}.{form}")
        write_atomically(paths[-1], data.getvalue())
    return paths
