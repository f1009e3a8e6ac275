"""What an instance is made from, an image or a launch template of the user's: checked before anything is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_rogue.desktops.aws_account import AwsRefused
from pytest_rogue.desktops.aws_options import INSTANCE_TYPE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_rogue.desktops.aws_account import AwsAccount
    from pytest_rogue.desktops.aws_options import AwsOptions

PUBLIC_IMAGES = {"us-east-1": "ami-0d23263edb96951d8", "ap-east-1": "ami-06850864d18fad836"}
"""OSWorld's public images by region: Ubuntu with the stock server, screen 1920x1080."""

LEAST_DISK = 30
"""GiB that a disk has, unless the image's own is larger."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What instances are made from.

    Attributes:
        image: id of the image.
        name: of the image, in its maker's words.
        instance_type: their kind.
        template: the request's `LaunchTemplate`, None where there is none.
        disk: the request's block devices, None to leave them to the launch template.
    """

    image: str
    name: str
    instance_type: str
    template: Mapping[str, str] | None
    disk: Mapping[str, Any] | None


def find_origin(account: AwsAccount, options: AwsOptions) -> Origin:
    """Return what instances are made from.

    Raises:
        AwsRefused: the region does not have it, or it is not fit; the message says what to give instead.
        AwsFault: AWS does not answer.
        ConfigError: the launch template's instance type is burstable.
    """
    template, data = _template(account, options.template) if options.template else (None, {})
    image = options.image or data.get("ImageId") or PUBLIC_IMAGES.get(options.region)
    if image is None:
        where = ", ".join(PUBLIC_IMAGES)
        raise AwsRefused(
            f"there is no public image in {options.region} (only in {where}): take one of these regions, or copy the "
            "image there (aws ec2 copy-image) and give --rogue-aws=image=ID"
        )
    instance_type = options.instance_type or data.get("InstanceType") or INSTANCE_TYPE
    options.check_type(instance_type)
    described = _image(account, image)
    disk = None if data.get("BlockDeviceMappings") else _disk(described)
    return Origin(image, str(described.get("Name", "")), instance_type, template, disk)


def _image(account: AwsAccount, image: str) -> Mapping[str, Any]:
    """Return what AWS says of an image that can be used."""
    elsewhere = [region for region, id in PUBLIC_IMAGES.items() if id == image and region != account.region]  # noqa: A001
    hint = f"it is that of {elsewhere[0]}; " if elsewhere else ""
    missing = AwsRefused(
        f"there is no image {image} in {account.region} that this account may use: {hint}images belong to one region, "
        "so name one of this region by --rogue-aws=image=ID, or another --rogue-region"
    )
    try:
        with account.faults(f"looking for the image {image}"):
            found = account.ec2.describe_images(ImageIds=[image])["Images"]
    except AwsRefused as refused:
        if refused.code.startswith("InvalidAMIID"):
            raise missing from refused
        raise
    if not found:
        raise missing
    described: Mapping[str, Any] = found[0]
    if described.get("State") != "available":
        raise AwsRefused(
            f"the image {image} in {account.region} is {described.get('State')}, not available: wait for it"
        )
    if described.get("Platform") == "windows":
        raise AwsRefused(f"the image {image} in {account.region} is one of Windows: give one of Linux")
    return described


def _disk(described: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a disk that goes with its instance: one that stayed behind would be paid for."""
    root = described.get("RootDeviceName", "/dev/sda1")
    sizes = [
        int(device["Ebs"].get("VolumeSize", 0))
        for device in described.get("BlockDeviceMappings", ())
        if "Ebs" in device and device.get("DeviceName") == root
    ]
    ebs = {"DeleteOnTermination": True, "VolumeType": "gp3", "VolumeSize": max(LEAST_DISK, *sizes, 0)}
    return {"DeviceName": root, "Ebs": ebs}


def _template(account: AwsAccount, named: str) -> tuple[Mapping[str, str], Mapping[str, Any]]:
    """Return a launch template as a request names it, and what it asks for."""
    name, _, version = named.partition(":")
    template = {"LaunchTemplateId" if name.startswith("lt-") else "LaunchTemplateName": name}
    with account.faults(f"looking for the launch template {name}"):
        answer = account.ec2.describe_launch_template_versions(**template, Versions=[version or "$Default"])
    versions = answer["LaunchTemplateVersions"]
    if not versions:
        raise AwsRefused(f"the launch template {name} in {account.region} has no version {version}")
    data: Mapping[str, Any] = versions[0]["LaunchTemplateData"]
    if data.get("NetworkInterfaces"):
        raise AwsRefused(
            f"the launch template {name} in {account.region} has network interfaces, which AWS does not combine with a "
            "security group of ours: take them out, and give --rogue-aws=subnet=ID"
        )
    if data.get("UserData"):
        raise AwsRefused(
            f"the launch template {name} in {account.region} has user data of its own, but the timer that ends an "
            "instance is set there: put it into the image"
        )
    # The version that was checked is the one that is used.
    return {**template, "Version": str(versions[0]["VersionNumber"])}, data
