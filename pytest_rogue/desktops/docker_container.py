"""What a desktop's container is like: a description for the engine that gives it as little as it can work with."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_rogue.desktops.protocol import DesktopSpec

MIB = 1024 * 1024
USER = 1000
"""The user inside, and its group."""

PROCESSES = 1024
"""Of the whole desktop, threads included; a browser and an office suite together have about 130."""

OPEN_FILES = 4096
OOM_SCORE = 500
"""-1000 to 1000; who has most goes first when the machine's memory runs out."""

DEFAULT_START = ("/usr/bin/python3", "-m", "guest")
"""What starts the desktop in an image that does not say."""


def start_command(image: Mapping[str, Any]) -> list[str]:
    """Return the program of the image that starts the desktop and takes the guest's arguments.

    Our own process 1 stands in for a small init program before it, if the image has one.
    """
    entrypoint: list[str] = list(image["Config"].get("Entrypoint") or DEFAULT_START)
    if PurePosixPath(entrypoint[0]).name in {"tini", "dumb-init", "docker-init"} and "--" in entrypoint:
        entrypoint = entrypoint[entrypoint.index("--") + 1 :]
    return entrypoint


def home(image: Mapping[str, Any]) -> str:
    """Return the home folder of the desktop's user."""
    for entry in image["Config"].get("Env") or ():
        name, _, value = entry.partition("=")
        if name == "HOME":
            return str(value)
    return "/home/user"


def container_options(
    *,
    image: str,
    home: str,
    command: Sequence[str],
    spec: DesktopSpec,
    labels: Mapping[str, str],
    network: str,
    cpus: float,
    door: Path | None,
    host_config: Any,
) -> dict[str, Any]:
    """Return the options for `Engine.create`.

    Args:
        image: name of the image.
        home: the user's home folder in it.
        command: of process 1.
        spec: what the desktop should be like.
        labels: by which it is found again.
        network: name of the network, `none` for none.
        cpus: processors it may use.
        door: the host's socket to mount, None where the host speaks through standard input.
        host_config: docker-py's `APIClient.create_host_config`.
    """
    from pytest_rogue.desktops.docker_entry import DOOR

    door_mounts = [{"Type": "bind", "Source": str(door), "Target": DOOR, "ReadOnly": True}] if door else []
    limits = host_config(
        network_mode=network,
        mounts=door_mounts,
        tmpfs=_file_systems(home, spec),
        shm_size=_scratch(spec),
        read_only=True,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges:true"],
        mem_limit=spec.memory_mb * MIB,
        memswap_limit=spec.memory_mb * MIB,
        nano_cpus=int(cpus * 1e9),
        pids_limit=PROCESSES,
        oom_score_adj=OOM_SCORE,
        ulimits=[_limit("nofile", OPEN_FILES), _limit("core", 0)],
        log_config={"Type": "json-file", "Config": {"max-size": "1m", "max-file": "1"}},
        auto_remove=True,
    )
    through_input = door is None
    return {
        "image": image,
        "entrypoint": list(command),
        "command": [],
        "user": f"{USER}:{USER}",
        "working_dir": home,
        "hostname": "desktop",
        "labels": dict(labels),
        "stdin_open": through_input,
        "host_config": limits,
        "environment": {"XDG_RUNTIME_DIR": f"/run/user/{USER}"},
    }


def _file_systems(home: str, spec: DesktopSpec) -> dict[str, str]:
    """Everything that can be written is in memory, of bounded size, and counted as the desktop's memory."""
    scratch = _scratch(spec)
    own = f"uid={USER},gid={USER}"
    return {
        "/tmp": f"exec,mode=1777,size={scratch}",  # noqa: S108 - inside the container
        "/var/tmp": f"exec,mode=1777,size={scratch}",  # noqa: S108
        "/run": f"mode=755,size={scratch},{own}",
        f"/run/user/{USER}": f"mode=700,size={scratch},{own}",
        home: f"exec,mode=755,size={spec.memory_mb * MIB // 2},{own}",
    }


def _scratch(spec: DesktopSpec) -> int:
    """Shared memory and each scratch folder; a browser needs half a gigabyte for its pages."""
    return max(spec.memory_mb // 8, 512) * MIB


def _limit(name: str, value: int) -> dict[str, Any]:
    return {"Name": name, "Soft": value, "Hard": value}
