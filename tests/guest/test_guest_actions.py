"""Every action runs alone: fresh, bounded, reported, and without harm to the next."""

from __future__ import annotations

import pytest

from tests.guest._guest import Guest, wait_for

pytestmark = pytest.mark.desktop


def test_what_an_action_prints_comes_back(guest: Guest) -> None:
    done = guest.run("import sys\nprint('to stdout')\nprint('to stderr', file=sys.stderr)")
    assert (done["stdout"], done["stderr"], done["exit_code"]) == ("to stdout\n", "to stderr\n", 0)


def test_pyautogui_and_time_are_imported_already(guest: Guest) -> None:
    done = guest.run("pyautogui.moveTo(300, 200)\ntime.sleep(0)\nprint(*pyautogui.position())")
    assert done["stdout"] == "300 200\n"


def test_code_of_many_lines_runs_as_a_program_would(guest: Guest) -> None:
    code = (
        "def double(x):\n    return 2 * x\n\nfor i in range(3):\n    if i:\n        print(double(i))\nprint(__name__)\n"
    )
    assert guest.run(code)["stdout"] == "2\n4\n__main__\n"


def test_no_pause_and_no_failsafe_unless_the_code_wants_them(guest: Guest) -> None:
    code = "pyautogui.moveTo(0, 0)\npyautogui.moveTo(5, 5)\nprint(pyautogui.PAUSE, pyautogui.FAILSAFE)"
    assert guest.run(code)["stdout"] == "0 False\n"


def test_an_action_starts_fresh(guest: Guest) -> None:
    guest.run("left_over = 1\nimport os\nos.environ['LEFT_OVER'] = 'x'\nos.chdir('/')\npyautogui.PAUSE = 3")
    code = "import os\nprint('left_over' in globals(), 'LEFT_OVER' in os.environ, os.getcwd(), pyautogui.PAUSE)"
    assert guest.run(code)["stdout"] == f"False False {guest.home} 0\n"


def test_a_syntax_error_is_told_as_python_tells_it(guest: Guest) -> None:
    done = guest.run("print('never')\nif True print(1)")
    assert (done["stdout"], done["exit_code"]) == ("", 1)
    assert "SyntaxError" in done["stderr"]
    assert "line 2" in done["stderr"]


def test_a_traceback_shows_the_line_and_nothing_of_the_guest(guest: Guest) -> None:
    done = guest.run("x = 0\nprint(1 / x)")
    assert done["exit_code"] == 1
    assert "print(1 / x)" in done["stderr"]
    assert done["stderr"].endswith("ZeroDivisionError: division by zero\n")
    assert "guest" not in done["stderr"]


def test_a_wrong_key_is_told_without_the_frames_of_the_guest(guest: Guest) -> None:
    told = guest.run("pyautogui.press('entr')")["stderr"]
    assert "pyautogui.press('entr')" in told
    assert "keyboard.py" not in told


def test_an_action_imports_from_the_folder_it_runs_in(guest: Guest) -> None:
    (guest.home / "own_module.py").write_text("value = 7")
    assert guest.run("import own_module\nprint(own_module.value)")["stdout"] == "7\n"


@pytest.mark.parametrize(
    ("code", "exit_code", "stderr"),
    [
        ("import os\nprint('said', end='', flush=True)\nos._exit(7)", 7, ""),
        ("import sys\nsys.exit(3)", 3, ""),
        ("import sys\nsys.exit('gone')", 1, "gone\n"),
        ("raise SystemExit", 0, ""),
        ("import os\nos.kill(os.getpid(), 11)", -11, ""),
        ("import ctypes\nctypes.string_at(0)", -11, ""),
    ],
)
def test_an_action_may_end_itself_in_any_way(guest: Guest, code: str, exit_code: int, stderr: str) -> None:
    done = guest.run(code)
    assert (done["exit_code"], done["stderr"], done["timed_out"]) == (exit_code, stderr, False)
    assert guest.run("print('next')")["stdout"] == "next\n"


