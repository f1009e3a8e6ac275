"""May sandboxes be made here, and as whom? Found by making one."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path
from typing import TypedDict

NOBODY = 65534
"""User and group on the host that sandboxes run as where root starts them."""

_PROBE = ("bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "true")

_KERNEL_SETTINGS = (
    ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),  # Ubuntu from 23.10 on
    ("kernel.unprivileged_userns_clone", "0", "1"),  # older Debian
    ("user.max_user_namespaces", "0", "15000"),
)
"""Setting, the value that forbids, and the value that allows."""


class HostIdentity(TypedDict):
    """Arguments for `subprocess` that say whom a process runs as; None for the user we are."""

    user: int | None
    group: int | None
    extra_groups: list[int] | None


def host_identity() -> HostIdentity:
    """Return whom sandboxes run as on the host."""
    return _identity(host_user())


@cache
def host_user() -> int | None:
    """Return the unprivileged user (and group) of the host to run sandboxes as, None for the user we are.

    Root becomes nobody, unless unprivileged users may not make user namespaces here: decided by trying, once a process.
    """
    return NOBODY if os.geteuid() == 0 and not _probe(NOBODY) else None


@cache
def namespace_problem() -> str:
    """Return what keeps sandboxes from working here, empty for nothing: found by trying, once a process."""
    return _probe(host_user())


def namespace_fix(settings: Path = Path("/proc/sys")) -> str:
    """Return the line that allows user namespaces, by what the kernel's `settings` say."""
    for name, forbids, allows in _KERNEL_SETTINGS:
        file = settings / name.replace(".", "/")
        if file.is_file() and file.read_text(encoding="ascii").strip() == forbids:
            return f"sudo sysctl -w {name}={allows}"
    return "allow user namespaces: in a container, run it with --privileged or with a seccomp profile that has unshare"


def _probe(user: int | None) -> str:
    """Run `true` in a sandbox; return what was said where that does not work."""
    try:
        done = subprocess.run(_PROBE, capture_output=True, text=True, check=False, timeout=20, **_identity(user))
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    return "" if done.returncode == 0 else done.stderr.strip() or f"exit code {done.returncode}"


def _identity(user: int | None) -> HostIdentity:
    return {"user": user, "group": user, "extra_groups": None if user is None else []}
