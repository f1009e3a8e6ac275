"""Anthropic's Message Batches: all requests in one call, the results as one stream, in any order.

Limits and forms: https://platform.claude.com/docs/en/build-with-claude/batch-processing. A batch carries no mark of its
own, but the custom ids in its results are ours: a batch whose making was never answered is looked for by its time and
size, and known for ours by those ids as soon as it has ended.
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

DEFAULT_MAX_TOKENS = 32_000
"""Anthropic wants a limit; this one is for models that were named without one."""

_CLOCKS_DIFFER = 300.0
"""Seconds by which the provider's clock may be behind ours where a batch is looked for."""


class AnthropicBatches:
    """Batches of Anthropic. Key and address come from the environment (`ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL`).

    Args:
        timeout: seconds one call may take.
        limits: what one batch may hold.

    Raises:
        ConfigError: the library or the key is missing.
    """

    def __init__(self, *, timeout: float = 600.0, limits: Limits = Limits(100_000, 256_000_000)) -> None:  # noqa: B008 - frozen
        import os

        try:
            import anthropic
        except ImportError as error:
            raise ConfigError("batches need the anthropic library; run: pip install 'pytest-rogue[judges]'") from error
        if not os.environ.get("ANTHROPIC_API_KEY") and not os.environ.get("ANTHROPIC_AUTH_TOKEN"):
            raise ConfigError("the key for Anthropic's batches is not set; run: export ANTHROPIC_API_KEY=YOUR-KEY")
        self.limits = limits
        self._sdk = anthropic
        # Never sent again by the library: an answer that was lost is looked for instead.
        self._client = anthropic.Anthropic(max_retries=0, timeout=timeout)

    def line(self, custom_id: str, target: Target, messages: Sequence[Message]) -> bytes:
        """Return one request as a line of JSON."""
        system, question = messages
        params: dict[str, Any] = {
            "model": target.model.partition("/")[2],
            "max_tokens": target.max_tokens or DEFAULT_MAX_TOKENS,
            "system": system["content"],
            "messages": [{"role": "user", "content": _content(question["content"])}],
        }
        if target.adaptive:
            params |= {"thinking": {"type": "adaptive"}, "output_config": {"effort": target.effort}}
        return json.dumps({"custom_id": custom_id, "params": params}, ensure_ascii=False).encode()

    def submit(self, batch: Batch, lines: Sequence[bytes] | None, save: Callable[[], None], known: set[str]) -> None:
        """Carry a batch on to `submitted`; see `BatchService.submit`."""
        found = self._find(batch, known) if batch.status == "creating" else ""
        if not found and lines is None:
            return
        batch.batch_id = found or self._create(batch, lines or (), save)
        batch.status = "submitted"
        save()

    def progress(self, batch: Batch) -> Progress:
        """Ask how far a submitted batch is."""
        with remote_faults(self._sdk, f"asking for the batch {batch.batch_id}"):
            remote = self._client.messages.batches.retrieve(batch.batch_id)
        return Progress(remote.processing_status, remote.processing_status == "ended")

    def rows(self, batch: Batch) -> Iterator[Row]:
        """Yield what came back."""
        for result in self._results(batch.batch_id):
            yield _row(result.custom_id, result.result)

    def _results(self, batch_id: str) -> Iterator[Any]:
        with remote_faults(self._sdk, f"reading the results of {batch_id}"):
            yield from self._client.messages.batches.results(batch_id)

    def _create(self, batch: Batch, lines: Sequence[bytes], save: Callable[[], None]) -> str:
        batch.status = "creating"
        batch.began = batch.began or time.time()
        save()
        with remote_faults(self._sdk, "making the batch"):
            requests = [json.loads(line) for line in lines]
            headers = {"Idempotency-Key": batch.key}
            return str(self._client.messages.batches.create(requests=requests, extra_headers=headers).id)

    def _find(self, batch: Batch, known: set[str]) -> str:
        """Return the id of the batch that was made though its answer was lost, empty for none."""
        with remote_faults(self._sdk, "looking for the batch"):
            for remote in self._client.messages.batches.list(limit=100):
                if remote.created_at.timestamp() < batch.began - _CLOCKS_DIFFER:
                    break
                counts = remote.request_counts
                size = counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired
                if size == len(batch.members) and remote.id not in known and remote.id not in batch.not_ours:
                    if remote.processing_status != "ended" or self._is_ours(batch, remote.id):
                        return str(remote.id)
                    batch.not_ours.append(remote.id)
        return ""

    def _is_ours(self, batch: Batch, batch_id: str) -> bool:
        first = next(self._results(batch_id), None)
        return first is not None and first.custom_id in batch.members


def _content(content: Any) -> Any:
    """Return text as it is, and a list of text and image parts in Anthropic's form."""
    return content if isinstance(content, str) else [_part(part) for part in content]


def _part(part: dict[str, Any]) -> dict[str, Any]:
    if part["type"] == "text":
        return part
    data = part["image_url"]["url"].partition(",")[2]
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def _row(custom_id: str, result: Any) -> Row:
    if result.type == "succeeded":
        message = result.message
        usage = usage_of(message.usage.input_tokens, message.usage.output_tokens)
        if message.stop_reason == "refusal":
            return Row(custom_id, problem="the provider withheld the reply", usage=usage)
        text = "".join(block.text for block in message.content if block.type == "text")
        return Row(custom_id, text=text, usage=usage)
    if result.type == "errored":
        return Row(custom_id, problem=str(result.error.error.message))
    if result.type in ("canceled", "expired"):
        return Row(custom_id, problem=f"the batch was {result.type} before this request was worked on")
    raise BatchUncertain(f"the result {custom_id} is of a kind that is not known ({result.type}); upgrade")
