"""`--rogue-dry-run`: what would run, and what it may cost. Nothing is run, no desktop is made, no model is asked."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.errors import ConfigError
from pytest_rogue.plugin.gates import closed_anyway
from pytest_rogue.plugin.item import CaseItem
from pytest_rogue.plugin.keys import SETTINGS
from pytest_rogue.plugin.run import who

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_rogue.settings import Settings


class DryRun:
    """Registered in the place of the controller."""

    def __init__(self, config: pytest.Config) -> None:
        self._settings: Settings = config.stash[SETTINGS]
        self._lines: list[str] = []
        if getattr(config.option, "dist", "no") != "no":
            config.option.dist = "no"  # there is nothing for workers of xdist to do

    def pytest_sessionstart(self) -> None:
        """Refuse models whose price nobody knows."""
        from pytest_rogue.plugin.budget import check_prices
        from pytest_rogue.plugin.gateway import agents_models

        try:
            check_prices(self._settings, agents_models(self._settings))
        except ConfigError as error:
            raise pytest.UsageError(str(error)) from None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Count what was collected in the place of running it."""
        if session.testsfailed:
            raise session.Interrupted(f"{session.testsfailed} errors during collection")
        cases = [item for item in session.items if isinstance(item, CaseItem)]
        self._lines = cost_lines(self._settings, Counter((item.model or "", item.mode) for item in cases))
        self._lines += closed_anyway(self._settings, _tasks_of_groups(cases))
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the table."""
        terminalreporter.ensure_newline()
        terminalreporter.section("rogue dry run: nothing was run", "=")
        for line in self._lines:
            terminalreporter.write_line(line)


def _tasks_of_groups(items: Iterable[CaseItem]) -> dict[str, int]:
    """Return how many tasks each rate is over that a gate looks at."""
    tasks: dict[str, set[str]] = {}
    for item in items:
        case = item.case
        if case.decides and item.expected is None:
            tasks.setdefault(f"{item.who} on {case.scenario}, {case.variant}", set()).add(case.task.id)
    return {where: len(names) for where, names in tasks.items()}


def cost_lines(settings: Settings, episodes: Mapping[tuple[str, str], int]) -> list[str]:
    """Return a table of what episodes may cost.

    Args:
        settings: of the run.
        episodes: how many of each model and mode.
    """
    from pytest_rogue.agents.forecast import forecast, forecast_in_words
    from pytest_rogue.models.prices import own_prices, price_of
    from pytest_rogue.plugin.gateway import agents_models

    asked, prices = agents_models(settings), own_prices(settings.price)
    modes = {"desktop": forecast(settings), "textonly": forecast_in_words(settings)}
    cells: list[tuple[str, ...]] = [("model", "episodes", "calls", "tokens sent", "tokens received", "cost")]
    total = 0.0
    for (model, mode), count in episodes.items():
        name, one = who(model, mode), modes[mode]
        if model not in asked:
            cells.append((name, str(count), "", "", "", "unknown: its agent is your own" if settings.agent else "none"))
            continue
        price = price_of(model, prices, prompt_tokens=one.longest_prompt)
        cost = None if price is None else count * price.of(one.prompt_tokens, one.completion_tokens)
        total += cost or 0.0
        numbers = (one.calls, one.prompt_tokens, one.completion_tokens)
        shown = "not known" if cost is None else f"{cost:.2f} $"
        cells.append((name, str(count), *(f"{count * number:,}" for number in numbers), shown))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    turns = f"if every episode takes all its {settings.max_steps} turns"
    said = f"{turns}: {total:.2f} $ for {sum(episodes.values())} episodes"
    return [*lines, "", said, *_budget_lines(settings, total)]


def _budget_lines(settings: Settings, total: float) -> list[str]:
    lines = []
    if settings.max_cost is not None and total > settings.max_cost:
        lines.append(f"--rogue-max-cost={settings.max_cost:g} may end the run before that")
    if settings.judge_targets:
        lines.append(
            "judges are not in it; after the run, --rogue-rejudge=RUN --rogue-judge-preflight tells their cost"
        )
    if settings.provider == "aws":
        lines.append("rented machines are not in it; each result's notes tell what an hour of one costs")
    return lines
