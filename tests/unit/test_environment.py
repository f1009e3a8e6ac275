"""The environment, read while another thread changes it."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.environment import environment, undisturbed

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "PYTEST_ROGUE_TEST_COMES_AND_GOES"
READINGS = 3000


@contextmanager
def a_variable_that_comes_and_goes() -> Iterator[None]:
    over = threading.Event()

    def change() -> None:
        while not over.is_set():
            os.environ[NAME] = "here"
            os.environ.pop(NAME, None)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_the_environment_is_read_while_a_variable_comes_and_goes() -> None:
    with a_variable_that_comes_and_goes():
        read = [environment() for _ in range(READINGS)]
    assert all(found["PATH"] == os.environ["PATH"] for found in read)


def test_a_library_that_finds_a_variable_gone_looks_again() -> None:
    answers = iter([KeyError(NAME), KeyError(NAME), None])

    def read() -> str:
        if (fault := next(answers)) is not None:
            raise fault
        return "found"

    assert undisturbed(read) == "found"


def test_what_is_always_missing_is_told() -> None:
    with pytest.raises(KeyError, match="NOWHERE"):
        undisturbed(lambda: os.environ["NOWHERE_" + NAME])
