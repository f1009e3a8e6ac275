"""An emulated computer that stands for a machine of VMware's, measured by hand: it takes minutes, so no test does it.

`python -m tests.desktops.vmware.emulated FOLDER KERNEL_PACKAGE` makes what it boots from, where FOLDER has it not yet:
the desktop's image with OSWorld's server (a stand-in) started as its only service, on the kernel of a Debian package
(`apt-get download linux-image-...-cloud-amd64-unsigned`). Then it measures the provider on it, once from a snapshot of
a machine that is off, and once from one of a machine that runs. Needs root, an engine, `qemu-system-x86`, `qemu-utils`
and `busybox-static`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pytest_rogue.desktops.docker_image import image_name
from pytest_rogue.desktops.protocol import DesktopSpec
from pytest_rogue.desktops.stock_guest import StockGuest
from pytest_rogue.desktops.stock_server import StockServer
from pytest_rogue.desktops.vmware import SERVER_PORT, SNAPSHOT, VmwareProvider
from pytest_rogue.desktops.vmware_machine import Machine
from pytest_rogue.desktops.vmware_vmrun import Vmrun
from pytest_rogue.errors import GuestFileMissing
from pytest_rogue.interaction import Action
from tests.desktops.vmware.conftest import Vmware, put_on_the_path
from tests.desktops.vmware.machines import SERVER

MODULES = (
    *("virtio_ring", "virtio", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci"),
    *("virtio_blk", "failover", "net_failover", "virtio_net"),
)
"""Of the kernel, in the order in which they are loaded."""

INIT = """#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc proc /proc; $b mount -t sysfs sys /sys; $b mount -t devtmpfs dev /dev
for module in {modules}; do [ -e /$module.ko ] && $b insmod /$module.ko; done
$b ifconfig lo 127.0.0.1 up; $b ifconfig eth0 10.0.2.15 up; $b route add default gw 10.0.2.2
until $b mount -t ext4 /dev/vda /disk 2>/dev/null; do $b usleep 10000; done
for kind in proc sys dev; do $b mount --move /$kind /disk/$kind; done
$b mkdir -p /disk/dev/pts /disk/dev/shm; $b mount -t devpts pts /disk/dev/pts
for place in dev/shm run tmp; do $b mount -t tmpfs -o mode=1777 tmpfs /disk/$place; done
$b mkdir -p /disk/run/user/1000; $b chown 1000:1000 /disk/run/user/1000; $b chmod 700 /disk/run/user/1000
exec $b switch_root /disk /usr/bin/tini -s -- /usr/bin/setpriv --reuid=1000 --regid=1000 --init-groups \
  /usr/bin/env -i HOME=/home/user USER=user PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 \
  /usr/bin/python3 /opt/stock_server.py --host 0.0.0.0
"""

SPEC = DesktopSpec(timeout=600)
MARK = "/home/user/left-by-an-agent"


def make_origin(folder: Path, package: Path) -> None:
    """Make kernel, first file system and disk."""
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        scratch = Path(name)
        _make_kernel(folder, package, scratch)
        _make_disk(folder, scratch)


def _make_kernel(folder: Path, package: Path, scratch: Path) -> None:
    _run("dpkg-deb", "-x", package, scratch / "kernel")
    (kernel,) = (scratch / "kernel" / "boot").glob("vmlinuz-*")
    shutil.copyfile(kernel, folder / "vmlinuz")
    first = scratch / "first"
    for place in ("bin", "proc", "sys", "dev", "disk"):
        (first / place).mkdir(parents=True)
    shutil.copy("/bin/busybox", first / "bin")
    for path in (scratch / "kernel").rglob("*.ko"):
        if path.stem in MODULES:
            shutil.copy(path, first)
    (first / "init").write_text(INIT.format(modules=" ".join(MODULES)))
    (first / "init").chmod(0o755)
    names = "".join(f"{path.relative_to(first)}\n" for path in [first, *sorted(first.rglob("*"))])
    archive = subprocess.run(
        ["/bin/busybox", "cpio", "-o", "-H", "newc"], cwd=first, input=names.encode(), capture_output=True, check=True
    )
    (folder / "initrd").write_bytes(archive.stdout)


def _make_disk(folder: Path, scratch: Path) -> None:
    tree = scratch / "tree"
    tree.mkdir()
    container = _run("docker", "create", image_name())
    try:
        _run("docker", "export", "--output", scratch / "image.tar", container)
    finally:
        _run("docker", "rm", container)
    _run("tar", "-x", "-f", scratch / "image.tar", "-C", tree)
    (scratch / "image.tar").unlink()
    shutil.copyfile(SERVER, tree / "opt" / "stock_server.py")
    _run("mke2fs", "-q", "-t", "ext4", "-d", tree, scratch / "raw", "6G")
    _run("qemu-img", "convert", "-O", "qcow2", scratch / "raw", folder / "disk.part")
    (folder / "disk.part").rename(folder / "disk")


def _run(*words: str | Path) -> str:
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def main(origin: Path, package: Path) -> None:
    """Make what is missing, and measure."""
    if not (origin / "disk").exists():
        make_origin(origin, package)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ |= put_on_the_path(folder)
        vmware = Vmware(folder / "vmware", folder / "bin" / "vmrun")
        vmx = vmware.machine(emulated=str(origin))
        _measure("off", VmwareProvider(vm_path=vmx))
        _take_running(vmware, Machine(vmx, SNAPSHOT, Vmrun(), headless=True))
        _measure("running", VmwareProvider(vm_path=vmx, snapshot="running"))


def _take_running(vmware: Vmware, machine: Machine) -> None:
    """Take a snapshot of the machine when its screen is painted."""
    machine.start_afresh()
    try:
        address = machine.wait_reachable(SERVER_PORT, 600)
        guest = StockGuest(StockServer(f"http://{address}:{SERVER_PORT}"))
        guest.wait_ready(600)
        guest.close()
        vmware.run("snapshot", machine.vmx, "running")
    finally:
        machine.stop()


def _measure(kind: str, provider: VmwareProvider) -> None:
    for life in range(3):
        began = time.monotonic()
        desktop = provider.start(SPEC)
        ready = time.monotonic()
        try:
            desktop.guest.read_file(MARK)
            raise AssertionError("the machine was not put back")
        except GuestFileMissing:
            desktop.guest.write_file(MARK, b"here I was")
        reply = desktop.guest.step(1, Action.python("pyautogui.click(300, 300)"))
        acted = time.monotonic()
        assert reply.result is not None
        assert reply.result.exit_code == 0
        uptime = float(desktop.guest.run(["cat", "/proc/uptime"]).stdout.split()[0])
        asked = time.monotonic()
        assert (uptime > asked - began) == (kind == "running"), "a machine that ran goes on, one that was off boots"
        desktop.stop()
        gone = time.monotonic()
        sys.stdout.write(
            f"snapshot of a machine that was {kind}, life {life + 1}: ready after {ready - began:.1f} s, "
            f"a click with its screenshot {acted - ready:.2f} s, gone {gone - asked:.1f} s\n"
        )
    provider.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), Path(sys.argv[2]))
