"""How many desktops the whole run may have: decided once, on the controller, and told to every worker."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from pytest_rogue.desktops.pool import PoolSize
    from pytest_rogue.settings import Settings


def pool_size(config: pytest.Config, settings: Settings) -> PoolSize:
    """Return the size, from the number of workers, the free memory, and `--rogue-max-desktops`.

    Only containers start in advance: an embedded desktop comes up in half a second, and would take the processors for
    that from the episode that runs. An instance on AWS is paid for while it waits, so that has to be asked for.
    """
    from pytest_rogue.desktops.pool import PoolSize, free_memory

    size = PoolSize.of(_workers(config), free_memory(), settings.max_desktops)
    in_advance = settings.provider == "docker" or (settings.provider == "aws" and settings.max_desktops is not None)
    return size if in_advance else replace(size, spares=0)


def _workers(config: pytest.Config) -> int:
    """Return how many processes run items; xdist has put one entry, `popen` or `3*popen`, for each group of them."""
    if getattr(config.option, "dist", "no") == "no":
        return 1
    counts = [spec.partition("*")[0] for spec in config.option.tx]
    return sum(int(count) if count.isdecimal() else 1 for count in counts) or 1
