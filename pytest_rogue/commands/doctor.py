"""`pytest-rogue doctor`: what of each provider is ready here, and the line that mends what is not."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from pytest_rogue.readiness import Readiness
    from pytest_rogue.settings import Settings


def add_doctor_command(commands: Any) -> None:
    """Declare the command.

    Args:
        commands: argparse's group of commands.
    """
    doctor = commands.add_parser("doctor", help="say what of each provider is ready here, and how to mend what is not")
    doctor.set_defaults(run=_doctor)


def _doctor(_: argparse.Namespace) -> int:
    from pytest_rogue.desktops.docker import DockerProvider
    from pytest_rogue.desktops.local import LocalProvider
    from pytest_rogue.desktops.local_readiness import local_applications
    from pytest_rogue.models.preflight import model_readiness
    from pytest_rogue.settings import resolve

    settings = resolve({}, os.environ, {})
    ready = [
        _print_readiness("embedded desktop (--rogue-provider=local)", LocalProvider().readiness()),
        _print_readiness(
            "desktop in a container (--rogue-provider=docker)", DockerProvider(image=settings.docker_image).readiness()
        ),
        _print_readiness("desktop in VMware (--rogue-provider=vmware)", _vmware(settings)),
        _print_readiness("desktop on AWS (--rogue-provider=aws)", _aws(settings)),
    ]
    _print_readiness("applications of the packaged tasks in embedded desktops", local_applications())
    _print_readiness("models (--rogue-model=...), one is enough", model_readiness())
    return 0 if any(ready) else 1


def _vmware(settings: Settings) -> Sequence[Readiness]:
    from pytest_rogue.desktops.vmware import SNAPSHOT
    from pytest_rogue.desktops.vmware_readiness import vmware_readiness
    from pytest_rogue.desktops.vmware_vmrun import Vmrun

    named = settings.path_to_vm
    return vmware_readiness(Vmrun(), Path(named) if named else None, settings.vm_snapshot or SNAPSHOT)


def _aws(settings: Settings) -> Sequence[Readiness]:
    from pytest_rogue.desktops.aws_account import AwsAccount
    from pytest_rogue.desktops.aws_options import AwsOptions
    from pytest_rogue.desktops.aws_readiness import aws_readiness

    options = AwsOptions.of(settings)
    with closing(AwsAccount(options.region)) as account:
        return aws_readiness(account, options)


def _print_readiness(title: str, needs: Sequence[Readiness]) -> bool:
    print(title)
    for need in needs:
        print(f"  {'ok' if need.ready else 'no':3} {need.name:18} {need.found}")
    fixes = dict.fromkeys(need.fix for need in needs if not need.ready and need.fix)
    for fix in fixes:
        print(f"      -> {fix}")
    return all(need.ready for need in needs)
