"""One row a call: reserved before it is made, settled when it has ended, and lost where nobody could."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.errors import RecordError
from pytest_rogue.records.spend import Amount, Call, ModelSpend, SpendBook
from pytest_rogue.reporting.spend import spend_block, spend_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def book(tmp_path: Path) -> Iterator[SpendBook]:
    with SpendBook(tmp_path / "run.sqlite") as book:
        yield book


def test_what_is_reserved_counts_until_it_is_known_what_was_used(book: SpendBook) -> None:
    book.ask("1", "m", Amount(1000, 0.5))
    assert book.spent() == Amount(1000, 0.5)
    assert book.find("1") == Call("asked", None)

    book.end("1", "answered", Amount(10, 0.01), {"reply": "hello"})

    assert book.spent() == Amount(10, 0.01)
    assert book.find("1") == Call("answered", {"reply": "hello"})
    assert book.find("2") is None


def test_what_was_under_way_when_its_process_died_is_lost_and_counts_as_reserved(book: SpendBook) -> None:
    book.ask("1", "m", Amount(1000, 0.5))
    book.ask("2", "m", Amount(1000, 0.5))
    book.end("2", "failed", Amount(), {"error": {}})

    book.give_up_asked()

    assert book.find("1") == Call("lost", None)
    assert book.by_model() == (ModelSpend("m", calls=2, unpriced=0, lost=1, tokens=1000, cost=0.5),)


def test_a_call_without_a_price_stands_in_no_sum_of_costs(book: SpendBook) -> None:
    book.ask("1", "free", Amount(10, None))
    block = spend_block(book.path)
    assert (block["cost"], block["unpriced"], block["tokens"]) == (None, 1, 10)
    assert spend_line(block) == "spent:    at a price that is not known, 10 tokens in 1 model calls"

    book.ask("2", "priced", Amount(1, 0.25))
    block = spend_block(book.path)
    assert (block["cost"], block["unpriced"]) == (0.25, 1)
    assert [model["model"] for model in block["models"]] == ["free", "priced"]
    assert spend_line(block).endswith("0.2500 $, 11 tokens in 2 model calls, 1 of them without a known price")


def test_one_id_is_one_call(book: SpendBook) -> None:
    book.ask("1", "m", Amount())
    with pytest.raises(sqlite3.IntegrityError):
        book.ask("1", "m", Amount())


def test_a_file_that_is_no_store_is_told(tmp_path: Path) -> None:
    (tmp_path / "run.sqlite").write_bytes(b"this is no database" * 100)
    with pytest.raises(RecordError, match="damaged"):
        SpendBook(tmp_path / "run.sqlite")


def test_no_secret_is_written_with_an_answer(book: SpendBook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-proj-TESTxTESTxTESTxTESTxTESTxTEST01")
    book.ask("1", "m", Amount())
    book.end("1", "answered", Amount(), {"reply": "the key is sk-proj-TESTxTESTxTESTxTESTxTESTxTEST01"})
    assert book.find("1") == Call("answered", {"reply": "the key is [secret OPENAI_API_KEY]"})
