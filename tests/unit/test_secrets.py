"""Known secrets never leave the process in clear, in whatever form they are echoed."""

from __future__ import annotations

import base64
import html
import json
import os
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_rogue.secrets import Secret, known_secrets, printable, put_back, register, scrub, scrub_data, withdraw

if TYPE_CHECKING:
    from collections.abc import Callable

VALUE = "pä55/w+rd\"&<x> 'y'=="


@pytest.fixture(autouse=True)
def _only_these_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for secret in known_secrets():
        monkeypatch.delenv(secret.name, raising=False)


@pytest.mark.parametrize("show", [str, repr, "{}".format, "%s".__mod__, lambda secret: f"{[secret]} {secret!r}"])
def test_a_secret_does_not_print(show: Callable[[Secret], str]) -> None:
    assert "hunter2" not in show(Secret("hunter2", "DB_PASSWORD"))


def test_a_secret_is_no_string_and_gives_its_value_only_when_asked() -> None:
    secret = Secret("hunter2", "DB_PASSWORD")
    assert not isinstance(secret, str)
    assert secret.reveal() == "hunter2"


def test_a_secret_cannot_be_pickled_into_another_process() -> None:
    with pytest.raises(TypeError, match=r"\[secret DB_PASSWORD\] is not to be pickled"):
        pickle.dumps(Secret("hunter2", "DB_PASSWORD"))


def test_secrets_are_equal_by_value_and_no_string_equals_one() -> None:
    assert Secret("hunter2", "A") == Secret("hunter2", "B")
    assert Secret("hunter2", "A") != Secret("hunter3", "A")
    assert Secret("hunter2", "A") != "hunter2"


@pytest.mark.parametrize(
    "name",
    [
        "OPENAI_API_KEY",
        "HF_TOKEN",
        "CLIENT_SECRET",
        "DB_PASSWORD",
        "db_passwd",
        "GOOGLE_CREDENTIALS",
        "AWS_ACCESS_KEY_ID",
    ],
)
def test_a_variable_is_known_as_a_secret_by_its_name(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "q7-value-9")
    assert [(secret.name, secret.reveal()) for secret in known_secrets()] == [(name, "q7-value-9")]
    assert scrub("before q7-value-9 after") == f"before [secret {name}] after"


@pytest.mark.parametrize(
    ("name", "value"),
    [("AWS_REGION", "eu-west-1"), ("AWS_PROFILE", "default"), ("EDITOR", "mousepad"), ("SHORT_KEY", "abcde")],
)
def test_plain_settings_and_short_values_are_no_secrets(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    assert scrub(f"use {value} here") == f"use {value} here"


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "DATABASE_URL"])
def test_the_password_in_a_url_is_a_secret(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, "http://ann:s3cret%2Fpw@proxy.example:3128")
    for echo in ("http://ann:s3cret%2Fpw@proxy.example:3128", "s3cret/pw", _basic("ann:s3cret/pw")):
        assert "s3cret" not in _decoded(scrub(echo))


FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "bearer": "Authorization: Bearer {}".format,
    "url": lambda value: quote(value, safe=""),
    "url with slashes": quote,
    "form": quote_plus,
    "url, lower case": lambda value: quote(value, safe="").lower(),
    "json": json.dumps,
    "json, unicode": lambda value: json.dumps(value, ensure_ascii=False),
    "json, escaped slash": lambda value: json.dumps(value).replace("/", r"\/"),
    "python": repr,
    "ascii": ascii,
    "xml": html.escape,
    "xml text": lambda value: html.escape(value, quote=False),
    "base64": lambda value: base64.b64encode(value.encode()).decode(),
    "base64, url-safe": lambda value: base64.urlsafe_b64encode(value.encode()).decode(),
    "basic": lambda value: _basic(f"user:{value}"),
    "basic, other length": lambda value: _basic(f"username:{value}"),
    "basic, third length": lambda value: _basic(f"u:{value}"),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_secret_is_replaced(monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    monkeypatch.setenv("MY_SECRET", VALUE)
    echoed = FORMS[form](VALUE)
    scrubbed = scrub(f"<< {echoed} >>")
    assert "[secret MY_SECRET]" in scrubbed
    assert echoed not in scrubbed
    assert "w+rd" not in _decoded(scrubbed)


@pytest.mark.parametrize(
    "key",
    [
        "sk-proj-abcDEF1234567890abcd",
        "sk-ant-api03-abcDEF_1234567890-abcd",
        "AKIAABCDEFGHIJKLMNOP",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "github_pat_abcdefghijklmnopqrstuv",
        "AIzaabcdefghijklmnopqrstuvwxyz0123456",
        "hf_abcdefghijklmnopqrstuvwxyz",
    ],
)
def test_a_key_shaped_like_a_known_provider_s_is_replaced_though_nobody_told(key: str) -> None:
    scrubbed = scrub(f"Incorrect API key provided: {key}.")
    assert key not in scrubbed
    assert scrubbed.startswith("Incorrect API key provided: [secret ")


@pytest.mark.parametrize(
    "header", ["Bearer tok-0123456789abcdef", "bearer tok-0123456789abcdef", "Basic dXNlcjpwYXNzd29yZDEyMw=="]
)
def test_an_unknown_authorization_is_replaced(header: str) -> None:
    assert scrub(f"Authorization: {header}").split()[-1] == "authorization]"


@pytest.mark.parametrize(
    "text", ["Basic troubleshooting-instructions", "the task-force-for-desktop-work", "risk-assessment-document-final"]
)
def test_ordinary_words_stay(text: str) -> None:
    assert scrub(text) == text


def test_a_secret_that_contains_another_is_replaced_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_TOKEN", "abc123")
    monkeypatch.setenv("B_TOKEN", "abc123-and-more")
    assert scrub("abc123-and-more, abc123") == "[secret B_TOKEN], [secret A_TOKEN]"


def test_a_changed_environment_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_TOKEN", "first-value")
    assert scrub("first-value second-value") == "[secret A_TOKEN] second-value"
    monkeypatch.setenv("A_TOKEN", "second-value")
    assert scrub("first-value second-value") == "first-value [secret A_TOKEN]"


def test_scrubbing_twice_is_scrubbing_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DB_PASSWORD", "secret")
    monkeypatch.setenv("A_TOKEN", "TOKEN-1")
    once = scrub("a secret, and TOKEN-1")
    assert once == "a secret, and [secret A_TOKEN]"
    assert scrub(once) == once


def test_nested_data_is_scrubbed_in_values_and_keys_and_keeps_its_types(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_TOKEN", "first-value")
    data = {"first-value": [("x first-value", 1, None)], "n": 1.5, "set": {"first-value"}}
    mark = "[secret A_TOKEN]"
    assert scrub_data(data) == {mark: [(f"x {mark}", 1, None)], "n": 1.5, "set": {mark}}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    before=st.text(), after=st.text(), value=st.text(st.characters(exclude_characters="\0", codec="utf-8"), min_size=12)
)
def test_no_text_around_a_secret_saves_it(monkeypatch: pytest.MonkeyPatch, before: str, after: str, value: str) -> None:
    monkeypatch.setenv("A_TOKEN", value)
    assert value not in scrub(before + value + after)


def test_printable_text_survives_an_xml_file() -> None:
    text = printable(
        "a\x00b\x08\x0c\x12\ufffe\ud800 ]]> \x1b[31mred\x1b[0m \x1b]0;title\x07\tend\r\nnext\rover \u202edlrow"
    )
    assert _through_xml(text) == text
    assert text == r"a\x00b\x08\x0c\x12\ufffe\ud800 ]]> red " + "\tend\nnext" + r"\rover \u202edlrow"


@given(st.text(st.characters()))
def test_printable_text_is_printable_whatever_it_was(text: str) -> None:
    assert _through_xml(printable(text)) == printable(text)
    assert "\x1b" not in printable(text)


def _through_xml(text: str) -> str:
    element = ET.Element("failure")
    element.text = text
    return ET.fromstring(ET.tostring(element)).text or ""


def _basic(user_info: str) -> str:
    return "Basic " + base64.b64encode(user_info.encode()).decode()


def _decoded(text: str) -> str:
    """Return `text` with everything in it that still reads as base64 read, whatever its alignment."""
    found = [text]
    for word in text.replace("[", " ").replace("]", " ").split():
        for start in range(4):
            part = word[start:].rstrip("=")
            part += "A" * (-len(part) % 4)
            try:
                found.append(
                    base64.b64decode(part, altchars=b"-_" if set(part) & set("-_") else None).decode(errors="replace")
                )
            except ValueError:
                continue
    return "\n".join(found)


def test_a_secret_that_was_withdrawn_is_in_no_new_process_and_is_still_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody-at-all")
    withdraw(["OPENAI_API_KEY", "NOT_SET_API_KEY"])
    try:
        told = subprocess.run(
            [sys.executable, "-c", "import os; print(os.environ)"], capture_output=True, text=True, check=True
        )
        assert "sk-of-nobody" not in told.stdout
        assert scrub("it is sk-of-nobody-at-all") == "it is [secret OPENAI_API_KEY]"
    finally:
        put_back()
    assert os.environ["OPENAI_API_KEY"] == "sk-of-nobody-at-all"


@pytest.mark.parametrize(
    "form", ["hunter-Two-22", "HUNTER-TWO-22", "22-owT-retnuh", "hunterTwo22", "68756e7465722d54776f2d3232"]
)
def test_a_secret_of_a_file_is_replaced_in_more_forms(monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    monkeypatch.setattr("pytest_rogue.secrets._registered", {})
    assert scrub(f"<{form}>") == f"<{form}>"
    register(Secret("hunter-Two-22", "mail_password"))
    assert scrub(f"<{form}>") == "<[secret mail_password]>"


@pytest.mark.parametrize("value", ["short", "password"])
def test_a_secret_of_a_file_that_cannot_be_told_from_a_word_is_refused(value: str) -> None:
    with pytest.raises(
        ValueError, match=r"\[secret mail_password\] has less than 6 characters, or is an ordinary word"
    ):
        register(Secret(value, "mail_password"))


def test_parts_of_a_secret_of_a_file_that_are_too_short_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_rogue.secrets._registered", {})
    register(Secret("a-b-c-d", "mail_password"))
    assert scrub("abcd a-b-c-d") == "abcd [secret mail_password]"
