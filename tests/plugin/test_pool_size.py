"""How many desktops a run may have is decided once, for all its workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from xdist.plugin import pytest_cmdline_main as count_workers

from pytest_rogue.desktops import pool
from pytest_rogue.plugin.pool_size import pool_size
from pytest_rogue.settings import resolve

if TYPE_CHECKING:
    from collections.abc import Sequence


@pytest.mark.parametrize(
    ("arguments", "desktops", "spares"),
    [
        ([], 1, 0),
        (["-n", "2"], 2, 0),
        (["-n", "2", "--rogue-max-desktops=3"], 3, 1),
        (["-n", "2", "--rogue-max-desktops=40"], 6, 2),
        (["-d", "--tx", "3*popen", "--tx", "popen", "--rogue-max-desktops=5"], 5, 1),
        (["-n", "4", "--rogue-max-desktops=2"], 2, 0),
    ],
)
def test_the_size_follows_workers_memory_and_what_the_user_allows(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    arguments: Sequence[str],
    desktops: int,
    spares: int,
) -> None:
    monkeypatch.setattr(pool, "free_memory", lambda: 0)
    config = pytester.parseconfig(*arguments)
    count_workers(config)
    settings = resolve({"max_desktops": config.option.rogue_max_desktops}, {"ROGUE_PROVIDER": "docker"}, {})

    size = pool_size(config, settings)

    assert (size.desktops, size.spares) == (desktops, spares)


def test_embedded_desktops_have_no_spares(pytester: pytest.Pytester) -> None:
    settings = resolve({"max_desktops": "40"}, {"ROGUE_PROVIDER": "local"}, {})

    assert pool_size(pytester.parseconfig("-n", "2"), settings).spares == 0


@pytest.mark.parametrize(("allowed", "spares"), [(None, 0), ("4", 2)])
def test_instances_that_are_paid_for_wait_only_where_more_desktops_are_asked_for(
    pytester: pytest.Pytester, allowed: str | None, spares: int
) -> None:
    config = pytester.parseconfig("-n", "2")
    count_workers(config)
    settings = resolve({"max_desktops": allowed}, {"ROGUE_PROVIDER": "aws"}, {})

    assert pool_size(config, settings).spares == spares
