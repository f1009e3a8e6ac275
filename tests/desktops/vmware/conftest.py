"""VMware by a stand-in (`vmrun.py`), and machines that it knows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.desktops.docker_image import image_name
from pytest_rogue.desktops.vmware import SNAPSHOT, VmwareProvider
from pytest_rogue.desktops.vmware_vmrun import Vmrun
from tests.desktops.vmware.machines import LABEL
from tests.plugin.conftest import suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["suite"]

CHECKOUT = Path(__file__).parents[3]
NOBODY = "127.99.0.1"
"""An address of this machine at which nobody listens."""


@dataclass(frozen=True, slots=True)
class Vmware:
    """The stand-in."""

    state: Path
    program: Path

    def machine(self, name: str = "Ubuntu", *, snapshots: tuple[str, ...] = (SNAPSHOT,), **settings: str) -> Path:
        """Make a machine that is off, with snapshots of it; return its configuration file."""
        vmx = self.state.parent / name / f"{name}.vmx"
        vmx.parent.mkdir()
        lines = {"displayName": name} | {f"standin.{key}": value for key, value in settings.items()}
        vmx.write_text("".join(f'{key} = "{value}"\n' for key, value in lines.items()))
        (vmx.parent / "disk").write_text("as it should be")
        for snapshot in snapshots:
            self.run("snapshot", vmx, snapshot)
        return vmx

    def run(self, command: str, *words: str | Path) -> str:
        """Do as a user does at a terminal."""
        return subprocess.run(
            [self.program, "-T", "ws", command, *words], capture_output=True, text=True, check=True
        ).stdout

    def misbehave(self, **faults: list[str]) -> None:
        """Let the next calls of commands have these faults."""
        (self.state / "faults.json").write_text(json.dumps(faults))

    def calls(self, *commands: str) -> list[list[str]]:
        """Return the calls of these commands, each with its words."""
        path = self.state / "calls.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        return [call for call in ([*json.loads(line)[1:]] for line in lines) if call[0] in commands]

    def running(self) -> list[str]:
        """Return the machines that run."""
        return self.run("list").splitlines()[1:]

    def containers(self) -> list[str]:
        """Return the machines that are really there."""
        asked = ["docker", "ps", "--all", "--quiet", "--filter", f"label={LABEL}={self.state}"]
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()


def put_on_the_path(folder: Path) -> dict[str, str]:
    """Put the stand-in into a folder, with its state and the claims; return the variables by which it is found."""
    for name in ("vmware", "bin"):
        (folder / name).mkdir()
    program = folder / "bin" / "vmrun"
    lines = (
        f"#!{sys.executable} -IS",
        "import runpy, sys",
        f"sys.path.insert(0, {str(CHECKOUT)!r})",
        "runpy.run_module('tests.desktops.vmware.vmrun', run_name='__main__')",
    )
    program.write_text("\n".join(lines) + "\n")
    program.chmod(0o755)
    return {
        "VMRUN_STATE": str(folder / "vmware"),
        "XDG_STATE_HOME": str(folder / "state"),
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
    }


@pytest.fixture
def vmware(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vmware]:
    """VMware with nothing in it, first on the PATH; what it started is gone afterwards."""
    for name, value in put_on_the_path(tmp_path).items():
        monkeypatch.setenv(name, value)
    here = Vmware(tmp_path / "vmware", tmp_path / "bin" / "vmrun")
    yield here
    if any("standin.image" in path.read_text() for path in tmp_path.glob("*/*.vmx")):
        for container in here.containers():
            subprocess.run(["docker", "rm", "--force", "--volumes", container], check=True, capture_output=True)


@pytest.fixture
def image() -> str:
    """The image that machines which really run are containers of."""
    return os.environ.get("PYTEST_ROGUE_TEST_IMAGE") or image_name()


@pytest.fixture
def make_provider(vmware: Vmware) -> Iterator[Callable[..., VmwareProvider]]:
    """Make providers that are closed in the end, and are not as patient as usual."""
    made: list[VmwareProvider] = []

    def make(vmx: Path, *, patience: float = 300.0, **options: Any) -> VmwareProvider:
        usual: dict[str, Any] = {
            "vmrun": Vmrun(patience=patience, question_patience=300.0),
            "run_id": "r1",
            "boot_timeout": 60.0,
            "claim_patience": 0.0,
        }
        made.append(VmwareProvider(vm_path=vmx, **(usual | options)))
        return made[-1]

    yield make
    vmware.misbehave()
    for provider in made:
        provider.close()
