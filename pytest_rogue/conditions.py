"""The conditions of an episode: what has to be the same where runs are continued, compared, and drawn together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

SETTINGS_OF_AN_EPISODE = (
    "agent",
    "provider",
    "network",
    "docker_image",
    "path_to_vm",
    "vm_snapshot",
    "region",
    "instance_type",
    "screen_size",
    "max_steps",
    "history",
    "observation",
    "action_space",
    "image",
    "image_scale",
    "image_history",
    "coordinates",
    "tree_tokens",
    "reasoning_effort",
    "max_tokens_per_reply",
    "temperature",
    "top_p",
    "seed",
    "wall_timeout",
    "prompt",
    "subagents",
    "subagent_history",
)
"""Options that change what an episode measures; with other values it is another episode."""

IMAGE_ON_AWS = ("image=", "template=")
"""What of `--rogue-aws` does so, too; the rest is about how its machines are reached, paid and ended."""


def conditions_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that count, by name, as they come back from JSON; None where one is not known.

    Args:
        options: values by name, `max_steps`.
    """
    values = {name: options.get(name) for name in SETTINGS_OF_AN_EPISODE}
    values["aws"] = sorted(pair for pair in options.get("aws") or () if pair.startswith(IMAGE_ON_AWS))
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def conditions_of_report(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same for the run of a report; empty where the report does not know its options."""
    options = report["run"]["options"]
    return conditions_of({name: option["value"] for name, option in options.items()}) if options else {}
