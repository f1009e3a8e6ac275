"""What an instance costs in an hour, as the user or AWS says; a price that nobody tells is None, never 0."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_rogue.desktops.aws_account import AwsFault, AwsRefused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_rogue.desktops.aws_account import AwsAccount
    from pytest_rogue.desktops.aws_options import AwsOptions

_PRICE_LIST_REGION = "us-east-1"
"""The price list of all regions is told in few."""


def price_per_hour(account: AwsAccount, instance_type: str, options: AwsOptions) -> float | None:
    """Return US dollars for an hour of an instance alone (not its disk and traffic); None where AWS does not tell.

    Args:
        account: whose region it is.
        instance_type: its kind.
        options: a price of the user's own comes first; for spot instances the last one counts, the highest over the
            zones.
    """
    if options.price is not None:
        return options.price
    try:
        return _spot(account, instance_type) if options.spot else _on_demand(account, instance_type)
    except (AwsFault, AwsRefused, KeyError, ValueError):  # whoever has to know it asks for an own one
        return None


def _spot(account: AwsAccount, instance_type: str) -> float | None:
    with account.faults("asking for the price"):
        found = account.ec2.describe_spot_price_history(
            InstanceTypes=[instance_type], ProductDescriptions=["Linux/UNIX"], MaxResults=100
        )["SpotPriceHistory"]
    latest: dict[str, float] = {}
    for entry in sorted(found, key=lambda entry: entry["Timestamp"]):
        latest[entry["AvailabilityZone"]] = float(entry["SpotPrice"])
    return max(latest.values(), default=None)


def _on_demand(account: AwsAccount, instance_type: str) -> float | None:
    wanted = {
        "regionCode": account.region,
        "instanceType": instance_type,
        "operatingSystem": "Linux",
        "tenancy": "Shared",
        "preInstalledSw": "NA",
        "capacitystatus": "Used",
    }
    filters = [{"Type": "TERM_MATCH", "Field": field, "Value": value} for field, value in wanted.items()]
    with account.faults("asking for the price"):
        answer = account.client("pricing", _PRICE_LIST_REGION).get_products(ServiceCode="AmazonEC2", Filters=filters)
    prices = [price for product in answer["PriceList"] for price in _prices(json.loads(product))]
    return max(prices, default=None)


def _prices(product: Mapping[str, Any]) -> list[float]:
    return [
        float(dimension["pricePerUnit"]["USD"])
        for term in product["terms"].get("OnDemand", {}).values()
        for dimension in term["priceDimensions"].values()
        if dimension["unit"] == "Hrs" and float(dimension["pricePerUnit"]["USD"]) > 0
    ]
