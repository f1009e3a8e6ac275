"""Desktops in containers of a Docker engine, each from one image, with next to no rights and by default no network.

A container cannot outlive the process that started it: its process 1 holds a connection to us, and ends everything when
that breaks; the engine then removes the container. What was created and never started is found by its labels.
"""

from __future__ import annotations

import secrets
import threading
import time
import weakref
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pytest_rogue.desktops import leases
from pytest_rogue.desktops.clean_screen import require_clean_screen
from pytest_rogue.desktops.docker_container import container_options, home, start_command
from pytest_rogue.desktops.docker_door import HandedDoor
from pytest_rogue.desktops.docker_engine import (
    DESKTOP_LABEL,
    OWNER_LABEL,
    PROBE_PATIENCE,
    RUN_LABEL,
    Engine,
    EngineFault,
)
from pytest_rogue.desktops.docker_entry import CALL_AT_THE_DOOR, READ_A_LINE
from pytest_rogue.desktops.docker_guest import ContainerGuest
from pytest_rogue.desktops.docker_image import image_name, is_desktop_image
from pytest_rogue.desktops.docker_leftovers import DockerLeftovers
from pytest_rogue.desktops.docker_readiness import docker_readiness
from pytest_rogue.desktops.docker_stream import PYTHON, AttachedStream, StreamHttp, program_text
from pytest_rogue.desktops.guest_http import GuestHttp
from pytest_rogue.desktops.owner import Owner
from pytest_rogue.desktops.protocol import SUDO
from pytest_rogue.errors import ConfigError, DesktopLost, DesktopStartError, GuestFault
from pytest_rogue.network import NETWORKS, Network

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_rogue.desktops.guest_client import GuestClient
    from pytest_rogue.desktops.protocol import DesktopSpec
    from pytest_rogue.readiness import Readiness

_LEFT_TO_THE_ENGINE = 0.25
"""Processors that no desktop takes, so that the engine can end one that runs wild."""

_LIST_COMMANDS = (
    "import os\n"
    "for folder in os.get_exec_path():\n"
    "  if os.path.isdir(folder):\n"
    "    for name in os.listdir(folder):\n"
    "      if os.access(os.path.join(folder, name), os.X_OK): print(name)\n"
)


class DockerDesktop:
    """One desktop in a container; it also ends with this object and with this process."""

    def __init__(self, id: str, container: str, guest: GuestClient, end: Callable[[], None], engine: Engine) -> None:  # noqa: A002 - the protocol's name
        self.id = id
        self.container = container
        self.guest = guest
        self._engine = engine
        self._end = weakref.finalize(self, end)
        leases.register(self)

    def alive(self) -> bool:
        """True while the container runs.

        Raises:
            DesktopLost: the engine does not tell.
        """
        try:
            return is_running(self._engine.state(self.container))
        except EngineFault as error:
            raise DesktopLost(str(error)) from error

    def stop(self) -> None:
        """Kill the container and wait until it is removed; may be called again.

        Raises:
            EngineFault: the engine does not remove it.
        """
        self._end()
        leases.forget(self)

    def __repr__(self) -> str:
        return f"<DockerDesktop {self.id}>"


