"""The folder that goes into a desktop."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_rogue.desktops import bundle as bundles
from pytest_rogue.errors import DesktopStartError

PREPARE = "import sys; from pathlib import Path; from pytest_rogue.desktops.bundle import prepare; "


def prepare_elsewhere(folder: Path, then: str = "") -> subprocess.Popen[str]:
    """Prepare a bundle in a process of its own."""
    code = f"{PREPARE} print(prepare(Path(sys.argv[1])), flush=True); {then}"
    environment = os.environ | {"PYTHONPATH": ":".join([str(Path(bundles.__file__).parents[2]), *sys.path])}
    return subprocess.Popen(
        [sys.executable, "-c", code, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )


def a_bundle_of_another_version(folder: Path, name: str, last_use: int) -> Path:
    path = folder / f"guest-{name}"
    path.mkdir(parents=True)
    os.utime(path, (last_use, last_use))
    return path


def test_the_guests_python_finds_guest_and_pyautogui_in_it(tmp_path: Path) -> None:
    library = bundles.prepare(tmp_path) / "lib"
    code = "import importlib.util as u; print([u.find_spec(n).origin for n in ('guest', 'pyautogui', 'pyscreeze')])"
    done = subprocess.run(
        [bundles.GUEST_PYTHON, "-c", code],
        env={"PYTHONPATH": str(library)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.count(str(library)) == 3


def test_it_is_compiled_for_the_guests_python(tmp_path: Path) -> None:
    library = bundles.prepare(tmp_path) / "lib"
    for source in library.rglob("*.py"):
        assert list((source.parent / "__pycache__").glob(f"{source.stem}.*.pyc")), source


def test_packages_that_would_shadow_the_desktops_own_are_left_out(tmp_path: Path) -> None:
    names = {path.name for path in (bundles.prepare(tmp_path) / "lib").iterdir()}
    assert names == {"guest", "pyautogui", "pymsgbox", "pytweening", "pyscreeze"}


def test_every_user_can_read_it_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        made = bundles.prepare(tmp_path)
    finally:
        os.umask(before)
    for path in (made, *made.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o755 if path.is_dir() or path.parent == made / "bin" else 0o644), path


def test_the_same_content_is_built_once(tmp_path: Path) -> None:
    first = bundles.prepare(tmp_path)
    marker = first / "marker"
    marker.touch()
    assert bundles.prepare(tmp_path) == first
    assert marker.exists()


def test_other_content_gets_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = bundles.prepare(tmp_path)
    monkeypatch.setitem(bundles.ETC_FILES, "hostname", "another\n")
    assert bundles.prepare(tmp_path) != first


def test_processes_that_build_at_once_agree_on_one_complete_folder(tmp_path: Path) -> None:
    builders = [prepare_elsewhere(tmp_path) for _ in range(4)]
    said = {builder.communicate(timeout=120)[0].strip() for builder in builders}
    assert said == {str(bundles.prepare(tmp_path))}
    assert [path.name for path in tmp_path.iterdir()] == [Path(said.pop()).name]


def test_a_builder_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "GUEST_PYTHON", "/bin/false")
    with pytest.raises(DesktopStartError, match="cannot compile"):
        bundles.prepare(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_old_ones_are_removed_but_for_the_last_used(tmp_path: Path) -> None:
    old = [a_bundle_of_another_version(tmp_path, f"{number:016x}", 1_000_000 + number) for number in range(5)]
    made = bundles.prepare(tmp_path)
    assert {path for path in tmp_path.iterdir() if path.name.startswith("guest-")} == {made, *old[-2:]}


def test_one_that_is_in_use_is_never_removed(tmp_path: Path) -> None:
    user = prepare_elsewhere(tmp_path, then="sys.stdin.read()")
    assert user.stdout is not None
    used = Path(user.stdout.readline().strip())
    bundles.prune(tmp_path, kept=0)
    assert used.is_dir()
    user.communicate(timeout=60)
    bundles.prune(tmp_path, kept=0)
    assert not used.exists()


def test_what_a_killed_builder_left_is_removed_in_the_end(tmp_path: Path) -> None:
    left = tmp_path / ".building-abc"
    left.mkdir()
    os.utime(left, (1_000_000, 1_000_000))
    bundles.prepare(tmp_path)
    assert not left.exists()


def test_a_package_that_is_not_installed_is_an_error_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "PURE_PACKAGES", ("pyautogui", "no_such_package_here"))
    with pytest.raises(DesktopStartError, match="no_such_package_here is missing: pip install pyautogui"):
        bundles.guest_sources()


def test_a_cache_that_cannot_be_written_is_an_error_that_says_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_the_way = tmp_path / "a file"
    in_the_way.touch()
    monkeypatch.setattr(bundles, "cache_folder", lambda: in_the_way / "cache")
    bundles.bundle.cache_clear()
    try:
        with pytest.raises(DesktopStartError, match=r"a file/cache.*XDG_CACHE_HOME"):
            bundles.bundle()
    finally:
        bundles.bundle.cache_clear()
