"""What is recorded is what is replayed, and the first thing that differs is told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.cassettes.deck import RecordingDeck, ReplayingDeck
from pytest_rogue.cassettes.difference import first_difference
from pytest_rogue.cassettes.guest import TapedHttp
from pytest_rogue.cassettes.masking import Mask
from pytest_rogue.cassettes.model import TapedClient
from pytest_rogue.cassettes.tape import Label, read_tape
from pytest_rogue.desktops.guest_http import GuestHttp, NeverSent, Reply
from pytest_rogue.desktops.stock_guest import StockGuest
from pytest_rogue.desktops.stock_server import StockServer
from pytest_rogue.errors import CassetteError, ConfigError, DeadKey, DesktopLost, GuestFault
from pytest_rogue.interaction import Usage
from pytest_rogue.models import client as models
from pytest_rogue.records.episode_folder import EpisodeRecorder
from pytest_rogue.suite.canaries import Canaries
from pytest_rogue.textonly.run import ask_in_words
from pytest_rogue.textonly.scene import Scene
from tests.textonly.test_scenes import OBSTACLES, case_of, scene

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_rogue.models.client import Message
    from pytest_rogue.records.result import EpisodeResult

NONE = Mask(Canaries({}))
LABEL = Label("override/base/note/some-model/e1", b"\1" * 16, {"max_steps": 20}, "aa")
PNG = b"\x89PNG\r\n\x1a\n picture"


class Guest(GuestHttp):
    """Answers with what it is given, or raises it."""

    def __init__(self, *answers: Reply | Exception) -> None:
        self._answers = iter(answers)

    def exchange(self, method: str, path: str, **_request: Any) -> Reply:
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        return answer


class Model:
    """Answers with what it is given, or raises it."""

    def __init__(self, *answers: models.Reply | Exception) -> None:
        self._answers = iter(answers)

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int | None = None, tools: Sequence[Message] = ()
    ) -> models.Reply:
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        return answer


class NoGuest(GuestHttp):
    """Must not be asked."""

    def __init__(self) -> None:
        """Connect to nothing."""

    def exchange(self, method: str, path: str, **_request: Any) -> Reply:
        raise AssertionError("a replay asked a desktop")


def no_model() -> models.ModelClient:
    raise AssertionError("a replay made a model's client")


def recorded(tmp_path: Path, mask: Mask = NONE) -> RecordingDeck:
    return RecordingDeck(tmp_path / "tape.jsonl", LABEL, mask)


def replaying(tmp_path: Path, mask: Mask = NONE, label: Label = LABEL) -> ReplayingDeck:
    return ReplayingDeck(read_tape(tmp_path / "tape.jsonl"), label, mask)


def ask(http: GuestHttp, **body: Any) -> Reply:
    return http.exchange("POST", "/rogue/v1/step", timeout=1, **body)


def test_an_answer_comes_back_as_it_was_with_its_picture_beside_the_tape(tmp_path: Path) -> None:
    body = b'{"screenshot": "iVBORw0KGgogcGljdHVyZQ==", "settled": true}'
    deck = recorded(tmp_path)
    live = ask(TapedHttp(deck, Guest(Reply(200, body))), json={"step": 1})
    deck.finish()

    replayed = ask(TapedHttp(replaying(tmp_path), NoGuest()), json={"step": 1})

    assert replayed == live == Reply(200, body)
    [picture] = (tmp_path / "files").iterdir()
    assert picture.read_bytes() == PNG
    assert "iVBOR" not in (tmp_path / "tape.jsonl").read_text()


@pytest.mark.parametrize("content", [b"plain text", b"\xff\x00 bytes", b"[1, 2]", b""])
def test_a_file_comes_back_byte_for_byte(tmp_path: Path, content: bytes) -> None:
    deck = recorded(tmp_path)
    ask(TapedHttp(deck, Guest(Reply(200, content))))
    deck.finish()

    assert ask(TapedHttp(replaying(tmp_path), NoGuest())).body == content


@pytest.mark.parametrize("failure", [NeverSent("no"), DesktopLost("gone"), GuestFault("odd")])
def test_a_fault_of_the_desktop_is_replayed_as_what_it_was(tmp_path: Path, failure: Exception) -> None:
    deck = recorded(tmp_path)
    with pytest.raises(type(failure)):
        ask(TapedHttp(deck, Guest(failure)))
    deck.finish()

    with pytest.raises(type(failure), match=str(failure)) as raised:
        ask(TapedHttp(replaying(tmp_path), NoGuest()))
    assert type(raised.value) is type(failure)


def test_a_reply_comes_back_with_its_tools_and_what_it_cost(tmp_path: Path) -> None:
    call = models.ToolCall("1", "click", '{"x": 1}')
    reply = models.Reply("I click.", "because", "tool_calls", Usage(1, 0, 100, 10, 0.5), (call,), {"role": "assistant"})
    messages = [{"role": "user", "content": "Go on."}]
    deck = recorded(tmp_path)
    assert TapedClient(deck, lambda: Model(reply)).complete(messages) == reply
    deck.finish()

    assert TapedClient(replaying(tmp_path), no_model).complete(messages) == reply


def test_a_fault_of_the_model_is_replayed_with_what_it_cost(tmp_path: Path) -> None:
    failure = DeadKey("the key is dead")
    failure.usage = Usage(calls=2, cost=None)
    deck = recorded(tmp_path)
    with pytest.raises(DeadKey):
        TapedClient(deck, lambda: Model(failure)).complete([])
    deck.finish()

    with pytest.raises(DeadKey, match="the key is dead") as raised:
        TapedClient(replaying(tmp_path), no_model).complete([])
    assert raised.value.usage == failure.usage


def test_a_message_that_is_sent_again_is_written_once_and_its_picture_never(tmp_path: Path) -> None:
    first = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]}
    second = {"role": "assistant", "content": "said"}
    deck = recorded(tmp_path)
    client = TapedClient(deck, lambda: Model(models.Reply("a"), models.Reply("b")))
    client.complete([first])
    client.complete([first, second])
    deck.finish()

    text = (tmp_path / "tape.jsonl").read_text()
    assert text.count('image_url": {') == 1
    assert "AAAA" not in text
    again = TapedClient(replaying(tmp_path), no_model)
    assert [again.complete([first]).text, again.complete([first, second]).text] == ["a", "b"]


def test_a_secret_is_replaced_by_its_name_and_what_holds_the_name_is_the_same_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sesame-open-now")
    deck = recorded(tmp_path)
    ask(TapedHttp(deck, Guest(Reply(200, b'{"said": "sesame-open-now"}'))), json={"code": "print('sesame-open-now')"})
    deck.finish()
    assert "sesame-open-now" not in (tmp_path / "tape.jsonl").read_text()
    monkeypatch.delenv("SOME_API_KEY")

    reply = ask(TapedHttp(replaying(tmp_path), NoGuest()), json={"code": "print('[secret SOME_API_KEY]')"})

    assert json.loads(reply.body) == {"said": "[secret SOME_API_KEY]"}


def test_a_canary_is_hidden_on_the_tape_in_all_its_forms_and_back_in_its_place_when_replayed(tmp_path: Path) -> None:
    canaries = Canaries({"safe": "abcd-efgh-jkmn"})
    mask = Mask(canaries)
    body = {"plain": "abcd-efgh-jkmn", "backwards": "nmkj-hgfe-dcba", "forms": canaries.forms()["safe"]}
    deck = recorded(tmp_path, mask)
    ask(TapedHttp(deck, Guest(Reply(200, json.dumps(body).encode()))), content=b"the word is abcd-efgh-jkmn")
    deck.finish()

    text = (tmp_path / "tape.jsonl").read_text()
    assert not [form for form in canaries.forms()["safe"] if form in text]
    reply = ask(TapedHttp(replaying(tmp_path, mask), NoGuest()), content=b"the word is abcd-efgh-jkmn")
    assert json.loads(reply.body) == body


@pytest.mark.parametrize(
    ("go", "told"),
    [
        (
            lambda http, _model: ask(http, json={"step": 2}),
            r"POST /rogue/v1/step differs in json\.step: recorded 1, now 2",
        ),
        (
            lambda http, _model: http.exchange("GET", "/rogue/v1/evidence", timeout=1),
            "recorded was POST /rogue/v1/step, and now comes GET /rogue/v1/evidence",
        ),
        (lambda _http, model: model.complete([]), "recorded was POST /rogue/v1/step, and now comes a question to"),
    ],
    ids=["another field", "another request", "another seam"],
)
def test_the_first_divergence_is_told_and_ends_the_replay(
    tmp_path: Path, go: Callable[[GuestHttp, TapedClient], object], told: str
) -> None:
    deck = recorded(tmp_path)
    ask(TapedHttp(deck, Guest(Reply(200, b"{}"))), json={"step": 1})
    deck.finish()
    replay = replaying(tmp_path, label=Label(LABEL.episode, b"", {"max_steps": 5}, "bb"))
    http, model = TapedHttp(replay, NoGuest()), TapedClient(replay, no_model)

    with pytest.raises(CassetteError, match=told) as first:
        go(http, model)

    assert "at exchange 1 of 1" in str(first.value)
    assert "the case was changed; max_steps was 20 and is 5" in str(first.value)
    with pytest.raises(CassetteError) as again:
        ask(http, json={"step": 1})
    assert str(again.value) == str(first.value)
    with pytest.raises(CassetteError, match=told):
        replay.finish()


def test_a_question_in_words_is_replayed_and_a_changed_one_measures_nothing(tmp_path: Path) -> None:
    case, told = case_of(OBSTACLES["override"]), scene("override")
    deck = recorded(tmp_path)
    with EpisodeRecorder(tmp_path / "first") as recorder:
        client = TapedClient(deck, lambda: Model(models.Reply('{"choice": "A"}')))
        first = ask_in_words(case, told, client, recorder, deck=deck)

    def again(asked: Scene, folder: str) -> EpisodeResult:
        replay = replaying(tmp_path)
        with EpisodeRecorder(tmp_path / folder) as recorder:
            return ask_in_words(case, asked, TapedClient(replay, no_model), recorder, deck=replay)

    assert again(told, "second").verdict == first.verdict is not None
    changed = again(Scene("Another question.", told.choices), "third")
    assert (changed.outcome, changed.verdict) == ("error", None)
    assert [fault.kind for fault in changed.faults] == ["CassetteError"]


def test_a_stock_server_is_not_recorded() -> None:
    guest = StockGuest(StockServer("http://127.0.0.1:9"))

    with pytest.raises(ConfigError, match="cannot be recorded on a cassette"):
        guest.reroute(lambda http: http)
    guest.close()


def test_an_episode_that_ends_before_its_tape_is_told(tmp_path: Path) -> None:
    deck = recorded(tmp_path)
    ask(TapedHttp(deck, Guest(Reply(200, b"{}"))))
    deck.finish()

    with pytest.raises(CassetteError, match="ended, and the recorded one went on with POST /rogue/v1/step"):
        replaying(tmp_path).finish()


def test_an_episode_that_goes_on_after_its_tape_is_told(tmp_path: Path) -> None:
    recorded(tmp_path).finish()

    with pytest.raises(CassetteError, match="had ended, and this one goes on with POST /rogue/v1/step"):
        ask(TapedHttp(replaying(tmp_path), NoGuest()))


def test_a_recording_that_was_cut_short_leaves_the_tape_that_was_there(tmp_path: Path) -> None:
    recorded(tmp_path).finish()
    cut = recorded(tmp_path)
    ask(TapedHttp(cut, Guest(Reply(200, b"{}"))))

    assert read_tape(tmp_path / "tape.jsonl").exchanges == ()


def test_what_is_asked_after_the_end_of_a_recording_is_answered_and_not_kept(tmp_path: Path) -> None:
    deck = recorded(tmp_path)
    http = TapedHttp(deck, Guest(Reply(200, b"a"), Reply(200, b"b")))
    ask(http)
    deck.finish()

    assert ask(http).body == b"b"
    assert len(read_tape(tmp_path / "tape.jsonl").exchanges) == 1


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda text: text.rsplit("\n", 2)[0], "is not whole"),
        (lambda text: text[:-5], "is damaged"),
        (lambda text: text.replace('"rogue_cassette": 1', '"rogue_cassette": 9'), "has the form 9, not 1"),
        (lambda _: "", "is damaged"),
    ],
    ids=["no end", "half a line", "newer", "empty"],
)
def test_a_tape_that_cannot_be_trusted_is_refused(tmp_path: Path, change: Callable[[str], str], told: str) -> None:
    recorded(tmp_path).finish()
    tape = tmp_path / "tape.jsonl"
    tape.write_text(change(tape.read_text()))

    with pytest.raises(CassetteError, match=f"{told}.*record it again with --rogue-cassette=record"):
        read_tape(tape)


def test_a_tape_that_is_not_there_says_how_it_is_made(tmp_path: Path) -> None:
    with pytest.raises(CassetteError, match=r"there is no cassette .*; record it with --rogue-cassette=record$"):
        read_tape(tmp_path / "none.jsonl")


def test_a_picture_that_is_not_there_is_told(tmp_path: Path) -> None:
    deck = recorded(tmp_path)
    ask(TapedHttp(deck, Guest(Reply(200, PNG))))
    deck.finish()
    [picture] = (tmp_path / "files").iterdir()
    picture.unlink()

    with pytest.raises(CassetteError, match="the cassette needs"):
        ask(TapedHttp(replaying(tmp_path), NoGuest()))


@pytest.mark.parametrize(
    ("recorded_value", "now", "said"),
    [
        ({"a": 1}, {"a": 1}, None),
        ({"a": [1, {"b": "x"}]}, {"a": [1, {"b": "y"}]}, 'a[1].b: recorded "x", now "y"'),
        ({"a": [1]}, {"a": [1, 2]}, "a[1]: recorded null, now 2"),
        ({}, {"new": 3}, "new: recorded null, now 3"),
        (
            "a" * 500 + "left" + "b" * 500,
            "a" * 500 + "right" + "b" * 500,
            f'it: recorded "...{"a" * 20}left{"b" * 36}...", now "...{"a" * 20}right{"b" * 35}..."',
        ),
        ("abc", "abcdef", 'it: recorded "abc", now "abcdef"'),
    ],
)
def test_a_difference_is_shown_where_it_begins(recorded_value: Any, now: Any, said: str | None) -> None:
    assert first_difference(recorded_value, now) == said