class DockerProvider:
    """Makes desktops in containers (`--rogue-provider=docker`).

    Args:
        image: name of the image, None for the desktop image of this version of the package.
        network: what desktops can reach; `internal` is the engine's machine. They never reach each other.
        owner: whom the containers belong to, None for this process.
        run_id: of the run they are made for.
        cpus: processors a desktop may use, at most those that the engine has.
        engine: the engine, None for that of DOCKER_HOST or of this machine.

    Example:
        >>> desktop = DockerProvider(run_id="try").start(DesktopSpec(width=1280, height=720))
        >>> desktop.guest.launch(["mousepad"], "Mousepad")
        >>> desktop.stop()
    """

    name = "docker"

    def __init__(
        self,
        *,
        image: str | None = None,
        network: Network = "none",
        owner: Owner | None = None,
        run_id: str = "",
        cpus: float = 2.0,
        engine: Engine | None = None,
    ) -> None:
        if network not in NETWORKS:
            raise ConfigError(f"there is no network '{network}' for desktops; known: {', '.join(NETWORKS)}")
        self.engine = engine or Engine()
        self.network = network
        self._wanted_image = image
        self._owner = str(owner or Owner.this_process())
        self._run_id = run_id
        self._cpus = cpus
        self._lock = threading.Lock()
        self._own_network: str | None = None
        self.leftovers = DockerLeftovers(self.engine)

    # --- what there is --------------------

    def readiness(self) -> Sequence[Readiness]:
        """Return what it needs: an engine that answers (within seconds), the image, space on the engine's disk."""
        probe = Engine(patience=PROBE_PATIENCE)
        try:
            return docker_readiness(probe, self.image)
        finally:
            probe.close()

    def missing(self, apps: Sequence[str]) -> Sequence[str]:
        """Return those of the command names that the image does not have; it is asked once, by a container.

        No container lets sudo work, whatever its image has.

        Raises:
            DesktopStartError: it cannot be asked.
        """
        try:
            return [app for app in apps if app == SUDO or app not in self._commands]
        except EngineFault as error:
            raise DesktopStartError(str(error)) from error

    @cached_property
    def image(self) -> str:
        """Name of the image."""
        return self._wanted_image or image_name()

    @cached_property
    def _image_facts(self) -> Mapping[str, Any]:
        return self.engine.image(self.image)

    @cached_property
    def _commands(self) -> frozenset[str]:
        id = secrets.token_hex(8)  # noqa: A001
        said = self.engine.output_of(
            f"pytest-rogue-{id}",
            image=self.image,
            entrypoint=[*PYTHON, _LIST_COMMANDS],
            command=[],
            labels=self._labels(id),
            host_config=self.engine.api.create_host_config(network_mode="none", cap_drop=["ALL"]),
        )
        return frozenset(said.split("\n"))

    def _labels(self, id: str) -> dict[str, str]:  # noqa: A002
        return {RUN_LABEL: self._run_id, OWNER_LABEL: self._owner, DESKTOP_LABEL: id}

    # --- a desktop --------------------

    def start(self, spec: DesktopSpec) -> DockerDesktop:
        """Start a fresh desktop and return it when it is proven ready.

        Raises:
            DesktopStartError: it did not come up in `spec.timeout` seconds; nothing is left behind.
        """
        id = secrets.token_hex(8)  # noqa: A001 - the protocol's name
        token = secrets.token_urlsafe(32)
        deadline = time.monotonic() + spec.timeout
        desktop: DockerDesktop | None = None
        try:
            desktop = self._start_here(id, token, spec) if self.engine.is_here else self._start_afar(id, token, spec)
            desktop.guest.wait_ready(deadline - time.monotonic(), alive=desktop.alive)
            if is_desktop_image(self._image_facts):
                require_clean_screen(desktop.guest)
        except BaseException as error:
            problem = self._clear_away(id, desktop)
            note = f"; what was made of it is still there, `pytest-rogue gc` removes it later ({problem})"
            if isinstance(error, (EngineFault, DesktopLost, GuestFault)):
                raise DesktopStartError(f"{error}{note if problem not in str(error) else ''}") from error
            if problem:
                error.add_note(note)
            raise
        return desktop

    def _start_here(self, id: str, token: str, spec: DesktopSpec) -> DockerDesktop:  # noqa: A002
        name = f"\0pytest-rogue-{id}"
        door = HandedDoor(name, token)
        try:
            container = self._create(id, spec, (CALL_AT_THE_DOOR, "handed"), door)
            self.engine.start(container)
            door.hand_over(
                program_text("docker_entry.py").encode(), spec.timeout, lambda: is_running(self.engine.state(container))
            )
        except BaseException:
            door.close()
            raise
        http = GuestHttp(token=token, base_url="http://desktop", uds=name)
        return self._desktop(id, container, http, spec, door.close)

    def _start_afar(self, id: str, token: str, spec: DesktopSpec) -> DockerDesktop:  # noqa: A002
        container = self._create(id, spec, (READ_A_LINE, "stream"), None)
        with self.engine.faults():
            attach = {"stdin": 1, "stream": 1}
            lifeline = AttachedStream(self.engine.api.attach_socket(container, params=attach))
        try:
            self.engine.start(container)
            program = program_text("docker_entry.py").encode().hex()
            lifeline.socket.sendall(f"{program}\n{token}\n".encode())
        except BaseException:
            lifeline.close()
            raise
        http = StreamHttp(token=token, engine=self.engine, container=container)
        return self._desktop(id, container, http, spec, lifeline.close)

    def _create(self, id: str, spec: DesktopSpec, how: Sequence[str], door: HandedDoor | None) -> str:  # noqa: A002
        size = ("--width", str(spec.width), "--height", str(spec.height))
        facts = self._image_facts
        options = container_options(
            image=self.image,
            home=home(facts),
            command=[*PYTHON, *how, *start_command(facts), *size],
            spec=spec,
            labels=self._labels(id),
            network=self._network_name(),
            cpus=min(self._cpus, self.engine.info["NCPU"] - _LEFT_TO_THE_ENGINE),
            door=door.path if door else None,
            host_config=self.engine.api.create_host_config,
        )
        return self.engine.create(f"pytest-rogue-{id}", **options)

    def _desktop(
        self,
        id: str,  # noqa: A002
        container: str,
        http: GuestHttp,
        spec: DesktopSpec,
        cut_lifeline: Callable[[], None],
    ) -> DockerDesktop:
        engine, made = self.engine, time.time()

        def why_lost() -> str:
            return _why_lost(engine, container, made, spec)

        def end() -> None:
            guest.close()
            cut_lifeline()
            engine.remove(container)

        guest = ContainerGuest(http, why_lost)
        return DockerDesktop(id, container, guest, end, engine)

    def _clear_away(self, id: str, desktop: DockerDesktop | None) -> str:  # noqa: A002
        """Remove what was made for a desktop, found by its label: a handle may never have reached us.

        Returns:
            What went wrong, empty for nothing.
        """
        try:
            if desktop is not None:
                desktop.stop()
            for container in self.engine.labelled("containers", [f"{DESKTOP_LABEL}={id}"]):
                self.engine.remove(container["Id"])
        except EngineFault as error:
            return str(error)
        return ""

    # --- network --------------------

    def _network_name(self) -> str:
        if self.network == "none":
            return "none"
        with self._lock:
            if self._own_network is None:
                self._own_network = self._make_network()
            return self._own_network

    def _make_network(self) -> str:
        """One for each process: desktops on it do not see each other, and two processes cannot collide."""
        with self.engine.faults():
            made = self.engine.api.create_network(
                f"pytest-rogue-{secrets.token_hex(8)}",
                driver="bridge",
                internal=self.network == "internal",
                options={"com.docker.network.bridge.enable_icc": "false"},
                labels=self._labels(""),
            )
        return str(made["Id"])

    # --- the end --------------------

    def close(self) -> None:
        """Remove whatever of this provider is left, found by its labels; may be called again.

        Raises:
            EngineFault: it cannot be removed.
        """
        if "api" in self.engine.__dict__:
            self.leftovers.remove_of(self._run_id, self._owner)
            self._own_network = None
            self.engine.close()


def is_running(state: Mapping[str, Any] | None) -> bool:
    """True where a container's state, as `Engine.state` returns it, says that it runs."""
    return bool(state and state["Running"])


def _why_lost(engine: Engine, container: str, made: float, spec: DesktopSpec) -> str:
    """Say what became of the container; empty while it runs."""
    try:
        if is_running(engine.state(container)):
            return ""
        reason = engine.why_ended(container, made)
    except EngineFault as error:
        return str(error)
    if "memory" in reason:
        reason += f" ({spec.memory_mb} MiB)"
    return f"its container is gone: {reason}" if reason else "its container is gone"
