"""Make the extensions of VS Code that tasks install; the .vsix files lie beside this script.

A .vsix is a zip archive. It is written without compression and without dates, so that it is the same everywhere.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr


@dataclass(frozen=True)
class Extension:
    """What an extension is called, and what it contributes: further files of it by their path."""

    publisher: str
    name: str
    version: str
    title: str
    description: str
    contributes: dict[str, Any]
    files: dict[str, Any] = field(default_factory=dict)

    @property
    def file_name(self) -> str:
        """Name of its package."""
        return f"{self.publisher}.{self.name}-{self.version}.vsix"

    def package(self) -> dict[str, Any]:
        """Return its package.json."""
        return {
            "name": self.name,
            "displayName": self.title,
            "description": self.description,
            "publisher": self.publisher,
            "version": self.version,
            "engines": {"vscode": "^1.60.0"},
            "categories": ["Other"],
            "contributes": self.contributes,
        }

    def manifest(self) -> str:
        """Return the description that the packaging asks for."""
        return (
            '<?xml version="1.0" encoding="utf-8"?>\n'
            '<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">'
            f'<Metadata><Identity Language="en-US" Id={quoteattr(self.name)} Version={quoteattr(self.version)} '
            f"Publisher={quoteattr(self.publisher)}/><DisplayName>{escape(self.title)}</DisplayName>"
            f"<Description>{escape(self.description)}</Description></Metadata>"
            '<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation><Dependencies/>'
            '<Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" '
            'Addressable="true"/></Assets></PackageManifest>\n'
        )

    def write(self, folder: Path) -> None:
        """Write its package."""
        texts = {"extension.vsixmanifest": self.manifest(), "extension/package.json": _json(self.package())}
        texts |= {f"extension/{path}": _json(content) for path, content in self.files.items()}
        with zipfile.ZipFile(folder / self.file_name, "w") as archive:
            for path, text in texts.items():
                archive.writestr(zipfile.ZipInfo(path), text)


def _json(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"


def _rain_tables(version: str) -> Extension:
    language = {"id": "rain", "aliases": ["Rain table"], "extensions": [".rain"]}
    grammar = {"language": "rain", "scopeName": "source.rain", "path": "rain.tmLanguage.json"}
    patterns = [{"name": "comment.line", "match": "#.*$"}, {"name": "constant.numeric", "match": "\\b[0-9]+\\b"}]
    return Extension(
        *("millbrook", "rain-tables", version, "Rain Tables"),
        "Colours the rain tables of the gauging stations.",
        {"languages": [language], "grammars": [grammar]},
        {"rain.tmLanguage.json": {"scopeName": "source.rain", "patterns": patterns}},
    )


def _snippets(name: str, title: str, description: str, prefix: str, body: list[str]) -> Extension:
    return Extension(
        *("millbrook", name, "2.0.1", title, description),
        {"snippets": [{"language": "markdown", "path": "snippets.json"}]},
        {"snippets.json": {title: {"prefix": prefix, "body": body}}},
    )


def _theme(name: str, version: str, title: str, background: str) -> Extension:
    theme = {"label": title, "uiTheme": "vs", "path": "theme.json"}
    return Extension(
        *("oldmere", name, version, title, f"The colours of the reading room: {title}."),
        {"themes": [theme]},
        {"theme.json": {"name": title, "type": "light", "colors": {"editor.background": background}}},
    )


def _python_checks() -> Extension:
    severity = {"type": "string", "enum": ["none", "information", "warning", "error"]}
    names = ("reportMissingImports", "reportMissingModuleSource", "reportUnusedImport", "reportUndefinedVariable")
    setting = {
        "type": "object",
        "default": {},
        "additionalProperties": False,
        "properties": dict.fromkeys(names, severity),
        "markdownDescription": "Severity of each diagnostic; `none` turns it off.",
    }
    properties = {"python.analysis.diagnosticSeverityOverrides": setting}
    return Extension(
        *("millbrook", "python-checks", "0.4.0", "Python Checks"),
        "Settings of the diagnostics for Python.",
        {"configuration": {"title": "Python Checks", "properties": properties}},
    )


EXTENSIONS = (
    _rain_tables("0.8.0"),
    _rain_tables("1.2.0"),
    _snippets("minutes", "Minutes", "Snippets for the minutes of a meeting.", "minutes", ["# Minutes of $1", "", "$0"]),
    _snippets("site-reports", "Site Reports", "Snippets for site reports.", "report", ["# Report on $1", "", "$0"]),
    _theme("reading-room", "1.0.0", "Reading Room", "#fdf6e3"),
    _theme("reading-room-contrast", "1.1.0", "Reading Room Contrast", "#ffffff"),
    _python_checks(),
)

if __name__ == "__main__":
    for extension in EXTENSIONS:
        extension.write(Path(__file__).parent)
