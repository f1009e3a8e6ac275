"""Frozen types of what the guest answers, as the host sees them.

They are validated from the wire by pydantic: a field that is missing or of the wrong type is a fault of the guest, a
field that is not known here is ignored.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Base64Bytes, BeforeValidator, Field

from pytest_rogue.interaction import ActionResult  # noqa: TC001 - pydantic reads the annotation when it validates

ScreenSize = tuple[int, int]
Answer = Literal["accept", "override", "dismissed", "died", "unconfirmed"]


def _permission_bits(value: object) -> object:
    """Read a mode that came as octal digits; a number is taken as it is."""
    return int(value, 8) if isinstance(value, str) else value


def _decoded(value: object) -> object:
    """Read bytes that came as base64; bytes are taken as they are."""
    return base64.b64decode(value, validate=True) if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class GuestInfo:
    """Who answers.

    Attributes:
        version: of the guest.
        python: version of the Python that runs it.
        user: name of the desktop's user.
        screen: width and height in pixels.
        capabilities: what works, by name (`screenshot`, `a11y`, `pyautogui`, `obstacle`, `evidence_protected`).
        clock: the guest's monotonic time in seconds.
        notes: what a reader of the results has to know about this desktop, in sentences.
    """

    version: str
    python: str
    user: str
    screen: ScreenSize
    capabilities: dict[str, bool]
    clock: float
    notes: tuple[str, ...] = ()

    @property
    def why_no_obstacle(self) -> str:
        """Say why no obstacle can be laid in this desktop; empty where one can."""
        if self.capabilities.get("obstacle", False):
            return ""
        return "; ".join(self.notes) or "no obstacle can be laid in this desktop"


@dataclass(frozen=True, slots=True)
class ObstacleState:
    """How it stands with the obstacle; steps are None where the thing did not happen.

    Attributes:
        armed: it waits for its trigger, or has fired.
        fired: its trigger was met.
        visible: its window could be seen, all of it (of a step: when the screenshot was taken).
        answer: what became of it, None while it stands unanswered. `unconfirmed` where an answer was reported, but the
            window did not go as an answered one does: it tells nothing about the agent's choice.
        appeared_step: agent step in which it came up.
        answered_step: agent step in which it was answered.
    """

    armed: bool = False
    fired: bool = False
    visible: bool = False
    answer: Answer | None = None
    appeared_step: int | None = None
    answered_step: int | None = None
    request: int = 1


@dataclass(frozen=True, slots=True)
class StepReply:
    """What one step brought back.

    Attributes:
        result: what became of the action, None where there was none.
        settled: True where the screen came to rest within the limit.
        screenshot: PNG bytes, None where not asked for.
        a11y: accessibility tree as XML, None where not asked for or not to be had.
        a11y_problem: why the tree is missing or cut, empty for no problem.
        obstacle: state of the obstacle when the screenshot was taken.
        screen: width and height in pixels.
        clock: the guest's monotonic time in seconds.
    """

    result: ActionResult | None
    settled: bool
    screenshot: bytes | None
    a11y: str | None
    a11y_problem: str
    obstacle: ObstacleState
    screen: ScreenSize
    clock: float


@dataclass(frozen=True, slots=True)
class SeenTree:
    """What could be read of an accessibility tree, as XML, and what is missing; empty for nothing."""

    xml: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Window:
    """A window as the window manager lists it; position and size in pixels of the screen."""

    id: int
    title: str
    window_class: Annotated[str, Field(alias="class")]
    x: int
    y: int
    width: int
    height: int
    active: bool


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a command printed and how it ended; `exit_code` is None where it was cut at its time limit."""

    stdout: str
    stderr: str
    exit_code: int | None
    timed_out: bool = False


@dataclass(frozen=True, slots=True)
class ExecuteAnswer:
    """Answer of OSWorld's `POST /setup/execute`; `status` is `error` where the command was killed at its time limit."""

    status: str
    output: str
    error: str
    returncode: int


@dataclass(frozen=True, slots=True)
class FileStatus:
    """What is at a path.

    Attributes:
        type: what it is; a link is not followed.
        size: in bytes.
        mode: permission bits.
    """

    type: Literal["file", "folder", "link"]
    size: int
    mode: Annotated[int, BeforeValidator(_permission_bits)]


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """One thing in a folder.

    Attributes:
        path: relative to the folder that was listed; bytes that are not UTF-8 as backslash escapes.
        type: what it is.
        size: in bytes.
        mode: permission bits.
    """

    path: str
    type: Literal["file", "folder", "link"]
    size: int
    mode: Annotated[int, BeforeValidator(_permission_bits)]


@dataclass(frozen=True, slots=True)
class ServedDocument:
    """A file of the document service.

    Attributes:
        folder: it lies in.
        name: of the file.
        content: its bytes.
        owner: the account that put it there.
        shared_with: further accounts that may see it.
    """

    folder: str
    name: str
    content: Annotated[bytes, BeforeValidator(_decoded)]
    owner: str
    shared_with: tuple[str, ...] = ()


# --- answers that only carry the above --------------------


@dataclass(frozen=True, slots=True)
class ReadyAnswer:
    """Answer of `GET ready`; `problem` says what broke for good, so that waiting is of no use."""

    ready: bool
    missing: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ActionAnswer:
    """The `result` of a step as it stands on the wire."""

    stdout: str
    stderr: str
    exit_code: int | None
    timed_out: bool
    seconds: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class StepAnswer:
    """Answer of `POST step`; the screenshot is still base64."""

    result: ActionAnswer | None
    settled: bool
    screenshot: str | None
    a11y: str | None
    obstacle: ObstacleState
    screen: ScreenSize
    clock: float
    a11y_problem: str = ""


@dataclass(frozen=True, slots=True)
class EvidenceAnswer:
    """Answer of `GET evidence`."""

    rows: tuple[dict[str, object], ...]


@dataclass(frozen=True, slots=True)
class ServedAnswer:
    """Answer of `POST documents`."""

    url: str


@dataclass(frozen=True, slots=True)
class DocumentsAnswer:
    """Answer of `GET documents`; the service's audit log is in the evidence as well."""

    files: tuple[ServedDocument, ...]


@dataclass(frozen=True, slots=True)
class FarewellAnswer:
    """The last answer of a guest whose machine was shut down: the state of the obstacle and all evidence."""

    obstacle: ObstacleState
    rows: tuple[dict[str, object], ...]


@dataclass(frozen=True, slots=True)
class WindowsAnswer:
    """Answer of `GET windows`."""

    windows: tuple[Window, ...]


@dataclass(frozen=True, slots=True)
class LaunchAnswer:
    """Answer of `POST launch`."""

    window: Window


@dataclass(frozen=True, slots=True)
class ListAnswer:
    """Answer of `GET list`; `cut` where there are more entries, `unreadable` are folders that did not tell theirs."""

    entries: tuple[FolderEntry, ...]
    cut: bool
    unreadable: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SizeAnswer:
    """Answer of `PUT file`: bytes written."""

    size: int


@dataclass(frozen=True, slots=True)
class RecordedPiece:
    """Answer of `GET recording`: a piece of the video; `problem` says why it ended by itself."""

    data: Base64Bytes
    last: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class EmptyAnswer:
    """Answer of a request that has nothing to tell."""


@dataclass(frozen=True, slots=True)
class FaultText:
    """What the guest says about its fault."""

    kind: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class FaultAnswer:
    """Body of a fault: `error` in the guest protocol, `message` on OSWorld's own paths."""

    error: FaultText = field(default_factory=FaultText)
    message: str = ""
