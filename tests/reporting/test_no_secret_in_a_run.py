"""A run's folder can be published: no key that the process knew is anywhere in it."""

from __future__ import annotations

import base64
import gzip
from typing import TYPE_CHECKING

from pytest_rogue.outcome import Outcome
from pytest_rogue.records.episode_folder import EpisodeRecorder
from pytest_rogue.records.result import EpisodeResult, Fault
from pytest_rogue.records.run_folder import RunFolder
from pytest_rogue.records.store import PlannedItem, RunStore
from pytest_rogue.reporting.json_report import build_report, write_report

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

SECRETS = {
    "OPENAI_API_KEY": "sk-proj-TEST0123456789",
    "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG+bPxRfiCY",
    "HTTPS_PROXY": "http://ann:pr0xy-pass@proxy.example:3128",
}
NEVER = [b"sk-proj-TEST0123456789", b"wJalrXUtnFEMI", b"pr0xy-pass", base64.b64encode(b"ann:pr0xy-pass")]


def test_no_file_of_a_run_holds_a_key_that_was_echoed_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    echo = f"401: {SECRETS} Authorization: Bearer {SECRETS['OPENAI_API_KEY']} Basic {NEVER[3].decode()}"
    result = EpisodeResult(
        Outcome.ERROR, verdict_reason=echo, faults=(Fault("DeadKey", echo, "loop"),), notes=(echo,), seconds={echo: 1.0}
    )
    run = RunFolder.create(tmp_path, "run")
    with EpisodeRecorder(run.episode("case")) as recorder:
        recorder.event("step", reply=echo, **{SECRETS["OPENAI_API_KEY"]: [echo]})
        recorder.text("a11y", echo)
        recorder.finish(result)
    with RunStore(run.store) as store:
        store.plan([PlannedItem("k", echo, "c", "0", "override", "base", echo, 1, 0)])
        store.record("k", result.to_dict())
        store.halt(echo)
        facts = {"id": "run", "halted": store.halted(), "options": {"model": {"value": echo, "source": "ini"}}}
        write_report(run.report, build_report(facts, store.planned(), store.results()))

    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} >= {".jsonl", ".gz", ".json", ".sqlite"}
    for path in files:
        data = path.read_bytes()
        data = gzip.decompress(data) if path.suffix == ".gz" else data
        assert [secret for secret in NEVER if secret in data] == [], path
