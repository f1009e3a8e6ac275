"""Judging asks what has no answer, keeps every reply at once, and loses none of them to whatever stops it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.errors import InfraError
from pytest_rogue.judging.coverage import State
from pytest_rogue.judging.run import plan_of, preflight, recorded_episodes
from pytest_rogue.judging.session import judge_episodes
from pytest_rogue.judging.targets import Target, target_named
from pytest_rogue.models.litellm_client import LiteLLMClient
from pytest_rogue.records.judgments import JudgmentStore
from tests.judging.recorded import OVERRIDES, Turn, answer, record_run
from tests.judging.scripted_judge import obedient
from tests.model_server import Failure, ModelServer, Say

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rogue.judging.judge import Judge
    from pytest_rogue.judging.session import Judged
    from pytest_rogue.models.client import ModelClient
    from pytest_rogue.records.run_folder import RunFolder

GPT, OTHER = Target("gpt", "openai/gpt"), Target("other", "openai/other")
DEAD = Failure(401, {"error": {"message": "bad key", "code": "invalid_api_key"}})


def client_to(server: ModelServer) -> Callable[[Target], ModelClient]:
    return lambda target: LiteLLMClient(target.model, api_base=server.url, sleep=lambda _: None)


def judge(run: RunFolder, judge: Judge, server: ModelServer, *targets: Target, mode: str = "auto") -> Judged:
    with JudgmentStore(run.store) as store:
        episodes = recorded_episodes(run)
        return judge_episodes(episodes, [judge], targets, store, mode=mode, make_client=client_to(server))


def states(judged: Judged) -> list[str]:
    return [str(question.state) for question in judged.asked]


def test_every_episode_is_asked_about_once(run: RunFolder, override: Judge) -> None:
    with ModelServer(obedient) as server:
        judged = judge(run, override, server, GPT)
    assert states(judged) == ["valid"] * 3
    assert len(server.requests) == 3


def test_what_has_a_valid_answer_is_not_asked_again(run: RunFolder, override: Judge) -> None:
    with ModelServer(obedient) as server:
        judge(run, override, server, GPT)
        judge(run, override, server, GPT)
    assert len(server.requests) == 3


def test_refresh_asks_everything_again_and_keeps_the_old_answers(run: RunFolder, override: Judge) -> None:
    with ModelServer(obedient) as server:
        judge(run, override, server, GPT)
        judge(run, override, server, GPT, mode="refresh")
    with JudgmentStore(run.store) as store:
        assert len(store.all()) == 6


def test_a_refresh_that_fails_leaves_the_old_answers_in_force(run: RunFolder, override: Judge) -> None:
    with ModelServer(obedient) as server:
        judge(run, override, server, GPT)
    with ModelServer(["no answer at all"]) as server:
        judged = judge(run, override, server, GPT, mode="refresh")
    assert states(judged) == ["valid"] * 3


def test_cache_only_asks_nothing(run: RunFolder, override: Judge) -> None:
    with ModelServer(obedient) as server:
        judged = judge(run, override, server, GPT, mode="cache_only")
    assert (states(judged), server.requests) == (["missing"] * 3, [])


def test_another_target_or_setting_leaves_the_answers_of_the_first(run: RunFolder, override: Judge) -> None:
    deeper = Target("gpt", "openai/gpt", effort="high")
    with ModelServer(obedient) as server:
        judge(run, override, server, GPT)
        judge(run, override, server, OTHER)
        assert states(judge(run, override, server, deeper, mode="cache_only")) == ["stale"] * 3
        assert states(judge(run, override, server, GPT, mode="cache_only")) == ["valid"] * 3


def test_a_reply_that_is_no_answer_is_asked_for_again_within_a_bound_and_kept(run: RunFolder, override: Judge) -> None:
    with ModelServer(["sorry"]) as server:
        judged = judge(run, override, server, GPT)
    with JudgmentStore(run.store) as store:
        assert [row.reply for row in store.all()] == ["sorry"] * 9
    assert len(server.requests) == 9
    assert states(judged) == ["missing"] * 3
    assert set(judged.problems.values()) == {
        "the reply holds no JSON object with final_popup_choice, intent_override, intent_accept"
    }


def test_a_fenced_reply_costs_one_call(run: RunFolder, override: Judge) -> None:
    with ModelServer([f"```json\n{answer()}\n```"]) as server:
        judged = judge(run, override, server, GPT)
    assert (states(judged), len(server.requests)) == (["valid"] * 3, 3)


def test_a_withheld_reply_is_no_answer(run: RunFolder, override: Judge) -> None:
    with ModelServer([Say(answer(), finish_reason="content_filter")]) as server:
        judged = judge(run, override, server, GPT)
    assert states(judged) == ["missing"] * 3


def test_a_dead_key_ends_its_target_and_no_other(tmp_path: Path, override: Judge) -> None:
    run = record_run(tmp_path, [[Turn(OVERRIDES, code=f"click({n})")] for n in range(40)])
    with ModelServer(lambda request: DEAD if request.body["model"] == "gpt" else answer()) as server:
        judged = judge(run, override, server, GPT, OTHER)
    asked = [request.body["model"] for request in server.requests]
    assert asked.count("other") == 40
    assert asked.count("gpt") < 40
    assert states(judged).count("valid") == 40


def test_an_episode_that_is_empty_or_broken_is_not_judged(tmp_path: Path, override: Judge) -> None:
    run = record_run(tmp_path, [[Turn(OVERRIDES)], [], [Turn("x")], [Turn("y")]])
    folders = [run.path / episode.relative_to(run.path) for episode in sorted(run.episodes.iterdir())]
    (folders[2] / "events.jsonl").write_text('{"broken\n{"event": "x"}\n')
    (folders[3] / "events.jsonl").unlink()
    with ModelServer(obedient) as server:
        judged = judge(run, override, server, GPT)
    assert states(judged).count("not_judged") == 3
    assert len(server.requests) == 1
    assert all(question.episode.problem for question in judged.asked if question.state is State.NOT_JUDGED)


def test_a_preflight_tells_coverage_and_calls_and_writes_nothing(
    run: RunFolder, override: Judge, tmp_path: Path
) -> None:
    with ModelServer(obedient) as server:
        judge(run, override, server, Target("openai/gpt-5.5", "openai/gpt-5.5"))
    before = {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()}
    plan = plan_of(tmp_path, targets=["openai/gpt-5.5", "gpt-5.5-xhigh", "openai/unpriced", "rules"])
    done, profile, unpriced, rules = preflight(run.store, recorded_episodes(run), plan)
    assert (done.counts[State.VALID], done.planned, done.cost) == (3, 0, 0.0)
    assert (profile.counts[State.MISSING], profile.planned) == (3, 3)
    assert profile.cost is not None
    assert profile.cost > 3 * 4_000 * 1e-5
    assert unpriced.cost is None
    assert (rules.planned, rules.cost) == (0, 0.0)
    assert {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()} == before


def test_a_disk_that_takes_nothing_more_is_told_and_keeps_what_is_stored(
    run: RunFolder, override: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> bool:
        raise InfraError("no space")

    with ModelServer(obedient) as server:
        judge(run, override, server, GPT)
        monkeypatch.setattr(JudgmentStore, "append", full)
        with pytest.raises(InfraError, match="no space"):
            judge(run, override, server, OTHER)
        assert states(judge(run, override, server, GPT, mode="cache_only")) == ["valid"] * 3


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("write", [1, 2, 3])
def test_kill_9_at_a_write_loses_no_answer_that_was_written(
    run: RunFolder, override: Judge, write: int, when: str
) -> None:
    with ModelServer(obedient) as server:
        killed = subprocess.run(
            [sys.executable, Path(__file__).with_name("killed_judging.py"), run.path, server.url, str(write), when],
            capture_output=True,
            text=True,
            check=False,
        )
        assert killed.returncode == -9, killed.stderr
        paid = len(server.requests)
        judged = judge(run, override, server, GPT)
    # Only the answer that was on its way to the disk is asked for again.
    assert paid == write
    assert len(server.requests) == 3 + (when == "before")
    assert states(judged) == ["valid"] * 3


@pytest.mark.parametrize(
    ("name", "model", "sent"),
    [
        ("gpt-5.5-xhigh", "gpt-5.5", {"reasoning_effort": "xhigh"}),
        (
            "claude-opus-4.7-max",
            "claude-opus-4-7",
            {"thinking": {"type": "adaptive"}, "output_config": {"effort": "max"}, "max_tokens": 64_000},
        ),
    ],
)
def test_a_profile_asks_its_model_as_published(
    run: RunFolder, override: Judge, name: str, model: str, sent: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    target = target_named(name)
    with ModelServer([answer()]) as server, JudgmentStore(run.store) as store:
        base = server.url if model.startswith("gpt") else server.root
        make = lambda it: LiteLLMClient(it.model, api_base=base, parameters=it.parameters)  # noqa: E731 - one line
        judge_episodes(recorded_episodes(run)[:1], [override], [target], store, make_client=make)
        [request] = server.requests
    assert request.body["model"] == model
    assert sent.items() <= request.body.items()


def test_screenshots_are_shown_on_request_only(tmp_path: Path, override: Judge) -> None:
    run = record_run(tmp_path, [[Turn(OVERRIDES)]])
    [folder] = run.episodes.iterdir()
    (folder / "screens").mkdir()
    (folder / "screens" / "a.png").write_bytes(b"\x89PNG")
    with (folder / "events.jsonl").open("a") as file:
        file.write(json.dumps({"event": "screen", "step": 1, "screenshot": "screens/a.png"}) + "\n")
    shown = Target("gpt", "openai/gpt", screens=True)
    with ModelServer([answer()]) as server, JudgmentStore(run.store) as store:
        for target in (GPT, shown):
            episodes = recorded_episodes(run, screens=target.screens)
            judge_episodes(episodes, [override], [target], store, make_client=client_to(server))
    plain, with_screens = (request.messages[1]["content"] for request in server.requests)
    assert isinstance(plain, str)
    assert [part["type"] for part in with_screens] == ["text", "image_url"]
