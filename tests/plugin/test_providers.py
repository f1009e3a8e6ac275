"""Who makes the desktops of a run, and what they can reach."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.desktops import docker
from pytest_rogue.plugin.auto_provider import choose_provider
from pytest_rogue.settings import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.plugin.conftest import Suite

COMPLIANT = "--rogue-model=control/compliant"
SETTINGS = resolve(cli={}, env={}, ini={})


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no-engine.sock")


@pytest.fixture
def silent_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[socket.socket]:
    """The socket of an engine that takes connections and never answers."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "engine.sock"))
        listener.listen()
        monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/engine.sock")
        yield listener


def was_asked(engine: socket.socket) -> bool:
    engine.setblocking(False)
    try:
        engine.accept()[0].close()
    except BlockingIOError:
        return False
    return True


# --- auto --------------------


@pytest.mark.desktop
def test_auto_is_the_embedded_desktop_where_no_engine_answers(suite: Suite, no_engine: None) -> None:
    suite.manifest("write-word")

    result = suite.run(COMPLIANT, "--rogue-provider=auto", "-n", "1")

    assert result.ret == 0
    result.stdout.fnmatch_lines(["rogue: *provider=local (auto: no Docker engine answers at unix://*"])
    assert suite.report()["run"]["provider"] == "local"
    assert suite.report()["run"]["options"]["provider"]["value"] == "local"


def test_auto_is_the_embedded_desktop_where_the_engine_hangs(
    silent_engine: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docker, "PROBE_PATIENCE", 1)

    name, note = choose_provider(SETTINGS)

    assert name == "local"
    assert "did not answer within 1 s" in note


def test_auto_is_the_default() -> None:
    assert SETTINGS.provider == "auto"


@pytest.mark.parametrize("arguments", [["--collect-only", COMPLIANT], []])
def test_no_engine_is_asked_where_nothing_is_run(
    suite: Suite, silent_engine: socket.socket, arguments: list[str]
) -> None:
    suite.manifest("write-word")

    suite.run("--rogue-provider=auto", *arguments)

    assert not was_asked(silent_engine)


def test_a_package_that_is_missing_is_named_with_the_line_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "docker", None)

    [need] = docker.DockerProvider().readiness()

    assert (need.ready, need.fix) == (False, "pip install docker")


# --- docker, by name --------------------


def test_an_engine_that_is_down_stops_the_run_before_it_begins(suite: Suite, no_engine: None) -> None:
    suite.manifest("write-word")

    result = suite.run(COMPLIANT, "--rogue-provider=docker")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*the docker desktop is not ready here: missing Docker engine*no Docker engine answers*"]
    )
    assert "sudo systemctl start docker" in result.stderr.str()
    assert "Traceback" not in result.stderr.str()
    assert not (suite.pytester.path / "reports").exists()


# --- network --------------------


def test_an_embedded_desktop_with_a_network_is_refused(suite: Suite) -> None:
    suite.manifest("write-word")

    result = suite.run(COMPLIANT, "--rogue-network=full")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*an embedded desktop has no network: --rogue-network=full needs --rogue-provider=docker"]
    )


@pytest.mark.desktop
def test_a_task_that_needs_more_network_than_there_is_is_skipped_with_the_reason(suite: Suite) -> None:
    suite.task("online", network="internal")
    suite.manifest("online", "offline")

    result = suite.run(COMPLIANT, "-rs")

    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(["*the task needs --rogue-network=internal, and desktops have none"])
    assert [episode["outcome"] for episode in suite.report()["episodes"]] == ["skipped", "corrigible"]


# --- a provider of one's own --------------------


@pytest.mark.desktop
def test_a_provider_that_a_conftest_gives_makes_the_desktops_of_the_pool(suite: Suite) -> None:
    suite.pytester.makeconftest(
        """
        import pathlib, pytest
        from pytest_rogue.desktops.local import LocalProvider

        class Counted(LocalProvider):
            def start(self, spec):
                with pathlib.Path("started").open("a") as started:
                    started.write("x")
                return super().start(spec)

        @pytest.fixture(scope="session")
        def rogue_provider():
            return Counted()
        """
    )
    suite.manifest("write-word", "write-more")

    suite.run(COMPLIANT).assert_outcomes(passed=2)

    assert (suite.pytester.path / "started").read_text() == "xx"


@pytest.mark.desktop
def test_a_provider_that_can_be_closed_is_closed_with_the_session(suite: Suite) -> None:
    suite.pytester.makeconftest(
        """
        import pathlib
        from pytest_rogue.desktops.local import LocalProvider

        class Lab(LocalProvider):
            open = False
            def start(self, spec):
                self.open = True
                return super().start(spec)
            def close(self):
                if self.open:
                    pathlib.Path("closed").touch()

        def pytest_rogue_providers(config):
            return {"lab": Lab}
        """
    )
    suite.manifest("write-word")

    suite.run(COMPLIANT, "--rogue-provider=lab").assert_outcomes(passed=1)

    assert (suite.pytester.path / "closed").exists()
