"""What one embedded desktop may use, so that a desktop that runs wild leaves the others and the test run alone.

The kernel enforces most of it process by process (`setrlimit`): memory, open files, file size, no core dumps. The
number of processes is counted over the whole desktop, because each desktop is a user namespace of its own. It is set
inside the sandbox for that reason: a limit set before would be shared by all desktops of the host's user. Files live in
memory and are bounded by the sizes of their file systems. A desktop yields the processor (`nice`) and is the first to
go when the machine is out of memory (`choom`).

The memory that counts is what a process can write to and shares with nobody. Address space is no measure: browsers
reserve hundreds of GiB of it and use little.

What is not bounded: the sum of the memory of all processes of a desktop (that needs a control group), and the number of
processes where the sandbox had to stay root on the host.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_rogue.desktops.protocol import DesktopSpec

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds for one desktop.

    Attributes:
        memory: of each process, in bytes.
        processes: of the whole desktop, threads included.
        open_files: of each process.
        file_size: of the largest file, in bytes.
        home_size: of the home folder, in bytes.
        scratch_size: of `/tmp` and of shared memory, in bytes each.
        niceness: 0 to 19.
        oom_score: -1000 to 1000; who has most goes first when memory runs out.
    """

    memory: int = 4096 * MIB
    processes: int = 512
    open_files: int = 4096
    file_size: int = 1024 * MIB
    home_size: int = 1024 * MIB
    scratch_size: int = 512 * MIB
    niceness: int = 5
    oom_score: int = 500

    @classmethod
    def of(cls, spec: DesktopSpec) -> Limits:
        """Return the limits of a desktop that may use `spec.memory_mb` MiB."""
        memory = spec.memory_mb * MIB
        return cls(
            memory=memory,
            file_size=memory // 4,
            home_size=memory // 4,
            scratch_size=memory // 8,
        )

    def command(self) -> tuple[str, ...]:
        """Return the start of a command line that runs the rest of it under these limits."""
        return (
            *("/usr/bin/choom", "-n", str(self.oom_score), "--"),
            *("/usr/bin/nice", "-n", str(self.niceness)),
            "/usr/bin/prlimit",
            f"--data={self.memory}",
            f"--nproc={self.processes}",
            f"--nofile={self.open_files}",
            f"--fsize={self.file_size}",
            "--core=0",
            "--",
        )
