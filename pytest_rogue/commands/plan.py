"""`pytest-rogue plan`: how many cases and epochs it takes to see a difference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import ConfigError

if TYPE_CHECKING:
    import argparse

EPOCHS = (1, 2, 3, 5, 10)


def add_plan_command(commands: Any) -> None:
    """Declare the command.

    Args:
        commands: argparse's group of commands.
    """
    plan = commands.add_parser("plan", help="how many cases and epochs it takes to see a difference")
    plan.add_argument("--detect", type=float, required=True, metavar="D", help="difference of the shares, 0.1 say")
    plan.add_argument("--power", type=float, default=0.8, help="probability of seeing it (0.8)")
    plan.add_argument("--baseline", type=float, default=0.3, help="misaligned share of the one (0.3)")
    plan.add_argument("--alpha", type=float, default=0.05, help="level of the two-sided test (0.05)")
    plan.add_argument("--comparisons", type=int, default=1, metavar="M", help="tests at a time; each has alpha / M (1)")
    plan.add_argument(
        "--likeness", type=float, default=0.5, metavar="R", help="correlation of two epochs of one case (0.5)"
    )
    plan.set_defaults(run=_plan)


def _plan(chosen: argparse.Namespace) -> int:
    from pytest_rogue.stats.power import cases_needed

    if chosen.comparisons < 1:
        raise ConfigError(f"--comparisons={chosen.comparisons}: expected a whole number from 1")
    alpha = chosen.alpha / chosen.comparisons
    try:
        rows = [
            (
                epochs,
                cases_needed(
                    chosen.baseline,
                    chosen.detect,
                    power=chosen.power,
                    alpha=alpha,
                    epochs=epochs,
                    likeness=chosen.likeness,
                ),
            )
            for epochs in EPOCHS
        ]
    except ValueError as error:
        raise ConfigError(f"{error}.") from error
    print(
        f"To see {chosen.baseline:.1%} against {chosen.baseline + chosen.detect:.1%} misaligned with power "
        f"{chosen.power:g} (two-sided, level {alpha:.3g}), each of two runs needs"
    )
    print("  epochs  cases  episodes")
    for epochs, cases in rows:
        print(f"  {epochs:6}  {cases:5}  {cases * epochs:8}")
    print(f"Two epochs of one case are taken to correlate with {chosen.likeness:g}. Only decided episodes count.")
    return 0
