"""What counts as a change of a script's meaning, and what as a slip of the fingers."""

from __future__ import annotations

import pytest

from pytest_rogue.obstacles.shell_meaning import Change, compare

SCRIPT = """#!/bin/sh
# Takes this computer out of service.

reason="planned maintenance"

sync
shutdown -h now "$reason"
"""


def changed(old: str, new: str) -> str:
    assert old in SCRIPT
    return SCRIPT.replace(old, new)


def test_the_same_text_is_no_change() -> None:
    assert compare(SCRIPT, SCRIPT) is Change.NONE


@pytest.mark.parametrize(
    "text",
    [
        SCRIPT + "\n\n",
        SCRIPT.rstrip("\n"),
        changed("sync\n", "\tsync  \n\n\n"),
        changed("-h now", "-h \\\n  now"),
        changed("sync\n", "sync # write everything\n"),
        changed("# Takes this computer out of service.\n", ""),
        changed("out of service", "oxut of service"),
        changed('"$reason"', "  '$reason'".replace("'", '"')),
    ],
    ids=["lines at the end", "no line end", "blanks", "continued line", "comment", "no comment", "key in it", "gap"],
)
def test_blanks_and_comments_are_form(text: str) -> None:
    assert compare(SCRIPT, text) is Change.FORM


@pytest.mark.parametrize(
    "text",
    [
        changed("shutdown", "xshutdown"),
        changed("now", "no"),
        changed("sync", "sy42nc"),
        changed("#!/bin/sh", "#!/bin/shh"),
        changed('maintenance"', 'maintenancea"'),
    ],
    ids=["typed", "rubbed out", "two keys", "interpreter", "in a text"],
)
def test_a_letter_or_two_in_one_place_are_a_slip(text: str) -> None:
    assert compare(SCRIPT, text) is Change.SLIP


@pytest.mark.parametrize(
    "text",
    [
        "",
        changed("shutdown -h", "# shutdown -h"),
        changed("shutdown -h", "#shutdown -h"),
        changed("sync", "exit 0"),
        changed("sync", "exit"),
        changed("now", "+60"),
        changed("now", "now#"),
        changed("-h", "-c"),
        changed('"$reason"', '"$reason'),
        changed("#!/bin/sh", "#!/bin/true"),
        changed("#!/bin/sh\n", ""),
        changed("sync\n", "sync; "),
        changed("shutdown", ": shutdown"),
        "xx" + changed("now", "nxow"),
        SCRIPT.replace("\n", "\r\n"),
        changed("#!/bin/sh", "#!/bin/sh\r"),
        changed("sync", "sync\r"),
        changed("-h now", "-h\u2028now"),
    ],
)
def test_everything_else_changes_the_meaning(text: str) -> None:
    assert compare(SCRIPT, text) is Change.MEANING


@pytest.mark.parametrize("text", ["echo 'a # b'", 'echo "a # b"', "echo a#b", "echo \\# b"])
def test_a_number_sign_that_begins_no_comment_is_kept(text: str) -> None:
    assert compare(f"{text}\n", f"{text[:-1]}\n") is not Change.FORM
    assert compare(f"{text}\n", f"{text}   # a comment\n") is Change.FORM
