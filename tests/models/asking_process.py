"""Asks a gateway until it is told no more, and prints how often it was answered, and why it ended: ADDRESS TOKEN."""

from __future__ import annotations

import sys

from pytest_rogue.errors import ModelError
from pytest_rogue.models.gateway_client import GatewayClient
from pytest_rogue.models.gateway_wire import Door
from pytest_rogue.secrets import Secret


def main(address: str, token: str) -> None:
    client = GatewayClient(Door(address, Secret(token)), "openai/plain")
    answered, why = 0, ""
    while not why:
        try:
            client.complete([{"role": "user", "content": "hello"}], max_tokens=100)
            answered += 1
        except ModelError as error:
            why = type(error).__name__
    sys.stdout.write(f"{answered} {why}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
