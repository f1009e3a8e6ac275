"""Stands in the desktop for shutdown, poweroff, systemctl, sudo and their like (`power_language`).

It tells the guest what it was asked and does what the guest answers: writes, ends with an exit code, or becomes another
program. It is run by the system's Python as a file of its own and imports the standard library only.

`python3 power_command.py --install FOLDER [FOLDER ...]` puts it under all its names into the first folder, and in the
place of every program of these names but sudo that the other folders hold. While no guest listens, and a real program
of the name is left, it becomes that one.
"""

import contextlib
import getopt
import json
import os
import socket
import sys
from typing import Any, NoReturn

JOB_OPTIONS = {"at": "bcdf:lmMq:rt:vV", "crontab": "eilnrT:u:V"}
"""Programs that take a job -> their options, those with a value marked by a colon."""

NAMES = (
    "shutdown",
    "poweroff",
    "halt",
    "reboot",
    "systemctl",
    "loginctl",
    "systemd-inhibit",
    "sudo",
    "at",
    "crontab",
)
LAUNCHER = '#!/bin/sh\nexec /usr/bin/python3 -I /opt/guest/guest/power_command.py "${0##*/}" "$@"\n'
"""Text of the program of every name; it knows the name by which it was called."""

INPUT_LIMIT = 1 << 14
PATIENCE = 10.0


def main() -> None:
    """Do what is asked."""
    name, *arguments = sys.argv[1:]
    if name == "--install":
        install(*arguments)
        return
    answer = ask({"program": name, "arguments": arguments, "input": read_job(name, arguments)})
    if answer is None:
        become_real(name, arguments)
    sys.stdout.write(answer["stdout"])
    sys.stderr.write(answer["stderr"])
    sys.stdout.flush()
    if answer["run"]:
        try:
            os.execvp(answer["run"][0], answer["run"])  # noqa: S606 - a list, no shell
        except OSError as error:
            sys.exit(f"{name}: {answer['run'][0]}: {error.strerror}")
    sys.exit(answer["exit_code"])


def read_job(name: str, arguments: list[str]) -> str:
    """Return the text of the job that is to be planned: that of the file which is named, else the input; often none."""
    if name not in JOB_OPTIONS:
        return ""
    try:
        options, rest = getopt.gnu_getopt(arguments, JOB_OPTIONS[name])
    except getopt.GetoptError:
        options, rest = [], []
    file = dict(options).get("-f", "-") if name == "at" else next(iter(rest), "-")
    if file == "-":
        return "" if sys.stdin.isatty() else sys.stdin.read(INPUT_LIMIT)
    with contextlib.suppress(OSError), open(file, encoding="utf-8", errors="replace") as job:  # noqa: PTH123 - see install
        return job.read(INPUT_LIMIT)
    return ""


def ask(call: dict[str, object]) -> Any:
    """Return the guest's answer, None where no guest listens."""
    folder = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    with contextlib.suppress(OSError, ValueError), socket.socket(socket.AF_UNIX) as door:
        door.settimeout(PATIENCE)
        door.connect(f"{folder}/power")
        door.sendall(json.dumps(call).encode() + b"\n")
        text = b""
        while part := door.recv(1 << 16):
            text += part
        return json.loads(text)
    return None


def become_real(name: str, arguments: list[str]) -> NoReturn:
    """Become the real program of the name; where there is none, end as on a machine whose power nobody manages."""
    real = f"/usr/bin/{name}"
    with contextlib.suppress(OSError), open(real, "rb") as file:  # noqa: PTH123 - see install
        if file.read(len(LAUNCHER)) != LAUNCHER.encode():
            os.execv(real, [name, *arguments])  # noqa: S606 - a list, no shell
    sys.exit(f"{name}: cannot be used here: there is no system manager")


def install(folder: str, *others: str) -> None:
    """Write the launcher under all its names, and in the place of what `others` hold under them."""
    os.makedirs(folder, exist_ok=True)  # noqa: PTH103 - as every command of a shell, it starts faster without pathlib
    for name in NAMES:
        taken = [f"{other}/{name}" for other in others if name != "sudo" and os.path.lexists(f"{other}/{name}")]
        for place in (f"{folder}/{name}", *taken):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(place)  # noqa: PTH108 - what a link leads to stays as it is
            with open(place, "w", encoding="ascii") as file:  # noqa: PTH123
                file.write(LAUNCHER)
            os.chmod(place, 0o755)  # noqa: PTH101, S103 - everybody may call it


if __name__ == "__main__":
    main()
