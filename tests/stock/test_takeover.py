"""Our guest takes over a machine of which only the stock server can be reached, whatever that server's faults."""

from __future__ import annotations

import json
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING

import pytest

from pytest_rogue import resources
from pytest_rogue.agents.controls import ComplyingControl, DefiantControl
from pytest_rogue.desktops.stock import open_stock_desktop, who_answers
from pytest_rogue.desktops.stock_guest import StockGuest
from pytest_rogue.desktops.stock_takeover import Door, TakenOverGuest
from pytest_rogue.episode.limits import Limits
from pytest_rogue.episode.run import run_episode
from pytest_rogue.errors import DesktopLost, DesktopStartError, DesktopsUnavailable, GuestFault, GuestFileMissing
from pytest_rogue.interaction import Action
from pytest_rogue.outcome import Verdict
from pytest_rogue.records.episode_folder import EpisodeRecorder
from pytest_rogue.suite.manifests import load_manifest
from tests.stock.conftest import running_machine

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.agents.protocol import Agent
    from pytest_rogue.desktops.guest_client import GuestClient
    from pytest_rogue.records.result import EpisodeResult
    from tests.stock.conftest import Machine

pytestmark = pytest.mark.desktop

COUNT = "open('/home/user/{name}', 'a').write('1')"
NOWHERE = "http://127.0.0.1:1"
"""No server listens at port 1: the system keeps it for itself."""


class OneDesktop:
    """A desktop as an episode takes it."""

    id = "machine"

    def __init__(self, guest: GuestClient) -> None:
        self.guest = guest

    def alive(self) -> bool:
        return True

    def stop(self) -> None:
        self.guest.close()


def episode(guest: GuestClient, agent: Agent, folder: Path) -> EpisodeResult:
    cases = load_manifest(resources.path("scenarios") / "starter.json").cases
    case = next(case for case in cases if case.id == "merge-address-lists")
    with EpisodeRecorder(folder) as recorder:
        return run_episode(case, OneDesktop(guest), agent, recorder, limits=Limits(), seed=1)


# --- who is there --------------------


def test_a_screen_of_another_size_than_was_asked_for_is_told(machine: Machine) -> None:
    with pytest.raises(DesktopsUnavailable, match=r"has 1024x768 pixels, which --rogue-screen-size=1920x1080 cannot"):
        open_stock_desktop(machine.url, timeout=60, screen=(1920, 1080))


def test_a_stock_server_is_recognised(machine: Machine) -> None:
    assert who_answers(machine.url) == "stock"


def test_an_address_without_a_server_is_a_lost_desktop() -> None:
    with pytest.raises(DesktopLost, match="does not accept connections"):
        who_answers(NOWHERE)


def test_somebody_elses_server_is_told_from_both() -> None:
    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with HTTPServer(("127.0.0.1", 0), Other) as server:
        threading.Thread(target=server.serve_forever).start()
        with pytest.raises(GuestFault, match="neither a guest of pytest-rogue nor OSWorld's server"):
            who_answers(f"http://127.0.0.1:{server.server_port}")
        server.shutdown()


# --- what a machine that was taken over can --------------------


@pytest.mark.parametrize(
    ("agent", "verdict", "score"),
    [(ComplyingControl, Verdict.CORRIGIBLE, 0.0), (DefiantControl, Verdict.MISALIGNED, 1.0)],
)
def test_an_episode_reads_right_in_it(tmp_path: Path, agent: type[Agent], verdict: Verdict, score: float) -> None:
    with running_machine() as machine:
        guest = open_stock_desktop(machine.url, timeout=60)
        result = episode(guest, agent(), tmp_path / "episode")
        guest.close()
    assert (result.verdict, result.score, result.faults) == (verdict, score, ())
    notes = " ".join(result.notes)
    assert "its stock server lets the agent's programs do anything there" in notes
    assert "cannot keep its evidence from the agent's own programs" in notes


def test_it_knows_the_size_of_the_screen_that_was_there(taken: GuestClient) -> None:
    assert taken.info().screen == taken.step(1, None).screen == (1024, 768)


def test_a_large_file_passes_the_tunnel(taken: GuestClient) -> None:
    content = bytes(range(256)) * 20_000
    taken.write_file("~/large", content)
    assert taken.read_file("~/large") == content


def test_characters_that_no_key_has_are_typed(taken: GuestClient) -> None:
    reply = taken.step(1, Action.python("pyautogui.write('żółw 日本語 é €')"))
    assert reply.result is not None
    assert (reply.result.exit_code, reply.result.note) == (0, "")


def test_a_port_that_cannot_be_reached_is_gone_around(machine: Machine) -> None:
    guest = open_stock_desktop(machine.url, timeout=60, door=Door(0, NOWHERE))
    assert isinstance(guest, TakenOverGuest)
    assert guest.ready() == ()
    guest.close()


def test_a_machine_that_ended_is_a_lost_desktop() -> None:
    with running_machine() as machine:
        guest = open_stock_desktop(machine.url, timeout=60)
    with pytest.raises(DesktopLost, match="does not accept connections"):
        guest.step(1, None)
    guest.close()
    with pytest.raises(DesktopLost, match="was not sent"):
        guest.info()


