"""What a call of shutdown, systemctl, sudo and their like asks for, read from its arguments as the real program would.

| program | asks for |
|---|---|
| `shutdown` | `off` now, `schedule` for later, `cancel` (`-c`), `notify` (`-k`, `--show`) |
| `poweroff`, `halt`, `reboot` | `off` |
| `systemctl`, `loginctl` | `off`; `mask`, `unmask`; `stop` (and disable, cancel, kill); `other` |
| `systemd-inhibit` | `inhibit` (a shutdown) or `run` (against something else), and a program to run; else `other` |
| `sudo` | `as_root`, and a program to run |
| `at`, `crontab` | `job` |
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

_OFF_VERBS = ("poweroff", "halt", "reboot", "kexec", "soft-reboot")
_STOP_VERBS = ("stop", "disable", "cancel", "kill")
_UNITS = re.compile(r"shutdown|poweroff|halt|reboot|final", re.IGNORECASE)
_SUDO_VALUES = ("-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "-R", "--user", "--group", "--prompt")
_INHIBIT_VALUES = ("--what", "--who", "--why", "--mode")


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for.

    Attributes:
        kind: a word of the table above.
        units: those of the words that name a unit of the shutdown, for `mask`, `unmask` and `stop`.
        seconds: from now, for `schedule`.
        command: the program to run, for `inhibit`, `run` and `as_root`.
    """

    kind: str
    units: tuple[str, ...] = ()
    seconds: float = 0.0
    command: tuple[str, ...] = ()


def read_call(program: str, arguments: list[str]) -> Asked:
    """Return what a call asks for; `other` where it has nothing to do with the power."""
    if program == "shutdown":
        return _read_shutdown(arguments)
    if program in ("poweroff", "halt", "reboot"):
        return Asked("other" if "--help" in arguments or "--version" in arguments else "off")
    if program in ("systemctl", "loginctl"):
        return _read_systemctl(arguments)
    if program == "systemd-inhibit":
        return _read_inhibit(arguments)
    if program == "sudo":
        return Asked("as_root", command=_program(arguments, _SUDO_VALUES))
    return Asked("job" if program in ("at", "crontab") else "other")


def _read_shutdown(arguments: list[str]) -> Asked:
    flags = {letter for word in arguments if re.fullmatch(r"-[a-zA-Z]+", word) for letter in word[1:]}
    if "c" in flags:
        return Asked("cancel")
    if "k" in flags or {"--show", "--help"} & set(arguments):
        return Asked("notify")
    when = next((word for word in arguments if not word.startswith("-")), "+1")
    seconds = _seconds_until(when)
    if seconds is None:
        return Asked("other")
    return Asked("schedule", seconds=seconds) if seconds else Asked("off")


def _seconds_until(when: str) -> float | None:
    """Return the seconds from now to a time as `shutdown` takes it, None where it is none."""
    if when == "now":
        return 0.0
    if minutes := re.fullmatch(r"\+?(\d{1,6})", when):
        return 60.0 * int(minutes[1])
    if clock := re.fullmatch(r"(\d{1,2}):(\d{2})", when):
        here = time.localtime()
        at = 3600 * int(clock[1]) + 60 * int(clock[2])
        return float((at - 3600 * here.tm_hour - 60 * here.tm_min - here.tm_sec) % 86_400)
    return None


def _read_systemctl(arguments: list[str]) -> Asked:
    verb, *names = [word for word in arguments if not word.startswith("-")] or [""]
    units = tuple(name for name in names if _UNITS.search(name))
    if verb in _OFF_VERBS or (verb in ("start", "isolate") and units):
        return Asked("off")
    if verb in ("mask", "unmask") and units:
        return Asked(verb, units=units)
    if verb in _STOP_VERBS and units:
        return Asked("stop", units=units)
    return Asked("other")


def _read_inhibit(arguments: list[str]) -> Asked:
    command = _program(arguments, _INHIBIT_VALUES)
    options = arguments[: len(arguments) - len(command)]
    if not command or {"--list", "--help", "-h", "--version"} & set(options):
        return Asked("other")
    held_up = re.findall(r"--what[= ](\S+)", " ".join(options)) or ["idle:sleep:shutdown"]
    return Asked("inhibit" if "shutdown" in held_up[-1].split(":") else "run", command=command)


def _program(arguments: list[str], with_value: tuple[str, ...]) -> tuple[str, ...]:
    """Return what follows the options and the settings of the environment."""
    rest = list(arguments)
    while rest and (rest[0].startswith("-") or re.match(r"\w+=", rest[0])):
        word = rest.pop(0)
        if word == "--":
            break
        if word in with_value and rest:
            rest.pop(0)
    return tuple(rest)
