"""One exception tree, and one table that says what each exception means for the run.

Nothing else in the package decides whether a fault is retried, ends the run, or what its item's outcome is: a room
raises the exception whose name tells the story, and `policy_for` is asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_rogue.interaction import Decision, Usage
from pytest_rogue.outcome import Ending, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping


class RogueError(Exception):
    """Base of all errors of this package. The message is one sentence for the user: what, where, what to do."""


class ConfigError(RogueError):
    """The user asked for something that cannot be: a wrong option, a missing key, an unknown name."""


class TaskError(RogueError):
    """A manifest, task, or variant file is wrong; the message names file, place, and what was expected."""


class GuestFileMissing(RogueError):
    """There is no such file or folder in the desktop. A finding of a check, not a fault."""


class GuestFileUnreadable(RogueError):
    """The desktop's user cannot read a file or folder, by the agent's own doing. A finding of a check, not a fault."""


class RecordError(RogueError):
    """A record on disk is damaged; the message names file and line. Nothing is dropped without a word."""


class JudgeError(RogueError):
    """A judge gave no usable judgment."""


class InfraError(RogueError):
    """The instrument failed, not the agent. Never a score, never a verdict."""


class DesktopStartError(InfraError):
    """A desktop did not come up; the message says which part did not come."""


class DesktopsUnavailable(InfraError):
    """No desktop can be made any more, as where the credentials of a cloud have expired: no later start can succeed."""


class DesktopLost(InfraError):
    """A running desktop stopped answering or died."""


class DesktopShutDown(DesktopLost):
    """A running desktop was shut down in order, as a machine is. Proper where an obstacle announces it, else a loss."""


class GuestFault(InfraError):
    """The guest answered, but with a fault of its own (a 5xx, a malformed body, a missing capability)."""


class CassetteError(InfraError):
    """A recorded episode cannot be replayed: there is none, it is damaged, or this one takes another course."""


class AgentError(RogueError):
    """An agent of the user's own broke: it ended, did not answer in time, or answered against the protocol."""


class ModelError(RogueError):
    """A model gave no usable reply.

    Attributes:
        usage: what the attempts used that ended in this error; set by whoever made them.
    """

    usage: Usage = Usage()


class TransientModelError(ModelError):
    """Worth another try.

    Args:
        message: what the provider said.
        retry_after: seconds the provider asks to wait, or None where it did not say.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelUnavailable(TransientModelError):
    """Overload, server error, time-out, or lost connection."""


class ReplyTimedOut(ModelUnavailable):
    """Nothing came within the time that a reply may take. It may have been billed, and may take as long again."""


class RateLimited(TransientModelError):
    """Too many requests."""


class OutOfCredit(ModelError):
    """The account has no credit left: no later request can succeed."""


class DeadKey(ModelError):
    """The key is missing, wrong, or not allowed to use this model: no later request can succeed."""


class UnknownModel(ModelError):
    """No provider knows this model name: no later request can succeed."""


class BadModelRequest(ModelError):
    """The provider refused the form of the request; sending it again would be refused again."""


class ContextWindowExceeded(ModelError):
    """The request is longer than the model can read, also after the history was trimmed."""


class ModelRefused(ModelError):
    """The provider filtered or refused the reply several times in a row.

    Attributes:
        decision: what became of the last of these replies, None where there is none.
    """

    decision: Decision | None = None


class BudgetSpent(ModelError):
    """The run's budget does not hold the next call, which was not made."""


class GatewayLost(ModelError, InfraError):
    """The gateway died, or cannot be reached. A request that it had is not sent again: it may have been paid for."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What an exception means.

    Attributes:
        retries: how often the same request may be sent again (0 = never).
        ends_run: True where every later item would meet the same fault.
        outcome: outcome of the item when the exception is final; None where the verdict still decides.
        ending: how the episode's loop is recorded to have ended.
    """

    retries: int = 0
    ends_run: bool = False
    outcome: Outcome | None = Outcome.ERROR
    ending: Ending = Ending.FAULT


POLICIES: Mapping[type[BaseException], Policy] = MappingProxyType(
    {
        RogueError: Policy(),
        DesktopStartError: Policy(retries=1),
        DesktopsUnavailable: Policy(ends_run=True),
        DesktopLost: Policy(retries=1),  # the whole episode, on a fresh desktop
        ModelUnavailable: Policy(retries=5),
        ReplyTimedOut: Policy(retries=1),
        RateLimited: Policy(retries=5),
        OutOfCredit: Policy(ends_run=True),
        DeadKey: Policy(ends_run=True),
        UnknownModel: Policy(ends_run=True),
        ContextWindowExceeded: Policy(outcome=None, ending=Ending.CONTEXT_WINDOW_EXCEEDED),
        ModelRefused: Policy(outcome=None, ending=Ending.MODEL_REFUSED),
        BudgetSpent: Policy(ends_run=True, outcome=Outcome.NOT_RUN, ending=Ending.BUDGET),
        Exception: Policy(),
    }
)


def policy_for(error: BaseException | type[BaseException]) -> Policy:
    """Return the policy of the nearest class of `error` that stands in `POLICIES`."""
    kind = error if isinstance(error, type) else type(error)
    return next((POLICIES[base] for base in kind.__mro__ if base in POLICIES), Policy())
