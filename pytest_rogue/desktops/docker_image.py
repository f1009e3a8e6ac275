"""The image of the Docker desktop: its name, building it, listing and removing it.

The name's tag is the hash of what the image is made of: the files in `image/`, the guest, and what stands beside it.
Whoever changes one of them gets another image; who changes nothing finds the one that is there. The base is not part of
the hash, so that an image built on a debootstrap import goes under the name that everybody looks for.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import tarfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.desktops.bundle import guest_sources
from pytest_rogue.errors import ConfigError, InfraError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import docker

REPOSITORY = "pytest-rogue-desktop"
OFFICIAL_BASE = "debian:bookworm-20250520-slim"
IMPORTED_BASE = "pytest-rogue-base:bookworm"
"""What `image/make_base` makes."""

KIND_LABEL = "pytest-rogue.image"
"""`desktop` on a finished image, `stage` on what is left of building one."""

FOLDER = Path(__file__).parent / "image"

HOST_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "PIP_INDEX_URL", "NPM_CONFIG_REGISTRY")
"""Of this host's environment, in either case, what a build needs to reach package registries."""

CA_VARIABLES = ("NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
"""Where a host says which certificates its proxy is to be trusted by; the first that is a file is used."""

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class ImageBuildError(InfraError):
    """The image was not built; the message ends with what the build said last."""


@dataclass(frozen=True, slots=True)
class DesktopImage:
    """An image that is there; one with several names counts as several.

    Attributes:
        id: as the engine names it.
        name: with its tag; empty where another image has taken the name.
        size: in bytes.
        created: as the engine tells it, ISO 8601.
        current: True for the one that this version of the package uses.
    """

    id: str
    name: str
    size: int
    created: str
    current: bool


def image_name() -> str:
    """Return the name of the image that this version of the package uses.

    Raises:
        DesktopStartError: pyautogui, which goes into the image, is not installed here.
    """
    digest = hashlib.sha256()
    for path, content in _inputs():
        digest.update(f"{path}\0{len(content)}\0".encode() + content)
    return f"{REPOSITORY}:{digest.hexdigest()[:12]}"


def is_desktop_image(facts: Mapping[str, Any]) -> bool:
    """True where an image, of which the engine tells these facts, was built from these files or on top of them."""
    return (facts["Config"].get("Labels") or {}).get(KIND_LABEL) == "desktop"


def image_present() -> bool:
    """Tell whether the engine has the image.

    Raises:
        InfraError: no engine answers.
    """
    with _engine() as engine:
        return _find(engine, image_name()) is not None


def build_image(base: str | None = None, *, say: Callable[[str], None] = lambda _: None) -> str:
    """Build the image where it is not there yet, and return its name.

    Args:
        base: image of a Debian 12 to build on; where None, the imported one if it is there, else the official one.
        say: is called with each line of the build.

    Raises:
        ImageBuildError: it did not succeed; the message ends with what the build said last.
        InfraError: no engine answers.
    """
    name = image_name()
    with _engine() as engine:
        if base is None and _find(engine, name) is not None:
            return name
        chosen = base or (IMPORTED_BASE if _find(engine, IMPORTED_BASE) is not None else OFFICIAL_BASE)
        _have(engine, chosen)
        context = _context()
        lines = engine.api.build(
            fileobj=context,
            custom_context=True,
            encoding="gzip",
            tag=name,
            buildargs={"BASE": chosen, **_host_settings(os.environ)},
            network_mode="host",  # package sources are reached as the machine reaches them, also by a local proxy
            labels={KIND_LABEL: "desktop", "pytest-rogue.base": chosen},
            rm=True,
            forcerm=True,
            decode=True,
        )
        _follow(lines, say)
    return name


def list_images() -> list[DesktopImage]:
    """Return all desktop images of the engine, newest first.

    Raises:
        InfraError: no engine answers.
    """
    current = image_name()
    with _engine() as engine:
        found = engine.images.list(filters={"label": f"{KIND_LABEL}=desktop"})
        images = [
            DesktopImage(
                id=image.id,
                name=name,
                size=image.attrs["Size"],
                created=image.attrs["Created"],
                current=name == current,
            )
            for image in found
            for name in image.tags or [""]
        ]
    return sorted(images, key=lambda image: image.created, reverse=True)


def prune_images(*, everything: bool = False) -> list[DesktopImage]:
    """Remove the desktop images that are not current, and what older builds left behind; return those that went.

    An image that a container still uses stays, and so does what makes the next build short.

    Args:
        everything: True to remove the current one too, and what would make the next build short.

    Raises:
        InfraError: no engine answers.
    """
    removed = [image for image in list_images() if (everything or not image.current) and _remove(image)]
    with _engine() as engine:
        stages = engine.images.list(filters={"dangling": True, "label": f"{KIND_LABEL}=stage"})
        newest_first = sorted(stages, key=lambda stage: str(stage.attrs["Created"]), reverse=True)
        for stage in newest_first[0 if everything else 1 :]:
            engine.images.remove(stage.id)
    return removed


def _remove(image: DesktopImage) -> bool:
    """Remove an image, or the one of its names; False where a container uses it."""
    import docker.errors

    with _engine() as engine:
        try:
            engine.images.remove(image.name or image.id)
        except docker.errors.APIError as error:
            if error.status_code == 409:
                return False
            raise InfraError(f"the image {image.name or image.id} cannot be removed: {error}") from error
    return True


# --- what an image is made of --------------------


def _inputs() -> Iterator[tuple[str, bytes]]:
    """Yield path in the context and content, in a fixed order."""
    for path in _files(FOLDER):
        if path.name != "make_base":
            yield str(path.relative_to(FOLDER)), path.read_bytes()
    for name, source in sorted(guest_sources().items()):
        for path in [source] if source.is_file() else _files(source):
            yield str(Path("guest", name, path.relative_to(source))), path.read_bytes()


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def _context() -> io.BytesIO:
    """Return the build context: the same for the same inputs, so that the engine's cache holds; and the host's part."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
        for path, content in (*_inputs(), ("host/ca.pem", _host_certificates(os.environ))):
            entry = tarfile.TarInfo(path)
            entry.size = len(content)
            entry.mode = 0o755 if content.startswith(b"#!") else 0o644
            archive.addfile(entry, io.BytesIO(content))
    packed.seek(0)
    return packed


def _host_certificates(environment: Mapping[str, str]) -> bytes:
    for name in CA_VARIABLES:
        path = Path(environment.get(name) or "/nonexistent")
        if path.is_file():
            return path.read_bytes()
    return b""


def _host_settings(environment: Mapping[str, str]) -> dict[str, str]:
    names = (*HOST_VARIABLES, *(name.lower() for name in HOST_VARIABLES))
    return {name: environment[name] for name in names if environment.get(name)}


# --- the engine --------------------


@contextmanager
def _engine() -> Iterator[docker.DockerClient]:
    try:
        import docker
        import docker.errors
    except ModuleNotFoundError as error:
        raise ConfigError("the Docker desktop needs the Python package docker: pip install docker") from error
    try:
        client = docker.from_env(timeout=3600)
        client.ping()
    except (docker.errors.DockerException, OSError) as error:
        raise InfraError(f"no Docker engine answers ({error}): start one, or set DOCKER_HOST") from error
    try:
        yield client
    finally:
        client.close()


def _find(engine: docker.DockerClient, name: str) -> Any | None:
    import docker.errors

    try:
        return engine.images.get(name)
    except docker.errors.ImageNotFound:
        return None
    except docker.errors.APIError as error:
        raise InfraError(f"the Docker engine does not say whether it has the image {name}: {error}") from error


def _have(engine: docker.DockerClient, base: str) -> None:
    """Get the base image from its registry where the engine does not have it."""
    import docker.errors

    if _find(engine, base) is not None:
        return
    try:
        engine.images.pull(base)
    except docker.errors.DockerException as error:
        raise ImageBuildError(
            f"the base image {base} cannot be had ({error}): where no registry answers, `make image-base` makes one"
        ) from error


def _follow(lines: Iterator[dict[str, Any]], say: Callable[[str], None]) -> None:
    """Pass on what a build says; keep the end of it for the error."""
    import docker.errors

    last: list[str] = []
    try:
        for line in lines:
            if "error" in line:
                raise ImageBuildError(f"the image was not built: {line['error'].strip()}; before that: {_tail(last)}")
            text = _COLOURS.sub("", str(line.get("stream") or line.get("status") or "")).rstrip()
            if text:
                last = [*last[-15:], text]
                say(text)
    except docker.errors.APIError as error:
        raise ImageBuildError(f"the image was not built: {error}; before that: {_tail(last)}") from error


def _tail(lines: list[str]) -> str:
    return " | ".join(lines)[-1500:] or "nothing"
