"""Serve the small model on loopback: `python serve.py WEIGHTS PORT`, until standard input ends."""

from __future__ import annotations

import sys

CONTEXT = 4096
"""Tokens; a prompt with a short list of elements takes a third of it."""


def main(weights: str, port: str) -> None:
    """Load the weights and serve them in OpenAI's form."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = weights
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = int(port)
    parameters.n_ctx = CONTEXT
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1  # several would wait for each other on a busy machine
    server = xllamacpp.Server(parameters)
    sys.stdout.write(f"{server.listening_address}/v1\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
