"""The Debian packages an embedded desktop is made of: the one list that doctor, Makefile and documentation read.

`python -m pytest_rogue.desktops.packages` prints them on one line, with `--missing` those that are not installed, with
`--tests` also those that only the tests of this package need.
Nothing but the standard library is imported here, so that it also works before anything is installed.
"""

from __future__ import annotations

import subprocess
import sys

SYSTEM_PACKAGES = (
    "bubblewrap",
    "xvfb",
    "openbox",
    "dbus",
    "at-spi2-core",
    "libatk-adaptor",
    "libgail-common",
    "python3",
    "python3-gi",
    "gir1.2-gtk-3.0",
    "gir1.2-atspi-2.0",
    "python3-xlib",
    "python3-pil",
    "util-linux",
    "fonts-dejavu-core",
    "adwaita-icon-theme",
    "librsvg2-common",
    "libglib2.0-bin",
    "libisal2",
    "gsettings-desktop-schemas",
    "dconf-gsettings-backend",
    "shared-mime-info",
)
"""What every desktop needs to run."""

APPLICATION_PACKAGES = ("mousepad", "chromium", "pcmanfm", "xfce4-terminal", "galculator")
"""What the packaged tasks are done with."""

TEST_PACKAGES = ("ffmpeg", "openssh-client", "procps", "socat", "wmctrl", "xdotool")
"""What only the tests of this package need besides: to make and read videos, to reach a machine, to end programs,
to address windows."""

APT_PACKAGES = SYSTEM_PACKAGES + APPLICATION_PACKAGES


def install_line(packages: tuple[str, ...] = APT_PACKAGES) -> str:
    """Return the one shell line that installs `packages`, ready to be copied."""
    return f"sudo apt-get install -y --no-install-recommends {' '.join(packages)}"


def missing_packages(packages: tuple[str, ...] = APT_PACKAGES) -> list[str]:
    """Return those of `packages` that dpkg has not installed; all of them where there is no dpkg."""
    command = ["dpkg-query", "--show", "--showformat=${Package} ${db:Status-Status}\n", *packages]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        return list(packages)
    installed = {line.split()[0] for line in listed.splitlines() if line.endswith(" installed")}
    return [package for package in packages if package not in installed]


if __name__ == "__main__":
    wanted = APT_PACKAGES + TEST_PACKAGES if "--tests" in sys.argv else APT_PACKAGES
    print(" ".join(missing_packages(wanted) if "--missing" in sys.argv else wanted))  # noqa: T201 - what it is for
