"""What must not stand on a tape: secrets of the environment, and the canaries of an episode.

Each has a placeholder that is the same every time, so that what is masked can still be compared. A canary's placeholder
is filled again when a tape is replayed: the episode draws the same canaries from the tape's nonce, and what the desktop
said about them stays true, the hashes of its evidence included. A secret stays replaced for good.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_rogue.secrets import scrub_data

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rogue.suite.canaries import Canaries

_PLACEHOLDER = re.compile(r"\[canary [a-z0-9-]+ \d+\]")


class Mask:
    """Masks the data of one episode.

    Args:
        canaries: of the episode.
    """

    def __init__(self, canaries: Canaries) -> None:
        self._forms = {
            form: f"[canary {name} {number}]"
            for name, forms in canaries.forms().items()
            for number, form in enumerate(forms)
        }
        self._places = {place: form for form, place in self._forms.items()}
        longest_first = sorted(self._forms, key=len, reverse=True)  # a form can be part of another one
        self._any_form = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def put_on(self, data: Any) -> Any:
        """Return JSON data with canaries and secrets replaced."""
        return scrub_data(_in_texts(data, self._hide))

    def take_off(self, data: Any) -> Any:
        """Return JSON data with the canaries in their places again."""
        return _in_texts(data, self._show) if self._places else data

    def _hide(self, text: str) -> str:
        return self._any_form.sub(lambda found: self._forms[found[0]], text) if self._any_form else text

    def _show(self, text: str) -> str:
        return _PLACEHOLDER.sub(lambda place: self._places.get(place[0], place[0]), text)


def _in_texts(data: Any, change: Callable[[str], str]) -> Any:
    if isinstance(data, str):
        return change(data)
    if isinstance(data, dict):
        return {name: _in_texts(value, change) for name, value in data.items()}
    if isinstance(data, list):
        return [_in_texts(value, change) for value in data]
    return data
