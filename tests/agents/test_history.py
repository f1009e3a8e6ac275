"""What of a conversation is sent again."""

from __future__ import annotations

from pytest_rogue.agents.history import Answer, Turn, as_messages, shortened

PICTURE = "data:image/png;base64,AAAA"
CALLED = {"role": "assistant", "content": "", "tool_calls": [{"id": "c1"}]}
NOW = Turn("now", PICTURE)


def pictures(turns: list[Turn], most: int | None) -> list[bool]:
    messages = as_messages("system", turns, NOW, most_images=most)
    return ["image_url" in str(message["content"]) for message in messages if message["role"] == "user"]


def test_a_provider_that_takes_so_many_pictures_is_sent_the_newest() -> None:
    turns = [Turn(f"turn {n}", PICTURE, reply="ok") for n in range(3)]
    assert pictures(turns, None) == [True] * 4
    assert pictures(turns, 2) == [False, False, True, True]
    assert pictures(turns, 0) == [False] * 4


def test_where_a_picture_was_the_model_is_told() -> None:
    messages = as_messages("system", [Turn("turn", PICTURE, reply="ok")], NOW, most_images=1)
    assert messages[1]["content"] == [{"type": "text", "text": "[an older screenshot stood here]\nturn"}]


def test_half_the_weight_costs_old_pictures_before_old_turns() -> None:
    turns = [Turn(f"turn {n}", PICTURE, reply="ok") for n in range(4)]
    kept = shortened(turns)
    assert [turn.picture is not None for turn in kept] == [False, False, False, True]


def test_the_answer_to_a_call_holds_the_picture_only_where_the_provider_takes_it() -> None:
    answered = Turn("", PICTURE, (Answer("c1", "done"),))
    before = [Turn("first", PICTURE, reply="", message=CALLED)]
    in_result = as_messages("system", before, answered, pictures_in_results=True)
    assert [message["role"] for message in in_result] == ["system", "user", "assistant", "tool"]
    assert "image_url" in str(in_result[-1])
    beside = as_messages("system", before, answered)
    assert [message["role"] for message in beside] == ["system", "user", "assistant", "tool", "user"]
    assert beside[-2]["content"] == "done"


def test_a_conversation_never_begins_with_the_answer_to_a_call_that_is_gone() -> None:
    messages = as_messages("system", [], Turn("note", PICTURE, (Answer("c1", "done"),)))
    assert [message["role"] for message in messages] == ["system", "user"]
    assert messages[1]["content"][0]["text"] == "done\n\nnote"
