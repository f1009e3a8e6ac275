"""Reports that were written before, by run folder or by file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import ConfigError, RecordError
from pytest_rogue.records import strict_json

if TYPE_CHECKING:
    from pathlib import Path


def read_report(path: Path) -> dict[str, Any]:
    """Return a report.

    Args:
        path: `report.json`, or the run folder that holds it.

    Raises:
        ConfigError: there is none.
        RecordError: the file is no report, or one of a form this version does not know.
    """
    file = path / "report.json" if path.is_dir() else path
    try:
        report = strict_json.loads(file.read_text())
    except OSError as error:
        raise ConfigError(f"{file}: there is no report to read ({error.strerror}); name a run folder.") from error
    except ValueError as error:
        raise RecordError(f"{file}: not JSON ({error}); name the report.json of a run.") from error
    if not isinstance(report, dict) or not {"schema_version", "run", "groups", "episodes"} <= report.keys():
        raise RecordError(f"{file}: not the report of a run; name the report.json of a run.")
    if str(report["schema_version"]).partition(".")[0] != "1":
        raise RecordError(
            f"{file}: a report of form {report['schema_version']}, this version reads 1.x; upgrade pytest-rogue."
        )
    return report
