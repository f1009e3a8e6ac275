"""The pool, with embedded desktops and with containers; and the leases that bound it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.desktops.local import LocalProvider
from pytest_rogue.desktops.owner import Owner
from pytest_rogue.desktops.pool import Pool, PoolSize, free_memory
from pytest_rogue.errors import DesktopStartError, InfraError
from pytest_rogue.records.leases import LeaseBook
from pytest_rogue.records.store import RunStore
from tests.docker.conftest import IMAGE, RUN, SPEC
from tests.host_processes import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rogue.desktops.protocol import Desktop, DesktopSpec, Provider

CHECKOUT = Path(__file__).parents[2]
GIB = 1024**3

DEAD = replace(Owner.this_process(), started=1)
"""A process that had our id before us."""

ACQUIRE_AND_WAIT = f"""
import sys
from pathlib import Path
from pytest_rogue.desktops.docker import DockerProvider
from pytest_rogue.desktops.pool import Pool
from pytest_rogue.records.leases import LeaseBook
from tests.docker.conftest import SPEC
pool = Pool(DockerProvider(image={IMAGE!r}, run_id={RUN!r}), LeaseBook(Path(sys.argv[1]), limit=4, spares=0))
desktop = pool.acquire(SPEC)
desktop.guest.write_file("~/mine", sys.argv[2].encode())
print(desktop.id, flush=True)
sys.stdin.read()
print(desktop.guest.read_file("~/mine").decode(), flush=True)
pool.release(desktop)
pool.close()
"""
"""A worker that takes a desktop, says which, and gives it back at the end of its input."""


@pytest.fixture(
    params=[pytest.param("local", marks=pytest.mark.desktop), pytest.param("docker", marks=pytest.mark.docker)]
)
def any_provider(request: pytest.FixtureRequest) -> Provider:
    provider: Provider = LocalProvider() if request.param == "local" else request.getfixturevalue("provider")
    return provider


@pytest.fixture
def make_book(tmp_path: Path) -> Callable[..., LeaseBook]:
    return lambda limit=3, spares=1: LeaseBook(tmp_path / "run.sqlite", limit=limit, spares=spares)


class Watched:
    """A provider that counts what it has started and can be made to fail."""

    def __init__(self, provider: Provider) -> None:
        self.name = provider.name
        self.started: list[Desktop] = []
        self.broken = threading.Event()
        self._provider = provider

    def readiness(self) -> Any:
        return self._provider.readiness()

    def missing(self, apps: Any) -> Any:
        return self._provider.missing(apps)

    def start(self, spec: DesktopSpec) -> Desktop:
        if self.broken.is_set():
            raise DesktopStartError("it is broken")
        desktop = self._provider.start(spec)
        self.started.append(desktop)
        return desktop


# --- a warm desktop --------------------


def test_the_next_desktop_is_ready_when_it_is_wanted(
    any_provider: Provider, make_book: Callable[..., LeaseBook]
) -> None:
    provider = Watched(any_provider)
    with Pool(provider, make_book()) as pool:
        first = pool.acquire(SPEC)
        assert wait_until(lambda: len(provider.started) == 2)
        second = pool.acquire(SPEC)
        assert second is provider.started[1]
        assert second.guest.step(0, None).screenshot
        pool.release(first)
        pool.release(second)
    assert [desktop.alive() for desktop in provider.started] == [False] * len(provider.started)


def test_a_used_desktop_is_replaced_and_never_seen_again(
    any_provider: Provider, make_book: Callable[..., LeaseBook]
) -> None:
    with Pool(any_provider, make_book()) as pool:
        first = pool.acquire(SPEC)
        first.guest.write_file("~/mine", b"1")
        pool.release(first)
        second = pool.acquire(SPEC)
        assert second.id != first.id
        assert "mine" not in second.guest.run(["ls", "/home/user"]).stdout


def test_a_spare_of_another_kind_is_not_given_out(any_provider: Provider, make_book: Callable[..., LeaseBook]) -> None:
    with Pool(any_provider, make_book()) as pool:
        pool.prepare(SPEC)
        desktop = pool.acquire(replace(SPEC, width=800, height=600))
        assert desktop.guest.info().screen == (800, 600)


def test_a_spare_that_died_is_replaced_before_anybody_sees_it(
    any_provider: Provider, make_book: Callable[..., LeaseBook]
) -> None:
    provider = Watched(any_provider)
    with Pool(provider, make_book()) as pool:
        pool.prepare(SPEC)
        assert wait_until(lambda: len(provider.started) == 1)
        provider.started[0].stop()
        desktop = pool.acquire(SPEC)
        assert desktop is not provider.started[0]
        assert desktop.guest.ready() == ()


def test_a_spare_that_did_not_start_costs_no_episode(
    any_provider: Provider, make_book: Callable[..., LeaseBook]
) -> None:
    provider = Watched(any_provider)
    book = make_book()
    with Pool(provider, book) as pool:
        provider.broken.set()
        pool.prepare(SPEC)
        provider.broken.clear()
        assert pool.acquire(SPEC).guest.ready() == ()
    assert book.taken() == ()


def test_a_desktop_that_cannot_start_is_an_error_and_keeps_no_lease(
    any_provider: Provider, make_book: Callable[..., LeaseBook]
) -> None:
    provider, book = Watched(any_provider), make_book()
    provider.broken.set()
    with Pool(provider, book) as pool, pytest.raises(DesktopStartError, match="it is broken"):
        pool.acquire(SPEC)
    assert book.taken() == ()


# --- the end --------------------


def test_a_closed_pool_has_no_desktop_no_lease_and_no_thread(
    any_provider: Provider, make_book: Callable[..., LeaseBook]
) -> None:
    provider, book = Watched(any_provider), make_book()
    pool = Pool(provider, book)
    pool.acquire(SPEC)
    pool.close()
    pool.close()
    assert [desktop.alive() for desktop in provider.started] == [False] * len(provider.started)
    assert book.taken() == ()
    assert wait_until(
        lambda: (
            not [
                thread
                for thread in threading.enumerate()
                if "pytest-rogue-" in thread.name[:13] and thread.name != "pytest-rogue-sandboxes"
            ]
        )
    )
    with pytest.raises(DesktopStartError, match="closed"):
        pool.acquire(SPEC)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # sockets of a library we cut short
def test_ctrl_c_while_a_desktop_is_waited_for_leaves_nothing(
    any_provider: Provider, make_book: Callable[..., LeaseBook]
) -> None:
    provider, book = Watched(any_provider), make_book()
    threading.Timer(0.1, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        use_many(Pool(provider, book))
    assert [desktop for desktop in provider.started if desktop.alive()] == []
    assert book.taken() == ()


def test_a_desktop_that_is_just_starting_for_another_thread_goes_when_the_pool_is_closed(
    any_provider: Provider, make_book: Callable[..., LeaseBook]
) -> None:
    provider, book = Watched(any_provider), make_book(spares=0)
    pool = Pool(provider, book)
    with ThreadPoolExecutor(1) as threads:
        begun = threads.submit(pool.acquire, SPEC)
        wait_until(lambda: bool(book.taken()))
        pool.close()
    assert begun.exception() is None or isinstance(begun.exception(), DesktopStartError)
    assert [desktop for desktop in provider.started if desktop.alive()] == []
    assert book.taken() == ()


def use_many(pool: Pool) -> None:
    with pool:
        for _ in range(100):
            pool.release(pool.acquire(SPEC))


def test_a_desktop_that_was_not_removed_is_told_at_the_end_and_keeps_its_lease(
    any_provider: Provider, make_book: Callable[..., LeaseBook], monkeypatch: pytest.MonkeyPatch
) -> None:
    book = make_book(spares=0)
    pool = Pool(any_provider, book)
    desktop = pool.acquire(SPEC)

    def refuse(_: Desktop) -> None:
        raise InfraError("the engine is down")

    with monkeypatch.context() as patch:
        patch.setattr(type(desktop), "stop", refuse)
        pool.release(desktop)
        with pytest.raises(InfraError, match=r"1 desktops were not removed.*the engine is down"):
            pool.close()
    assert len(book.taken()) == 1
    desktop.stop()


# --- the bound --------------------


def test_never_more_desktops_than_allowed_over_all_pools(
    any_provider: Provider, make_book: Callable[..., LeaseBook]
) -> None:
    most = 0
    book = make_book(limit=3, spares=1)

    def work(pool: Pool) -> None:
        nonlocal most
        for _ in range(3):
            desktop = pool.acquire(SPEC)
            most = max(most, len(book.taken()))
            assert desktop.guest.ready() == ()
            pool.release(desktop)
        pool.close()

    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(work, Pool(any_provider, book)) for _ in range(2)]:
            done.result()
    assert most <= 3
    assert book.taken() == ()


def test_spares_leave_a_desktop_for_every_worker(make_book: Callable[..., LeaseBook]) -> None:
    book = make_book(limit=3, spares=1)
    assert book.take("1", "one", "local", "spare")
    assert not book.take("2", "two", "local", "spare")
    assert [book.take(lease, "two", "local", "episode") for lease in ("3", "4", "5")] == [True, True, False]


def test_waiting_for_a_desktop_ends_with_what_to_do(make_book: Callable[..., LeaseBook]) -> None:
    book = make_book(limit=1, spares=0)
    book.take("1", str(Owner.this_process()), "local", "episode")
    with (
        Pool(LocalProvider(), book, patience=0.2) as pool,
        pytest.raises(DesktopStartError, match="--rogue-max-desktops"),
    ):
        pool.acquire(SPEC)


@pytest.mark.desktop
def test_the_leases_of_a_killed_worker_are_given_up(make_book: Callable[..., LeaseBook]) -> None:
    book = make_book(limit=1, spares=0)
    book.take("1", str(DEAD), "local", "episode")
    with Pool(LocalProvider(), book, patience=30) as pool:
        assert pool.acquire(SPEC).guest.ready() == ()


def test_leases_stand_beside_the_results_in_the_runs_store(tmp_path: Path) -> None:
    with RunStore(tmp_path / "run.sqlite") as store:
        store.set_meta("started", "now")
        book = LeaseBook(tmp_path / "run.sqlite", limit=1, spares=0)
        assert book.take("1", "me", "local", "episode")
        assert [(taken.owner, taken.provider, taken.use) for taken in book.taken()] == [("me", "local", "episode")]
        book.give_back("1")
        book.give_back("1")
        assert store.get_meta("started") == "now"


def test_a_run_folder_that_is_gone_is_said_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InfraError, match="cannot be used"):
        LeaseBook(tmp_path / "gone" / "run.sqlite", limit=1, spares=0)


@pytest.mark.docker
def test_four_workers_that_start_together_get_four_desktops(tmp_path: Path) -> None:
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", ACQUIRE_AND_WAIT, str(tmp_path / "run.sqlite"), str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=CHECKOUT,
        )
        for number in range(4)
    ]
    said = [worker.communicate(timeout=120)[0].split() for worker in workers]
    assert [words[1] for words in said] == ["0", "1", "2", "3"]
    assert len({words[0] for words in said}) == 4
    assert [worker.returncode for worker in workers] == [0, 0, 0, 0]


# --- the size --------------------


@pytest.mark.parametrize(
    ("workers", "memory", "most", "expected"),
    [
        (1, 24 * GIB, None, PoolSize(3, 1)),
        (8, 24 * GIB, None, PoolSize(24, 8)),
        (8, 10 * GIB, None, PoolSize(10, 2)),
        (8, 2 * GIB, None, PoolSize(8, 0)),
        (8, 24 * GIB, 4, PoolSize(4, 0)),
        (2, 24 * GIB, 3, PoolSize(3, 1)),
    ],
)
def test_the_size_follows_workers_memory_and_what_is_allowed(
    workers: int, memory: int, most: int | None, expected: PoolSize
) -> None:
    assert PoolSize.of(workers, memory, most) == expected


def test_free_memory_is_what_the_kernel_says() -> None:
    assert 0 < free_memory() < os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


# --- owners --------------------


def test_an_owner_is_read_back_from_its_text() -> None:
    assert Owner.parse(str(Owner.this_process())) == Owner.this_process()
    assert Owner.parse("something else") is None


@pytest.mark.parametrize(
    ("change", "dead"),
    [
        ({}, False),
        ({"started": 1}, True),
        ({"boot": "0" * 32}, True),
        ({"host": "another-machine", "boot": "0" * 32}, False),
        ({"namespace": "pid:[1]", "pid": 2**22}, False),
    ],
    ids=["this process", "its id was used again", "before a reboot", "another machine", "another container"],
)
def test_an_owner_is_dead_only_where_that_is_certain(change: dict[str, Any], dead: bool) -> None:
    assert replace(Owner.this_process(), **change).is_dead() is dead


def test_an_owner_that_was_killed_is_dead_before_its_parent_has_looked() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        owner = Owner._of(child.pid)
        assert not owner.is_dead()
        child.kill()
        assert wait_until(owner.is_dead)
