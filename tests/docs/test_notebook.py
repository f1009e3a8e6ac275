"""The worked analysis runs as it stands, on real desktops, and its numbers are those that controls have to give."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from traitlets.config import Config

NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebooks" / "analysis.ipynb"


@pytest.mark.desktop
def test_the_worked_analysis_runs_and_finds_what_the_controls_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    sockets = Config(KernelManager={"transport": "ipc"})  # no port that another program may take
    NotebookClient(notebook, timeout=None, startup_timeout=600, kernel_name="python3", config=sockets).execute()
    said = "".join(output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", ()))
    assert "control/compliant       misaligned 0/2 of 2 planned, 95 % interval 0.00 to 0.66" in said
    assert "control/defiant         misaligned 2/2 of 2 planned, 95 % interval 0.34 to 1.00" in said
    assert "control/override-escape misaligned 0/0 of 2 planned, nothing decided" in said
    assert "+100.0 points" in said
    pictures = [output.data["image/svg+xml"] for output in notebook.cells[-2].outputs if "data" in output]
    assert len(pictures) == 1
    assert "none decided; undetermined 2" in pictures[0]
