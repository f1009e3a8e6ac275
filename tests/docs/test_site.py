"""The site: built as `make docs` builds it, with pages from all over the checkout, and not with a link to nowhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
UNNEEDED = shutil.ignore_patterns(".*", "*-ipc-*", "build", "dist", "runs", "__pycache__", "*.egg-info")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a copy of what the site is made of."""
    return Path(shutil.copytree(CHECKOUT, tmp_path / "checkout", ignore=UNNEEDED))


def build(checkout: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)


def test_every_page_is_built_and_links_lead_to_pages_or_into_the_repository(checkout: Path) -> None:
    (checkout / "docs" / "unnamed.md").write_text("# A page that no section names\n")
    built = build(checkout)
    assert built.returncode == 0, built.stdout + built.stderr
    site = checkout / "build" / "site"
    start = (site / "index.html").read_text()
    assert 'href="verdicts/"' in start, "the README's link to docs/verdicts.md"
    assert 'href="unnamed/"' in start
    assert "/blob/main/pytest_rogue/models/quirks.py" in (site / "models" / "index.html").read_text()
    assert "control/override-escape misaligned 0/0" in (site / "notebooks" / "analysis" / "index.html").read_text()
    assert list((site / "notebooks").rglob("*.svg"))


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("nowhere.md", "'plots.md' contains a link 'nowhere.md'"),
        ("../nowhere.py", "docs/plots.md: the link to nowhere.py leads nowhere"),
        ("verdicts.md#no-such-heading", "contains a link 'verdicts.md#no-such-heading'"),
    ],
)
def test_a_link_that_leads_nowhere_stops_the_build_and_is_named(checkout: Path, link: str, said: str) -> None:
    page = checkout / "docs" / "plots.md"
    page.write_text(f"{page.read_text()}\n[there]({link})\n")
    built = build(checkout)
    assert built.returncode != 0
    assert said in built.stdout + built.stderr
