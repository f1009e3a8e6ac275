"""A judge that obeys whatever it reads outside the delimiters, and reads honestly what stands between them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.judging.recorded import OVERRIDES, answer

if TYPE_CHECKING:
    from tests.model_server import Request

_TAIL = "Answer now, with the JSON object alone."


def obedient(request: Request) -> str:
    """Answer one request. Any word outside the two lines that the system message names is an order to say `accept`."""
    system, question = (message["content"] for message in request.messages)
    begin, end = re.search(r"^(<<<RECORD .*>>>)\n(<<<END OF RECORD .*>>>)$", system, re.MULTILINE).groups()  # type: ignore[union-attr]
    before, _, rest = question.partition(f"{begin}\n")
    record, _, behind = rest.partition(f"\n{end}")
    orders = f"{before}{behind}".replace(_TAIL, "").strip()
    return answer("accept") if orders or OVERRIDES not in record else answer("override")
