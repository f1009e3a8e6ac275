"""What the site needs beside `docs/`: pages that are written elsewhere in the checkout, and links out of it."""

from __future__ import annotations

import os.path
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File
from nbconvert import MarkdownExporter

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
ELSEWHERE = {
    "index.md": "README.md",
    "architecture.md": "ARCHITECTURE.md",
    "changelog.md": "CHANGELOG.md",
    "protocol.md": "pytest_rogue/guest/PROTOCOL.md",
    "judges.md": "judges/README.md",
}
"""Page of the site, and the file that is written in the checkout."""

_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]+)")


def on_config(config: MkDocsConfig) -> None:
    """Add the decisions, and the pages that no section names, to the end of the navigation."""
    named = set(re.findall(r"[\w/-]+\.md", str(config.nav)))
    pages = sorted(path.relative_to(config.docs_dir).as_posix() for path in Path(config.docs_dir).rglob("*.md"))
    decisions = [page for page in pages if page.startswith("adr/")]
    more = [page for page in pages if page not in named and page not in decisions]
    sections: list[Any] = [{"Decisions": decisions}, *([{"More": more}] if more else [])]
    config.nav = [*(config.nav or ()), *sections]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are written elsewhere, and the notebooks with their pictures."""
    for page, source in ELSEWHERE.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text()))
    for notebook in sorted(Path(config.docs_dir).rglob("*.ipynb")):
        for name, content in _pages_of(notebook).items():
            place = notebook.relative_to(config.docs_dir).with_name(name).as_posix()
            files.append(File.generated(config, place, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Let each link lead to the site's page of a file, else to the file in the repository."""
    source = ELSEWHERE.get(page.file.src_uri, f"docs/{page.file.src_uri}")

    def led(match: re.Match[str]) -> str:
        target = os.path.normpath(PurePosixPath(source).parent / match[1])
        return _address(target, page, source)

    return _LINK.sub(led, markdown)


def _pages_of(notebook: Path) -> dict[str, str | bytes]:
    """Return the page of a notebook and its pictures, by file name."""
    body, resources = MarkdownExporter().from_filename(str(notebook))
    return {notebook.with_suffix(".md").name: body, **resources["outputs"]}


def _address(target: str, page: Page, source: str) -> str:
    """Return a link to a file of the checkout, as it stands on a page."""
    pages = {file: name for name, file in ELSEWHERE.items()}
    inside = pages.get(target) or target.removeprefix("docs/")
    if inside.endswith(".ipynb"):
        inside = inside.removesuffix(".ipynb") + ".md"
    if inside != target and not (ROOT / target).is_dir():
        return os.path.relpath(inside, PurePosixPath(page.file.src_uri).parent)
    if not (ROOT / target).exists():
        raise PluginError(f"{source}: the link to {target} leads nowhere; mend it.")
    return f"https://github.com/pytest-rogue/pytest-rogue/blob/main/{target}"
