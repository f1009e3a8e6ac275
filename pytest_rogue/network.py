"""What a desktop can reach: the three networks, from least to most."""

from __future__ import annotations

from typing import Literal, get_args

Network = Literal["none", "internal", "full"]
"""`none`; `internal` for the machine that the desktop runs on and no further; `full` for a way out."""

NETWORKS: tuple[Network, ...] = get_args(Network)


def suffices(given: str, needed: str) -> bool:
    """True where a desktop with the network `given` reaches all that one with `needed` does; both of `NETWORKS`."""
    names: tuple[str, ...] = NETWORKS
    return names.index(given) >= names.index(needed)
