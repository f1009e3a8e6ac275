"""Make a model's client: the one place that decides what stands between the package and a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_rogue.models.client import ModelClient
    from pytest_rogue.models.options import ModelOptions


def make_client(model: str, options: ModelOptions) -> ModelClient:
    """Return a client of a model. litellm is not imported before its first call.

    Args:
        model: as litellm names it.
        options: parameters of its replies.
    """
    from pytest_rogue.models.litellm_client import LiteLLMClient

    return LiteLLMClient(model, options=options)
