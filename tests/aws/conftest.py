"""AWS by a stand-in (`aws_cloud.py`), and a machine with a stock server that stands for every instance."""

from __future__ import annotations

import select
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3  # noqa: F401 - pytester forgets what is first imported in its tests, and errors would be of two classes
import httpx
import pytest

from pytest_rogue.desktops.aws import AwsProvider
from pytest_rogue.desktops.aws_account import AwsAccount
from pytest_rogue.desktops.aws_options import AwsOptions
from pytest_rogue.desktops.aws_ttl import MARK
from pytest_rogue.desktops.stock_server import StockServer
from tests.plugin.conftest import suite
from tests.stock.conftest import Machine, running_machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["suite"]

CLOUD = Path(__file__).parents[1] / "aws_cloud.py"
ROLE = "arn:aws:iam::123456789012:role/pytest-rogue-end"
NOBODY = "http://127.0.0.1:1"
"""Where nobody listens, as on an instance that has not booted."""


@dataclass(frozen=True, slots=True)
class Cloud:
    """The stand-in."""

    url: str
    accounts: dict[str, AwsAccount] = field(default_factory=dict)

    def account(self, region: str = "us-east-1") -> AwsAccount:
        """Return the account in a region; its clients are made once, since that takes longer than most tests."""
        if not self.accounts:
            self.accounts[region] = AwsAccount(region)
        if region not in self.accounts:
            self.accounts[region] = next(iter(self.accounts.values())).in_region(region)
        return self.accounts[region]

    def misbehave(self, **faults: list[str]) -> None:
        """Let the next answers to actions have these faults."""
        self._post("/stand-in", faults)

    def end_instances(self, state: str, code: str, message: str = "") -> None:
        """Let every instance that runs end so."""
        self._post("/stand-in/end", {"state": state, "code": code, "message": message})

    def asked(self) -> dict[str, int]:
        """Return how often each action was asked for."""
        counts: dict[str, int] = httpx.get(f"{self.url}/stand-in", trust_env=False, timeout=60).json()
        return counts

    def _post(self, path: str, body: Any) -> None:
        httpx.post(f"{self.url}{path}", json=body, trust_env=False, timeout=60).raise_for_status()

    # --- what is there, told by the same API that is tested, but asked here

    def instances(self, region: str = "us-east-1") -> list[dict[str, Any]]:
        """Return all instances, those that are gone included."""
        reservations = self.account(region).ec2.describe_instances()["Reservations"]
        return [instance for reservation in reservations for instance in reservation["Instances"]]

    def states(self, region: str = "us-east-1") -> list[str]:
        """Return the states of all instances."""
        return [instance["State"]["Name"] for instance in self.instances(region)]

    def schedules(self) -> list[dict[str, Any]]:
        """Return all schedules."""
        scheduler = self.account().scheduler
        names = [schedule["Name"] for schedule in scheduler.list_schedules()["Schedules"]]
        return [scheduler.get_schedule(Name=name) for name in names]

    def groups(self) -> list[dict[str, Any]]:
        """Return the security groups that are not AWS's own."""
        groups = self.account().ec2.describe_security_groups()["SecurityGroups"]
        return [group for group in groups if group["GroupName"] != "default"]


@pytest.fixture(scope="session")
def running_cloud() -> Iterator[Cloud]:
    process = subprocess.Popen([sys.executable, CLOUD], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    try:
        readable, _, _ = select.select([process.stdout], [], [], 120)
        port = process.stdout.readline().strip() if readable else b""
        assert port, "the stand-in for AWS did not start"
        cloud = Cloud(f"http://127.0.0.1:{port.decode()}")
        yield cloud
        for account in cloud.accounts.values():
            account.close()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def cloud(running_cloud: Cloud, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cloud:
    """AWS with nothing in it, and nobody's own settings for it."""
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ENDPOINT_URL", running_cloud.url)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key-id-of-the-test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret-of-the-test")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "no-config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "no-credentials"))
    httpx.post(f"{running_cloud.url}/moto-api/reset", trust_env=False, timeout=60).raise_for_status()
    return running_cloud


@pytest.fixture
def account(cloud: Cloud) -> AwsAccount:
    return cloud.account()


@pytest.fixture
def make_provider(cloud: Cloud) -> Iterator[Callable[..., AwsProvider]]:
    """Make providers that are closed in the end; keywords of `AwsOptions` and of `AwsProvider`."""
    made: list[AwsProvider] = []

    def make(
        *, run_id: str = "r1", owner: Any = None, boot_timeout: float = 60.0, shared: bool = True, **options: Any
    ) -> AwsProvider:
        wanted = AwsOptions(**{"scheduler_role": ROLE, "allowed_from": "192.0.2.1/32", "reach": NOBODY} | options)
        account = cloud.account(wanted.region) if shared else None
        made.append(AwsProvider(wanted, run_id=run_id, owner=owner, account=account, boot_timeout=boot_timeout))
        return made[-1]

    yield make
    cloud.misbehave()
    for provider in made:
        provider.close()


@pytest.fixture(scope="module")
def booted() -> Iterator[Machine]:
    """The machine of every instance; its user data has been run."""
    with running_machine("/run") as machine, closing(StockServer(machine.url)) as server:
        server.upload(MARK, b"by user data\n")
        yield machine


@pytest.fixture
def machine(booted: Machine) -> Machine:
    """A machine without a fault, for now."""
    booted.misbehave()
    return booted
