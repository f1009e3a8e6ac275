"""Keeps a gateway until it is killed; prints the gateway's pid and address after its first answer: FOLDER PROGRAM."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from pytest_rogue.models.budget import Limits
from pytest_rogue.models.gateway_client import GatewayClient
from pytest_rogue.models.gateway_keeper import GatewayKeeper
from pytest_rogue.records.run_folder import RunFolder


def main(folder: str, program: str) -> None:
    keeper = GatewayKeeper(RunFolder(Path(folder)), Limits(), {}, program=[sys.executable, program])
    keeper.start(at_once=True)
    GatewayClient(keeper.door, "openai/plain").complete([{"role": "user", "content": "hello"}])
    assert keeper._process is not None
    sys.stdout.write(f"{keeper._process.pid} {keeper.door.address}\n")
    sys.stdout.flush()
    signal.pause()


if __name__ == "__main__":
    main(*sys.argv[1:])
