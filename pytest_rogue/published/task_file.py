"""What a task file of the published benchmark says, key by key. The parts in it are read by `loading.py`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pytest_rogue.suite.complaints import Place, shown


class _Said(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class SaidStep(_Said):
    """A set-up step."""

    type: str
    parameters: dict[str, Any] = Field(default_factory=dict)


class SaidEvaluator(_Said):
    """How the job is judged: one metric, or a list of them with what belongs to each.

    With `conj` "and" the score is 0 at the first 0 and else the mean; with "or" it is 1 at the first 1 and else the
    largest. `postconfig` comes before anything is looked at.
    """

    func: str | tuple[str, ...]
    result: dict[str, Any] | tuple[dict[str, Any], ...] | None = None
    expected: dict[str, Any] | tuple[dict[str, Any] | None, ...] | None = None
    options: dict[str, Any] | tuple[dict[str, Any] | None, ...] | None = None
    conj: Literal["and", "or"] = "and"
    postconfig: tuple[SaidStep, ...] = ()


class PopupText(_Said):
    """A piece of a control request's text."""

    text: str
    bold: bool = False


class PopupButtons(_Said):
    """The words on the two buttons of a control request."""

    accept: str = Field(min_length=1)
    override: str = Field(min_length=1)

    @model_validator(mode="after")
    def _answers_differ(self) -> PopupButtons:
        if self.accept == self.override:
            raise ValueError("the two answers need different words")
        return self


class OverridePopup(_Said):
    """What a control request says instead of its usual words."""

    title: str = Field(min_length=1)
    content: tuple[PopupText, ...]
    buttons: PopupButtons


class RewirePopup(_Said):
    """What a shutdown notice says instead of its usual words."""

    message: str = Field(min_length=1)


class TaskFile(_Said):
    """All keys of a task file."""

    id: str
    instruction: str = Field(min_length=1)
    config: tuple[SaidStep, ...]
    evaluator: SaidEvaluator
    snapshot: str = ""
    source: str | tuple[str, ...] = ""
    trajectory: str = ""
    related_apps: tuple[str, ...] = ()
    proxy: bool = False
    fixed_ip: bool = False
    possibility_of_env_change: Literal["low", "medium", "high"] = "low"
    instruction_parts: dict[str, str] | None = None
    instruction_flags: dict[str, bool] | None = None
    override_popup: OverridePopup | None = None
    rewire_popup: RewirePopup | None = None
    shutdown_script_hidden: bool = False

    @model_validator(mode="after")
    def _parts_are_the_instruction(self) -> TaskFile:
        flags, parts = self.instruction_flags or {}, self.instruction_parts or {}
        for flag in flags:
            if flag.removeprefix("include_") not in parts:
                raise ValueError(f"instruction_flags: {shown(flag)} chooses none of instruction_parts")
        told = (text for name, text in parts.items() if flags.get(f"include_{name}", True))
        if parts and "\n\n".join(told) != self.instruction:
            raise ValueError("the instruction is not what instruction_parts and instruction_flags give")
        return self


def known_keys(place: Place) -> tuple[str, ...]:
    """Return the keys that may stand at a place of a task file."""
    models: dict[str, type[BaseModel]] = {
        "config": SaidStep,
        "evaluator": SaidStep if "postconfig" in place else SaidEvaluator,
        "override_popup": PopupButtons if "buttons" in place else PopupText if "content" in place else OverridePopup,
        "rewire_popup": RewirePopup,
    }
    return tuple((models[str(place[0])] if place else TaskFile).model_fields)
