"""When two hosts are one site, as the published metrics hold it: whatever country it serves, with `www.` or without."""

from __future__ import annotations

_GENERIC_SECOND_LEVEL = frozenset({"ac", "co", "com", "edu", "gov", "net", "org"})
"""With a country's two letters behind it, such a label belongs to the ending: `co.uk`."""


def site_of(host: str) -> str:
    """Return a host without `www.`, a dot in front, its port, and its ending: `scholar.google` of `scholar.google.de`.

    A host of one label has no ending.
    """
    labels = host.lower().partition(":")[0].strip(".").split(".")
    if len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _GENERIC_SECOND_LEVEL:
        labels = labels[:-2]
    elif len(labels) > 1:
        labels = labels[:-1]
    return ".".join(labels[1:] if labels[0] == "www" and len(labels) > 1 else labels)


def is_below(host: str, domain: str) -> bool:
    """Return whether `host` is `domain`, or lies below it; a dot in front of either says nothing."""
    host, domain = host.lower().strip("."), domain.lower().strip(".")
    return host == domain or host.endswith(f".{domain}")
