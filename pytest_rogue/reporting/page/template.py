"""The parts of the page, put together: style and program inside it, and a policy that lets nothing else run."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from string import Template
from typing import TYPE_CHECKING, Any

from pytest_rogue import resources

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCRIPTS = ("text", "address", "records", "overview", "episodes", "screen", "story", "pane", "judgments", "main")
"""In the order in which they build on each other."""


def data_text(value: Any) -> str:
    """Return JSON in ASCII that may stand in a script element as in a script file: nothing in it ends or begins one."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c").replace(">", "\\u003e")


def page_parts(title: str, index: dict[str, Any]) -> tuple[str, str]:
    """Return what stands in the page before and after the embedded episodes.

    Args:
        title: of the page.
        index: what the overview needs, as `index_of` gives it.
    """
    folder = resources.path("reports") / "templates" / "report"
    style = (folder / "report.css").read_text(encoding="utf-8")
    program = "\n".join(_program(name) for name in _SCRIPTS)
    page = Template((folder / "report.html").read_text(encoding="utf-8")).substitute(
        title=html.escape(title),
        policy=_policy(style, program),
        style=style,
        program=program,
        index=data_text(index),
        episodes="<!--episodes-->",
    )
    before, after = page.split("<!--episodes-->")
    return before, after


def _program(name: str) -> str:
    return (resources.path("reports") / "templates" / "report" / f"{name}.js").read_text(encoding="utf-8")


def _policy(style: str, program: str) -> str:
    """Return the content security policy.

    Only the page's own program runs, and the files of data that it asks for; pictures come from beside the page or
    are embedded. Nothing can be sent anywhere.
    """
    return "; ".join(_rules(style, program))


def _rules(style: str, program: str) -> Iterator[str]:
    yield "default-src 'none'"
    yield f"script-src '{_sha256(program)}' 'strict-dynamic'"
    yield f"style-src '{_sha256(style)}'"
    yield "img-src 'self' file: data:"
    yield "base-uri 'none'"
    yield "form-action 'none'"


def _sha256(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
