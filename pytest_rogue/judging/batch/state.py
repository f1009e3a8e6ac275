"""What has been sent in batches: one file a provider in the run's folder, written before and after each remote call.

It holds ids and hashes, never prompts or keys. After a crash it says how far each batch came, so that what may have
been sent is looked for before it is sent again.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pytest_rogue.errors import RecordError
from pytest_rogue.records import strict_json
from pytest_rogue.records.disk import write_atomically
from pytest_rogue.records.judgments import JudgmentKey

if TYPE_CHECKING:
    from pathlib import Path

Status = Literal["planned", "uploading", "uploaded", "creating", "submitted", "applied", "refused", "abandoned"]
"""How far a batch came.

- `planned`: nothing was sent.
- `uploading`, `creating`: a call was begun and its answer never came; it may or may not have arrived.
- `uploaded`: the file of requests is there (OpenAI only).
- `submitted`: the provider works on it, or is through.
- `applied`: every row of it is in the run's store.
- `refused`: the provider would not take it (`problem`).
- `abandoned`: it was never taken, and what it asked has changed since.
"""

UNFINISHED = frozenset({"planned", "uploading", "uploaded", "creating"})


@dataclass(slots=True)
class Batch:
    """One batch. The only mutable value of this room: each change is saved at once.

    Attributes:
        key: made up by us, so that the batch can be found again where the answer to its making was lost.
        target: who is asked.
        members: which judgment each row is for, by its custom id.
        status: how far it came.
        file_id: of the uploaded requests.
        batch_id: as the provider names it.
        began: Unix time at which its making was first attempted.
        remote: the provider's last word on its progress.
        problem: what went wrong, empty for nothing.
        not_ours: ids of the provider's batches that were looked at and are not this one.
        counts: what became of its rows.
    """

    key: str
    target: str
    members: dict[str, JudgmentKey]
    status: Status = "planned"
    file_id: str = ""
    batch_id: str = ""
    began: float = 0.0
    remote: str = ""
    problem: str = ""
    not_ours: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)


class BatchState:
    """The batches of one provider for one run.

    Args:
        path: the file; it may be missing.

    Raises:
        RecordError: the file is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.batches: list[Batch] = []
        try:
            data = json.loads(path.read_text())
            self.batches = [_from_dict(entry) for entry in data["batches"]]
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RecordError(
                f"{path} is damaged ({error!r}); restore it from a copy, or remove it and look at the provider's own "
                "list of batches before anything is submitted again"
            ) from error

    def save(self) -> None:
        """Write the file, whole or not at all.

        Raises:
            InfraError: it cannot be written.
        """
        data = {"version": 1, "batches": [asdict(batch) for batch in self.batches]}
        write_atomically(self.path, strict_json.dumps(data, indent=1).encode() + b"\n")

    def known_ids(self) -> set[str]:
        """Return the provider's ids of all batches in this file."""
        return {batch.batch_id for batch in self.batches if batch.batch_id}


def _from_dict(entry: dict[str, Any]) -> Batch:
    members = {custom_id: JudgmentKey(**key) for custom_id, key in entry.pop("members").items()}
    return Batch(members=members, **entry)
