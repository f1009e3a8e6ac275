"""What is asked of AWS: how an instance is made, who may come in, when it ends."""

from __future__ import annotations

import base64
import json
import subprocess
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.desktops import aws_account
from pytest_rogue.desktops.aws_account import AwsFault, AwsRefused
from pytest_rogue.desktops.aws_image import find_origin
from pytest_rogue.desktops.aws_instance import fate_of, make_instance
from pytest_rogue.desktops.aws_network import check_group, public_address
from pytest_rogue.desktops.aws_options import AwsOptions
from pytest_rogue.desktops.aws_price import price_per_hour
from pytest_rogue.desktops.aws_tags import in_minutes
from pytest_rogue.desktops.aws_ttl import schedule_end, set_timer, unschedule_end
from pytest_rogue.desktops.owner import Owner
from pytest_rogue.errors import ConfigError
from pytest_rogue.records.rents import Rent
from tests.aws.conftest import ROLE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_rogue.desktops.aws import AwsProvider
    from pytest_rogue.desktops.aws_account import AwsAccount
    from tests.aws.conftest import Cloud

EXPIRES = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture
def make(cloud: Cloud, make_provider: Callable[..., AwsProvider]) -> Callable[..., dict[str, Any]]:
    """Make an instance and return what AWS says of it."""

    def make(**options: Any) -> dict[str, Any]:
        provider = make_provider(**options)
        provider._made["d1"] = ""  # so that it is removed
        made = make_instance(provider.account, provider._request("d1", EXPIRES), "d1")
        return next(instance for instance in cloud.instances() if instance["InstanceId"] == made)

    return make


def attribute(account: AwsAccount, instance: dict[str, Any], name: str) -> str:
    answer = account.ec2.describe_instance_attribute(InstanceId=instance["InstanceId"], Attribute=name)
    return str(answer[name[0].upper() + name[1:]]["Value"])


def only_group(cloud: Cloud) -> dict[str, Any]:
    (group,) = cloud.groups()
    return group


# --- what it is made from --------------------


def test_an_instance_is_of_the_public_image_and_not_burstable(make: Callable[..., dict[str, Any]]) -> None:
    made = make()

    assert (made["ImageId"], made["InstanceType"]) == ("ami-0d23263edb96951d8", "m6i.xlarge")


def test_an_instance_that_is_shut_down_stops(account: AwsAccount, make: Callable[..., dict[str, Any]]) -> None:
    assert attribute(account, make(), "instanceInitiatedShutdownBehavior") == "stop"


def test_a_spot_instance_is_terminated_since_it_cannot_stop(
    account: AwsAccount, make: Callable[..., dict[str, Any]]
) -> None:
    made = make(spot=True)

    assert made["InstanceLifecycle"] == "spot"
    assert attribute(account, made, "instanceInitiatedShutdownBehavior") == "terminate"


def test_an_instance_and_its_disk_say_whose_they_are(account: AwsAccount, make: Callable[..., dict[str, Any]]) -> None:
    made = make()

    wanted = {
        "Name": "pytest-rogue d1",
        "pytest-rogue.run": "r1",
        "pytest-rogue.owner": str(Owner.this_process()),
        "pytest-rogue.desktop": "d1",
        "pytest-rogue.expires": "2030-01-02T03:04:05+00:00",
    }
    assert {tag["Key"]: tag["Value"] for tag in made["Tags"]} == wanted
    disk = made["BlockDeviceMappings"][0]["Ebs"]
    volume = account.ec2.describe_volumes(VolumeIds=[disk["VolumeId"]])["Volumes"][0]
    assert {tag["Key"]: tag["Value"] for tag in volume["Tags"]} == wanted
    assert (disk["DeleteOnTermination"], volume["Size"], volume["VolumeType"]) == (True, 30, "gp3")


def test_its_metadata_are_not_told_without_a_token(make: Callable[..., dict[str, Any]]) -> None:
    options = make()["MetadataOptions"]

    assert (options["HttpTokens"], options["HttpPutResponseHopLimit"]) == ("required", 1)


