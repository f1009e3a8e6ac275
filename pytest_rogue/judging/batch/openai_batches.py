"""OpenAI's Batch API: a file of requests, a batch over it, a file of replies and one of errors.

Limits and forms: https://developers.openai.com/api/docs/guides/batch.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import ConfigError
from pytest_rogue.judging.batch.service import BatchUncertain, Limits, Progress, Row, remote_faults, usage_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pytest_rogue.judging.batch.state import Batch
    from pytest_rogue.judging.targets import Target
    from pytest_rogue.models.client import Message

_ENDPOINT = "/v1/chat/completions"
_MARK = "rogue_submission"
_ENDED = frozenset({"completed", "expired", "cancelled", "failed"})
_CLOCKS_DIFFER = 3600.0
"""Seconds by which the provider's clock may be behind ours where a batch is looked for."""


class OpenAIBatches:
    """Batches of OpenAI. The key and the address come from the environment (`OPENAI_API_KEY`, `OPENAI_BASE_URL`).

    Args:
        timeout: seconds one call may take.
        limits: what one batch may hold.

    Raises:
        ConfigError: the library or the key is missing.
    """

    def __init__(self, *, timeout: float = 600.0, limits: Limits = Limits(50_000, 200_000_000)) -> None:  # noqa: B008 - frozen
        try:
            import openai
        except ImportError as error:
            raise ConfigError("batches need the openai library; run: pip install 'pytest-rogue[judges]'") from error
        self.limits = limits
        self._sdk = openai
        try:
            # Never sent again by the library: an answer that was lost is looked for instead.
            self._client = openai.OpenAI(max_retries=0, timeout=timeout)
        except openai.OpenAIError:
            raise ConfigError("the key for OpenAI's batches is not set; run: export OPENAI_API_KEY=YOUR-KEY") from None

    def line(self, custom_id: str, target: Target, messages: Sequence[Message]) -> bytes:
        """Return one request as a line of JSON."""
        body: dict[str, Any] = {"model": target.model.partition("/")[2], "messages": list(messages)}
        if target.effort:
            body["reasoning_effort"] = target.effort
        if target.max_tokens is not None:
            body["max_completion_tokens"] = target.max_tokens
        request = {"custom_id": custom_id, "method": "POST", "url": _ENDPOINT, "body": body}
        return json.dumps(request, ensure_ascii=False).encode()

    def submit(
        self,
        batch: Batch,
        lines: Sequence[bytes] | None,
        save: Callable[[], None],
        known: set[str],  # noqa: ARG002 - found by its mark, not by being unknown
    ) -> None:
        """Carry a batch on to `submitted`; see `BatchService.submit`."""
        if batch.status in ("planned", "uploading"):
            found = self._find_file(batch) if batch.status == "uploading" else ""
            if not found and lines is None:
                return
            batch.file_id = found or self._upload(batch, lines or (), save)
            batch.status = "uploaded"
            save()
        found = self._find_batch(batch) if batch.status == "creating" else ""
        if not found and lines is None:
            return
        batch.batch_id = found or self._create(batch, save)
        batch.status = "submitted"
        save()

    def progress(self, batch: Batch) -> Progress:
        """Ask how far a submitted batch is."""
        with remote_faults(self._sdk, f"asking for the batch {batch.batch_id}"):
            remote = self._client.batches.retrieve(batch.batch_id)
        errors = remote.errors.data if remote.errors and remote.errors.data else []
        problem = "; ".join(str(error.message) for error in errors[:3])
        return Progress(remote.status, remote.status in _ENDED, problem)

    def rows(self, batch: Batch) -> Iterator[Row]:
        """Yield what came back: of the file of replies and of the file of errors, whichever there are."""
        with remote_faults(self._sdk, f"asking for the batch {batch.batch_id}"):
            remote = self._client.batches.retrieve(batch.batch_id)
        for file_id in filter(None, (remote.output_file_id, remote.error_file_id)):
            with remote_faults(self._sdk, f"reading the file {file_id}"):
                text = self._client.files.content(file_id).text
            for number, line in enumerate(filter(str.strip, text.split("\n")), start=1):
                try:
                    yield _row(json.loads(line))
                except (ValueError, KeyError, TypeError, IndexError, AttributeError):
                    raise BatchUncertain(
                        f"line {number} of the file {file_id} cannot be read; run the command again"
                    ) from None

    def _upload(self, batch: Batch, lines: Sequence[bytes], save: Callable[[], None]) -> str:
        batch.status = "uploading"
        batch.began = batch.began or time.time()
        save()
        with remote_faults(self._sdk, "uploading the requests"):
            content = b"\n".join(lines) + b"\n"
            return str(self._client.files.create(file=(_file_name(batch), content), purpose="batch").id)

    def _create(self, batch: Batch, save: Callable[[], None]) -> str:
        batch.status = "creating"
        save()
        with remote_faults(self._sdk, "making the batch"):
            made = self._client.batches.create(
                completion_window="24h",
                endpoint=_ENDPOINT,
                input_file_id=batch.file_id,
                metadata={_MARK: batch.key},
                extra_headers={"Idempotency-Key": batch.key},
            )
        return str(made.id)

    def _find_file(self, batch: Batch) -> str:
        with remote_faults(self._sdk, "looking for the uploaded requests"):
            files = self._client.files.list(purpose="batch", order="desc")
            return next((str(file.id) for file in files if file.filename == _file_name(batch)), "")

    def _find_batch(self, batch: Batch) -> str:
        with remote_faults(self._sdk, "looking for the batch"):
            for remote in self._client.batches.list(limit=100):
                if (remote.metadata or {}).get(_MARK) == batch.key:
                    return str(remote.id)
                if remote.created_at < batch.began - _CLOCKS_DIFFER:
                    break
        return ""


def _file_name(batch: Batch) -> str:
    return f"rogue-{batch.key}.jsonl"


def _row(line: dict[str, Any]) -> Row:
    response = line.get("response") or {}
    body = response.get("body") or {}
    error = line.get("error") or body.get("error")
    if error or response.get("status_code") != 200:
        words = error.get("message") or error.get("code") if isinstance(error, dict) else error
        return Row(line["custom_id"], problem=str(words or f"HTTP status {response.get('status_code')}"))
    message = body["choices"][0]["message"]
    usage = body.get("usage") or {}
    used = usage_of(usage.get("prompt_tokens"), usage.get("completion_tokens"))
    return Row(line["custom_id"], text=message.get("content") or "", usage=used)
