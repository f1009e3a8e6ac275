"""What really runs behind a machine of the stand-in for VMware: a container, an emulated computer, or nothing.

Each is switched on and off, tells its address, and keeps what a snapshot of it is. Only the standard library is here.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any, Protocol

SERVER = Path(__file__).parents[2] / "stock_server.py"
LABEL = "pytest-rogue-stand-in"


class Refused(Exception):
    """What VMware says where it does not do something."""


class Machine(Protocol):
    """What is behind one `.vmx`."""

    def switch_on(self, snapshot: str) -> str:
        """Switch it on, where `snapshot` is one of a running machine as it was then; return by what it is known."""
        ...

    def switch_off(self, handle: str) -> None: ...

    def is_on(self, handle: str) -> bool: ...

    def address(self, handle: str) -> str: ...

    def take_snapshot(self, name: str, *, running: bool) -> None: ...

    def go_back(self, name: str, *, running: bool) -> None:
        """Put its disk back, while it is off; `running` tells whether it ran when the snapshot was taken."""
        ...

    def copy_to(self, folder: Path, snapshot: str) -> None: ...


def machine_of(vmx: Path) -> Machine:
    """Return what is behind a configuration file."""
    settings = dict(line.split(" = ", 1) for line in vmx.read_text().splitlines())
    told = {key.removeprefix("standin."): value.strip('"') for key, value in settings.items()}
    if "emulated" in told:
        return Emulated(vmx.parent, Path(told["emulated"]))
    return Container(vmx.parent, told["image"]) if "image" in told else Nothing(vmx.parent, told.get("address", ""))


class Nothing:
    """A disk, which is a file of text, and an address at which whoever wants to may listen."""

    def __init__(self, folder: Path, address: str) -> None:
        self._disk = folder / "disk"
        self._address = address

    def switch_on(self, snapshot: str) -> str:
        return "nothing"

    def switch_off(self, handle: str) -> None:
        pass

    def is_on(self, handle: str) -> bool:
        return True

    def address(self, handle: str) -> str:
        return self._address or "unknown"

    def take_snapshot(self, name: str, *, running: bool) -> None:
        shutil.copyfile(self._disk, self._disk.with_name(f"disk-{name}"))

    def go_back(self, name: str, *, running: bool) -> None:
        shutil.copyfile(self._disk.with_name(f"disk-{name}"), self._disk)

    def copy_to(self, folder: Path, snapshot: str) -> None:
        shutil.copyfile(self._disk.with_name(f"disk-{snapshot}"), folder / "disk")


class Container(Nothing):
    """A container with OSWorld's server (a stand-in) on a real screen; it always begins at its image."""

    def __init__(self, folder: Path, image: str) -> None:
        super().__init__(folder, "")
        self._image = image

    def switch_on(self, snapshot: str) -> str:
        return program(
            *("docker", "run", "--detach", "--label", f"{LABEL}={os.environ['VMRUN_STATE']}"),
            *(
                "--volume",
                f"{SERVER}:/run/stock_server.py:ro",
                "--entrypoint",
                "/usr/bin/tini",
                self._image,
                "-s",
                "--",
            ),
            *("/usr/bin/python3", "/run/stock_server.py", "--host", "0.0.0.0"),  # noqa: S104 - of the container
        )

    def switch_off(self, handle: str) -> None:
        program("docker", "rm", "--force", "--volumes", handle)

    def is_on(self, handle: str) -> bool:
        return program("docker", "inspect", "--format", "{{.State.Running}}", handle) == "true"

    def address(self, handle: str) -> str:
        return program("docker", "inspect", "--format", "{{.NetworkSettings.IPAddress}}", handle)


class Emulated:
    """A computer by QEMU, its disk and its snapshots those of QEMU; `emulated.py` makes what it boots from.

    It has an address of this machine's own, `127.x.y.z`, for the two ports that are spoken with.
    """

    def __init__(self, folder: Path, origin: Path) -> None:
        self._folder = folder
        self._origin = origin
        self._disk = folder / "disk.qcow2"
        if not self._disk.exists():
            self._make_disk(self._disk)

    def switch_on(self, snapshot: str) -> str:
        host = self.address("")
        ports = ",".join(f"hostfwd=tcp:{host}:{port}-:{port}" for port in (5000, 5055))
        program(
            *(
                "qemu-system-x86_64",
                "-daemonize",
                "-pidfile",
                str(self._folder / "pid"),
                "-display",
                "none",
                "-M",
                "q35",
            ),
            *("-accel", "tcg,thread=multi,tb-size=256", "-cpu", "max", "-smp", "2", "-m", "1536", "-no-reboot"),
            *("-kernel", str(self._origin / "vmlinuz"), "-initrd", str(self._origin / "initrd")),
            *("-append", "console=ttyS0 quiet mitigations=off net.ifnames=0"),
            *("-drive", f"file={self._disk},if=virtio,format=qcow2", "-nic", f"user,model=virtio-net-pci,{ports}"),
            *("-serial", f"file:{self._folder / 'serial.log'}", "-vga", "none"),
            *("-qmp", f"unix:{self._folder / 'qmp'},server=on,wait=off"),
            *(("-loadvm", snapshot) if snapshot else ()),
        )
        return (self._folder / "pid").read_text().strip()

    def switch_off(self, handle: str) -> None:
        if self.is_on(handle):
            with contextlib.suppress(OSError):  # it breaks the connection when it goes
                self._ask("quit")
            program("tail", f"--pid={handle}", "-f", "/dev/null")

    def is_on(self, handle: str) -> bool:
        return Path(f"/proc/{handle}/cmdline").exists()

    def address(self, handle: str) -> str:
        digits = hashlib.sha256(str(self._folder).encode()).digest()
        return f"127.{digits[0]}.{digits[1]}.{digits[2] % 250 + 2}"

    def take_snapshot(self, name: str, *, running: bool) -> None:
        if running:
            self._ask("human-monitor-command", {"command-line": f"savevm {name}"})
        else:
            program("qemu-img", "snapshot", "-c", name, str(self._disk))

    def go_back(self, name: str, *, running: bool) -> None:
        program("qemu-img", "snapshot", "-a", name, str(self._disk))

    def copy_to(self, folder: Path, snapshot: str) -> None:
        # Snapshots lie in the disk itself and are no file that another could stand on: so from the very beginning.
        self._make_disk(folder / self._disk.name)

    def _make_disk(self, disk: Path) -> None:
        program("qemu-img", "create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", str(self._origin / "disk"), str(disk))

    def _ask(self, command: str, arguments: dict[str, Any] | None = None) -> None:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self._folder / "qmp"))
            with connection.makefile("rw") as talk:
                talk.readline()
                for said in ({"execute": "qmp_capabilities"}, {"execute": command, "arguments": arguments or {}}):
                    talk.write(json.dumps(said) + "\n")
                    talk.flush()
                    while "return" not in (answer := json.loads(talk.readline() or '{"return": ""}')):
                        if "error" in answer:
                            raise Refused(str(answer))
                if answer["return"]:
                    raise Refused(str(answer["return"]))


def program(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Refused(f"{words[0]}: {done.stderr}")
    return done.stdout.strip()
