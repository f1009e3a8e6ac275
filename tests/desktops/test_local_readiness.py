"""What the doctor is told about embedded desktops."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.desktops import local_readiness
from pytest_rogue.desktops.local import LocalProvider
from pytest_rogue.desktops.namespaces import namespace_fix
from pytest_rogue.desktops.packages import APT_PACKAGES
from pytest_rogue.desktops.protocol import DesktopSpec, Provider
from pytest_rogue.errors import DesktopStartError

if TYPE_CHECKING:
    from pathlib import Path


def test_the_local_provider_is_a_provider() -> None:
    assert isinstance(LocalProvider(), Provider)


@pytest.mark.desktop
def test_everything_is_ready_where_desktops_run() -> None:
    assert [need for need in LocalProvider().readiness() if not need.ready or need.fix] == []


def test_missing_programs_are_mended_by_one_line_that_names_all_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = local_readiness.PROGRAMS | {"no-such-window-manager": "openbox", "no-such-server": "xvfb"}
    monkeypatch.setattr(local_readiness, "PROGRAMS", programs)
    broken = [need for need in LocalProvider().readiness() if not need.ready]
    assert {need.name for need in broken} == {"no-such-window-manager", "no-such-server"}
    (fix,) = {need.fix for need in broken}
    assert fix == "sudo apt-get install -y --no-install-recommends openbox xvfb"


def test_a_missing_binding_is_found_by_importing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_readiness, "BINDINGS", {"Nonsense 1.0": "gir1.2-nonsense", "no_such": "python3-nonsense"})
    broken = [need for need in LocalProvider().readiness() if not need.ready]
    assert len(broken) == 2
    assert all("gir1.2-nonsense python3-nonsense" in need.fix for need in broken)


def test_a_missing_bubblewrap_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    place_of = local_readiness._place_of
    monkeypatch.setattr(local_readiness, "_place_of", lambda name: None if name == "bwrap" else place_of(name))
    (need,) = [need for need in LocalProvider().readiness() if not need.ready]
    assert (need.name, need.fix) == ("bwrap", "sudo apt-get install -y --no-install-recommends bubblewrap")


def test_a_failing_sandbox_is_told_with_what_it_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_readiness, "namespace_problem", lambda: "bwrap: setting up uid map: Permission denied")
    (need,) = [need for need in LocalProvider().readiness() if need.name == "user namespaces"]
    assert (need.ready, need.found) == (False, "bwrap: setting up uid map: Permission denied")
    assert need.fix


@pytest.mark.parametrize(
    ("setting", "value", "fix"),
    [
        ("kernel/apparmor_restrict_unprivileged_userns", "1\n", "kernel.apparmor_restrict_unprivileged_userns=0"),
        ("kernel/unprivileged_userns_clone", "0\n", "kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0\n", "user.max_user_namespaces=15000"),
    ],
)
def test_a_kernel_setting_that_forbids_user_namespaces_is_told_with_the_line_that_changes_it(
    tmp_path: Path, setting: str, value: str, fix: str
) -> None:
    file = tmp_path / setting
    file.parent.mkdir()
    file.write_text(value)
    assert namespace_fix(tmp_path) == f"sudo sysctl -w {fix}"


def test_a_start_without_the_programs_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_readiness, "PROGRAMS", {"no-such-server": "xvfb"})
    with pytest.raises(DesktopStartError, match=r"needs no-such-server: sudo apt-get install .* xvfb"):
        LocalProvider().start(DesktopSpec())


def test_no_embedded_desktop_lets_sudo_work() -> None:
    assert LocalProvider().missing(["sudo"]) == ["sudo"]


@pytest.mark.desktop
def test_applications_are_looked_for_where_the_desktop_has_them() -> None:
    assert LocalProvider().missing(["mousepad", "no-such-editor", "/bin/sh"]) == ["no-such-editor", "/bin/sh"]


def test_the_package_list_is_printed_on_one_line_by_a_bare_interpreter(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _RUN_ALONE, str(local_readiness.__file__)],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stdout == " ".join(APT_PACKAGES) + "\n"


_RUN_ALONE = """
import pathlib, runpy, sys
sys.path.insert(0, str(pathlib.Path(sys.argv[1]).parents[2]))
runpy.run_module("pytest_rogue.desktops.packages", run_name="__main__")
"""
