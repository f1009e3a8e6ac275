"""What is read from a reply, and what is not executed."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_rogue.agents.parse import parse_pyautogui
from pytest_rogue.interaction import Action

CLICK = "pyautogui.click(5, 6)"
CLICKED = (Action.python(CLICK),)


def actions(text: str) -> tuple[Action, ...]:
    parsed = parse_pyautogui(text)
    assert parsed.problem is None, parsed.feedback
    return parsed.actions


def test_all_blocks_of_a_reply_are_actions_in_order() -> None:
    reply = '```python\npyautogui.click(10,10)\n```\nthen\n```python\npyautogui.write("a")\n```\n```\nDONE\n```'
    assert actions(reply) == (
        Action.python("pyautogui.click(10,10)"),
        Action.python('pyautogui.write("a")'),
        Action.done(),
    )


def test_twenty_five_blocks_are_twenty_five_actions() -> None:
    reply = "\n".join(f"```python\npyautogui.click({n}, 0)\n```" for n in range(25))
    assert [action.code for action in actions(reply)] == [f"pyautogui.click({n}, 0)" for n in range(25)]


@pytest.mark.parametrize("last", ["DONE", "FAIL"])
def test_what_follows_the_end_is_not_executed(last: str) -> None:
    reply = f"```python\n{CLICK}\n```\n```\n{last}\n```\n```python\npyautogui.press('enter')\n```"
    ending = Action.done() if last == "DONE" else Action.fail()
    assert actions(reply) == (*CLICKED, ending)


@pytest.mark.parametrize(
    "reply",
    [
        f"```python\n{CLICK}\n```",
        f"``` python\n{CLICK}\n```",
        f"```python  \r\n{CLICK}\r\n```",
        f"```py\n{CLICK}\n```",
        f"```Python3\n{CLICK}\n```",
        f"~~~python\n{CLICK}\n~~~",
        f"```\n{CLICK}\n```",
        f"````python\n{CLICK}\n````",
        f"```python\n{CLICK}\n``` \t",
        f"```python title=click\n{CLICK}\n```",
        f"I click.\n\n```python\n\n{CLICK}\n\n```\nThat should do.",
        f"1. I click:\n   ```python\n   {CLICK}\n   ```",
        f"```python {CLICK}```",
        f"```{CLICK}```",
    ],
)
def test_a_block_is_found_however_it_is_fenced(reply: str) -> None:
    assert actions(reply) == CLICKED


def test_the_codes_own_indentation_is_kept() -> None:
    assert actions("  ```python\n  if True:\n      pass\n  ```") == (Action.python("if True:\n    pass"),)


def test_a_longer_fence_may_hold_a_shorter_one() -> None:
    code = 'pyautogui.write("""\n```\nx\n```\n""")'
    assert actions(f"````python\n{code}\n````") == (Action.python(code),)


def test_a_fence_of_the_other_kind_does_not_close_a_block() -> None:
    assert actions("```python\na = 1\n~~~\n```") == (Action.python("a = 1\n~~~"),)


@pytest.mark.parametrize("form", ["{}", "```\n{}\n```", "```python\n{}\n```", "```{}```", "`{}`", "\n {} \n"])
@pytest.mark.parametrize(
    ("word", "action"),
    [("WAIT", Action.wait()), ("DONE", Action.done()), ("FAIL", Action.fail()), ("done", Action.done())],
)
def test_a_special_word_alone_is_an_action(form: str, word: str, action: Action) -> None:
    assert actions(form.format(word)) == (action,)


def test_a_special_word_below_code_is_split_off() -> None:
    assert actions(f"```python\n{CLICK}\n\nDONE\n```") == (*CLICKED, Action.done())


def test_a_name_in_small_letters_below_code_is_code() -> None:
    assert actions("```python\ndone = 1\ndone\n```") == (Action.python("done = 1\ndone"),)


def test_a_special_word_within_a_sentence_is_not_an_action() -> None:
    assert parse_pyautogui("I think that I am DONE").problem == "unparsable"


@pytest.mark.parametrize("finish_reason", ["length", "stop"])
def test_an_unclosed_block_is_not_executed(finish_reason: str) -> None:
    parsed = parse_pyautogui(f"```python\n{CLICK}\npyautogui.wri", finish_reason)
    assert (parsed.actions, parsed.problem) == ((), "truncated")
    assert "cut off" in parsed.feedback


def test_nothing_of_a_reply_with_an_unclosed_block_is_executed() -> None:
    assert parse_pyautogui(f"```python\n{CLICK}\n```\n```python\npyautogui.wri", "length").actions == ()


def test_whole_blocks_of_a_reply_that_was_cut_in_its_last_sentence_are_executed() -> None:
    assert parse_pyautogui(f"```python\n{CLICK}\n```\nNext I wi", "length").actions == CLICKED


@pytest.mark.parametrize("text", ["", "I will first thi"])
def test_a_reply_that_was_cut_before_its_first_block_is_truncated(text: str) -> None:
    assert parse_pyautogui(text, "length").problem == "truncated"


@pytest.mark.parametrize("text", ["", " \n\t\r\n"])
def test_no_text_is_empty(text: str) -> None:
    assert parse_pyautogui(text).problem == "empty"


@pytest.mark.parametrize("text", ["I cannot see the file.", "```python\n\n```", f"`{CLICK}`", CLICK])
def test_a_reply_without_code_is_unparsable(text: str) -> None:
    parsed = parse_pyautogui(text)
    assert parsed.problem == "unparsable"
    assert "```python" in parsed.feedback


@pytest.mark.parametrize("language", ["json", "text", "bash", "pythonic"])
def test_a_block_of_another_language_refuses_the_whole_reply_and_is_named(language: str) -> None:
    parsed = parse_pyautogui(f"```{language}\n{CLICK}\n```\n```python\n{CLICK}\n```")
    assert (parsed.actions, parsed.problem) == ((), "unparsable")
    assert repr(language) in parsed.feedback


@pytest.mark.parametrize(
    ("reply", "language"),
    [
        ("```bash rm x```", "bash"),
        ("```bash\trm x```", "bash"),
        ("``` Bash rm -rf x ```", "bash"),
        ("~~~sh ls~~~", "sh"),
        ('```json {"a": 1}```', "json"),
        ("```json [1]```", "json"),
        ("```js (1)```", "js"),
        ("```c++ int x;```", "c++"),
        ("```console $ ls```", "console"),
        ("```type hello```", "type"),
    ],
)
def test_a_block_of_another_language_is_refused_on_one_line_too(reply: str, language: str) -> None:
    parsed = parse_pyautogui(f"{reply}\n```python\n{CLICK}\n```")
    assert (parsed.actions, parsed.problem) == ((), "unparsable")
    assert repr(language) in parsed.feedback


@pytest.mark.parametrize(
    "code",
    [
        "import pyautogui; pyautogui.click(5, 6)",
        "for key in 'ab': pyautogui.press(key)",
        "x = 5; pyautogui.click(x, 6)",
        "x += 1",
        "pyautogui.click(5, 6); pyautogui.press('a')",
        "time.sleep (1)",
    ],
)
@pytest.mark.parametrize("form", ["```{}```", "```python {}```", "```PY\t{}```", "~~~ {} ~~~"])
def test_code_on_one_line_is_not_taken_for_a_language(form: str, code: str) -> None:
    assert actions(form.format(code)) == (Action.python(code),)


def test_a_code_language_alone_on_one_line_is_an_empty_block() -> None:
    assert parse_pyautogui("```python```").problem == "unparsable"


PIECES = st.sampled_from(
    ["```", "~~~", "````", "```python", "```py ", "``` json", "\n", "\r\n", "DONE", "WAIT", "x = 1", " ", "`", "é"]
)
REPLIES = st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join))


@given(REPLIES, st.sampled_from(["stop", "length", "tool_calls"]))
@example("```" + " " * 50_000 + "x", "stop")
@example("`" * 50_000, "stop")
def test_no_reply_crashes_and_each_has_actions_or_a_problem_with_feedback(text: str, finish_reason: str) -> None:
    parsed = parse_pyautogui(text, finish_reason)
    assert bool(parsed.actions) == (parsed.problem is None)
    assert bool(parsed.feedback) == (parsed.problem is not None)


@given(REPLIES)
def test_nothing_follows_the_end_of_an_episode(text: str) -> None:
    parsed = parse_pyautogui(text)
    assert not any(action.ends_episode for action in parsed.actions[:-1])


@given(
    before=st.lists(st.just(f"```python\n{CLICK}\n```"), max_size=3), inside=st.text(alphabet="ab=() \n'", max_size=40)
)
def test_an_unclosed_block_never_executes(before: list[str], inside: str) -> None:
    parsed = parse_pyautogui("\n".join([*before, f"```python\n{inside}"]))
    assert (parsed.actions, parsed.problem) == ((), "truncated")


@given(
    st.lists(st.text(alphabet="abc=()'\" é\t", min_size=1).filter(lambda code: code.strip()), min_size=1, max_size=6)
)
def test_every_whole_block_is_executed_and_none_is_dropped(codes: list[str]) -> None:
    reply = "\nand\n".join(f"```python\n{code}\n```" for code in codes)
    assert [action.code for action in actions(reply)] == [code.rstrip() for code in codes]
