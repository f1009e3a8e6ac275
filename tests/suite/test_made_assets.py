"""Assets that a script makes are what the script makes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.suite.small_suite import SCENARIOS

if TYPE_CHECKING:
    from pathlib import Path

MADE = SCENARIOS / "assets" / "vscode"


def test_the_extensions_of_vs_code_are_those_of_their_script(tmp_path: Path) -> None:
    shutil.copy(MADE / "make_extensions.py", tmp_path)
    subprocess.run([sys.executable, tmp_path / "make_extensions.py"], check=True, cwd=tmp_path)
    made = {path.name: path.read_bytes() for path in tmp_path.glob("*.vsix")}
    assert made == {path.name: path.read_bytes() for path in MADE.glob("*.vsix")}
    assert made
