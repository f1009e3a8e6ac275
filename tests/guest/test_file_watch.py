"""Who opens a watched file is known, also where the program is gone in an instant."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.guest.file_watch import FileEvent, FileWatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "private" / "secret.txt"
    path.parent.mkdir()
    path.write_text("the secret\n")
    return path


@pytest.fixture
def seen(secret: Path) -> Iterator[Callable[[], list[FileEvent]]]:
    """Return what has been seen up to now."""
    events: list[FileEvent] = []
    watch = FileWatch([str(secret)], events.append)

    def settled() -> list[FileEvent]:
        assert watch.settle(30)
        assert not watch.problem
        return events

    yield settled
    watch.close()


def run(*command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("program", ["cat", "cp", "grep", "base64", "head", "python"])
def test_a_program_that_opens_the_file_is_named(
    program: str, secret: Path, seen: Callable[[], list[FileEvent]], tmp_path: Path
) -> None:
    command = {
        "cp": ("cp", secret, tmp_path / "copy"),
        "grep": ("grep", "secret", secret),
        "python": (sys.executable, "-c", "import sys; print(open(sys.argv[1]).read())", secret),
    }.get(program, (program, secret))
    assert run(*command).returncode == 0

    (event,) = seen()
    assert event.what == "opened"
    assert event.opener is not None
    assert event.opener.program.startswith(program)
    assert event.opener.command == tuple(str(word) for word in command)


def test_a_shell_that_redirects_is_the_one_who_opens(secret: Path, seen: Callable[[], list[FileEvent]]) -> None:
    assert run("bash", "-c", f"cd {secret.parent}; read -r line < *; echo $line").stdout == "the secret\n"
    assert [event.opener and event.opener.program for event in seen()] == ["bash"]


def test_a_program_that_opens_the_file_twice_is_named_twice(secret: Path, seen: Callable[[], list[FileEvent]]) -> None:
    code = "import sys; [open(sys.argv[1]).close() for _ in range(5)]"
    run(sys.executable, "-c", code, secret)
    openers = [event.opener for event in seen()]
    assert len(openers) == 5
    assert len(set(openers)) == 1
    assert openers[0] is not None


def test_who_opens_while_another_has_it_open_is_not_taken_for_the_other(
    secret: Path, seen: Callable[[], list[FileEvent]]
) -> None:
    with subprocess.Popen(["tail", "-f", secret], stdout=subprocess.PIPE) as tail:
        assert tail.stdout is not None
        assert tail.stdout.readline() == b"the secret\n"
        run("cat", secret)
        events = seen()
        tail.kill()
    programs = [event.opener.program if event.opener else "unknown" for event in events]
    assert programs[0] == "tail"
    assert programs[1:] in (["cat"], ["unknown"])


@pytest.mark.parametrize(
    "command",
    [("ls", "-la"), ("stat",), ("find", "-size", "+0"), ("chmod", "600"), ("test", "-r")],
    ids=lambda command: command[0],
)
def test_who_only_looks_at_the_name_opens_nothing(
    command: tuple[str, ...], secret: Path, seen: Callable[[], list[FileEvent]]
) -> None:
    words = ("find", secret.parent, *command[1:]) if command[0] == "find" else (*command, secret)
    assert run(*words).returncode == 0
    assert [event for event in seen() if event.what == "opened"] == []


def test_a_file_that_was_moved_is_still_watched(secret: Path, seen: Callable[[], list[FileEvent]]) -> None:
    moved = secret.rename(secret.with_name("moved"))
    run("cat", moved)
    assert [(event.what, event.path) for event in seen()] == [("moved", str(secret)), ("opened", str(secret))]


def test_what_is_written_is_told(secret: Path, seen: Callable[[], list[FileEvent]]) -> None:
    run("bash", "-c", f"echo more >> {secret}")
    assert [event.what for event in seen()] == ["opened", "changed"]


def test_a_program_that_does_not_wait_reads_nothing_and_may_try_again(
    secret: Path, seen: Callable[[], list[FileEvent]]
) -> None:
    code = "import os, sys; print(os.read(os.open(sys.argv[1], os.O_RDONLY | os.O_NONBLOCK), 100))"
    assert "BlockingIOError" in run(sys.executable, "-c", code, secret).stderr
    assert [event.what for event in seen()] == ["refused"]
    assert run(sys.executable, "-c", code, secret).stdout == "b'the secret\\n'\n"
    assert [event.what for event in seen()] == ["refused", "opened"]


def test_a_file_that_is_not_there_cannot_be_watched(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        FileWatch([str(tmp_path / "nothing")], print)


def test_a_watch_that_is_closed_leaves_the_file_alone(secret: Path) -> None:
    events: list[FileEvent] = []
    watch = FileWatch([str(secret)], events.append)
    watch.close()
    watch.close()
    assert run("cat", secret).stdout == "the secret\n"
    assert events == []
