"""Desktops on instances that are ready, and what is made of it when a machine goes down."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.desktops.aws import AwsDesktop
from pytest_rogue.desktops.aws_guest import WatchedHttp
from pytest_rogue.desktops.aws_instance import Instance, make_instance
from pytest_rogue.desktops.aws_tags import in_minutes
from pytest_rogue.desktops.guest_client import GuestClient
from pytest_rogue.desktops.guest_http import GuestHttp, NeverSent
from pytest_rogue.desktops.protocol import DesktopSpec
from pytest_rogue.desktops.start import was_taken_away
from pytest_rogue.errors import DesktopLost, DesktopShutDown
from pytest_rogue.interaction import Action
from tests.aws.conftest import NOBODY
from tests.loopback import Loopback, QuietHandler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_rogue.desktops.aws import AwsProvider
    from pytest_rogue.desktops.aws_account import AwsAccount
    from tests.aws.conftest import Cloud
    from tests.stock.conftest import Machine

SPEC = DesktopSpec()


@pytest.mark.desktop
def test_a_desktop_on_an_instance_is_taken_over_by_our_guest_and_leaves_nothing(
    cloud: Cloud, machine: Machine, make_provider: Callable[..., AwsProvider]
) -> None:
    provider = make_provider(reach=machine.url)

    desktop = provider.start(SPEC)
    reply = desktop.guest.step(1, Action.python("print(6 * 7)"))
    lays_obstacles, alive = desktop.guest.info().capabilities["obstacle"], desktop.alive()
    scheduled = len(cloud.schedules())
    desktop.stop()
    desktop.stop()
    provider.close()

    assert reply.result is not None
    assert reply.result.stdout == "42\n"
    assert lays_obstacles
    assert alive
    assert scheduled == 1
    assert (cloud.states(), cloud.schedules(), cloud.groups()) == (["terminated"], [], [])


# --- a machine that goes down --------------------


@pytest.fixture
def instance(account: AwsAccount, make_provider: Callable[..., AwsProvider]) -> Instance:
    provider = make_provider()
    provider._made["d1"] = ""  # so that it is removed
    made = make_instance(account, provider._request("d1", in_minutes(60)), "d1")
    return Instance(account, made, in_minutes(60))


@pytest.fixture
def lost(instance: Instance) -> Iterator[GuestClient]:
    """The guest of an instance that answers nobody any more."""
    guest = GuestClient(token="-", base_url=NOBODY)
    guest.reroute(lambda http: WatchedHttp(http, instance, patience=3600))
    yield guest
    guest.close()


def test_a_machine_that_was_switched_off_from_inside_was_shut_down(cloud: Cloud, lost: GuestClient) -> None:
    cloud.end_instances("stopping", "Client.InstanceInitiatedShutdown")

    with pytest.raises(DesktopShutDown, match="it was switched off from inside"):
        lost.info()


def test_a_spot_instance_that_aws_took_back_is_a_fault(cloud: Cloud, lost: GuestClient) -> None:
    cloud.end_instances("shutting-down", "Server.SpotInstanceTermination", "no capacity")

    with pytest.raises(NeverSent, match=r"AWS took the spot instance back .*no capacity") as told:
        lost.info()

    assert not isinstance(told.value, DesktopShutDown)


@pytest.mark.parametrize(
    ("state", "code", "taken"),
    [
        ("terminated", "Server.SpotInstanceTermination", True),
        ("terminated", "Client.UserInitiatedShutdown", True),
        ("stopped", "Client.InstanceInitiatedShutdown", False),
        ("running", "", False),
    ],
)
def test_a_machine_was_taken_away_where_aws_says_so(
    cloud: Cloud, instance: Instance, state: str, code: str, taken: bool
) -> None:
    if code:
        cloud.end_instances(state, code)
    with closing(GuestClient(token="-", base_url=NOBODY)) as guest:
        assert was_taken_away(AwsDesktop("d1", instance, guest, lambda: None)) is taken


def test_aws_is_given_time_to_notice_that_a_machine_is_down(cloud: Cloud, lost: GuestClient) -> None:
    cloud.misbehave(DescribeInstances=["", "dies"])

    with pytest.raises(DesktopLost, match="it broke"):
        lost.info()


def test_aws_is_not_asked_again_what_became_of_a_machine(cloud: Cloud, lost: GuestClient) -> None:
    cloud.end_instances("stopped", "Client.InstanceInitiatedShutdown")
    with pytest.raises(DesktopShutDown):
        lost.info()
    asked = cloud.asked()["DescribeInstances"]

    with pytest.raises(DesktopShutDown):
        lost.evidence()

    assert cloud.asked()["DescribeInstances"] == asked


def test_where_aws_does_not_tell_the_loss_stays_a_loss(cloud: Cloud, lost: GuestClient) -> None:
    cloud.misbehave(DescribeInstances=["ExpiredToken"])

    with pytest.raises(NeverSent, match=r"AWS does not tell what became of it: .*ExpiredToken"):
        lost.info()


class BreaksOnce(QuietHandler):
    """Breaks the first connection, and answers from then on."""

    broken = False

    def do_GET(self) -> None:
        if not BreaksOnce.broken:
            BreaksOnce.broken = True
            return
        self.reply(200, b"{}")


def test_a_machine_that_goes_on_answering_has_lost_one_answer(instance: Instance) -> None:
    with Loopback(BreaksOnce) as server:
        http = WatchedHttp(GuestHttp(token="-", base_url=server.root, uds=None), instance, patience=3600)
        with pytest.raises(DesktopLost) as told:
            http.exchange("GET", "/rogue/v1/info", timeout=30)
        http.close()

    assert type(told.value) is DesktopLost
    assert instance.id not in str(told.value)
