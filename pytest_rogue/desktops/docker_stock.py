"""OSWorld's own image: a virtual machine in a container, with the stock server in it.

The container has more rights than our own need (it makes a network for the machine), and it takes minutes to boot. Its
ports are left to the engine and can be reached from this machine only.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.desktops.docker import DockerDesktop, is_running
from pytest_rogue.desktops.docker_engine import DESKTOP_LABEL, OWNER_LABEL, RUN_LABEL, Engine, EngineFault
from pytest_rogue.desktops.docker_leftovers import DockerLeftovers
from pytest_rogue.desktops.docker_readiness import docker_readiness
from pytest_rogue.desktops.owner import Owner
from pytest_rogue.desktops.stock import open_stock_desktop
from pytest_rogue.desktops.stock_takeover import GUEST_PORT, Door
from pytest_rogue.desktops.virtualisation import EMULATION_VARIABLE, KVM, why_no_kvm
from pytest_rogue.errors import ConfigError, DesktopLost, DesktopStartError
from pytest_rogue.readiness import Readiness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_rogue.desktops.protocol import DesktopSpec

IMAGE = "happysixd/osworld-docker"
SERVER_PORT = 5000
VM_PATH = "/System.qcow2"
"""Where the image expects the disk of the machine."""

BOOT_TIMEOUT = 600.0
"""Seconds a machine may take to boot; with KVM it takes about one minute, without many."""

_MACHINE_VARIABLES = frozenset({"RAM_SIZE", "CPU_CORES", "DISK_SIZE"})
_MACHINE_ENTRY = "/run/entry.sh"


def is_stock_image(image: str, engine: Engine | None = None) -> bool:
    """True where an image runs a virtual machine in its container, as OSWorld's does.

    Args:
        image: its name. One that the engine does not have is known by its name alone.
        engine: that has it, None for that of DOCKER_HOST or of this machine.

    Raises:
        ConfigError: the Python package docker is missing.
    """
    asked = engine or Engine()
    try:
        config = asked.image(image)["Config"]
    except EngineFault:
        return image.partition("@")[0].partition(":")[0].endswith(IMAGE)
    finally:
        if engine is None:
            asked.close()
    variables = {entry.partition("=")[0] for entry in config.get("Env") or ()}
    return _MACHINE_ENTRY in (config.get("Entrypoint") or ()) and variables >= _MACHINE_VARIABLES


class StockDockerProvider:
    """Makes desktops in virtual machines in containers (`--rogue-docker-image=happysixd/osworld-docker`).

    Args:
        image: name of the image.
        vm_path: disk of the machine (`Ubuntu.qcow2`), `--rogue-path-to-vm`; it is only read.
        run_id: of the run they are made for.
        owner: whom the containers belong to, None for this process.
        engine: the engine, None for that of this machine.
        cpus: processors of the machine.
        disk_size: of the machine, as the image takes it.
        boot_timeout: seconds it may take to boot; more than `DesktopSpec.timeout`, which is for containers.
        screen: what the screen of the machine has to be, None for what it is.
        emulate: True to do without KVM, None to let the variable `ROGUE_VM_EMULATION` decide.

    Example:
        >>> provider = StockDockerProvider(image=IMAGE, vm_path=Path("Ubuntu.qcow2"), run_id="try")
        >>> desktop = provider.start(DesktopSpec())
        >>> desktop.guest.info().notes
    """

    name = "docker"
    network = "full"
    """Of the machine, always: the image needs one to forward its ports."""

    def __init__(
        self,
        *,
        image: str = IMAGE,
        vm_path: str | Path | None,
        run_id: str = "",
        owner: Owner | None = None,
        engine: Engine | None = None,
        cpus: int = 4,
        disk_size: str = "32G",
        boot_timeout: float = BOOT_TIMEOUT,
        screen: tuple[int, int] | None = None,
        emulate: bool | None = None,
    ) -> None:
        if vm_path is None:
            raise ConfigError(f"the image {image} needs the disk of its machine: --rogue-path-to-vm=PATH/Ubuntu.qcow2")
        self.vm_path = Path(vm_path).absolute()
        if not self.vm_path.is_file():
            raise ConfigError(f"--rogue-path-to-vm={vm_path}: there is no such file; unpack Ubuntu.qcow2 and name it")
        self.image = image
        self.engine = engine or Engine()
        self.leftovers = DockerLeftovers(self.engine)
        self._owner = str(owner or Owner.this_process())
        self._run_id = run_id
        self._cpus = cpus
        self._disk_size = disk_size
        self._boot_timeout = boot_timeout
        self._screen = screen
        self._emulate = bool(os.environ.get(EMULATION_VARIABLE)) if emulate is None else emulate

    def readiness(self) -> Sequence[Readiness]:
        """Return what it needs: an engine that answers, the image, KVM."""
        problem = "" if self._emulate else why_no_kvm()
        found = problem or ("not used" if self._emulate else "can be used")
        fix = f"{EMULATION_VARIABLE}=1 to do without" if problem else ""
        kvm = Readiness("virtualisation", not problem, found, fix)
        return [*docker_readiness(self.engine, self.image), kvm]

    def missing(self, apps: Sequence[str]) -> Sequence[str]:  # noqa: ARG002 - the provider's protocol
        """Return nothing: what is in the machine shows only when it has booted."""
        return ()

    def start(self, spec: DesktopSpec) -> DockerDesktop:
        """Boot a fresh machine and return it when its desktop is proven ready.

        Raises:
            DesktopStartError: it did not come up; nothing is left behind.
            ConfigError: the engine is on another machine.
        """
        where = os.environ.get("DOCKER_HOST") or "unix:"
        if not where.startswith("unix:"):
            raise ConfigError(
                f"DOCKER_HOST={where}: {self.image} can be reached only from the engine's own machine; run pytest there"
            )
        id = secrets.token_hex(8)  # noqa: A001 - the protocol's name
        try:
            return self._start(id, spec)
        except BaseException as error:
            problem = self._clear_away(id)
            note = f"; what was made of it is still there, `pytest-rogue gc` removes it later ({problem})"
            if isinstance(error, (EngineFault, DesktopLost)):
                raise DesktopStartError(f"{error}{note if problem else ''}") from error
            if problem:
                error.add_note(note)
            raise

    def _start(self, id: str, spec: DesktopSpec) -> DockerDesktop:  # noqa: A002
        if not self._emulate and self.engine.is_here and (problem := why_no_kvm()):
            raise DesktopStartError(f"{problem}; or set {EMULATION_VARIABLE}=1 to do without, many times slower")
        engine = self.engine
        container = engine.create(f"pytest-rogue-{id}", **self._options(id, spec))
        try:
            engine.start(container)
            guest = open_stock_desktop(
                f"http://{engine.published(container, SERVER_PORT)}",
                timeout=max(spec.timeout, self._boot_timeout),
                alive=lambda: is_running(engine.state(container)),
                door=Door(GUEST_PORT, f"http://{engine.published(container, GUEST_PORT)}"),
                screen=self._screen,
            )
        except (DesktopStartError, EngineFault) as error:
            hint = "" if self._emulate else f" (KVM does not run every machine; {EMULATION_VARIABLE}=1 does without it)"
            raise DesktopStartError(f"{error}{hint}; its container said: {engine.last_words(container)}") from error

        def end() -> None:
            guest.close()
            engine.remove(container)

        return DockerDesktop(id, container, guest, end, engine)

    def _options(self, id: str, spec: DesktopSpec) -> dict[str, Any]:  # noqa: A002
        """Return the options for `Engine.create`: what the image's own documentation asks for, and no more."""
        disk = {"Type": "bind", "Source": str(self.vm_path), "Target": VM_PATH, "ReadOnly": True}
        with self.engine.faults():
            host_config = self.engine.api.create_host_config(
                port_bindings=dict.fromkeys((SERVER_PORT, GUEST_PORT), ("127.0.0.1",)),
                mounts=[disk],
                devices=[] if self._emulate else [KVM],
                cap_add=["NET_ADMIN"],
                log_config={"Type": "json-file", "Config": {"max-size": "1m", "max-file": "1"}},
            )
        environment = {
            "DISK_SIZE": self._disk_size,
            "RAM_SIZE": f"{spec.memory_mb}M",
            "CPU_CORES": str(self._cpus),
        }
        return {
            "image": self.image,
            "ports": [SERVER_PORT, GUEST_PORT],
            "environment": environment | ({"KVM": "N"} if self._emulate else {}),
            "labels": {RUN_LABEL: self._run_id, OWNER_LABEL: self._owner, DESKTOP_LABEL: id},
            "host_config": host_config,
        }

    def _clear_away(self, id: str) -> str:  # noqa: A002
        """Remove what was made for a desktop; return what went wrong, empty for nothing."""
        try:
            for container in self.engine.labelled("containers", [f"{DESKTOP_LABEL}={id}"]):
                self.engine.remove(container["Id"])
        except EngineFault as error:
            return str(error)
        return ""

    def close(self) -> None:
        """Remove whatever of this provider is left, found by its labels; may be called again.

        Raises:
            EngineFault: it cannot be removed.
        """
        if "api" in self.engine.__dict__:
            self.leftovers.remove_of(self._run_id, self._owner)
            self.engine.close()
