"""The files: their text says what the chart holds, and the same runs give the same bytes."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from pytest_rogue.cli import main
from pytest_rogue.reporting.plots.kinds import KINDS
from tests.reporting.plots.reports import ReportMaker

if TYPE_CHECKING:
    from pathlib import Path


def everything() -> ReportMaker:
    run = (
        ReportMaker("everything").add("mmcue-", judges={"gpt": "yyn?yn", "claude": "ynn?yn"}).add("ccc", model="m/two")
    )
    run.add("uuu", model="m/$un_decided$").add("mc", variant="concise").add("cc", variant="precedence")
    return run.add("mmc", variant="subagents")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return a run's folder with something for every kind but that of modes."""
    folder = tmp_path / "everything"
    folder.mkdir()
    (folder / "report.json").write_text(json.dumps(everything().report()))
    return folder


def texts(svg: Path) -> list[str]:
    found = ET.parse(svg).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(element.itertext()) for element in found]


def test_every_number_of_a_chart_stands_in_its_file(run: Path, tmp_path: Path) -> None:
    assert main(["plots", str(run), f"--out={tmp_path}", "--kind=rates"]) == 0
    said = texts(tmp_path / "rates.svg")
    for text in (
        "override",
        "m/one",
        "2/3; error 1, not run 1, undetermined 1",
        "2/4; undetermined 2",
        "4/4; not scored 2",
        "m/two",
        "0/3",
        "m/$un_decided$",
        "none decided; undetermined 3",
    ):
        assert text in said


def test_a_bar_is_as_long_as_its_share_and_its_line_as_its_interval(run: Path) -> None:
    from pytest_rogue.reporting.plots.drawing import draw
    from pytest_rogue.reporting.plots.write import charts_of

    [chart], _ = charts_of([everything().report()], ["rates"])
    rates = [bar.rate for row in chart.panels[0].rows for bar in row.bars if bar.rate.n]
    axes: Any = draw(chart).axes[0]
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([100 * (rate.value or 0) for rate in rates])
    lines = [segment for collection in axes.collections for segment in collection.get_segments()]
    ends = [(line[0][0], line[-1][0]) for line in lines]
    for found, rate in zip(ends, rates, strict=True):
        assert found == pytest.approx((100 * (rate.low or 0), 100 * (rate.high or 0)))


def test_the_same_run_gives_the_same_bytes(run: Path, tmp_path: Path) -> None:
    for name in ("first", "second"):
        assert main(["plots", str(run), f"--out={tmp_path / name}", "--kind=judges"]) == 0
    for form in ("svg", "pdf"):
        first, second = ((tmp_path / name / f"judges.{form}").read_bytes() for name in ("first", "second"))
        assert first == second
        assert not re.search(rb"<dc:date>|/CreationDate", first)


def test_all_kinds_are_drawn_where_there_is_something_to_draw(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plots", str(run), f"--out={tmp_path / 'new' / 'folder'}"]) == 0
    out, err = capsys.readouterr()
    drawn = [kind for kind in KINDS if kind != "modes"]
    assert [line.rsplit("/", 1)[1] for line in out.split()] == [f"{k}.{form}" for k in drawn for form in ("svg", "pdf")]
    assert err == "left out, no episodes for it: modes\n"
    for kind in drawn:
        assert (tmp_path / "new" / "folder" / f"{kind}.pdf").read_bytes().startswith(b"%PDF-")
        assert "override" in " ".join(texts(tmp_path / "new" / "folder" / f"{kind}.svg"))


def test_a_point_without_a_place_is_named_beside_the_others(run: Path, tmp_path: Path) -> None:
    assert main(["plots", str(run), f"--out={tmp_path}", "--kind=capability"]) == 0
    said = texts(tmp_path / "capability.svg")
    assert {"m/$un_decided$", "misaligned none decided; undetermined 3", "success 3/3"} <= set(said)


def test_nothing_to_draw_is_an_error_that_names_the_kind(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plots", str(run), f"--out={tmp_path / 'out'}", "--kind=modes"]) == 1
    assert "nothing to draw: the runs have no episodes for modes" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_without_matplotlib_the_line_that_installs_it_is_told(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["plots", str(run), f"--out={tmp_path}"]) == 1
    assert "pip install 'pytest-rogue[analysis]'" in capsys.readouterr().err