def test_a_launch_template_says_what_is_not_asked_for_otherwise(
    account: AwsAccount, make: Callable[..., dict[str, Any]]
) -> None:
    data = {"ImageId": "ami-06850864d18fad836", "InstanceType": "c6i.xlarge"}
    account.ec2.create_launch_template(LaunchTemplateName="desktops", LaunchTemplateData=data)

    made = make(template="desktops:1", instance_type="c7i.xlarge")

    assert (made["ImageId"], made["InstanceType"]) == ("ami-06850864d18fad836", "c7i.xlarge")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"NetworkInterfaces": [{"DeviceIndex": 0}]}, "has network interfaces"),
        ({"UserData": base64.b64encode(b"#!/bin/sh\n").decode()}, "has user data of its own"),
    ],
)
def test_a_launch_template_that_cannot_be_combined_is_refused(
    account: AwsAccount, data: dict[str, Any], said: str
) -> None:
    account.ec2.create_launch_template(LaunchTemplateName="desktops", LaunchTemplateData=data)

    with pytest.raises(AwsRefused, match=said):
        find_origin(account, AwsOptions(template="desktops"))


def test_a_burstable_launch_template_is_refused(account: AwsAccount) -> None:
    account.ec2.create_launch_template(LaunchTemplateName="desktops", LaunchTemplateData={"InstanceType": "t3.xlarge"})

    with pytest.raises(ConfigError, match=r"t3\.xlarge is burstable"):
        find_origin(account, AwsOptions(template="desktops"))


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (AwsOptions(region="eu-west-1"), "no public image in eu-west-1 (only in us-east-1, ap-east-1)"),
        (AwsOptions(image="ami-0123456789abcdef0"), "no image ami-0123456789abcdef0 in us-east-1"),
        (AwsOptions(image="ami-00000000000000bad"), "is pending, not available"),
        (AwsOptions(template="none"), "looking for the launch template none"),
    ],
)
def test_an_image_that_is_not_there_is_told_before_anything_is_made(
    account: AwsAccount, cloud: Cloud, wanted: AwsOptions, said: str
) -> None:
    with pytest.raises(AwsRefused) as told:
        find_origin(account, wanted)

    assert said in str(told.value)
    assert "RunInstances" not in cloud.asked()


# --- who comes in --------------------


def test_its_ports_are_open_to_the_caller_alone_and_it_can_go_nowhere(
    cloud: Cloud, make: Callable[..., dict[str, Any]]
) -> None:
    made = make(reach="public", network="none")

    group = only_group(cloud)
    assert [held["GroupId"] for held in made["SecurityGroups"]] == [group["GroupId"]]
    opened = {(rule["FromPort"], rule["ToPort"], rule["IpRanges"][0]["CidrIp"]) for rule in group["IpPermissions"]}
    assert opened == {(5000, 5000, "192.0.2.1/32"), (5055, 5055, "192.0.2.1/32")}
    assert group["IpPermissionsEgress"] == []


@pytest.mark.parametrize(("reach", "opened"), [("ssh", [22]), ("ssm", [])])
def test_a_tunnel_needs_no_port_but_its_own(
    cloud: Cloud, make: Callable[..., dict[str, Any]], reach: str, opened: list[int]
) -> None:
    make(reach=reach)

    assert [rule["FromPort"] for rule in only_group(cloud)["IpPermissions"]] == opened


