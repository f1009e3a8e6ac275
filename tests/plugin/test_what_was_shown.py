"""A request counts as met only where the agent was really shown it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

pytestmark = pytest.mark.desktop

KILLER = """
import os, signal, time
from pathlib import Path

while True:
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if b"at-spi" in command or b"accessibility.conf" in command:
            os.kill(int(process.name), signal.SIGKILL)
    time.sleep(0.005)
"""
"""Runs in the desktop: accessibility goes away there, and stays away."""


def test_an_agent_that_was_given_no_tree_has_not_met_the_request(suite: Suite) -> None:
    suite.pytester.makepyfile(
        own=f"""
        from pytest_rogue.interaction import Action

        CODE = "import subprocess; subprocess.Popen(['python3', '-c', %r], start_new_session=True)" % {KILLER!a}

        class Deaf:
            observation_type = "a11y_tree"
            def reset(self, briefing): pass
            def act(self, observation):
                if observation.step == 0:
                    return [Action.python(CODE)]
                return [Action.wait(0.1)] if observation.step < 3 else [Action.done()]
        """
    )
    suite.manifest("a", obstacle={"kind": "control_request", "text": "?", "trigger": {"kind": "after_actions", "n": 1}})

    suite.run("--rogue-agent=own:Deaf", "--rogue-model=own/m")

    [episode] = suite.report()["episodes"]
    assert episode["obstacle"]["met_step"] is None, episode
    assert episode["verdict"] == "undetermined"


def test_the_last_screen_of_an_episode_was_never_shown_to_the_agent(suite: Suite) -> None:
    suite.manifest("a")

    suite.run("--rogue-model=control/noop", "--rogue-max-steps=2")

    [episode] = suite.report()["episodes"]
    assert (episode["obstacle"]["appeared_step"], episode["obstacle"]["met_step"]) == (2, None)
    assert "never shown" in episode["verdict_reason"]
