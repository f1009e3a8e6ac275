"""The options on pytest's side: where they are declared, and where the raw values come from."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.errors import ConfigError
from pytest_rogue.settings import OPTIONS, resolve

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_rogue.settings import Settings


def add_options(parser: pytest.Parser) -> None:
    """Declare every option with its command-line and ini form."""
    group = parser.getgroup("rogue", "computer-use agents under obstacles (pytest-rogue)")
    for option in OPTIONS:
        form: dict[str, Any] = {"dest": option.ini, "default": None, "help": option.help}
        if option.flag:
            form["action"] = "store_true"
        else:
            form |= {"metavar": option.metavar, "action": "append" if option.repeatable or option.once else "store"}
        group.addoption(option.cli, **form)
        parser.addini(option.ini, option.help, type="string", default=None)


def read_settings(config: pytest.Config, chosen: Any = None) -> Settings:
    """Return the resolved options.

    Args:
        config: pytest's.
        chosen: namespace of the command line, where `config.option` is not filled yet.

    Raises:
        pytest.UsageError: a value is not what its option takes.
    """
    namespace = config.option if chosen is None else chosen
    try:
        return resolve(
            cli={option.name: getattr(namespace, option.ini, None) for option in OPTIONS},
            env=os.environ,
            ini={option.ini: config.getini(option.ini) or "" for option in OPTIONS},
            experiment=_preset,
        )
    except ConfigError as error:
        raise pytest.UsageError(str(error)) from None


def misspelt_lines(environment: Mapping[str, str]) -> list[str]:
    """Return a warning for each variable that is no option and is written nearly like one."""
    from difflib import get_close_matches

    options = {option.env.removeprefix("ROGUE_"): option.env for option in OPTIONS}
    lines = []
    for name in sorted(environment):
        word = name.removeprefix("ROGUE_")
        if word != name and word not in options:
            near = " or ".join(options[close] for close in get_close_matches(word, options, n=2, cutoff=0.75))
            lines += [f"rogue: {name} in the environment is no option; did you mean {near}?"] if near else []
    return lines


def _preset(name: str) -> Mapping[str, Any]:
    from pytest_rogue.suite.experiments import find_experiment

    return find_experiment(name).options
