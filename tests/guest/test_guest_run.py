"""Commands that run to their end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.guest._guest import Guest

pytestmark = pytest.mark.desktop


def test_a_command_gets_its_input_and_no_shell(guest: Guest) -> None:
    done = guest.post("run", command=["sed", "s/$(id)/x/;s/a/b/"], input="a ü\n", timeout=10)
    assert done == {"stdout": "b ü\n", "stderr": "", "exit_code": 0, "timed_out": False}


def test_a_failing_command_is_an_answer(guest: Guest) -> None:
    done = guest.post("run", command=["sh", "-c", "echo bad >&2; exit 9"], timeout=10)
    assert (done["stderr"], done["exit_code"]) == ("bad\n", 9)


def test_a_hanging_command_is_cut_with_its_children(guest: Guest) -> None:
    done = guest.post("run", command=["sh", "-c", "echo began; sleep 1000 | sleep 1000"], timeout=0.3)
    assert (done["stdout"], done["timed_out"]) == ("began\n", True)


def test_a_command_does_not_wait_for_what_it_leaves_behind(guest: Guest) -> None:
    done = guest.post("run", command=["sh", "-c", "sleep 1000 & echo $!"], timeout=60)
    assert not done["timed_out"]
    assert guest.post("run", command=["kill", done["stdout"].strip()], timeout=5)["exit_code"] == 0


def test_more_output_than_a_pipe_holds_comes_whole(guest: Guest) -> None:
    done = guest.post("run", command=["seq", "100000"], timeout=30)
    assert done["stdout"].split() == [str(n) for n in range(1, 100_001)]


def test_a_program_that_is_not_installed_is_told(guest: Guest) -> None:
    status, kind, message = guest.refused("run", command=["no-such-program"])
    assert (status, kind) == (500, "launch_failed")
    assert "'no-such-program'" in message
