"""OSWorld's own paths, in the forms its client uses."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from tests.guest._guest import wait_for

if TYPE_CHECKING:
    from tests.guest._guest import Guest

pytestmark = pytest.mark.desktop

EVERY_BYTE = bytes(range(256)) + b"\r\n--\r\n\r\n"


def post(guest: Guest, where: str, **body: Any) -> Any:
    answer = guest.http.post(where, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json() if answer.headers["content-type"] == "application/json" else answer.text


def test_screenshot_is_a_png(guest: Guest) -> None:
    answer = guest.http.get("/screenshot")
    assert answer.headers["content-type"] == "image/png"
    with Image.open(io.BytesIO(answer.content)) as image:
        assert image.size == (1280, 800)


def test_accessibility_is_a_tree(guest: Guest) -> None:
    tree = ET.fromstring(guest.http.get("/accessibility").json()["AT"])
    assert tree.tag == "desktop-frame"


def test_screen_size_and_cursor_position(guest: Guest) -> None:
    guest.run("pyautogui.moveTo(12, 34)")
    assert post(guest, "/screen_size") == {"width": 1280, "height": 800}
    assert guest.http.get("/cursor_position").json() == [12, 34]


def test_platform_is_linux(guest: Guest) -> None:
    assert guest.http.get("/platform").text == "Linux"


@pytest.mark.parametrize("path", ["/execute", "/setup/execute"])
@pytest.mark.parametrize(
    ("command", "shell", "output"),
    [
        (["echo", "a  b", "$HOME"], False, "a  b $HOME\n"),
        ("echo 'a  b' c", False, "a  b c\n"),
        ("echo a | tr a b", True, "b\n"),
        (["echo a | tr a b"], True, "b\n"),
        (["python", "-c", "print(6 * 7)"], False, "42\n"),
        (["python3", "-c", "import pyautogui; print(pyautogui.size().width)"], False, "1280\n"),
    ],
)
def test_execute_takes_lists_texts_and_shell_lines(
    guest: Guest, path: str, command: Any, shell: bool, output: str
) -> None:
    answer = post(guest, path, command=command, shell=shell)
    assert answer == {"status": "success", "output": output, "error": "", "returncode": 0}


def test_execute_reports_a_failing_command_as_executed(guest: Guest) -> None:
    answer = post(guest, "/execute", command=["sh", "-c", "echo bad >&2; exit 5"])
    assert answer == {"status": "success", "output": "", "error": "bad\n", "returncode": 5}


def test_execute_tells_what_cannot_be_started(guest: Guest) -> None:
    answer = guest.http.post("/execute", json={"command": ["no-such-program"]})
    assert answer.status_code == 500
    assert answer.json()["status"] == "error"
    assert "no-such-program" in answer.json()["message"]


def test_execute_gives_a_home_to_a_path_that_begins_with_a_tilde(guest: Guest) -> None:
    assert post(guest, "/execute", command=["echo", "~/x"])["output"] == f"{guest.home}/x\n"


def test_pyautogui_through_execute_types_any_character(guest: Guest) -> None:
    answer = post(guest, "/execute", command=["python", "-c", "import pyautogui; pyautogui.press('entr')"])
    assert "did you mean 'enter'" in answer["error"]


def test_run_python_runs_source(guest: Guest) -> None:
    answer = post(guest, "/run_python", code="for i in range(2):\n    print(i)\n")
    assert (answer["status"], answer["output"], answer["return_code"]) == ("success", "0\n1\n", 0)


def test_run_python_tells_an_exception(guest: Guest) -> None:
    answer = post(guest, "/run_python", code="1 / 0")
    assert (answer["status"], answer["return_code"]) == ("error", 1)
    assert "ZeroDivisionError" in answer["error"]


def test_a_bash_script_runs_once_and_its_stderr_stands_in_the_output(guest: Guest) -> None:
    script = "echo once >> counter\necho out\necho err >&2\ncat <<'END'\nlast $HOME\nEND\n"
    answer = post(guest, "/run_bash_script", script=script, timeout=10, working_dir=str(guest.home))
    assert answer == {"status": "success", "output": "out\nerr\nlast $HOME\n", "error": "", "returncode": 0}
    assert (guest.home / "counter").read_text() == "once\n"


def test_a_failing_bash_script_is_answered_with_200(guest: Guest) -> None:
    assert post(guest, "/run_bash_script", script="exit 3")["returncode"] == 3


def test_a_hanging_bash_script_is_cut_and_told_so_that_it_is_not_sent_again(guest: Guest) -> None:
    answer = post(guest, "/run_bash_script", script="echo began; sleep 1000", timeout=0.3)
    assert (answer["status"], answer["output"], answer["returncode"]) == ("error", "began\n", -1)
    assert "timed out after 0.3 seconds" in answer["error"]


def test_a_file_is_asked_for_by_form(guest: Guest) -> None:
    (guest.home / "a+b %ü.bin").write_bytes(EVERY_BYTE)
    answer = guest.http.post("/file", data={"file_path": str(guest.home / "a+b %ü.bin")})
    assert answer.content == EVERY_BYTE
    assert guest.http.post("/file", data={"file_path": "~/no-such-file"}).status_code == 404


def test_a_file_is_uploaded_by_form(guest: Guest) -> None:
    target = guest.home / "made" / "uploaded ü.bin"
    answer = guest.http.post(
        "/setup/upload", data={"file_path": str(target)}, files={"file_data": ("uploaded.bin", EVERY_BYTE)}
    )
    assert answer.status_code == 200
    assert target.read_bytes() == EVERY_BYTE


@pytest.mark.parametrize("missing", ["file_path", "file_data"])
def test_an_upload_without_a_part_is_refused(guest: Guest, missing: str) -> None:
    files = {"file_path": b"~/x", "file_data": b"x"}
    del files[missing]
    answer = guest.http.post("/setup/upload", files=files)
    assert answer.status_code == 400
    assert missing in answer.json()["error"]["message"]


def test_windows_are_launched_activated_and_closed(guest: Guest) -> None:
    for name in ("one", "two"):
        (guest.home / name).write_text("x")
        post(guest, "/setup/launch", command=["mousepad", "--disable-server", f"~/{name}"])
        wait_for("the window", lambda name=name: [w for w in listed(guest) if name in w["title"]])
    post(guest, "/setup/activate_window", window_name="one - mousepad")
    wait_for("the focus", lambda: [w for w in listed(guest) if "one" in w["title"] and w["active"]])
    for name in ("one", "two"):
        post(guest, "/setup/close_window", window_name=f"~/{name} - Mousepad", strict=True)
    wait_for("the end", lambda: not listed(guest))


def listed(guest: Guest) -> list[Any]:
    found: list[Any] = guest.get("windows")["windows"]
    return found


def test_a_window_that_is_not_there_cannot_be_closed(guest: Guest) -> None:
    assert guest.http.post("/setup/close_window", json={"window_name": "no such window"}).status_code == 404


def test_a_file_is_opened_in_its_application(guest: Guest) -> None:
    (guest.home / "opened.txt").write_text("x")
    post(guest, "/setup/open_file", path="~/opened.txt")
    assert "opened" in listed(guest)[0]["title"]
    guest.kill("mousepad")


def test_a_file_that_no_application_opens_is_told(guest: Guest) -> None:
    (guest.home / "unknown").write_bytes(EVERY_BYTE)
    answer = guest.http.post("/setup/open_file", json={"path": "~/unknown"})
    assert answer.status_code == 500
    assert "no application here opens files of the type" in answer.json()["error"]["message"]


def test_an_execute_that_hangs_is_cut_and_told_so_that_it_is_not_sent_again(
    guest: Guest, tmp_path_factory: pytest.TempPathFactory
) -> None:
    code = (
        "from guest import osworld\n"
        "osworld.COMMAND_LIMIT = 0.3\n"
        "class Request:\n"
        "    fields = {'command': ['sh', '-c', 'echo began; sleep 1000']}\n"
        "    def field(self, name, kind, default):\n        return self.fields.get(name, default)\n"
        "answer = osworld.OsworldRoutes(None).execute(Request())\n"
        "print(answer.status, answer.body.decode())\n"
    )
    done = guest.post("run", command=["python3", "-c", code], timeout=30)
    assert done["stdout"].startswith("200 ")
    assert '"output": "began\\n"' in done["stdout"]
    assert "timed out after 0.3 seconds" in done["stdout"]


def test_the_text_of_a_terminal_is_read(guest: Guest) -> None:
    command = ["xfce4-terminal", "--disable-server", "-x", "sh", "-c", "echo a word; sleep 1000"]
    post(guest, "/setup/launch", command=command)
    wait_for("its text", lambda: "a word" in (guest.http.get("/terminal").json()["output"] or ""))
    guest.kill("xfce4-terminal")


def test_a_folder_is_listed_as_a_tree(guest: Guest) -> None:
    (guest.home / "tree" / "deep").mkdir(parents=True)
    (guest.home / "tree" / "deep" / "leaf").touch()
    assert post(guest, "/list_directory", path="~/tree")["directory_tree"] == {
        "type": "directory",
        "name": "tree",
        "children": [
            {"type": "directory", "name": "deep", "children": [{"type": "file", "name": "leaf"}]},
        ],
    }


def test_the_desktop_folder_is_named_when_it_is_there(guest: Guest) -> None:
    assert guest.http.post("/desktop_path").status_code == 404
    (guest.home / "Desktop").mkdir()
    assert post(guest, "/desktop_path") == {"desktop_path": str(guest.home / "Desktop")}
