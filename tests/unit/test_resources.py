"""Shipped data is found in a wheel and in a checkout, and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rogue import resources
from pytest_rogue.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the package would lie."""
    folder = tmp_path / "pytest_rogue"
    folder.mkdir()
    monkeypatch.setattr(resources, "_PACKAGE", folder)
    return folder


def test_the_schema_of_reports_is_found_in_this_installation() -> None:
    assert (resources.path("reports") / "schema" / "report.schema.json").is_file()


def test_a_wheel_s_data_lies_inside_the_package(package: Path) -> None:
    (package / "_data" / "scenarios").mkdir(parents=True)
    assert resources.path("scenarios") == package / "_data" / "scenarios"


def test_a_checkout_s_data_lies_beside_the_package(package: Path) -> None:
    (package.parent / "pyproject.toml").touch()
    (package.parent / "judges").mkdir()
    assert resources.path("judges") == package.parent / "judges"


def test_a_folder_of_that_name_in_site_packages_is_somebody_else_s(package: Path) -> None:
    (package.parent / "reports").mkdir()
    with pytest.raises(ConfigError, match=r"'reports'.*install the package again"):
        resources.path("reports")