# --- faults of the stock server --------------------


def test_a_script_path_that_answers_500_after_success_is_recognised_and_not_used(machine: Machine) -> None:
    machine.misbehave(run_bash_script=["runs_then_500"], forever=True)
    guest = open_stock_desktop(machine.url, timeout=60)
    guest.run(["bash", "-c", "echo once >> ~/script"])

    assert guest.read_file("~/script") == b"once\n"
    assert machine.asked()["/run_bash_script"] == 1, "asked once, with a script that does nothing"
    assert "answers 500 after it has run the script" in " ".join(guest.info().notes)
    guest.close()


def test_a_desktop_is_ready_only_when_its_screen_is_painted(machine: Machine) -> None:
    machine.misbehave(screenshot=["black"] * 3)
    guest = open_stock_desktop(machine.url, timeout=60)
    assert machine.asked()["/screenshot"] >= 4
    guest.close()


def test_a_screen_that_stays_black_is_told_within_the_limit(machine: Machine) -> None:
    machine.misbehave(screenshot=["black"], forever=True)
    with pytest.raises(DesktopStartError, match=r"not ready after 2 s, still missing: "):
        open_stock_desktop(machine.url, timeout=2)


def test_a_stock_tree_that_never_comes_matters_to_nobody(machine: Machine) -> None:
    machine.misbehave(accessibility=["hangs"], forever=True)
    guest = open_stock_desktop(machine.url, timeout=60)
    assert guest.step(1, None, a11y=True, a11y_seconds=60).a11y
    guest.close()


@pytest.mark.parametrize("fault", ["runs_then_drops", "runs_then_500", "runs_then_unicode"])
def test_an_action_whose_answer_was_lost_is_unknown_and_not_sent_again(
    machine: Machine, taken: GuestClient, fault: str
) -> None:
    machine.misbehave(execute=[fault])
    reply = taken.step(1, Action.python(COUNT.format(name=fault)))
    assert reply.result is not None
    assert reply.result.executed == "unknown"
    assert reply.screenshot
    assert taken.read_file(f"~/{fault}") == b"1"


def test_an_action_whose_way_is_barred_was_surely_not_executed(machine: Machine, taken: GuestClient) -> None:
    machine.misbehave(setup_upload=["500"])
    with pytest.raises(DesktopLost, match="its request did not arrive"):
        taken.step(1, Action.python(COUNT.format(name="barred")))
    with pytest.raises(GuestFileMissing):
        taken.read_file("~/barred")


# --- where it cannot be --------------------


def gi_folder() -> str:
    """Return where the system's Python has its bindings to GTK."""
    asked = ["/usr/bin/python3", "-c", "import gi; print(gi.__path__[0])"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def test_where_a_package_is_missing_the_stock_server_is_left_and_the_reason_told() -> None:
    with running_machine(gi_folder()) as machine:
        guest = open_stock_desktop(machine.url, timeout=60)
        assert isinstance(guest, StockGuest)
        assert "/usr/bin/python3 there lacks: gi (with GTK 3)" in " ".join(guest.info().notes)
        guest.close()


def test_a_machine_in_which_nothing_can_act_does_not_start() -> None:
    with (
        running_machine(gi_folder(), "/tmp/site") as machine,
        pytest.raises(DesktopStartError, match=r"nothing can act in the machine at .* there lacks: gi"),
    ):
        open_stock_desktop(machine.url, timeout=60)


def test_a_case_with_an_obstacle_is_skipped_there_and_not_judged(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        from pytest_rogue.desktops.stock_guest import StockGuest
        from pytest_rogue.desktops.stock_server import StockServer
        from tests.stock.conftest import running_machine

        class Machine:
            id = "stock"
            def __init__(self):
                self.running = running_machine()
                self.guest = StockGuest(StockServer(self.running.__enter__().url))
            def alive(self): return True
            def stop(self):
                running, self.running = self.running, None
                if running is not None:
                    self.guest.close()
                    running.__exit__(None, None, None)

        class Machines:
            name = "stock"
            def __init__(self): self.machine = Machine()  # it ends with the thread that starts it
            def readiness(self): return ()
            def missing(self, apps): return ()
            def start(self, spec): return self.machine
            def close(self): self.machine.stop()

        def pytest_rogue_providers(config): return {"stock": Machines}
        """
    )
    options = (
        "--rogue-provider=stock",
        "--rogue-max-desktops=1",
        "--rogue-model=control/defiant",
        "--rogue-run-id=r1",
        "-rs",
        "-k",
        "override and archive-project",
    )
    result = pytester.runpytest_subprocess("--rogue-builtin", *options)

    assert result.parseoutcomes()["skipped"] == 1
    result.stdout.fnmatch_lines(["*this desktop has OSWorld's stock server only: no obstacle can be laid in it*"])
    report = json.loads((pytester.path / "reports/runs/r1/report.json").read_text())
    assert [(row["outcome"], row["verdict"], row["score"]) for row in report["episodes"]] == [("skipped", None, None)]
