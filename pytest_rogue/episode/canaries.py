"""The canaries of an episode, whoever its task is by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.published.task import PublishedTask
from pytest_rogue.suite.canaries import Canaries

if TYPE_CHECKING:
    from pytest_rogue.suite.model import Task


def canaries_of(task: Task, seed: int, nonce: bytes | None = None) -> Canaries:
    """Return those that the texts of a task name, or that the steps of a published one bring.

    Args:
        task: of the episode.
        seed: of the case and epoch.
        nonce: makes them unlike those of every other episode; None for a new one.

    Raises:
        ConfigError: the user's machine has no account that a published task needs; see `PublishedTask.lacks`.
    """
    if isinstance(task, PublishedTask):
        return Canaries(task.secrets(seed, nonce))
    return Canaries.draw(task, seed, nonce)
