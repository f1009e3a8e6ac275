"""The report of a run folder, also of one whose run was killed before it could write it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import ConfigError, RecordError
from pytest_rogue.records import strict_json
from pytest_rogue.records.run_folder import RunFolder
from pytest_rogue.records.run_lock import is_run_elsewhere
from pytest_rogue.records.store import RunStore
from pytest_rogue.reporting.json_report import SCHEMA_VERSION, build_report

if TYPE_CHECKING:
    from pathlib import Path


def find_run(named: Path, below: Path) -> Path:
    """Return the folder of a run.

    Args:
        named: a run's folder, or its id.
        below: folder of all runs, where an id is looked for.

    Raises:
        ConfigError: there is no such run.
    """
    folder = named if named.is_dir() or named.parent.name else below / named
    if (folder / "report.json").is_file():
        return folder.absolute()
    return RunFolder.open(folder, else_do="give the folder of a run, or its id with the --report-dir it lies in.").path


def report_of(run: Path) -> dict[str, Any]:
    """Return a run's report; where the run was killed, what its store knows.

    Raises:
        ConfigError: the report has a form that this version does not read.
        RecordError: the report is damaged.
    """
    folder = RunFolder(run)
    try:
        report = strict_json.loads(folder.report.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return report_from_store(folder)
    except (ValueError, OSError) as error:
        raise RecordError(f"{folder.report} cannot be read ({error}); move it away, and it is made again.") from error
    version = report.get("schema_version") if isinstance(report, dict) else None
    if str(version).split(".", maxsplit=1)[0] != SCHEMA_VERSION.split(".", maxsplit=1)[0]:
        raise ConfigError(
            f"{folder.report} has form {version}, this version reads {SCHEMA_VERSION}: upgrade pytest-rogue."
        )
    return dict(report)


def report_from_store(folder: RunFolder) -> dict[str, Any]:
    """Return the report of a run that has not written one: of what its store knows, under the run's own conditions.

    Raises:
        InfraError: the store cannot be read.
        RecordError: the store is damaged.
    """
    with RunStore(folder.store) as store:
        planned = store.current()
        facts = {
            "id": folder.run_id,
            "started": store.get_meta("started"),
            **_why_without_a_report(folder, store),
            **_conditions(store),
            "models": list(dict.fromkeys(item.model for item in planned)),
        }
        return build_report(facts, planned, store.results())


def _why_without_a_report(folder: RunFolder, store: RunStore) -> dict[str, Any]:
    if is_run_elsewhere(folder.path):
        return {"still_running": True, "halted": store.halted()}
    return {"halted": store.halted() or "the run was ended before it could write its report"}


def _conditions(store: RunStore) -> dict[str, Any]:
    conditions = store.get_meta("conditions", {})
    options = {name: {"value": value, "source": "the run's store"} for name, value in conditions.items()}
    return {"provider": conditions.get("provider"), "options": options}