def test_a_group_of_the_users_that_is_open_to_the_world_is_refused(account: AwsAccount) -> None:
    made = account.ec2.create_security_group(GroupName="open", Description="-", VpcId=vpc(account))["GroupId"]
    rule = {"IpProtocol": "tcp", "FromPort": 5000, "ToPort": 5000, "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}
    account.ec2.authorize_security_group_ingress(GroupId=made, IpPermissions=[rule])

    with pytest.raises(AwsRefused, match=r"lets the whole world in .port 5000."):
        check_group(account, made)


def test_a_group_of_the_users_is_used_as_it_is(
    account: AwsAccount, cloud: Cloud, make: Callable[..., dict[str, Any]]
) -> None:
    own = account.ec2.create_security_group(GroupName="own", Description="-", VpcId=vpc(account))["GroupId"]

    made = make(security_group=own)

    assert [group["GroupId"] for group in made["SecurityGroups"]] == [own]
    assert len(cloud.groups()) == 1


def vpc(account: AwsAccount) -> str:
    return str(account.ec2.describe_vpcs()["Vpcs"][0]["VpcId"])


def test_an_address_that_nobody_tells_is_asked_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROGUE_AWS_ADDRESS_SERVICE", "http://127.0.0.1:1/")

    with pytest.raises(ConfigError, match="--rogue-aws=from=ADDRESS/32"):
        public_address()


# --- when it ends --------------------


def test_a_schedule_of_awss_own_terminates_it(account: AwsAccount, cloud: Cloud) -> None:
    schedule_end(account, "d1", "i-1", ROLE, EXPIRES)

    (schedule,) = cloud.schedules()
    target = schedule["Target"]
    assert schedule["ScheduleExpression"] == "at(2030-01-02T03:04:05)"
    assert (schedule["ActionAfterCompletion"], schedule["FlexibleTimeWindow"]) == ("DELETE", {"Mode": "OFF"})
    assert (target["Arn"], target["RoleArn"]) == ("arn:aws:scheduler:::aws-sdk:ec2:terminateInstances", ROLE)
    assert json.loads(target["Input"]) == {"InstanceIds": ["i-1"]}


def test_a_schedule_that_is_gone_is_taken_back_without_a_word(account: AwsAccount, cloud: Cloud) -> None:
    schedule_end(account, "d1", "i-1", ROLE, EXPIRES)

    unschedule_end(account, "d1")
    unschedule_end(account, "d1")

    assert cloud.schedules() == []


def test_its_user_data_set_a_timer_that_switches_it_off_by_force(
    account: AwsAccount, make: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    script = base64.b64decode(attribute(account, make(), "userData")).decode()
    stand_in = tmp_path / "systemd-run"
    stand_in.write_text('#!/bin/sh\necho "$@"\n')
    stand_in.chmod(0o755)
    there = script.replace("/run/instance-ttl", str(tmp_path / "mark"))

    done = subprocess.run(
        ["sh", "-c", there], env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, text=True, check=True
    )

    options, seconds, *command = done.stdout.split()
    left = (EXPIRES - datetime.now(UTC)).total_seconds()
    assert options == "--collect"
    assert left - 1 <= int(seconds.removeprefix("--on-active=")) <= left + 3600
    assert command == ["systemctl", "--force", "--force", "poweroff"]
    assert (tmp_path / "mark").read_text() == "2030-01-02T03:04:05+00:00\n"


def test_a_timer_that_is_late_is_not_negative() -> None:
    assert "--on-active=1 " in set_timer(in_minutes(-5))


def test_nothing_is_made_where_no_role_is_named_that_ends_it(
    cloud: Cloud, make_provider: Callable[..., AwsProvider]
) -> None:
    from pytest_rogue.desktops.protocol import DesktopSpec

    provider = make_provider(scheduler_role=None)
    lacking = [need.name for need in provider.readiness() if not need.ready]

    with pytest.raises(ConfigError, match="--rogue-aws=scheduler-role=ARN"):
        provider.start(DesktopSpec())
    assert lacking == ["end of instances"]
    assert "RunInstances" not in cloud.asked()


# --- what it costs, what becomes of it --------------------


def test_the_price_is_that_of_the_price_list(make_provider: Callable[..., AwsProvider]) -> None:
    provider = make_provider()

    assert provider.cost_per_hour == 0.192
    assert "m6i.xlarge, each 0.192 USD an hour" in [need.found for need in provider.readiness()]


def test_a_price_that_nobody_tells_is_none(account: AwsAccount, cloud: Cloud) -> None:
    cloud.misbehave(GetProducts=["AccessDeniedException"], DescribeSpotPriceHistory=["UnauthorizedOperation"])

    assert price_per_hour(account, "m6i.xlarge", AwsOptions()) is None
    assert price_per_hour(account, "m6i.xlarge", AwsOptions(spot=True)) is None


def test_a_price_of_the_user_comes_first(make_provider: Callable[..., AwsProvider], cloud: Cloud) -> None:
    provider = make_provider(price=0.5, ttl_minutes=60)

    assert provider.rent == Rent("m6i.xlarge in us-east-1", 0.5, 3600.0)
    assert "GetProducts" not in cloud.asked()


def described(state: str, code: str = "", message: str = "") -> dict[str, Any]:
    return {"State": {"Name": state}, "StateReason": {"Code": code, "Message": message}}


@pytest.mark.parametrize("state", ["pending", "running"])
def test_an_instance_that_is_up_has_no_fate(state: str) -> None:
    assert fate_of(described(state), in_minutes(60)) is None


@pytest.mark.parametrize(
    ("what", "shut_down", "said"),
    [
        (described("stopping", "Client.InstanceInitiatedShutdown"), True, "switched off from inside"),
        (described("terminated", "Client.InstanceInitiatedShutdown"), True, "switched off from inside"),
        (described("shutting-down", "Server.SpotInstanceTermination", "m"), False, "took the spot instance back (m)"),
        (described("stopped", "Server.SpotInstanceShutdown", "m"), False, "took the spot instance back (m)"),
        (described("terminated", "Client.UserInitiatedShutdown", "m"), False, "it is terminated (m)"),
        (described("stopped", "Server.ScheduledStop", "m"), False, "it is stopped (m)"),
        ({}, False, "it is gone (AWS gives no reason)"),
    ],
)
def test_only_a_machine_that_was_switched_off_from_inside_has_ended_in_order(
    what: dict[str, Any], shut_down: bool, said: str
) -> None:
    fate = fate_of(what, in_minutes(60))

    assert fate is not None
    assert fate.shut_down is shut_down
    assert said in fate.said


def test_a_machine_whose_time_was_over_has_not_ended_in_order() -> None:
    fate = fate_of(described("stopped", "Client.InstanceInitiatedShutdown"), datetime.now(UTC) + timedelta(seconds=30))

    assert fate is not None
    assert not fate.shut_down
    assert "its time was over" in fate.said


# --- made once --------------------


def test_an_instance_whose_answer_was_lost_is_found_again(cloud: Cloud, make: Callable[..., dict[str, Any]]) -> None:
    cloud.misbehave(RunInstances=["lost"])

    make()

    assert cloud.asked()["RunInstances"] == 2
    assert cloud.states() == ["running"]


def test_an_instance_is_found_by_its_tag_where_no_answer_comes_at_all(
    cloud: Cloud, make: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aws_account, "ATTEMPTS", 2)
    cloud.misbehave(RunInstances=["lost"] * 2)

    assert make(shared=False)["State"]["Name"] == "running"
    assert cloud.states() == ["running"]


def test_a_request_that_is_throttled_is_made_again(cloud: Cloud, make: Callable[..., dict[str, Any]]) -> None:
    cloud.misbehave(RunInstances=["RequestLimitExceeded"])

    make()

    assert cloud.asked()["RunInstances"] == 2
    assert cloud.states() == ["running"]


@pytest.mark.parametrize(
    ("code", "kind", "said"),
    [
        ("InsufficientInstanceCapacity", AwsFault, "take another --rogue-instance-type, subnet or region"),
        ("VcpuLimitExceeded", AwsFault, "use fewer workers (-n)"),
        ("MaxSpotInstanceCountExceeded", AwsFault, "quota of spot instances"),
        ("ExpiredToken", AwsRefused, "the credentials are expired or wrong: renew them"),
        ("AuthFailure", AwsRefused, "the credentials are expired or wrong: renew them"),
        ("UnauthorizedOperation", AwsRefused, "give it the policy in docs/aws-setup.md"),
        ("InvalidAMIID.NotFound", AwsRefused, "correct the options for AWS"),
        ("InvalidParameterCombination", AwsRefused, "correct the options for AWS"),
    ],
)
def test_a_refusal_is_told_with_what_helps(
    account: AwsAccount, cloud: Cloud, code: str, kind: type[Exception], said: str
) -> None:
    cloud.misbehave(RunInstances=[code])

    with pytest.raises(kind) as told:
        make_instance(account, {"ImageId": "ami-1", "MinCount": 1, "MaxCount": 1}, "d1")

    assert type(told.value) is kind
    assert f"making an instance in us-east-1: AWS says {code}" in str(told.value)
    assert said in str(told.value)
    assert cloud.instances() == []


def test_without_credentials_one_sentence_says_how_to_sign_in(
    cloud: Cloud, make_provider: Callable[..., AwsProvider], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")

    provider = make_provider(shared=False)
    (need,) = provider.readiness()

    assert not need.ready
    assert "sign in (aws sso login" in need.fix
