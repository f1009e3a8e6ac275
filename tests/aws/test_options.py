"""What the user may ask of AWS, and how a mistake is told."""

from __future__ import annotations

import pytest

from pytest_rogue.desktops.aws_options import AwsOptions
from pytest_rogue.errors import ConfigError
from pytest_rogue.settings import resolve


def options(*pairs: str, **more: str) -> AwsOptions:
    return AwsOptions.of(resolve({"aws": list(pairs), **more}, {}, {}))


def test_each_key_fills_its_field() -> None:
    read = options(
        "image=ami-1",
        "template=desktops:3",
        "subnet=subnet-1",
        "security-group=sg-1",
        "from=203.0.113.7/32",
        "reach=ssh",
        "key-name=k",
        "key-file=k.pem",
        "ssh-user=u",
        "ssh-port=2222",
        "instance-profile=p",
        "scheduler-role=r",
        "spot=yes",
        "ttl=200",
        "price=0.25",
        region="eu-west-1",
        instance_type="c7i.xlarge",
        network="full",
    )

    assert read == AwsOptions(
        region="eu-west-1",
        instance_type="c7i.xlarge",
        image="ami-1",
        template="desktops:3",
        subnet="subnet-1",
        security_group="sg-1",
        allowed_from="203.0.113.7/32",
        reach="ssh",
        key_name="k",
        key_file="k.pem",
        ssh_user="u",
        ssh_port=2222,
        instance_profile="p",
        scheduler_role="r",
        spot=True,
        ttl_minutes=200,
        price=0.25,
        network="full",
    )


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ("sport=yes", "there is no 'sport' (did you mean spot?)"),
        ("spot", "expected spot=VALUE"),
        ("spot=maybe", "expected yes or no"),
        ("price=-1", "expected US dollars for an hour"),
        ("ttl=soon", "expected a whole number"),
        ("ttl=5", "has to live 71 minutes at least"),
        ("reach=carrier-pigeon", "expected one of public, private, ssh, ssm, or a URL"),
        ("from=my-laptop", "expected a network such as 203.0.113.7/32"),
        ("from=0.0.0.0/0", "lets the whole world in"),
        ("reach=private", "needs --rogue-aws=from=NETWORK"),
        ("reach=ssm", "needs --rogue-network=full"),
    ],
)
def test_a_mistake_is_told_with_what_was_expected(pair: str, said: str) -> None:
    with pytest.raises(ConfigError) as told:
        options(pair)

    assert pair.partition("=")[0] in str(told.value)
    assert said in str(told.value)


def test_a_key_is_named_once() -> None:
    with pytest.raises(ConfigError, match="names image more than once"):
        options("image=ami-1", "image=ami-2")


@pytest.mark.parametrize("kind", ["t3.xlarge", "t4g.large", "t2.2xlarge"])
def test_a_burstable_instance_has_to_be_asked_for_twice(kind: str) -> None:
    with pytest.raises(ConfigError, match=f"{kind} is burstable"):
        options(instance_type=kind)

    assert options("burstable=yes", instance_type=kind).instance_type == kind


def test_the_time_to_live_grows_with_the_time_that_an_episode_may_take() -> None:
    assert options().ttl_minutes == 180
    assert options(wall_timeout="7200").ttl_minutes == 251


@pytest.mark.parametrize(
    ("environment", "region"),
    [({}, "us-east-1"), ({"AWS_DEFAULT_REGION": "eu-west-1"}, "eu-west-1"), ({"AWS_REGION": "ap-east-1"}, "ap-east-1")],
)
def test_the_region_is_that_of_the_environment_where_none_is_given(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], region: str
) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert options().region == region


def test_an_instance_has_no_network_between_none_and_full() -> None:
    with pytest.raises(ConfigError, match="none or full"):
        options(network="internal")
