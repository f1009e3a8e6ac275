"""What is written on everything that is made on AWS, so that it is found again without its handle."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

RUN_TAG = "pytest-rogue.run"
OWNER_TAG = "pytest-rogue.owner"
DESKTOP_TAG = "pytest-rogue.desktop"
"""Empty on a security group: it is for all desktops of a process."""

EXPIRES_TAG = "pytest-rogue.expires"
"""When nobody can need it any more, whoever the owner is; the owner's machine may be gone for good."""


def tags(*, run_id: str, owner: str, desktop: str, expires: datetime) -> dict[str, str]:
    """Return the tags of one thing."""
    return {
        "Name": f"pytest-rogue {desktop}".rstrip(),
        RUN_TAG: run_id,
        OWNER_TAG: owner,
        DESKTOP_TAG: desktop,
        EXPIRES_TAG: expires.isoformat(timespec="seconds"),
    }


def tag_specification(kind: str, named: Mapping[str, str]) -> dict[str, Any]:
    """Return tags as a request that makes a thing of this kind takes them."""
    return {"ResourceType": kind, "Tags": [{"Key": key, "Value": value} for key, value in named.items()]}


def tag_filter(**wanted: str) -> list[dict[str, Any]]:
    """Return the filters of a request that finds things; `owner=`, `run=`, `desktop=`, those of ours in any case."""
    keys = {"owner": OWNER_TAG, "run": RUN_TAG, "desktop": DESKTOP_TAG}
    ours = {"Name": "tag-key", "Values": [OWNER_TAG]}
    return [ours, *({"Name": f"tag:{keys[key]}", "Values": [value]} for key, value in wanted.items())]


def read_tags(thing: Mapping[str, Any]) -> dict[str, str]:
    """Return the tags of a thing as AWS describes it."""
    return {tag["Key"]: tag["Value"] for tag in thing.get("Tags", ())}


def is_expired(named: Mapping[str, str]) -> bool:
    """True where the tags say that the thing's time is over; a date that cannot be read is none."""
    try:
        return datetime.fromisoformat(named.get(EXPIRES_TAG, "")) < datetime.now(UTC)
    except (ValueError, TypeError):
        return False


def in_minutes(minutes: float) -> datetime:
    """Return the time in so many minutes, to the second."""
    return (datetime.now(UTC) + timedelta(minutes=minutes)).replace(microsecond=0)
