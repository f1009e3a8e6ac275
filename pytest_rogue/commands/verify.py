"""`pytest-rogue verify`: prove of each task that done right scores 1, and left alone or nearly done right scores 0."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import ConfigError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from pytest_rogue.desktops.protocol import Provider
    from pytest_rogue.proof.run import Proof
    from pytest_rogue.suite.model import Task


def add_verify_command(commands: Any) -> None:
    """Declare the command.

    Args:
        commands: argparse's group of commands.
    """
    verify = commands.add_parser(
        "verify", help="prove tasks: the solution scores 1; an untouched desktop and a near miss score 0"
    )
    verify.add_argument(
        "tasks", nargs="*", metavar="TASK", help="name of a packaged task, or path of a task file (all packaged ones)"
    )
    verify.add_argument(
        "--provider", default="auto", choices=("auto", "docker", "local"), help="of the desktops (auto)"
    )
    verify.add_argument("--repeat", type=int, default=1, metavar="N", help="prove each task so often (1)")
    verify.add_argument("-n", "--at-once", type=int, default=2, metavar="N", help="desktops at the same time (2)")
    verify.add_argument("--replay", action="store_true", help="play each entry of a solution twice")
    verify.add_argument(
        "--again", type=int, default=0, metavar="N", help="try what fails on up to N more desktops, and say so (0)"
    )
    verify.add_argument("--strict", action="store_true", help="a task that cannot be tried on this desktop fails, too")
    verify.add_argument("--screenshots", type=Path, metavar="DIR", help="keep a picture of each end state there")
    verify.add_argument("--json", type=Path, metavar="FILE", help="write everything that was found there, too")
    verify.set_defaults(run=_verify)


def _verify(chosen: argparse.Namespace) -> int:
    from pytest_rogue.proof.run import prove_all

    for name, least in (("repeat", 1), ("at_once", 1), ("again", 0)):
        if getattr(chosen, name) < least:
            raise ConfigError(f"--{name.replace('_', '-')} is {least} or more, not {getattr(chosen, name)}")
    tasks = [(task, path.parent.parent / "assets") for path, task in _tasks(chosen.tasks)]
    done: list[Proof] = []

    def told(proof: Proof) -> None:
        done.append(proof)
        line = f"[{len(done)}/{len(tasks)}] {proof.task} {proof.result} {proof.seconds:.1f} s"
        print("\n  ".join([line, *_remarks(proof)]), file=sys.stderr, flush=True)

    with ExitStack() as stack:
        provider = _provider(chosen.provider)
        if hasattr(provider, "close"):
            stack.callback(provider.close)
        proofs = prove_all(
            tasks,
            provider,
            repetitions=chosen.repeat,
            at_once=chosen.at_once,
            replay=chosen.replay,
            again=chosen.again,
            screenshots=chosen.screenshots,
            told=told,
        )
    print("\n".join(_lines(proofs)))
    if chosen.json:
        _write(chosen.json, provider, chosen.repeat, proofs)
    fine = {"proven"} if chosen.strict else {"proven", "skipped"}
    return 0 if all(proof.result in fine for proof in proofs) else 1


def _write(path: Path, provider: Provider, repetitions: int, proofs: Sequence[Proof]) -> None:
    found = {
        "provider": provider.name,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "repetitions": repetitions,
        "tasks": [proof.as_json() for proof in proofs],
    }
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def _tasks(names: Sequence[str]) -> list[tuple[Path, Task]]:
    """Return the tasks of these names and paths, each with its file; all packaged ones where none is named.

    Raises:
        ConfigError: there is no such task.
        TaskError: its file is wrong.
    """
    from pytest_rogue import resources
    from pytest_rogue.evaluators.registry import validate_check
    from pytest_rogue.suite.complaints import closest
    from pytest_rogue.suite.tasks import load_task

    packaged = {path.stem: path for path in sorted((resources.path("scenarios") / "tasks").glob("*.toml"))}
    paths = dict.fromkeys(packaged.values())
    if names:
        paths = dict.fromkeys(
            Path(name) if name.endswith(".toml") else packaged.get(name, Path(name)) for name in names
        )
    for path in paths:
        if path.suffix != ".toml":
            raise ConfigError(f"there is no task {path.name!r}; {closest(path.name, packaged)}")
    return [(path, load_task(path.absolute(), validate_check=validate_check)) for path in paths]


def _provider(name: str) -> Provider:
    """Return the provider of that name; for `auto` Docker where all is there that it needs."""
    from pytest_rogue.desktops.docker import DockerProvider
    from pytest_rogue.desktops.local import LocalProvider

    docker = DockerProvider()
    if name == "docker" or (name == "auto" and all(need.ready for need in docker.readiness())):
        return docker
    return LocalProvider()


def _lines(proofs: Sequence[Proof]) -> Iterable[str]:
    width = max((len(proof.task) for proof in proofs), default=0)
    for proof in proofs:
        yield f"{proof.task:{width}}  {proof.result:7}  {proof.seconds:6.1f} s"
    for proof in proofs:
        yield from _remarks(proof)
    results = [proof.result for proof in proofs]
    said = ", ".join(f"{results.count(result)} {result}" for result in dict.fromkeys(["proven", *sorted(results)]))
    again = sum(bool(proof.unsteady) for proof in proofs)
    yield f"{len(proofs)} tasks: {said}" + (f"; {again} shown again on another desktop" if again else "")


def _remarks(proof: Proof) -> Iterable[str]:
    """Yield why a task was not proven, or not at once."""
    yield from ([f"{proof.task}: skipped: {proof.skipped}"] if proof.skipped else [])
    yield from (str(finding) for finding in proof.findings if not finding.holds)
    yield from (f"shown again: {finding}" for finding in proof.unsteady)
