"""What calls of the shutdown's programs ask for."""

from __future__ import annotations

import pytest

from pytest_rogue.guest import power_command
from pytest_rogue.guest.power_language import Asked, read_call


@pytest.mark.parametrize(
    "call",
    [
        "shutdown now",
        "shutdown -h now",
        "shutdown -P +0 maintenance",
        "shutdown -r now",
        "poweroff",
        "poweroff -f",
        "halt",
        "reboot",
        "systemctl poweroff",
        "systemctl --force --force poweroff",
        "systemctl isolate poweroff.target",
        "systemctl start reboot.target",
        "loginctl poweroff",
    ],
)
def test_these_switch_off(call: str) -> None:
    program, *arguments = call.split()
    assert read_call(program, arguments) == Asked("off")


@pytest.mark.parametrize("call", ["shutdown -c", "shutdown -hc", "shutdown -c never mind"])
def test_these_cancel(call: str) -> None:
    program, *arguments = call.split()
    assert read_call(program, arguments) == Asked("cancel")


@pytest.mark.parametrize(("call", "seconds"), [("", 60), ("-h", 60), ("+5", 300), ("-r +60 later", 3600), ("7", 420)])
def test_a_shutdown_for_later_is_scheduled(call: str, seconds: int) -> None:
    assert read_call("shutdown", call.split()) == Asked("schedule", seconds=seconds)


def test_a_time_of_the_clock_is_at_most_a_day_away() -> None:
    asked = read_call("shutdown", ["23:59"])
    assert asked.kind in ("off", "schedule")
    assert 0 <= asked.seconds < 86_400


@pytest.mark.parametrize(
    ("call", "asked"),
    [
        ("systemctl mask poweroff.target cups.service", Asked("mask", units=("poweroff.target",))),
        ("systemctl --now mask systemd-poweroff.service", Asked("mask", units=("systemd-poweroff.service",))),
        ("systemctl unmask poweroff.target", Asked("unmask", units=("poweroff.target",))),
        ("systemctl stop shutdown-notice.timer", Asked("stop", units=("shutdown-notice.timer",))),
        ("systemctl disable systemd-halt", Asked("stop", units=("systemd-halt",))),
    ],
)
def test_units_of_the_shutdown_are_masked_and_stopped(call: str, asked: Asked) -> None:
    program, *arguments = call.split()
    assert read_call(program, arguments) == asked


@pytest.mark.parametrize(
    "call",
    [
        "systemctl",
        "systemctl status",
        "systemctl mask cups.service",
        "systemctl stop ssh",
        "shutdown soon",
        "loginctl list-sessions",
        "poweroff --help",
        "systemd-inhibit",
        "systemd-inhibit --list",
        "systemd-inhibit --help",
        "systemd-inhibit --version",
        "systemd-inhibit --what=shutdown",
    ],
)
def test_the_rest_has_nothing_to_do_with_the_power(call: str) -> None:
    program, *arguments = call.split()
    assert read_call(program, arguments) == Asked("other")


@pytest.mark.parametrize("call", ["shutdown -k now", "shutdown --show", "shutdown --help"])
def test_these_only_tell(call: str) -> None:
    program, *arguments = call.split()
    assert read_call(program, arguments) == Asked("notify")


@pytest.mark.parametrize(
    ("call", "command"),
    [
        ("sudo shutdown -c", ("shutdown", "-c")),
        ("sudo -S -u root --preserve-env shutdown -c", ("shutdown", "-c")),
        ("sudo LANG=C -- ls -l", ("ls", "-l")),
        ("sudo -n -- ls", ("ls",)),
        ("sudo -i", ()),
    ],
)
def test_sudo_runs_what_follows_its_options(call: str, command: tuple[str, ...]) -> None:
    program, *arguments = call.split()
    assert read_call(program, arguments) == Asked("as_root", command=command)


@pytest.mark.parametrize("options", ["", "--what=shutdown", "--what idle:shutdown", "--why work --mode=block --"])
def test_an_inhibitor_of_the_shutdown_runs_what_follows_its_options(options: str) -> None:
    asked = read_call("systemd-inhibit", [*options.split(), "sleep", "60"])
    assert asked == Asked("inhibit", command=("sleep", "60"))


@pytest.mark.parametrize("options", ["--what=idle", "--what sleep --why shutdown", "--what=handle-lid-switch:idle"])
def test_an_inhibitor_of_something_else_runs_what_follows_its_options(options: str) -> None:
    asked = read_call("systemd-inhibit", [*options.split(), "sleep", "60"])
    assert asked == Asked("run", command=("sleep", "60"))


def test_every_recorded_program_is_understood() -> None:
    kinds = {name: read_call(name, []).kind for name in power_command.NAMES}
    assert [name for name, kind in kinds.items() if kind == "other"] == ["systemctl", "loginctl", "systemd-inhibit"]
