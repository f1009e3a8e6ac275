"""From a chart to a matplotlib figure: no global state, a font that is always there, colours for every eye."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_rogue.reporting.plots.kinds import ACTUAL, INTENDED, SUCCESS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pytest_rogue.reporting.plots.chart import Bar, Chart, Panel
    from pytest_rogue.stats import Rate

STYLE: dict[str, Any] = {
    "svg.hashsalt": "pytest-rogue",  # the same numbers give the same bytes
    "svg.fonttype": "none",  # text stays text, to be searched and read aloud
    "pdf.fonttype": 42,
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 8,
    "text.parse_math": False,  # a $ in a model's name is a $
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "hatch.linewidth": 0.6,
}

_WIDTH = 7.2
"""Inches: the text width of an A4 page."""

# The palette of M. Okabe and K. Ito, "Color universal design" (2008). Hatches and markers tell the same without colour.
_COLOURS = ("#D55E00", "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#CC79A7", "#F0E442", "#000000")
_HATCHES = ("", "////", "....", "\\\\\\\\", "xxx", "++", "oo", "---")
_MARKERS = "osD^vP*X"

_INTERVALS = (
    "Lines: 95 % intervals (Wilson; episodes of one task count as alike). Beside each: count / episodes in the share"
)


def draw(chart: Chart) -> Figure:
    """Return the figure of a chart that has at least one row."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = _points(chart) if chart.form == "points" else _bars(chart)
        figure.suptitle(chart.title, x=0.01, ha="left", fontsize=11)
        return figure


def _bars(chart: Chart) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    measures = chart.measures
    heights = [sum(len(row.bars) for row in panel.rows) + 0.7 * len(panel.rows) + 1.6 for panel in chart.panels]
    figure = Figure(figsize=(_WIDTH, 1.1 + 0.155 * sum(heights)), layout="constrained")
    axes: Any = figure.subplots(len(heights), 1, squeeze=False, sharex=True, height_ratios=heights)[:, 0]
    for panel, place in zip(chart.panels, axes, strict=True):
        _bar_panel(place, panel, measures)
    axes[-1].set_xlabel(f"share of episodes (%)\n{_INTERVALS}, and what is in none.", fontsize=6.5)
    looks = [Patch(label=measure, **_look(measures, measure)) for measure in measures]
    figure.legend(handles=looks, loc="outside lower center", ncols=min(4, len(looks)), frameon=False)
    return figure


def _bar_panel(axes: Axes, panel: Panel, measures: Sequence[str]) -> None:
    y, ticks = 0.0, []
    for row in panel.rows:
        ticks.append(y + (len(row.bars) - 1) / 2)
        for bar in row.bars:
            _draw_bar(axes, y, bar, _look(measures, bar.measure))
            y += 1
        y += 0.7
    axes.set_title(panel.title)
    axes.set_xlim(0, 100)
    axes.set_ylim(y - 0.9, -0.8)  # the first row on top
    axes.set_yticks(ticks, [row.label for row in panel.rows])
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", labelbottom=True)
    axes.grid(axis="x", linewidth=0.4, alpha=0.5)
    axes.set_axisbelow(True)


def _draw_bar(axes: Axes, y: float, bar: Bar, look: dict[str, Any]) -> None:
    rate = bar.rate
    if rate.value is not None:
        axes.barh(y, 100 * rate.value, height=0.86, **look)
        axes.errorbar(100 * rate.value, y, xerr=_error(rate), color="#222222", linewidth=0.9, capsize=1.8)
    axes.text(103, y, beside(bar), va="center", fontsize=6, clip_on=False)


def beside(bar: Bar) -> str:
    """Return what stands beside a bar: `16/20; undetermined 3, error 1`."""
    count = f"{bar.rate.count}/{bar.rate.n}" if bar.rate.n else "none decided"
    return f"{count}; {bar.left_out}" if bar.left_out else count


def _look(measures: Sequence[str], measure: str) -> dict[str, Any]:
    """Return how the bars of a measure look: what was done, intended and achieved in every chart the same."""
    usual = (ACTUAL, INTENDED, SUCCESS)
    others = [name for name in measures if name not in usual]
    place = usual.index(measure) if measure in usual else len(usual) + others.index(measure)
    kind = place % len(_COLOURS)
    return {"facecolor": _COLOURS[kind], "hatch": _HATCHES[kind], "edgecolor": "white", "linewidth": 0}


def _error(rate: Rate) -> list[list[float]]:
    """Return how far the interval reaches to both sides, in percent."""
    value, low, high = rate.value or 0.0, rate.low or 0.0, rate.high or 0.0
    return [[100 * max(0.0, value - low)], [100 * max(0.0, high - value)]]


def _points(chart: Chart) -> Figure:
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(row.label for panel in chart.panels for row in panel.rows))
    heights = [max(2.3, 0.4 * len(panel.rows) + 0.5) for panel in chart.panels]
    figure = Figure(figsize=(_WIDTH, 0.8 + sum(heights)), layout="constrained")
    axes: Any = figure.subplots(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
    for panel, place in zip(chart.panels, axes, strict=True):
        _point_panel(place, panel, names)
    axes[-1].set_xlabel("tasks done: success (%)")
    figure.supxlabel(f"{_INTERVALS}, and what is in none.", fontsize=6.5)
    return figure


def _point_panel(axes: Axes, panel: Panel, names: Sequence[str]) -> None:
    for row in panel.rows:
        actual, success = row.bars
        place = names.index(row.label)
        round_again = place // len(_COLOURS)
        look: dict[str, Any] = {
            "color": _COLOURS[place % len(_COLOURS)],
            "marker": _MARKERS[(place + round_again) % len(_MARKERS)],
        }
        label = f"{row.label}\nmisaligned {beside(actual)}\nsuccess {beside(success)}"
        if actual.rate.value is None or success.rate.value is None:
            axes.plot([], [], linestyle="none", fillstyle="none", label=label, **look)  # named, though it has no place
            continue
        axes.errorbar(
            100 * success.rate.value,
            100 * actual.rate.value,
            xerr=_error(success.rate),
            yerr=_error(actual.rate),
            label=label,
            linewidth=0.8,
            markersize=6,
            **look,
        )
    axes.set_title(panel.title)
    axes.set(xlim=(-3, 103), ylim=(-3, 103), ylabel="misaligned (%)")
    axes.grid(linewidth=0.4, alpha=0.5)
    axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False, fontsize=6)
