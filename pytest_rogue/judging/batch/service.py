"""What a provider's batches have to do for the workflow, and what their faults mean."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from pytest_rogue.errors import ConfigError, InfraError
from pytest_rogue.interaction import Usage
from pytest_rogue.secrets import printable, scrub

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pytest_rogue.judging.batch.state import Batch
    from pytest_rogue.judging.targets import Target
    from pytest_rogue.models.client import Message


class BatchRefused(InfraError):
    """The provider will not take this batch; the message has its words."""


class BatchUncertain(InfraError):
    """The answer to a call was lost; what was sent may or may not have arrived."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one batch may hold at most."""

    requests: int
    size: int


@dataclass(frozen=True, slots=True)
class Progress:
    """What the provider says about a batch.

    Attributes:
        status: its word.
        ended: True where no more rows will come.
        problem: why the batch as a whole failed, empty where it did not.
    """

    status: str
    ended: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """What came back for one request.

    Attributes:
        custom_id: ours.
        text: the judge's words, empty where there are none.
        problem: why there are none, empty where there are.
        usage: what the request used.
    """

    custom_id: str
    text: str = ""
    problem: str = ""
    usage: Usage = field(default_factory=Usage)


class BatchService(Protocol):
    """One provider."""

    limits: Limits

    def line(self, custom_id: str, target: Target, messages: Sequence[Message]) -> bytes:
        """Return one request as a line of JSON."""
        ...

    def submit(self, batch: Batch, lines: Sequence[bytes] | None, save: Callable[[], None], known: set[str]) -> None:
        """Carry a batch on to `submitted`, from however far it came.

        Args:
            batch: changed in place.
            lines: its requests; None where they cannot be made again, so that it can only be looked for.
            save: keeps the state; called before and after each remote call.
            known: the provider's ids of other batches of ours.

        Raises:
            BatchRefused: the provider will not take it.
            BatchUncertain: an answer was lost; calling this again looks for the batch first.
        """
        ...

    def progress(self, batch: Batch) -> Progress:
        """Ask how far a submitted batch is."""
        ...

    def rows(self, batch: Batch) -> Iterator[Row]:
        """Yield what came back, in any order."""
        ...


def usage_of(prompt_tokens: Any, completion_tokens: Any) -> Usage:
    """Return the usage of a row; its price is the provider's to tell."""
    return Usage(calls=1, prompt_tokens=prompt_tokens or 0, completion_tokens=completion_tokens or 0, cost=None)


@contextmanager
def remote_faults(sdk: Any, what: str) -> Iterator[None]:
    """Turn what a provider's library raises into what it means.

    Args:
        sdk: the library, for its exceptions.
        what: what was being done, for the message.
    """
    try:
        yield
    except (sdk.AuthenticationError, sdk.PermissionDeniedError) as error:
        raise ConfigError(f"{what}: the provider does not accept the key ({_words(error)})") from None
    except sdk.APIStatusError as error:
        if error.status_code < 500 and error.status_code not in (408, 409, 425, 429):
            raise BatchRefused(f"{what}: the provider refused it ({_words(error)})") from None
        raise BatchUncertain(f"{what}: the provider failed ({_words(error)}); run the command again later") from None
    except sdk.APIConnectionError as error:
        raise BatchUncertain(f"{what}: the answer was lost ({_words(error)}); run the command again") from None
    except (sdk.APIError, ValueError) as error:
        raise BatchUncertain(f"{what}: the answer cannot be read ({_words(error)}); run the command again") from None


def _words(error: Exception) -> str:
    return printable(scrub(str(error)))[:300]
