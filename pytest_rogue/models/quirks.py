"""What models do in their own way, as one table. Nothing else in the package asks a model for its name.

A name is matched without regard to case, by shell patterns. All rows that match apply, a later one over an earlier one,
so that the general comes first. What is not listed is as `Quirks()` has it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, Literal

NativeTool = Literal["", "computer_20250124", "computer_20251124", "openai", "gemini"]
"""The computer tool a model was trained on, as litellm can pass it; empty for none."""

SAMPLING = frozenset({"temperature", "top_p"})


@dataclass(frozen=True, slots=True)
class Quirks:
    """What is to be known before a model is shown a screen.

    Attributes:
        grid: its coordinates run from 0 to this, whatever the size of the picture; None for pixels of the picture.
        native_grid: the same for its native tool.
        native: its computer tool.
        longest_edge: pixels; a larger picture is made smaller by the provider, and the coordinates with it.
        most_pixels: the same for width times height.
        most_images: in one request.
        refuses: parameters that are an error where they are sent.
        refuses_unless_effort_none: those that are an error unless the reasoning effort is `none`.
        refuses_with_effort: those that are an error where a reasoning effort other than `none` is asked for.
        one_sampling_parameter: True where `temperature` and `top_p` may not both be sent.
        cache_markers: True where the provider keeps what stands before a `cache_control` marker.
        pictures_in_results: True where the answer to a tool call may hold a picture.
    """

    grid: int | None = None
    native_grid: int | None = None
    native: NativeTool = ""
    longest_edge: int | None = None
    most_pixels: int | None = None
    most_images: int | None = None
    refuses: frozenset[str] = frozenset()
    refuses_unless_effort_none: frozenset[str] = frozenset()
    refuses_with_effort: frozenset[str] = frozenset()
    one_sampling_parameter: bool = False
    cache_markers: bool = False
    pictures_in_results: bool = False


@dataclass(frozen=True, slots=True)
class _Row:
    patterns: tuple[str, ...]
    values: dict[str, Any] = field(default_factory=dict)


def _row(*patterns: str, **values: Any) -> _Row:
    return _Row(patterns, values)


_TABLE = (
    # https://platform.claude.com/docs/en/build-with-claude/vision: up to 1568 pixels and 1.15 megapixels, larger
    # pictures are made smaller before the model sees them; 100 images a request.
    # https://docs.litellm.ai/docs/tutorials/prompt_caching names the providers that take the markers.
    # https://platform.claude.com/docs/en/build-with-claude/extended-thinking: no sampling parameters beside thinking.
    _row(
        "*claude*",
        longest_edge=1568,
        most_pixels=1_150_000,
        most_images=100,
        native="computer_20250124",
        refuses_with_effort=SAMPLING,
        cache_markers=True,
        pictures_in_results=True,
    ),
    # https://platform.claude.com/docs/en/agents-and-tools/tool-use/computer-use-tool, earlier tool versions.
    _row("*claude-opus-4[-.]5*", "*claude-opus-4[-.]6*", "*claude-sonnet-4[-.]6*", native="computer_20251124"),
    # https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-5
    _row("*claude-*-4[-.]5*", "*claude-opus-4[-.]1*", one_sampling_parameter=True),
    # https://claude.com/blog/best-practices-for-computer-and-browser-use-with-claude: 2576 pixels, 3.75 megapixels from
    # Opus 4.7 on; from there on sampling parameters are an error.
    _row(
        "*claude-opus-4[-.][78]*",
        "*claude-opus-5*",
        "*claude-sonnet-5*",
        "*claude-haiku-5*",
        "*claude-fable*",
        "*claude-mythos*",
        longest_edge=2576,
        most_pixels=3_750_000,
        native="computer_20251124",
        refuses=SAMPLING,
    ),
    # https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5: computer_20251124 is refused, and litellm
    # 1.110 does not pass the toolset that took its place.
    _row("*claude-*-5[-.]5*", "*claude-fable-5[-.]1*", "*claude-mythos-5[-.]1*", native=""),
    # https://developers.openai.com/api/docs/guides/tools-computer-use, from GPT-5.4 on, by the Responses API only.
    _row("openai/gpt-5.[4-9]*", "openai/gpt-[6-9]*", "azure/gpt-5.[4-9]*", "azure/gpt-[6-9]*", native="openai"),
    # https://developers.openai.com/api/docs/guides/latest-model: sampling only without reasoning.
    _row("*gpt-5*", "*gpt-[6-9]*", refuses_unless_effort_none=SAMPLING),
    _row("openai/o[1-9]*", "azure/o[1-9]*", refuses=SAMPLING),
    # https://ai.google.dev/gemini-api/docs/image-understanding: points and boxes are normalised to 0-1000.
    _row("*gemini*", grid=1000, pictures_in_results=True),
    # https://ai.google.dev/gemini-api/docs/computer-use: a grid of its own, 0-999 over the whole screen.
    _row("*gemini-2.5-computer-use*", "*gemini-3-*", "*gemini-3.*", native="gemini", native_grid=1000),
    # The models' own cookbooks: Qwen2.5-VL answers in pixels of the picture, Qwen3-VL and UI-TARS on a grid.
    _row("*qwen3-vl*", "*qwen3.5*", "*ui-tars*", grid=1000),
    # https://platform.moonshot.ai/docs: top_p is fixed.
    _row("*kimi-k2.5*", "*kimi-k2.6*", refuses=SAMPLING),
)


def quirks_of(model: str) -> Quirks:
    """Return what is known of a model.

    Args:
        model: litellm's name of it.
    """
    known = Quirks()
    for row in _TABLE:
        if any(fnmatchcase(model.lower(), pattern) for pattern in row.patterns):
            known = replace(known, **row.values)
    return known
