"""What goes wrong while a desktop starts is told in a sentence, and nothing of it is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rogue.desktops.aws_account import AwsRefused
from pytest_rogue.desktops.protocol import DesktopSpec
from pytest_rogue.desktops.start import start_desktop
from pytest_rogue.errors import DesktopStartError, DesktopsUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rogue.desktops.aws import AwsProvider
    from tests.aws.conftest import Cloud

SPEC = DesktopSpec()


def nothing_is_left(cloud: Cloud) -> bool:
    return not set(cloud.states()) - {"terminated"} and not cloud.schedules()


def test_no_capacity_is_tried_again_once_and_then_told(cloud: Cloud, make_provider: Callable[..., AwsProvider]) -> None:
    cloud.misbehave(RunInstances=["InsufficientInstanceCapacity"] * 3)

    with pytest.raises(DesktopStartError, match=r"InsufficientInstanceCapacity .*take another --rogue-instance-type"):
        start_desktop(make_provider(), SPEC)

    assert cloud.asked()["RunInstances"] == 2
    assert nothing_is_left(cloud)


def test_expired_credentials_are_not_tried_again(cloud: Cloud, make_provider: Callable[..., AwsProvider]) -> None:
    cloud.misbehave(RunInstances=["ExpiredToken"] * 3)

    with pytest.raises(DesktopsUnavailable, match=r"renew them .*--rogue-resume"):
        start_desktop(make_provider(), SPEC)

    assert cloud.asked()["RunInstances"] == 1


@pytest.mark.parametrize("code", ["AccessDeniedException", "ValidationException"])
def test_an_instance_whose_end_cannot_be_scheduled_is_removed_at_once(
    cloud: Cloud, make_provider: Callable[..., AwsProvider], code: str
) -> None:
    cloud.misbehave(CreateSchedule=[code])

    with pytest.raises(AwsRefused, match="scheduling the end of i-"):
        make_provider().start(SPEC)

    assert cloud.states() == ["terminated"]


def test_an_instance_that_dies_while_it_starts_is_told_with_awss_reason(
    cloud: Cloud, make_provider: Callable[..., AwsProvider]
) -> None:
    cloud.misbehave(RunInstances=["dies"])

    with pytest.raises(DesktopStartError, match=r"ended while it was starting: .*it broke"):
        make_provider().start(SPEC)

    assert nothing_is_left(cloud)


def test_an_instance_that_dies_while_its_desktop_boots_is_not_waited_for(
    cloud: Cloud, make_provider: Callable[..., AwsProvider]
) -> None:
    cloud.misbehave(DescribeInstances=["", "dies"])

    with pytest.raises(DesktopStartError) as told:
        make_provider(boot_timeout=3600).start(SPEC)

    assert "in 3600 s" not in str(told.value)
    assert nothing_is_left(cloud)


def test_a_desktop_that_does_not_come_is_removed(cloud: Cloud, make_provider: Callable[..., AwsProvider]) -> None:
    with pytest.raises(DesktopStartError):
        make_provider(boot_timeout=0.5).start(DesktopSpec(timeout=0.5))

    assert cloud.states() == ["terminated"]
    assert nothing_is_left(cloud)


def test_what_cannot_be_cleared_away_is_told_and_removed_in_the_end(
    cloud: Cloud, make_provider: Callable[..., AwsProvider]
) -> None:
    cloud.misbehave(TerminateInstances=["UnauthorizedOperation"])
    provider = make_provider(boot_timeout=0.5)

    with pytest.raises(DesktopStartError) as told:
        provider.start(DesktopSpec(timeout=0.5))
    left = cloud.states()
    provider.close()

    assert "pytest-rogue gc --provider=aws" in "".join(told.value.__notes__)
    assert left == ["running"]
    assert nothing_is_left(cloud)
