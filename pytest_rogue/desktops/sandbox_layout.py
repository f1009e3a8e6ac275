"""What a sandbox holds: the options for bubblewrap.

Of the host it has the distribution's programs and data, read-only, and a short list of folders of `/etc`. Everything
else is its own and in memory: home, `/tmp`, `/run`, users, host name. There is no network, and nothing of the host's
environment, home folders, secrets, or locally installed programs.
"""

# ruff: noqa: S108 - these are paths inside the sandbox

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_rogue.desktops.limits import Limits

SEARCH_PATH = "/usr/bin:/bin:/usr/games"
"""Where the distribution's programs are found."""

OWN_PROGRAMS = "/usr/local/bin"
"""Of `/usr/local` a desktop has only this folder, with the recorded programs of the shutdown machinery."""

HOME = "/home/user"
RUNTIME_FOLDER = "/run/user/1000"
LIBRARY = "/opt/guest"

HOST_ETC = (
    "alternatives",
    "chromium.d",
    "dconf",
    "fonts",
    "gtk-2.0",
    "gtk-3.0",
    "ld.so.cache",
    "mime.types",
    "terminfo",
    "X11",
    "xdg",
)
"""Of the host's `/etc`: settings of libraries and desktop programs. Not the time zone: every desktop tells UTC."""

ENVIRONMENT = {
    "HOME": HOME,
    "LANG": "C.UTF-8",
    "LOGNAME": "user",
    "PATH": f"{OWN_PROGRAMS}:{SEARCH_PATH}",
    "PYTHONPATH": LIBRARY,
    "SHELL": "/bin/bash",
    "USER": "user",
    "XDG_RUNTIME_DIR": RUNTIME_FOLDER,
}


def sandbox_options(bundle: Path, limits: Limits) -> list[str]:
    """Return bubblewrap's options.

    Args:
        bundle: folder with `lib`, `bin` and `etc`, as `desktops.bundle` makes it.
        limits: sizes of the file systems.
    """
    return [
        *("--unshare-all", "--die-with-parent", "--new-session"),
        *("--uid", "1000", "--gid", "1000", "--hostname", "desktop"),
        *_system(bundle / "bin"),
        *_etc(bundle),
        *("--ro-bind", str(bundle / "lib"), LIBRARY),
        *_own_file_systems(limits),
        "--clearenv",
        *(word for name, value in ENVIRONMENT.items() for word in ("--setenv", name, value)),
        *("--chdir", HOME),
    ]


def _system(own_programs: Path) -> list[str]:
    """Programs and libraries; `/bin` and its like are links into `/usr` on merged systems, folders on others."""
    words = ["--ro-bind", "/usr", "/usr"]
    if Path("/usr/local").is_dir():
        words += ["--tmpfs", "/usr/local", "--ro-bind", str(own_programs), OWN_PROGRAMS, "--remount-ro", "/usr/local"]
    for program in sorted(own_programs.iterdir()):
        for programs in ("/usr/bin", "/usr/sbin"):
            theirs = Path(programs, program.name)
            if theirs.is_file() and not theirs.is_symlink():  # a link leads to one that is replaced itself
                words += ["--ro-bind", str(program), str(theirs)]
    for folder in (Path("/bin"), Path("/sbin"), Path("/lib"), Path("/lib32"), Path("/lib64"), Path("/libx32")):
        if folder.is_symlink():
            words += ["--symlink", str(folder.readlink()), str(folder)]
        elif folder.is_dir():
            words += ["--ro-bind", str(folder), str(folder)]
    words += ["--ro-bind-try", "/var/cache/fontconfig", "/var/cache/fontconfig"]
    return words


def _etc(bundle: Path) -> list[str]:
    words: list[str] = []
    for name in HOST_ETC:
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    for path in sorted((bundle / "etc").iterdir()):
        words += ["--ro-bind", str(path), f"/etc/{path.name}"]
    return words


def _own_file_systems(limits: Limits) -> list[str]:
    scratch = str(limits.scratch_size)
    return [
        *("--proc", "/proc", "--dev", "/dev"),
        *("--perms", "1777", "--size", scratch, "--tmpfs", "/dev/shm"),
        *("--perms", "1777", "--size", scratch, "--tmpfs", "/tmp", "--perms", "1777", "--dir", "/tmp/.X11-unix"),
        *("--symlink", "/tmp", "/var/tmp"),
        *("--size", scratch, "--tmpfs", "/run", "--perms", "0700", "--dir", RUNTIME_FOLDER),
        *("--size", str(limits.home_size), "--tmpfs", HOME),
        # The root and the device folder are file systems without a size.
        *("--remount-ro", "/dev", "--remount-ro", "/"),
    ]
