"""Batches at servers that speak the two protocols: whatever fails, nothing is sent twice and nothing is lost."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from pytest_rogue.errors import ConfigError, InfraError, RecordError
from pytest_rogue.judging.batch.anthropic_batches import AnthropicBatches
from pytest_rogue.judging.batch.openai_batches import OpenAIBatches
from pytest_rogue.judging.batch.service import BatchRefused, Limits
from pytest_rogue.judging.batch.state import BatchState
from pytest_rogue.judging.batch.workflow import BatchDesk, state_path
from pytest_rogue.judging.run import judge_run, plan_of, recorded_episodes
from pytest_rogue.judging.targets import target_named
from pytest_rogue.records.judgments import JudgmentStore
from tests.judging.batch_server import BatchServer, Fate, Fault, World
from tests.judging.recorded import OVERRIDES, Turn, record_run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_rogue.records.judgments import Judgment
    from pytest_rogue.records.run_folder import RunFolder

Provider = Literal["openai", "anthropic"]
TARGETS: dict[Provider, str] = {"openai": "gpt-5.5-xhigh", "anthropic": "claude-opus-4.7-max"}
PROVIDERS: tuple[Provider, ...] = ("openai", "anthropic")
ROOMY = Limits(1_000, 10_000_000)


@pytest.fixture(scope="module")
def server() -> Iterator[BatchServer]:
    with BatchServer() as server:
        yield server


class Trial:
    """One run, one provider, one world of the server."""

    def __init__(
        self, provider: Provider, run: RunFolder, server: BatchServer, name: str, patch: pytest.MonkeyPatch
    ) -> None:
        self.provider = provider
        self.run = run
        self.world: World = server.world(name)
        address = server.address(name)
        patch.setenv("OPENAI_BASE_URL", f"{address}/v1")
        patch.setenv("ANTHROPIC_BASE_URL", address)

    def desk(self, *, timeout: float = 60.0, limits: Limits = ROOMY, mode: str = "auto") -> BatchDesk:
        make = OpenAIBatches if self.provider == "openai" else AnthropicBatches
        plan = plan_of(self.run.path.parent, targets=[TARGETS[self.provider]], mode=mode)
        return BatchDesk(self.run, recorded_episodes(self.run), plan, make(timeout=timeout, limits=limits))

    def rows(self) -> tuple[Judgment, ...]:
        with JudgmentStore(self.run.store) as store:
            return store.all()

    def valid(self) -> set[str]:
        return {row.key.episode for row in self.rows() if row.valid}

    def state(self) -> BatchState:
        return BatchState(state_path(self.run, target_named(TARGETS[self.provider])))


@pytest.fixture(params=PROVIDERS)
def trial(
    request: pytest.FixtureRequest, run: RunFolder, server: BatchServer, monkeypatch: pytest.MonkeyPatch
) -> Trial:
    name = re.sub(r"\W+", "-", request.node.name)
    return Trial(request.param, run, server, name, monkeypatch)


def test_what_is_submitted_comes_back_to_its_episodes_with_its_usage(trial: Trial) -> None:
    trial.desk().submit()
    [batch] = trial.desk().apply()
    assert batch.counts == {"valid": 3}
    assert len(trial.valid()) == 3
    assert {(row.usage.prompt_tokens, row.usage.completion_tokens, row.source) for row in trial.rows()} == {
        (100, 10, "batch")
    }


def test_the_requests_are_those_of_the_profile(trial: Trial) -> None:
    trial.desk().submit()
    [batch] = trial.world.batches.values()
    request = batch["requests"][0]
    body = request["body"] if trial.provider == "openai" else request["params"]
    if trial.provider == "openai":
        assert (body["model"], body["reasoning_effort"]) == ("gpt-5.5", "xhigh")
    else:
        assert (body["model"], body["max_tokens"]) == ("claude-opus-4-7", 64_000)
        assert (body["thinking"], body["output_config"]) == ({"type": "adaptive"}, {"effort": "max"})


def test_what_is_on_its_way_or_answered_is_not_sent_again(trial: Trial) -> None:
    trial.desk().submit()
    trial.desk().submit()
    trial.desk().apply()
    trial.desk().submit()
    assert len(trial.world.batches) == 1


def test_the_report_is_made_from_what_is_stored_without_any_call(trial: Trial) -> None:
    trial.desk().submit()
    trial.desk().apply()
    calls = list(trial.world.calls)
    plan = plan_of(trial.run.path.parent, targets=[TARGETS[trial.provider]], mode="cache_only")
    block = judge_run(trial.run.store, recorded_episodes(trial.run), plan)
    assert block["judges"][0]["groups"][0]["rate"]["count"] == 3
    assert trial.world.calls == calls


def test_a_batch_and_a_call_are_the_same_to_the_cache(trial: Trial) -> None:
    trial.desk().submit()
    trial.desk().apply()
    plan = plan_of(trial.run.path.parent, targets=[TARGETS[trial.provider]])
    block = judge_run(trial.run.store, recorded_episodes(trial.run), plan)
    assert block["usage"]["calls"] == 3


def test_the_state_holds_neither_prompts_nor_keys(trial: Trial) -> None:
    trial.desk().submit()
    text = trial.state().path.read_text()
    assert OVERRIDES not in text
    assert "TESTONLY" not in text
    assert "rogue-" in text


@pytest.mark.parametrize(
    ("fates", "valid", "told"),
    [
        (["failed", "failed", "failed"], 0, "the request is wrong"),
        (["answered", "answered", "failed"], 2, "the request is wrong"),
        (["answered", "missing", "missing"], 1, "without a result"),
        (["expired", "answered", "expired"], 1, ""),
        (["fenced", "fenced", "answered"], 3, ""),
    ],
    ids=["all failed", "one failed", "two missing", "two expired", "fenced"],
)
def test_each_row_is_applied_for_itself(trial: Trial, fates: list[Fate], valid: int, told: str) -> None:
    trial.world.fates = fates
    trial.desk().submit()
    trial.desk().apply()
    failed = [row for row in trial.rows() if not row.valid]
    assert (len(trial.valid()), len(failed)) == (valid, 3 - valid)
    assert all(row.answer is None and told in row.problem for row in failed)


def test_only_the_rows_that_failed_are_submitted_again(trial: Trial) -> None:
    trial.world.fates = ["answered", "answered", "failed"]
    trial.desk().submit()
    trial.desk().apply()
    trial.world.fates = ["answered"]
    trial.desk().submit()
    trial.desk().apply()
    assert [batch["size"] for batch in trial.world.batches.values()] == [3, 1]
    assert len(trial.valid()) == 3


@pytest.mark.parametrize("empty", [None, ""], ids=["null", "empty"])
@pytest.mark.parametrize("status", ["completed", "expired", "cancelled", "failed"])
def test_a_batch_that_ended_without_any_file_leaves_each_row_with_its_reason(
    run: RunFolder, server: BatchServer, monkeypatch: pytest.MonkeyPatch, status: str, empty: str | None
) -> None:
    trial = Trial("openai", run, server, f"no-file-{status}-{empty is None}", monkeypatch)
    trial.world.status, trial.world.fates, trial.world.empty_ids = status, ["missing"], empty
    trial.desk().submit()
    trial.desk().apply()
    assert [row.valid for row in trial.rows()] == [False] * 3
    assert all(status in row.problem for row in trial.rows())


def test_a_batch_that_is_under_way_is_left_alone(
    run: RunFolder, server: BatchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = Trial("openai", run, server, "under-way", monkeypatch)
    trial.world.status = "in_progress"
    trial.desk().submit()
    assert trial.desk().apply() == []
    assert [batch.remote for batch in trial.desk().status()] == ["in_progress"]
    assert trial.rows() == ()


def test_requests_are_split_where_a_batch_would_hold_too_many(trial: Trial) -> None:
    trial.desk(limits=Limits(2, 10_000_000)).submit()
    assert [batch["size"] for batch in trial.world.batches.values()] == [2, 1]


def test_requests_are_split_where_a_batch_would_be_too_large(trial: Trial) -> None:
    limits = Limits(1_000, 10_000)
    trial.desk(limits=limits).submit()
    assert len(trial.world.batches) > 1
    assert all(len(content) <= limits.size for _, content in trial.world.files.values())
    assert sum(batch["size"] for batch in trial.world.batches.values()) == 3


def test_ids_are_short_safe_and_unique_however_the_episodes_are_called(
    tmp_path: Path, server: BatchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = record_run(tmp_path / "runs", [[Turn(OVERRIDES)]])
    trial = Trial("anthropic", run, server, "ids", monkeypatch)
    [episode] = recorded_episodes(run)
    from dataclasses import replace

    names = ["x" * 80 + end for end in "ab"] + ["override/é.json", "a.b", "a_b", "a b", "\udc80"]
    desk = replace(trial.desk(), episodes=tuple(replace(episode, key=name, nodeid=name) for name in names))
    desk.submit()
    [batch] = trial.state().batches
    assert len(batch.members) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", custom_id) for custom_id in batch.members)
    assert {key.episode for key in batch.members.values()} >= {"a.b", "a_b", "override/é.json"}


def test_a_row_whose_episode_has_changed_is_kept_and_does_not_count(trial: Trial) -> None:
    trial.desk().submit()
    changed = min(trial.run.episodes.iterdir()) / "events.jsonl"
    with changed.open("a") as file:
        file.write(json.dumps({"event": "decision", "step": 9, "reply": "And more.", "actions": []}) + "\n")
    [batch] = trial.desk().apply()
    assert batch.counts == {"valid": 2, "changed": 1}
    assert len(trial.rows()) == 3
    assert all(row.reply for row in trial.rows())


def test_a_refused_batch_is_told_and_can_be_submitted_again(trial: Trial) -> None:
    trial.world.faults = {0: "refuses"}
    with pytest.raises(BatchRefused, match="this will not do"):
        trial.desk().submit()
    assert [batch.status for batch in trial.state().batches] == ["refused"]
    trial.desk().submit()
    trial.desk().apply()
    assert len(trial.valid()) == 3


def test_a_damaged_state_is_told_and_nothing_is_sent(trial: Trial) -> None:
    trial.desk().submit()
    calls = list(trial.world.calls)
    trial.state().path.write_text('{"batches": [')
    with pytest.raises(RecordError, match="is damaged"):
        trial.desk().submit()
    assert trial.world.calls == calls


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_missing_key_is_told_with_the_line_that_mends_it(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(f"{provider.upper()}_API_KEY")
    with pytest.raises(ConfigError, match=f"export {provider.upper()}_API_KEY="):
        (OpenAIBatches if provider == "openai" else AnthropicBatches)()


CALLS: dict[Provider, int] = {"openai": 5, "anthropic": 4}
"""Calls from the first submission to the last row: upload, make, look, look again, read; without the upload."""


@pytest.mark.parametrize("fault", ["fails before", "fails after", "times out"])
@pytest.mark.parametrize(
    ("provider", "call"), [(provider, call) for provider in PROVIDERS for call in range(CALLS[provider])]
)
def test_a_fault_at_any_call_sends_nothing_twice_and_loses_nothing(
    provider: Provider, call: int, fault: Fault, run: RunFolder, server: BatchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = Trial(provider, run, server, f"{provider}-{call}-{fault.replace(' ', '-')}", monkeypatch)
    trial.world.faults = {call: fault}
    told = []
    for timeout in (2.0, 60.0, 60.0):
        try:
            trial.desk(timeout=timeout).submit()
            trial.desk(timeout=timeout).apply()
        except InfraError as error:
            told.append(str(error))
    assert told
    assert all("run the command again" in sentence for sentence in told)
    assert len(trial.world.calls) > call
    assert len(trial.world.batches) == 1
    assert len(trial.valid()) == 3
    assert len(trial.rows()) == 3


def test_a_batch_that_was_taken_for_ours_and_is_not_is_let_go(
    run: RunFolder, server: BatchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = Trial("anthropic", run, server, "not-ours", monkeypatch)
    request = {"custom_id": "somebody-else", "params": {}}
    trial.world.batches["msgbatch_other"] = {"requests": [request] * 3, "size": 3}
    trial.world.faults = {0: "fails before"}
    with suppress(InfraError):
        trial.desk().submit()
    trial.desk().submit()
    [batch] = trial.state().batches
    assert (batch.batch_id, batch.not_ours) == ("msgbatch_1", ["msgbatch_other"])


def test_what_changed_before_it_could_be_sent_again_is_given_up_and_asked_anew(trial: Trial) -> None:
    trial.world.faults = {0: "fails before"}
    with suppress(InfraError):
        trial.desk().submit()
    for folder in trial.run.episodes.iterdir():
        with (folder / "events.jsonl").open("a") as file:
            file.write(json.dumps({"event": "decision", "step": 9, "reply": "And more.", "actions": []}) + "\n")
    trial.desk().submit()
    trial.desk().apply()
    assert [batch.status for batch in trial.state().batches] == ["abandoned", "applied"]
    assert len(trial.valid()) == 3


def copies(run: RunFolder, names: list[str]) -> dict[str, str]:
    """Return copies of a run's folder, by name; each keeps the run's id, on which the ids of its requests depend."""
    made = {}
    for name in names:
        folder = run.path.parent / name / run.run_id
        shutil.copytree(run.path, folder)
        made[name] = str(folder)
    return made


@pytest.mark.parametrize("provider", PROVIDERS)
def test_kill_9_at_any_write_of_a_batch_sends_nothing_twice_and_loses_nothing(
    provider: Provider, run: RunFolder, server: BatchServer
) -> None:
    import os
    import subprocess
    import sys

    from pytest_rogue.records.run_folder import RunFolder as Folder

    writes = {"openai": 10, "anthropic": 8}[provider]
    names = [f"kill-{provider}-{write}-{when}" for write in range(1, writes + 1) for when in ("before", "after")]
    trials = {
        name: {"run": folder, "address": server.address(name)}
        for name, folder in copies(run, [*names, "warm-up"]).items()
    }
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("killed_batches.py"), provider],
        input=json.dumps(trials),
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    assert done.returncode == 0, done.stderr
    outcome: dict[str, Any] = json.loads(done.stdout)
    for name in names:
        with JudgmentStore(Folder.open(Path(trials[name]["run"])).store) as store:
            rows = store.all()
        assert outcome[name] == -9, name
        assert len(server.world(name).batches) == 1, name
        assert len({row.key.episode for row in rows if row.valid}) == len(rows) == 3, name
