"""What users have registered through the hooks, found by name."""

from __future__ import annotations

import difflib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.errors import ConfigError
from pytest_rogue.plugin.auto_provider import AUTO, choose_provider
from pytest_rogue.plugin.keys import RUN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_rogue.desktops.protocol import Provider
    from pytest_rogue.settings import Settings

_LOADED: pytest.StashKey[bool] = pytest.StashKey()


def _local(settings: Settings, run_id: str, workers: int) -> Provider:  # noqa: ARG001 - made as every one of ours
    from pytest_rogue.desktops.local import LocalProvider

    if settings.network != "none":
        raise ConfigError(
            f"an embedded desktop has no network: --rogue-network={settings.network} needs --rogue-provider=docker"
        )
    return LocalProvider()


def _docker(settings: Settings, run_id: str, workers: int) -> Provider:  # noqa: ARG001 - made as every one of ours
    from pytest_rogue.desktops.docker import DockerProvider
    from pytest_rogue.desktops.docker_stock import StockDockerProvider, is_stock_image

    if settings.docker_image and is_stock_image(settings.docker_image):
        return StockDockerProvider(
            image=settings.docker_image, vm_path=settings.path_to_vm, screen=settings.screen, run_id=run_id
        )
    return DockerProvider(image=settings.docker_image, network=settings.network, run_id=run_id)


def _aws(settings: Settings, run_id: str, workers: int) -> Provider:  # noqa: ARG001 - made as every one of ours
    from pytest_rogue.desktops.aws import AwsProvider
    from pytest_rogue.desktops.aws_options import AwsOptions

    return AwsProvider(AwsOptions.of(settings), screen=settings.screen, run_id=run_id)


def _vmware(settings: Settings, run_id: str, workers: int) -> Provider:
    from pytest_rogue.desktops.vmware import SNAPSHOT, VmwareProvider

    return VmwareProvider(
        vm_path=settings.path_to_vm,
        snapshot=settings.vm_snapshot or SNAPSHOT,
        headless=settings.headless,
        shared=workers > 1,
        screen=settings.screen,
        run_id=run_id,
    )


def _cassette(settings: Settings, run_id: str, workers: int) -> Provider:  # noqa: ARG001 - made as every one of ours
    from pytest_rogue.cassettes.provider import ReplayProvider

    return ReplayProvider(Path(settings.cassette_dir).absolute())


PROVIDERS: Mapping[str, Callable[[Settings, str, int], Provider]] = {
    "aws": _aws,
    "cassette": _cassette,
    "docker": _docker,
    "local": _local,
    "vmware": _vmware,
}


def make_provider(config: pytest.Config, settings: Settings) -> Provider:
    """Return the provider that the settings name; whoever asks closes it, if it has a `close`.

    Raises:
        ConfigError: there is none of that name, or it cannot be what the settings ask for.
    """
    run = config.stash[RUN]
    name = choose_provider(settings)[0] if settings.provider == AUTO else settings.provider
    brought = _merged(config.hook.pytest_rogue_providers(config=config), "provider", {AUTO: None, **PROVIDERS})
    if name in PROVIDERS:
        workers = int(getattr(config, "workerinput", {}).get("workercount", 1))
        return PROVIDERS[name](settings, run.folder.run_id if run else "", workers)
    if name not in brought:
        known = sorted({AUTO, *PROVIDERS, *brought})
        close = difflib.get_close_matches(name, known, n=1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        raise ConfigError(f"there is no provider '{name}'{hint}; known: {', '.join(known)}")
    made: Provider = brought[name]()
    return made


@contextmanager
def provider_for(config: pytest.Config, settings: Settings) -> Iterator[Provider]:
    """Yield the provider that the settings name, and close it afterwards if it can be closed."""
    provider = make_provider(config, settings)
    try:
        yield provider
    finally:
        close = getattr(provider, "close", None)
        if close is not None:
            close()


def load_plugins(config: pytest.Config) -> None:
    """Register obstacles and evaluators that the hooks bring, once a process."""
    if config.stash.get(_LOADED, False):
        return
    config.stash[_LOADED] = True
    from pytest_rogue.evaluators import registry as evaluators
    from pytest_rogue.obstacles import registry as obstacles

    try:
        for families in config.hook.pytest_rogue_obstacles(config=config):
            for family in families:
                obstacles.register(family)
        for kinds in config.hook.pytest_rogue_evaluators(config=config):
            for kind in kinds:
                evaluators.register(kind)
    except ConfigError as error:
        raise pytest.UsageError(str(error)) from None


def agents(config: pytest.Config) -> dict[str, Callable[..., Any]]:
    """Return the agents that the hooks bring."""
    return _merged(config.hook.pytest_rogue_agents(config=config), "agent")


def sinks(config: pytest.Config) -> dict[str, Callable[[dict[str, Any]], None]]:
    """Return the report sinks that the hooks bring."""
    return _merged(config.hook.pytest_rogue_sinks(config=config), "sink")


def _merged(answers: list[Mapping[str, Any]], what: str, taken: Mapping[str, Any] | None = None) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for answer in answers:
        for name, value in answer.items():
            if name in merged or name in (taken or {}):
                raise ConfigError(f"two plugins register {what} '{name}'; rename one of them")
            merged[name] = value
    return merged
