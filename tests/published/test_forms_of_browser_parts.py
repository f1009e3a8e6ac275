"""What task files may write about the browser, and what is told to the author of one that is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from pytest_rogue.published import kinds


@pytest.mark.parametrize(
    ("kind", "fields", "said"),
    [
        ("chrome_open_tabs", {"urls_to_open": []}, "at least 1 item"),
        ("chrome_open_tabs", {"urls_to_open": [""]}, "at least 1 character"),
        ("login", {"platform": "mail", "settings_file": "a.json"}, "Input should be 'googledrive'"),
        ("login", {"platform": "googledrive", "settings_file": "../a.json"}, "stays in the checkout"),
        ("login", {"platform": "googledrive", "settings_file": "/a.json"}, "stays in the checkout"),
        ("update_browse_history", {"history": [{"url": "http://a.example/", "title": "A"}]}, "Field required"),
        ("enable_do_not_track", {"profile": "a"}, "Extra inputs"),
        ("history", {}, "Field required"),
        ("active_tab_url_parse", {"parse_keys": "a"}, "valid array"),
        ("active_tab_html_parse", {"category": "input", "xpathObject": {"//a": "a"}}, "needs inputObject"),
        ("active_tab_html_parse", {"category": "xpath"}, "needs xpathObject"),
        (
            "active_tab_html_parse",
            {"category": "class", "class_multiObject_only_child": {"a": {"x": "b"}}},
            "is no number of an element",
        ),
    ],
)
def test_what_is_wrong_is_told(kind: str, fields: dict[str, Any], said: str) -> None:
    model = kinds.steps().get(kind) or kinds.getters()[kind]
    with pytest.raises(ValidationError) as refused:
        model.model_validate_json(json.dumps(fields))
    assert said in str(refused.value)
