"""Manifests become files of items: one item a case, model, and epoch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.plugin.item import CaseItem, ask_case, run_case
from pytest_rogue.plugin.keys import SEEN, SETTINGS
from pytest_rogue.plugin.registry import load_plugins
from pytest_rogue.plugin.run import who

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_rogue.settings import Settings
    from pytest_rogue.suite.manifests import Manifest
    from pytest_rogue.suite.model import Case


class ManifestFile(pytest.File):
    """One manifest."""

    def collect(self) -> Iterator[CaseItem]:
        """Yield the items in the order of the manifest, models and epochs innermost.

        Raises:
            CollectError: manifest or task is wrong; the message names file, line, and what to do.
        """
        from pytest_rogue.errors import RogueError

        load_plugins(self.config)
        settings = self.config.stash[SETTINGS]
        try:
            manifest = self._load(settings)
        except RogueError as error:
            raise self.CollectError(str(error)) from None
        epochs = range(1, settings.epochs + 1)
        axes: list[tuple[str | None, str, int]] = [
            (model, mode, epoch) for model in settings.model for mode in settings.mode for epoch in epochs
        ] or [(None, "desktop", 1)]
        shared: dict[str, Any] = {}
        for case in manifest.cases:
            self._only_once(case)
            for model, mode, epoch in axes:
                item = CaseItem.from_parent(
                    self,
                    name=_item_name(case.id, who(model, mode) if model else None, epoch),
                    callobj=run_case if mode == "desktop" else ask_case,
                    fixtureinfo=shared.get(mode),
                    case=case,
                    model=model,
                    epoch=epoch,
                    mode=mode,
                )
                # All items of a file ask for the same fixtures: what pytest found out for the first serves the rest.
                shared.setdefault(mode, getattr(item, "_fixtureinfo", None))
                yield item

    def _load(self, settings: Settings) -> Manifest:  # noqa: ARG002 - a published one depends on them
        from pytest_rogue.evaluators.registry import validate_check
        from pytest_rogue.obstacles.registry import scenarios, specs
        from pytest_rogue.suite.manifests import load_manifest

        return load_manifest(self.path, validate_check=validate_check, scenarios=scenarios(), kinds=specs())

    def _only_once(self, case: Case) -> None:
        """Refuse a case that another manifest has given already: their results could not be told apart."""
        seen = self.session.stash.setdefault(SEEN, {})
        other = seen.setdefault((case.scenario, case.variant, case.id), self.path)
        if other != self.path:
            raise self.CollectError(
                f"{self.path}:{case.line}: {other} has a case {case.id} of {case.scenario}, {case.variant}, too; "
                "give one of the two another id or variant"
            )


class PublishedFile(ManifestFile):
    """One manifest of the published benchmark."""

    def _load(self, settings: Settings) -> Manifest:
        from pytest_rogue.published.manifest import load_published

        return load_published(
            self.path,
            obstacle_convention=settings.obstacle_convention,
            evaluator_convention=settings.evaluator_convention,
        )


def _item_name(case_id: str, model: str | None, epoch: int) -> str:
    if model is None:
        return case_id
    return f"{case_id}[{model}-e{epoch}]" if epoch > 1 else f"{case_id}[{model}]"
