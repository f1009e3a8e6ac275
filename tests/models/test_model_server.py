"""The stand-in provider does what its tests rely on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests import model_server
from tests.model_server import Failure, ModelServer, Say


def post(url: str, content: str = "hello") -> httpx.Response:
    body: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": content}]}
    return httpx.post(f"{url}/chat/completions", json=body, timeout=10)


def words(response: httpx.Response) -> str:
    text: str = response.json()["choices"][0]["message"]["content"]
    return text


def test_answers_come_in_order_and_the_last_is_repeated() -> None:
    with ModelServer(["a", Say("b")]) as server:
        assert [words(post(server.url)) for _ in range(3)] == ["a", "b", "b"]


def test_requests_are_recorded() -> None:
    with ModelServer(["a"]) as server:
        post(server.url, "one")
        post(server.url, "two")
    assert [request.messages[-1]["content"] for request in server.requests] == ["one", "two"]


def test_a_script_may_be_a_function_of_the_request() -> None:
    with ModelServer(lambda request: request.messages[-1]["content"].upper()) as server:
        assert words(post(server.url, "loud")) == "LOUD"


def test_a_failure_has_its_status_body_and_headers() -> None:
    with ModelServer([Failure(418, {"error": "teapot"}, {"X-Kind": "pot"})]) as server:
        response = post(server.url)
    assert (response.status_code, response.json(), response.headers["x-kind"]) == (418, {"error": "teapot"}, "pot")


def test_a_failure_may_be_a_page() -> None:
    with ModelServer([Failure(403, page="<html>no</html>")]) as server:
        response = post(server.url)
    assert (response.status_code, response.text, response.headers["content-type"]) == (
        403,
        "<html>no</html>",
        "text/html",
    )


def test_an_empty_script_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one answer"):
        ModelServer([])


def test_it_runs_as_a_program(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps(["first", {"text": "second", "finish_reason": "length"}, {"status": 503}]))
    program = [sys.executable, str(Path(model_server.__file__)), str(script)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        try:
            answers = [post(url) for _ in range(3)]
        finally:
            process.terminate()
    assert words(answers[0]) == "first"
    assert answers[1].json()["choices"][0]["finish_reason"] == "length"
    assert answers[2].status_code == 503
