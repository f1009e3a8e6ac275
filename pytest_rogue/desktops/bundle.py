"""The folder that goes into a desktop: the guest, pyautogui beside it, recorded programs, and a small `/etc`.

It is built once for each content (its name holds the hash of it) in a cache that the desktop's user can read, complete
or not at all, and byte-compiled for the Python that runs the guest. A process that uses it holds a lock on it, so that
old ones can be removed safely.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path

from pytest_rogue.errors import DesktopStartError
from pytest_rogue.guest import power_command

GUEST_PYTHON = "/usr/bin/python3"
"""The interpreter that runs the guest: the system's, because only it has the bindings to X and accessibility."""

PURE_PACKAGES = ("pyautogui", "pymsgbox", "pytweening", "pyscreeze")
"""What the guest needs beside Debian's packages; pure Python, taken from the environment pytest runs in."""

KEPT = 3
"""Newest bundles that stay in the cache also when nobody uses them."""

_ABANDONED = 3600.0
"""Seconds after which a half-built bundle belongs to a process that was killed."""

ETC_FILES = {
    "passwd": "root:x:0:0:root:/root:/usr/sbin/nologin\nuser:x:1000:1000:User:/home/user:/bin/bash\n",
    "group": "root:x:0:\nuser:x:1000:\n",
    "hostname": "desktop\n",
    "hosts": "127.0.0.1 localhost desktop\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "machine-id": hashlib.sha256(b"pytest-rogue desktop").hexdigest()[:32] + "\n",
}
"""The files of the desktop's `/etc` that are not the host's."""


def cache_folder() -> Path:
    """Return where bundles are kept: readable by everybody for root, private otherwise.

    Raises:
        DesktopStartError: there is neither a cache folder nor a home.
    """
    if os.geteuid() == 0:
        return Path("/var/cache/pytest-rogue")
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "pytest-rogue"
    try:
        return Path.home() / ".cache" / "pytest-rogue"
    except RuntimeError as error:
        raise DesktopStartError("there is no home folder to keep the guest in: set XDG_CACHE_HOME") from error


@cache
def bundle() -> Path:
    """Return the bundle of this process, building it if needed; it stays locked until the process ends.

    Raises:
        DesktopStartError: a package is missing, or the cache cannot be written.
    """
    try:
        return prepare(cache_folder())
    except OSError as error:
        raise DesktopStartError(
            f"the guest's files cannot be put into {cache_folder()} ({error}): free some space or set XDG_CACHE_HOME"
        ) from error


def prepare(folder: Path) -> Path:
    """Return a complete bundle in `folder`, locked as in use by this process."""
    sources = guest_sources()
    target = folder / f"guest-{_content_hash(sources)}"
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    while True:
        if not target.is_dir():
            _build(sources, target)
        if _lock(target):
            break
    os.utime(target)
    prune(folder)
    return target


def guest_sources() -> dict[str, Path]:
    """Return the source folders or files by the name they get in the bundle.

    Raises:
        DesktopStartError: one of `PURE_PACKAGES` is not installed.
    """
    sources = {"guest": Path(__file__).parents[1] / "guest"}
    for name in PURE_PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise DesktopStartError(f"the Python package {name} is missing: pip install pyautogui")
        origin = Path(spec.origin)
        source = origin.parent if origin.name == "__init__.py" else origin
        sources[source.name] = source
    return sources


def prune(folder: Path, kept: int = KEPT) -> None:
    """Remove bundles that nobody uses, except the `kept` used last, and what killed builders left."""
    for path in sorted(folder.glob("guest-*"), key=_last_use, reverse=True)[kept:]:
        _remove_if_unused(path)
    for path in folder.glob(".building-*"):
        if time.time() - _last_use(path) > _ABANDONED:
            shutil.rmtree(path, ignore_errors=True)


def _last_use(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return time.time()  # another process has just removed it


def _files(source: Path) -> list[Path]:
    if source.is_file():
        return [source]
    return sorted(path for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def _content_hash(sources: dict[str, Path]) -> str:
    digest = hashlib.sha256(os.path.realpath(GUEST_PYTHON).encode())
    for text in (*ETC_FILES, *ETC_FILES.values()):
        digest.update(text.encode() + b"\0")
    for name, source in sorted(sources.items()):
        for path in _files(source):
            content = path.read_bytes()
            digest.update(f"{name}/{path.relative_to(source)}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def _build(sources: dict[str, Path], target: Path) -> None:
    """Build aside, then rename: whoever looks sees a complete bundle or none."""
    aside = Path(tempfile.mkdtemp(prefix=".building-", dir=target.parent))
    try:
        library = aside / "lib"
        for name, source in sources.items():
            for path in _files(source):
                copy = library / name / path.relative_to(source)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)
        power_command.install(str(aside / "bin"))
        (aside / "etc").mkdir()
        for name, text in ETC_FILES.items():
            (aside / "etc" / name).write_text(text, encoding="utf-8")
        _compile(library)
        _open_to_readers(aside)
        aside.rename(target)
    except OSError:
        if not target.is_dir():
            raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _compile(library: Path) -> None:
    command = [GUEST_PYTHON, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", str(library)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise DesktopStartError(f"{GUEST_PYTHON} cannot compile the guest: {(done.stdout + done.stderr)[-500:]}")


def _open_to_readers(folder: Path) -> None:
    """The desktop's user is another one than root, and the umask may hide what was written."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)


def _lock(target: Path) -> bool:
    """Mark `target` as in use by this process for as long as it lives; False where it was removed meanwhile."""
    try:
        descriptor = os.open(target, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return False
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    if target.is_dir() and os.path.samestat(os.fstat(descriptor), target.stat()):
        return True
    os.close(descriptor)
    return False


def _remove_if_unused(path: Path) -> None:
    with contextlib.suppress(OSError):  # somebody uses it, or another process removes it
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            doomed = path.with_name(f".building-{path.name}")
            path.rename(doomed)
            shutil.rmtree(doomed, ignore_errors=True)
        finally:
            os.close(descriptor)
