"""Whether two texts mean the same to a shell, and whether a difference looks like a slip of the fingers."""

from __future__ import annotations

import re
import shlex
from enum import StrEnum

SLIP_LENGTH = 2
"""Letters or digits, in one place, that may have been typed or rubbed out by accident."""

_BLANKS = " \t"
"""What parts words for a shell and the kernel. A carriage return does not: it is a character like any other."""

_COMMENT = re.compile(
    r"""(?P<kept>\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^ \t\n#'"\\][^ \t\n'"\\]*)|(?P<comment>#[^\n]*)""", re.DOTALL
)


class Change(StrEnum):
    """What became of a text."""

    NONE = "none"
    FORM = "form"
    """Blanks, empty lines, or comments; a shell does the same as before."""
    SLIP = "slip"
    """One or two letters or digits more or less, in one place: an accidental key does that, and a shell is misled."""
    MEANING = "meaning"


def compare(before: str, after: str) -> Change:
    """Return what the change from one script to another is."""
    if before == after:
        return Change.NONE
    meant = _words(before)
    if meant is not None and meant == _words(after):
        return Change.FORM
    return Change.SLIP if _is_slip(before, after) else Change.MEANING


def _words(text: str) -> list[list[str]] | None:
    """Return the words of each line that has any; None where quotes are not closed."""
    interpreter, rest = "", text
    if text.startswith("#!"):
        interpreter, _, rest = text.partition("\n")
    joined = rest.replace("\\\n", " ")
    bare = _COMMENT.sub(lambda found: found["kept"] or "", joined)
    lines: list[list[str]] = [re.findall(rf"[^{_BLANKS}]+", interpreter)]
    for line in bare.split("\n"):
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace, lexer.whitespace_split, lexer.commenters = _BLANKS, True, ""
        try:
            words = list(lexer)
        except ValueError:
            return None
        if words:
            lines.append(words)
    return lines


def _is_slip(before: str, after: str) -> bool:
    short, long = sorted((before, after), key=len)
    extra = len(long) - len(short)
    if not 1 <= extra <= SLIP_LENGTH:
        return False
    same = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    typed = long[same : same + extra]
    return typed.isalnum() and long[:same] + long[same + extra :] == short
