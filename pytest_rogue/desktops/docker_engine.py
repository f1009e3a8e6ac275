"""The Docker engine: how it is reached, and what its faults mean to the user.

Whatever is made carries three labels, so that it is found again without its handle.
"""

from __future__ import annotations

import os
import shutil
import socket
import time
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.environment import undisturbed
from pytest_rogue.errors import ConfigError, InfraError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

RUN_LABEL = "pytest-rogue.run"
OWNER_LABEL = "pytest-rogue.owner"
DESKTOP_LABEL = "pytest-rogue.desktop"
"""On a network it names no desktop but the process that the network is for."""

PATIENCE = 60
"""Seconds an answer of the engine may take."""

PROBE_PATIENCE = 5
"""Seconds it may take where nobody knows yet whether there is an engine."""

_REMOVAL_PATIENCE = 30.0
_KEPT_CONNECTIONS = 8
"""docker-py keeps one for each address that was ever asked, and an address has the container's id in it."""


class EngineFault(InfraError):
    """The engine does not answer, or refused; the message says what to do."""


class Engine:
    """One Docker engine, where DOCKER_HOST says or else on this machine. May be used by several threads.

    Nothing is connected before it is needed. Every method may raise `EngineFault`.

    Args:
        patience: seconds an answer may take.
    """

    def __init__(self, patience: int = PATIENCE) -> None:
        self._patience = patience

    @cached_property
    def api(self) -> Any:
        """docker-py's client for the engine's own protocol.

        Raises:
            ConfigError: the Python package docker is missing.
            EngineFault: no engine answers.
        """
        with self.faults():
            import docker

            self._try_socket(_where())
            options = docker.utils.kwargs_from_env(environment=os.environ)
            return _client(version="auto", timeout=self._patience, num_pools=_KEPT_CONNECTIONS, **options)

    def close(self) -> None:
        """Close the connections, if there are any; may be called again."""
        if "api" in self.__dict__:
            self.api.close()
            del self.__dict__["api"]

    @cached_property
    def info(self) -> Mapping[str, Any]:
        """What the engine says about itself and its machine."""
        with self.faults():
            found: Mapping[str, Any] = self.api.info()
            return found

    @cached_property
    def is_here(self) -> bool:
        """True where the engine's containers run under this machine's kernel and see this machine's files."""
        named = os.environ.get("DOCKER_HOST", "") or "unix:"
        same_kernel = self.info.get("KernelVersion") == os.uname().release
        return named.startswith("unix:") and same_kernel and self.info.get("Name") == socket.gethostname()

    # --- images --------------------

    def image(self, name: str) -> Mapping[str, Any]:
        """Return what the engine knows of an image.

        Raises:
            EngineFault: it is not there.
        """
        with self.faults():
            found: Mapping[str, Any] = self.api.inspect_image(name)
            return found

    # --- containers --------------------

    def create(self, name: str, **options: Any) -> str:
        """Create a container and return its id.

        Args:
            name: of the container.
            options: of `APIClient.create_container`.
        """
        with self.faults():
            return str(self.api.create_container(name=name, **options)["Id"])

    def start(self, container: str) -> None:
        """Start a container."""
        with self.faults():
            self.api.start(container)

    def state(self, container: str) -> Mapping[str, Any] | None:
        """Return the state of a container, None where it is gone."""
        import docker

        with self.faults():
            try:
                found: Mapping[str, Any] = self.api.inspect_container(container)["State"]
            except docker.errors.NotFound:
                return None
            return found

    def published(self, container: str, port: int) -> str:
        """Return where a port of a running container is reached from this machine, as `host:port`.

        Raises:
            EngineFault: it is not published, or the container has ended.
        """
        with self.faults():
            ports = self.api.inspect_container(container)["NetworkSettings"]["Ports"]
        outside = ports.get(f"{port}/tcp")
        if not outside:
            raise EngineFault(f"port {port} of the container {container[:12]} is not published, or it has ended")
        return f"{outside[0]['HostIp']}:{outside[0]['HostPort']}"

    def last_words(self, container: str) -> str:
        """Return the last lines that a container has written."""
        with self.faults():
            return str(self.api.logs(container, tail=5).decode(errors="replace")).strip()

    def remove(self, container: str) -> None:
        """Kill a container, remove it and its anonymous volumes, and wait until it is gone; it may be gone already."""
        import docker

        deadline = time.monotonic() + _REMOVAL_PATIENCE
        pause = 0.01
        with self.faults():
            while True:
                try:
                    self.api.remove_container(container, force=True, v=True)
                except docker.errors.NotFound:
                    return
                except docker.errors.APIError as error:
                    # 409: the engine is removing it by itself, and says so until it is done.
                    if error.status_code != 409 or time.monotonic() > deadline:
                        raise
                time.sleep(pause)
                pause = min(pause * 1.5, 0.2)

    def why_ended(self, container: str, since: float) -> str:
        """Say how a container ended, by the engine's log of events; empty where it does not tell.

        Args:
            container: its id; it may be gone.
            since: when it was made, in seconds since 1970.
        """
        filters = {"container": [container], "type": ["container"]}
        with self.faults():
            events = self.api.events(since=int(since), until=int(time.time()) + 1, filters=filters, decode=True)
            happened = {event["Action"]: event["Actor"]["Attributes"] for event in events}
        if "oom" in happened:
            return "it used more memory than it may"
        if "kill" in happened:
            return f"it was killed with signal {happened['kill'].get('signal', '?')}"
        return f"it ended with exit code {happened['die'].get('exitCode', '?')}" if "die" in happened else ""

    def output_of(self, name: str, **options: Any) -> str:
        """Run a container to its end, remove it, and return what it wrote to standard output."""
        container = self.create(name, **options)
        try:
            self.start(container)
            with self.faults():
                code = self.api.wait(container, timeout=self._patience)["StatusCode"]
                said = self.api.logs(container, stdout=True, stderr=code != 0).decode(errors="replace")
        finally:
            self.remove(container)
        if code:
            raise EngineFault(f"a container of the image {options['image']} ended with exit code {code}: {said[-400:]}")
        return str(said)

    # --- labels --------------------

    def labelled(self, kind: str, labels: Sequence[str]) -> list[Mapping[str, Any]]:
        """Return what has all these labels, whatever its state.

        Args:
            kind: `containers`, `networks` or `volumes`.
            labels: `name` or `name=value`.
        """
        filters = {"label": list(labels)}
        with self.faults():
            if kind == "volumes":
                return self.api.volumes(filters=filters)["Volumes"] or []
            if kind == "networks":
                return list(self.api.networks(filters=filters))
            return list(self.api.containers(all=True, filters=filters))

    def remove_network(self, network: str) -> None:
        """Remove a network; it may be gone already."""
        import docker

        with self.faults():
            try:
                self.api.remove_network(network)
            except docker.errors.NotFound:
                return

    def remove_volume(self, volume: str) -> None:
        """Remove a volume; it may be gone already."""
        import docker

        with self.faults():
            try:
                self.api.remove_volume(volume)
            except docker.errors.NotFound:
                return

    # --- faults --------------------

    @contextmanager
    def faults(self) -> Iterator[None]:
        """Turn a fault of the engine into an `EngineFault`.

        Raises:
            ConfigError: the Python package docker is missing.
        """
        try:
            import docker
            import requests
        except ModuleNotFoundError:
            raise ConfigError("desktops in containers need the Python package docker: pip install docker") from None
        try:
            yield
        except docker.errors.APIError as error:
            raise EngineFault(_refusal(error)) from error
        except (docker.errors.DockerException, requests.RequestException, OSError) as error:
            raise EngineFault(self._unreachable(error)) from error

    def _try_socket(self, where: str) -> None:
        """Connect once to an engine on this machine: docker-py leaves a socket open where nobody answers."""
        if where.startswith("unix://"):
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(self._patience)
                connection.connect(where.removeprefix("unix://"))

    def _unreachable(self, error: Exception) -> str:
        said = str(error)
        if "Permission denied" in said:
            return (
                f"this user may not use the Docker engine at {_where()}: "
                "`sudo usermod -aG docker $USER`, then log in again"
            )
        if "timed out" in said.lower():
            return (
                f"the Docker engine at {_where()} did not answer within {self._patience} s: "
                "see what `docker info` says there"
            )
        return (
            f"no Docker engine answers at {_where()}: start it (`sudo systemctl start docker`) or correct DOCKER_HOST; "
            f"it was said: {said[-200:]}"
        )


def _client(**options: Any) -> Any:
    import docker

    class Client(docker.APIClient):  # type: ignore[misc]  # it comes without types
        """Looks for proxies among the variables of the environment with every request, undisturbed."""

        def merge_environment_settings(self, *asked: Any) -> Any:
            return undisturbed(lambda: super(Client, self).merge_environment_settings(*asked))

    return Client(**options)


def _where() -> str:
    return os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"


def _refusal(error: Any) -> str:
    said = str(error.explanation or error).strip()
    if "no such image" in said.lower():
        name = said.lower().rpartition("no such image:")[2].strip() or "it"
        return f"the Docker engine does not have the image ({name}): run `pytest-rogue image build`, or pull it"
    if "no space left on device" in said.lower():
        return (
            "the disk of the Docker engine is full: free some with `pytest-rogue gc` and `docker system prune`; "
            f"the engine said: {said[-200:]}"
        )
    return f"the Docker engine refused: {said[-400:]}"


def free_space(folder: str) -> int | None:
    """Return the free bytes on the disk of `folder`, None where it cannot be seen from here."""
    try:
        return shutil.disk_usage(Path(folder)).free
    except OSError:
        return None
