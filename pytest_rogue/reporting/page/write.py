"""Writing the page: the overview in `report.html`, each episode in a file that is loaded when it is opened.

Everything comes from the report and the records, which are free of secrets since they were written. All paths are
relative to the run's folder, so that it may be moved.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pytest_rogue.records.disk import write_atomically, writing_in
from pytest_rogue.records.run_folder import RunFolder
from pytest_rogue.reporting.page.data import (
    data_name,
    folder_of,
    index_of,
    judgments_by_node,
    pictures_of,
    story_of,
)
from pytest_rogue.reporting.page.template import data_text, page_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

STANDALONE = "report-standalone.html"
DATA = "report-data"
"""Folder of the files that `report.html` loads."""


def write_page(run: Path, report: Mapping[str, Any]) -> Path:
    """Write `report.html` and what it loads; return its path.

    Args:
        run: folder of the run.
        report: as in its report.json.

    Raises:
        InfraError: the disk is full or the folder cannot be written.
    """
    judgments = judgments_by_node(report)
    with writing_in(run), _fresh_folder(run / DATA) as data:
        for episode in report["episodes"]:
            story = story_of(folder_of(run, episode), episode, judgments.get(episode["nodeid"], []))
            name = f"{data_name(episode)}.js"
            text = f"rogue.receive({data_text(name)}, {data_text(story)});\n"
            (data / name).write_text(text, encoding="ascii")
    before, after = page_parts(f"{report['run']['id']} - pytest-rogue", index_of(report) | {"standalone": False})
    path = RunFolder(run).page
    write_atomically(path, (before + after).encode())
    return path


def write_standalone_page(run: Path, report: Mapping[str, Any]) -> Path:
    """Write `report-standalone.html`, with pictures and trees inside, and return its path.

    Args:
        run: folder of the run.
        report: as in its report.json.

    Raises:
        InfraError: the disk is full or the folder cannot be written.
    """
    path = run / STANDALONE
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    before, after = page_parts(f"{report['run']['id']} - pytest-rogue", index_of(report) | {"standalone": True})
    judgments = judgments_by_node(report)
    with writing_in(run):
        try:
            with aside.open("w", encoding="utf-8") as file:
                file.write(before)
                for place, episode in enumerate(report["episodes"]):
                    folder = folder_of(run, episode)
                    story = story_of(folder, episode, judgments.get(episode["nodeid"], []))
                    text = data_text(story | {"pictures": pictures_of(folder)})
                    file.write(f'<script type="application/json" id="episode-{place}">{text}</script>\n')
                file.write(after)
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)
    return path


@contextmanager
def _fresh_folder(path: Path) -> Iterator[Path]:
    """Give an empty folder that takes the place of `path` when it is full; until then what is there stays whole."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        aside.mkdir()
        yield aside
        if path.exists():
            shutil.rmtree(path)
        aside.rename(path)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
