"""What is left of desktops whose owner is dead is found and removed, and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.cli import main
from pytest_rogue.desktops.docker import is_running
from pytest_rogue.desktops.docker_door import HandedDoor, abandoned_doors
from pytest_rogue.desktops.docker_engine import Engine, EngineFault
from pytest_rogue.desktops.local import LocalProvider
from pytest_rogue.desktops.owner import Owner
from pytest_rogue.desktops.reaper import find_leftovers, give_up_dead_leases, remove_leftovers
from pytest_rogue.errors import InfraError
from pytest_rogue.records.leases import LeaseBook
from tests.docker.conftest import IMAGE, RUN, SPEC

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_rogue.desktops.docker import DockerProvider

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("leftovers_are_ours")]

CHECKOUT = Path(__file__).parents[2]

DEAD = replace(Owner.this_process(), started=1)
"""A process that had our id before us."""

CREATE_AND_HANG = f"""
import sys, time
from pytest_rogue.desktops.docker import DockerProvider
from pytest_rogue.desktops.docker_engine import Engine
from tests.docker.conftest import SPEC
def hang(engine, container):
    print(container, flush=True)
    sys.stdin.read()
Engine.start = hang
DockerProvider(image={IMAGE!r}, run_id={RUN!r}, network="internal").start(SPEC)
"""
"""A program that is caught between the creation of a container and its start."""


@pytest.fixture
def left(make_provider: Callable[..., DockerProvider], provider: DockerProvider) -> Iterator[str]:
    """A container that was created and not started, of an owner that is dead."""
    dead = make_provider(owner=DEAD)
    labels = dead._labels("left")
    container = dead.engine.create("pytest-rogue-left", image=dead.image, command=["true"], labels=labels)
    yield container
    provider.engine.remove(container)


def test_leftovers_are_shown_and_not_removed_unless_asked_to(provider: DockerProvider, left: str) -> None:
    (shown,) = remove_leftovers([provider], RUN)
    assert (shown.kind, shown.id, shown.desktop) == ("container", left, "left")
    assert f"of run {RUN}, made by process {os.getpid()}" in str(shown)
    assert provider.engine.state(left) is not None


def test_leftovers_are_removed_when_asked_to(provider: DockerProvider, left: str) -> None:
    assert [leftover.id for leftover in remove_leftovers([provider], RUN, dry_run=False)] == [left]
    assert find_leftovers([provider], RUN) == []


def test_the_desktop_of_a_living_owner_is_never_touched(provider: DockerProvider) -> None:
    desktop = provider.start(SPEC)
    assert remove_leftovers([provider], dry_run=False) == ()
    assert desktop.guest.ready() == ()
    desktop.stop()


def test_what_belongs_to_another_run_is_left_to_it(provider: DockerProvider, left: str) -> None:
    assert remove_leftovers([provider], "another-run", dry_run=False) == ()
    assert provider.engine.state(left) is not None


def test_what_another_machine_made_is_not_touched(make_provider: Callable[..., DockerProvider]) -> None:
    elsewhere = make_provider(owner=replace(DEAD, host="another-machine"))
    container = elsewhere.engine.create(
        "pytest-rogue-elsewhere", image=elsewhere.image, command=["true"], labels=elsewhere._labels("elsewhere")
    )
    assert remove_leftovers([elsewhere], RUN, dry_run=False) == ()
    elsewhere.engine.remove(container)


def test_a_process_killed_between_creation_and_start_leaves_a_container_and_a_network_that_are_found(
    provider: DockerProvider,
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", CREATE_AND_HANG], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=CHECKOUT
    ) as killed:
        assert killed.stdout is not None
        container = killed.stdout.readline().strip()
        assert find_leftovers([provider], RUN) == []
        killed.send_signal(signal.SIGKILL)
        killed.wait(30)
    found = find_leftovers([provider], RUN)
    assert sorted(leftover.kind for leftover in found) == ["container", "network"]
    assert len(abandoned_doors()) == 1
    remove_leftovers([provider], dry_run=False)
    assert (find_leftovers([provider]), is_running(provider.engine.state(container))) == ([], False)


def test_the_door_of_a_killed_process_is_removed(provider: DockerProvider) -> None:
    door = HandedDoor(f"\0pytest-rogue-test-{os.getpid()}", "token")
    folder = door.path.parent
    (folder / "owner").write_text(str(DEAD))
    assert [left.kind for left in find_leftovers([provider]) if left.id == str(folder)] == ["door"]
    remove_leftovers([provider], dry_run=False)
    assert not folder.exists()
    door.close()


def test_an_open_door_is_not_abandoned() -> None:
    door = HandedDoor(f"\0pytest-rogue-test-{os.getpid()}", "token")
    assert door.path.parent not in abandoned_doors()
    door.close()
    assert not door.path.parent.exists()


def test_a_provider_takes_all_of_its_own_along_when_it_closes(make_provider: Callable[..., DockerProvider]) -> None:
    provider = make_provider()
    container = provider.engine.create(
        "pytest-rogue-mine", image=provider.image, command=["true"], labels=provider._labels("mine")
    )
    provider.close()
    assert provider.engine.state(container) is None


def test_one_that_cannot_be_removed_costs_none_of_the_others(
    provider: DockerProvider, left: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = provider.engine.create(
        "pytest-rogue-left-2", image=provider.image, command=["true"], labels=provider._labels("x") | owner_label()
    )
    remove = Engine.remove

    def refuse_one(engine: Engine, container: str) -> None:
        if container == left:
            raise EngineFault("it is stuck")
        remove(engine, container)

    with monkeypatch.context() as patch:
        patch.setattr(Engine, "remove", refuse_one)
        with pytest.raises(InfraError, match=r"1 leftovers could not be removed: container .* it is stuck"):
            remove_leftovers([provider], RUN, dry_run=False)
    assert provider.engine.state(second) is None


def owner_label() -> dict[str, str]:
    return {"pytest-rogue.owner": str(DEAD)}


def test_dead_leases_are_given_up_after_what_they_stand_for_is_removed(
    provider: DockerProvider, left: str, tmp_path: Path
) -> None:
    book = LeaseBook(tmp_path / "run.sqlite", limit=2, spares=0)
    book.take("1", str(DEAD), "docker", "episode")
    book.take("2", str(Owner.this_process()), "docker", "episode")
    assert give_up_dead_leases(book, provider) == 1
    assert [lease.owner for lease in book.taken()] == [str(Owner.this_process())]
    assert provider.engine.state(left) is None


def test_a_provider_that_leaves_nothing_is_passed_over() -> None:
    assert find_leftovers([LocalProvider()]) == []


# --- by command --------------------


def test_the_command_shows_what_is_left_and_removes_it_on_demand_only(
    provider: DockerProvider, left: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["gc", "--run", RUN]) == 0
    shown = capsys.readouterr().out
    assert f"left: container {left} of run {RUN}, made by process {os.getpid()}" in shown
    assert "pytest-rogue gc --remove" in shown
    assert provider.engine.state(left) is not None
    assert main(["gc", "--run", RUN, "--remove"]) == 0
    assert f"removed: container {left}" in capsys.readouterr().out
    assert main(["gc", "--run", RUN]) == 0
    assert capsys.readouterr().out == "nothing is left behind\n"
