"""The batch protocols of OpenAI and Anthropic on loopback, with faults at any request.

The first part of a path names a world of its own, so that one server serves many trials: `http://HOST/w1/v1/batches`.
A batch is through as soon as it is made; what became of each request is said by `World.fates`.
"""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass, field
from email import message_from_bytes
from typing import Any, Literal

from tests.judging.recorded import answer
from tests.loopback import Loopback, QuietHandler

Fate = Literal["answered", "fenced", "failed", "missing", "expired", "canceled"]
Fault = Literal["fails before", "fails after", "times out", "refuses"]


@dataclass
class World:
    """What one trial has made.

    Attributes:
        fates: what becomes of the n-th request of each batch; the last one is that of all further ones.
        faults: what happens to the n-th call, from 0.
        status: in which OpenAI's batches end.
        calls: method and path of each call.
        files: OpenAI's files by id, with name and content.
        batches: by id, as they were asked for.
        empty_ids: what stands for a file that is not there.
    """

    fates: list[Fate] = field(default_factory=lambda: ["answered"])
    faults: dict[int, Fault] = field(default_factory=dict)
    status: str = "completed"
    calls: list[str] = field(default_factory=list)
    files: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    empty_ids: str | None = None

    def fate(self, place: int) -> Fate:
        return self.fates[min(place, len(self.fates) - 1)]


class BatchServer(Loopback):
    """Serves until the block ends."""

    def __init__(self) -> None:
        self.worlds: dict[str, World] = {}
        self.lock = threading.Lock()
        super().__init__(_Handler)

    def world(self, name: str) -> World:
        return self.worlds.setdefault(name, World())

    def address(self, name: str) -> str:
        """Return the base address of a world for Anthropic's library; OpenAI's wants `/v1` behind it."""
        return f"{self.root}/{name}"


class _Handler(QuietHandler):
    protocol_version = "HTTP/1.1"
    timeout = 5
    owner: BatchServer

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        self._serve(self.body())

    def _serve(self, body: bytes) -> None:
        self.close_connection = True
        owner = self.owner
        name, _, rest = self.path.lstrip("/").partition("/")
        with owner.lock:
            world = owner.world(name)
            fault = world.faults.get(len(world.calls))
            path = rest.partition("?")[0]
            world.calls.append(f"{self.command} {path}")
            if fault == "refuses":
                return self.reply(400, _json({"error": {"message": "this will not do", "type": "invalid"}}))
            if fault == "fails before":
                return self.reply(503, _json({"error": {"message": "try later"}}))
            answered = self._answer(world, owner.address(name), path, body)
        if fault == "times out":
            owner.stopping.wait()
        if fault is None:
            self.reply(200, answered)
        return None

    def _answer(self, world: World, address: str, path: str, body: bytes) -> bytes:  # noqa: C901, PLR0911 - one case a route
        parts = path.removeprefix("v1/").split("/")
        match [self.command, *parts]:
            case ["POST", "files"]:
                return _json(_file(_upload(world, self.headers["Content-Type"], body), world))
            case ["GET", "files"]:
                data = [_file(file_id, world) for file_id in reversed(world.files) if file_id.startswith("in-")]
                return _json({"object": "list", "data": data, "has_more": False})
            case ["GET", "files", file_id, "content"]:
                return world.files[file_id][1]
            case ["POST", "batches"]:
                return _json(_openai_batch(_openai_make(world, json.loads(body)), world))
            case ["GET", "batches"]:
                data = [_openai_batch(batch_id, world) for batch_id in reversed(world.batches)]
                return _json({"object": "list", "data": data, "has_more": False})
            case ["GET", "batches", batch_id]:
                return _json(_openai_batch(batch_id, world))
            case ["POST", "messages", "batches"]:
                return _json(_anthropic_batch(_anthropic_make(world, json.loads(body)), world, address))
            case ["GET", "messages", "batches"]:
                data = [_anthropic_batch(batch_id, world, address) for batch_id in reversed(world.batches)]
                return _json({"data": data, "has_more": False, "first_id": None, "last_id": None})
            case ["GET", "messages", "batches", batch_id]:
                return _json(_anthropic_batch(batch_id, world, address))
            case ["GET", "messages", "batches", batch_id, "results"]:
                return _anthropic_results(world, batch_id)
        raise AssertionError(path)


def _json(body: Any) -> bytes:
    return json.dumps(body).encode()


# --- OpenAI --------------------


