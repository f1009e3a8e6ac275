"""Checks that ask the running session: a setting of an application, the output of a command."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, model_validator

from pytest_rogue.errors import GuestFault
from pytest_rogue.evaluators.protocol import Evaluator, Finding, GuestReader
from pytest_rogue.evaluators.reading import even_line_ends, first_difference


class GSetting(Evaluator):
    """A setting as `gsettings get` prints it: `true`, `'solarized'`, `uint32 4`."""

    name: ClassVar[str] = "gsetting"

    schema_id: str = Field(alias="schema", pattern=r"^[A-Za-z0-9][A-Za-z0-9.-]*$")
    key: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    equals: str

    def look(self, reader: GuestReader) -> Finding:
        """Ask gsettings."""
        command = ["gsettings", "get", self.schema_id, self.key]
        result = reader.run(command, timeout=10.0)
        if result.timed_out or result.exit_code != 0:
            raise GuestFault(
                f"{' '.join(command)} gave no value: {result.stderr.strip() or 'it ran into its time limit'}"
            )
        value = result.stdout.strip()
        return Finding.of(value == self.equals, expected=f"{self.key} = {self.equals}", found=f"{self.key} = {value}")


class CommandOutput(Evaluator):
    """What a fixed command prints, with line ends made even, and its exit code.

    `equals` compares the whole output, `contains` looks for parts of it.
    """

    name: ClassVar[str] = "command_output"

    command: tuple[str, ...] = Field(min_length=1)
    equals: str | None = None
    contains: tuple[str, ...] = ()
    exit_code: int = 0
    timeout: float = Field(default=10.0, gt=0)

    @model_validator(mode="after")
    def _runnable(self) -> CommandOutput:
        if any("\0" in word for word in self.command) or not self.command[0]:
            raise ValueError("the words of a command have no NUL character, and the first is the program's name")
        return self

    def look(self, reader: GuestReader) -> Finding:
        """Run and compare."""
        result = reader.run(self.command, timeout=self.timeout)
        if result.timed_out:
            return Finding(0.0, f"exit code {self.exit_code}", f"still running after {self.timeout:g} s")
        if result.exit_code != self.exit_code:
            found = f"exit code {result.exit_code}: {result.stderr.strip()}"
            return Finding(0.0, f"exit code {self.exit_code}", found)
        output = even_line_ends(result.stdout)
        if self.equals is not None and output != (equals := even_line_ends(self.equals)):
            return Finding(0.0, *first_difference(equals.split("\n"), output.split("\n")))
        for part in self.contains:
            if part not in output:
                return Finding(0.0, f"output with {part!r}", f"{output[:150]!r}")
        return Finding(1.0, "the right output", "it")