def test_an_endless_action_is_cut_at_its_limit(guest: Guest) -> None:
    done = guest.run("print('began')\nwhile True:\n    pass", timeout=0.5)
    assert done["timed_out"]
    assert done["stdout"] == "began\n"
    assert "0.5 s" in done["note"]
    assert guest.run("print('next')")["stdout"] == "next\n"


def test_a_cut_action_takes_its_process_group_along(guest: Guest) -> None:
    done = guest.run("import subprocess\nprint(subprocess.Popen(['sleep', '1000']).pid)\ntime.sleep(1000)", timeout=1)
    assert done["timed_out"]
    gone = ["sh", "-c", 'test ! -e "/proc/$1" || grep -q "^State:.Z" "/proc/$1/status"', "sh", done["stdout"].strip()]
    wait_for("the end of the child", lambda: guest.post("run", command=gone, timeout=5)["exit_code"] == 0)


def test_an_action_that_ignores_signals_is_cut_too(guest: Guest) -> None:
    code = "import signal\nfor n in (1, 2, 15):\n    signal.signal(n, signal.SIG_IGN)\nwhile True:\n    pass"
    assert guest.run(code, timeout=0.5)["timed_out"]


def test_endless_output_is_cut_with_a_note(guest: Guest) -> None:
    done = guest.run("while True:\n    print('x' * 9999)", timeout=1)
    assert done["timed_out"]
    assert 65_536 <= len(done["stdout"]) < 66_000
    assert "more bytes were written]" in done["stdout"]


def test_much_output_at_once_loses_no_byte_below_the_limit(guest: Guest) -> None:
    done = guest.run("import sys\nsys.stdout.write('o' * 65536)\nsys.stderr.write('e' * 65536)")
    assert (done["stdout"], done["stderr"]) == ("o" * 65_536, "e" * 65_536)


def test_output_that_is_no_text_is_replaced(guest: Guest) -> None:
    assert guest.run("import os\nos.write(1, b'a\\xff\\0b')")["stdout"] == "a\ufffd\0b"


@pytest.mark.parametrize("how", ["", ", start_new_session=True"])
def test_a_program_started_by_an_action_survives_it_and_may_go_on_writing(guest: Guest, how: str) -> None:
    script = "sleep 0.2; echo still here >&2; touch ~/survived; sleep 1000"
    done = guest.run(f"import subprocess\nprint(subprocess.Popen(['sh', '-c', {script!r}]{how}).pid)")
    assert not done["timed_out"]
    wait_for("the program", (guest.home / "survived").exists)
    assert guest.post("run", command=["kill", done["stdout"].strip()], timeout=5)["exit_code"] == 0
    (guest.home / "survived").unlink()


def test_an_action_waits_for_its_threads_and_exit_functions(guest: Guest) -> None:
    code = (
        "import atexit, threading\n"
        "atexit.register(print, 'at exit')\n"
        "threading.Thread(target=lambda: (time.sleep(0.1), print('thread'))).start()\n"
    )
    assert guest.run(code)["stdout"] == "thread\nat exit\n"


def test_an_action_that_kills_the_process_it_was_forked_from_is_reported_and_the_next_runs(guest: Guest) -> None:
    done = guest.run("import os\nos.kill(os.getppid(), 9)\ntime.sleep(1000)")
    assert done["exit_code"] is None
    assert done["note"]
    assert guest.run("print('next')")["stdout"] == "next\n"


def test_nothing_can_be_read_from_standard_input(guest: Guest) -> None:
    assert "EOFError" in guest.run("input()")["stderr"]


def test_a_click_off_the_screen_is_told(guest: Guest) -> None:
    done = guest.run("pyautogui.moveTo(5000, 20)\nprint(*pyautogui.position())")
    assert done["stdout"] == "1279 20\n"
    assert "(5000, 20) is outside the screen of 1280x800" in done["stderr"]


def test_pyautogui_takes_screenshots(guest: Guest) -> None:
    assert guest.run("print(pyautogui.screenshot().size)")["stdout"] == "(1280, 800)\n"


def test_wait_lets_time_pass(guest: Guest) -> None:
    before = guest.step()["clock"]
    answer = guest.step(action={"kind": "wait", "seconds": 0.2})
    assert answer["clock"] - before >= 0.2
    assert answer["result"]["exit_code"] == 0
