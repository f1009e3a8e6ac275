"""`pytest-rogue published`: what the tasks of the published benchmark download, listed or fetched in advance."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import ConfigError, InfraError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from pytest_rogue.published.downloads import DownloadCache


def add_published_command(commands: Any) -> None:
    """Declare the command.

    Args:
        commands: argparse's group of commands.
    """
    published = commands.add_parser("published", help="what tasks of the published benchmark download")
    actions = published.add_subparsers(metavar="ACTION", required=True)
    for name, run, said in (
        ("missing", _missing, "list what was not fetched yet; 1 if there is anything"),
        ("fetch", _fetch, "fetch what was not fetched yet"),
    ):
        action = actions.add_parser(name, help=said)
        action.add_argument("path", type=Path, help="a manifest test_*.json, or the folder of several")
        action.add_argument("--downloads", type=Path, metavar="DIR", help="where files are kept (the user's cache)")
        action.set_defaults(run=run)


def _missing(chosen: argparse.Namespace) -> int:
    urls = _cache(chosen).missing(_urls(chosen.path))
    for url in urls:
        print(url)
    return 1 if urls else 0


def _fetch(chosen: argparse.Namespace) -> int:
    cache = _cache(chosen)
    failed = 0
    for url in cache.missing(_urls(chosen.path)):
        try:
            print(f"{cache.fetch(url).stat().st_size:>12,}  {url}")
        except InfraError as error:
            failed += 1
            print(f"{'failed':>12}  {error}")
    return 1 if failed else 0


def _cache(chosen: argparse.Namespace) -> DownloadCache:
    from pytest_rogue.published.downloads import DownloadCache, default_folder

    return DownloadCache(chosen.downloads or default_folder())


def _urls(path: Path) -> Iterator[str]:
    from pytest_rogue.published.manifest import load_published
    from pytest_rogue.published.sniff import is_published_manifest
    from pytest_rogue.published.task import PublishedTask

    manifests = [
        file for file in ([path] if path.is_file() else sorted(path.glob("*.json"))) if is_published_manifest(file)
    ]
    if not manifests:
        raise ConfigError(f"{path} is no manifest of the published benchmark, and holds none; name its test_*.json")
    for manifest in manifests:
        for case in load_published(manifest).cases:
            if isinstance(case.task, PublishedTask):
                yield from case.task.urls