def _upload(world: World, content_type: str, body: bytes) -> str:
    form = message_from_bytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body)
    for part in form.walk():
        if part.get_filename():
            content = part.get_payload(decode=True)
            assert isinstance(content, bytes)
            file_id = f"in-{len(world.files)}"
            world.files[file_id] = (str(part.get_filename()), content)
            return file_id
    raise AssertionError("no file was uploaded")


def _file(file_id: str, world: World) -> dict[str, Any]:
    name, content = world.files[file_id]
    facts = {"id": file_id, "object": "file", "bytes": len(content), "created_at": 4_000_000_000}
    return facts | {"filename": name, "purpose": "batch", "status": "processed"}


def _openai_make(world: World, asked: dict[str, Any]) -> str:
    batch_id = f"batch_{len(world.batches)}"
    lines = [json.loads(line) for line in world.files[asked["input_file_id"]][1].splitlines()]
    good, bad = [], []
    for place, line in enumerate(lines):
        match world.fate(place):
            case "answered" | "fenced" as fate:
                good.append(_openai_line(line["custom_id"], _words(fate)))
            case "failed":
                error = {"error": {"message": "the request is wrong"}}
                bad.append(
                    {"custom_id": line["custom_id"], "response": {"status_code": 400, "body": error}, "error": None}
                )
            case "expired":
                bad.append(
                    {
                        "custom_id": line["custom_id"],
                        "response": None,
                        "error": {"code": "batch_expired", "message": "too late"},
                    }
                )
            case _:
                continue
    files = {}
    for kind, rows in (("output", good), ("error", bad)):
        if rows:
            files[kind] = f"{kind}-{batch_id}"
            # Out of order, as providers send them.
            world.files[files[kind]] = ("", b"\n".join(_json(row) for row in reversed(rows)) + b"\n")
    world.batches[batch_id] = asked | {"files": files, "size": len(lines), "requests": lines}
    return batch_id


def _openai_line(custom_id: str, text: str) -> dict[str, Any]:
    body = {
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }
    return {"custom_id": custom_id, "response": {"status_code": 200, "body": body}, "error": None}


def _openai_batch(batch_id: str, world: World) -> dict[str, Any]:
    batch = world.batches[batch_id]
    return {
        "id": batch_id,
        "object": "batch",
        "endpoint": batch["endpoint"],
        "completion_window": "24h",
        "created_at": 4_000_000_000,
        "input_file_id": batch["input_file_id"],
        "status": world.status,
        "metadata": batch.get("metadata"),
        "output_file_id": batch["files"].get("output", world.empty_ids),
        "error_file_id": batch["files"].get("error", world.empty_ids),
    }


# --- Anthropic --------------------


def _anthropic_make(world: World, asked: dict[str, Any]) -> str:
    batch_id = f"msgbatch_{len(world.batches)}"
    for request in asked["requests"]:
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", request["custom_id"]), request["custom_id"]
    world.batches[batch_id] = asked | {"size": len(asked["requests"])}
    return batch_id


def _anthropic_batch(batch_id: str, world: World, address: str) -> dict[str, Any]:
    counts = {"processing": 0, "errored": 0, "canceled": 0, "expired": 0, "succeeded": world.batches[batch_id]["size"]}
    return {
        "id": batch_id,
        "type": "message_batch",
        "processing_status": "ended",
        "request_counts": counts,
        "created_at": "2096-01-01T00:00:00Z",
        "expires_at": "2096-01-02T00:00:00Z",
        "ended_at": "2096-01-01T01:00:00Z",
        "archived_at": None,
        "cancel_initiated_at": None,
        "results_url": f"{address}/v1/messages/batches/{batch_id}/results",
    }


def _anthropic_results(world: World, batch_id: str) -> bytes:
    lines = []
    for place, request in enumerate(world.batches[batch_id]["requests"]):
        fate = world.fate(place)
        if fate != "missing":
            lines.append(_json({"custom_id": request["custom_id"], "result": _anthropic_result(fate)}))
    return b"\n".join(reversed(lines)) + b"\n"


def _anthropic_result(fate: Fate) -> dict[str, Any]:
    match fate:
        case "failed":
            error = {"type": "invalid_request_error", "message": "the request is wrong"}
            return {"type": "errored", "error": {"type": "error", "error": error}}
        case "expired" | "canceled":
            return {"type": fate}
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": _words(fate)}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 10},
    }
    return {"type": "succeeded", "message": message}


def _words(fate: str) -> str:
    return f"```json\n{answer()}\n```" if fate == "fenced" else answer()
