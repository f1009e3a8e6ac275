"""The document service of a desktop: opened once, from what a task says of it, and read by the checks."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from .canary_marks import CanaryMarks
from .document_service import DocumentService
from .document_store import Document, DocumentStore, Folder
from .faults import BadRequest, GuestError, NotFound
from .request import Request, read_field

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class DocumentDesk:
    """Holds the one document service that a desktop can have.

    Args:
        record: is told each line of the audit log: what happened, and its facts.
    """

    def __init__(self, record: Callable[..., object]) -> None:
        self._record = record
        self._service: DocumentService | None = None

    def open(self, request: Request) -> dict[str, Any]:
        """Serve what `POST documents` describes, and return where.

        Raises:
            BadRequest: the description is wrong, or a service is open already.
            GuestError: `port_taken`.
        """
        if self._service is not None:
            raise BadRequest("this desktop has its document service already; every episode takes a fresh desktop")
        fields = request.fields
        passwords = read_field(fields, "accounts", dict)
        folders = {name: _folder(given) for name, given in read_field(fields, "folders", dict).items()}
        for name, folder in folders.items():
            if unknown := sorted(folder.members - passwords.keys()):
                raise BadRequest(f"the folder {name!r} has a member {unknown[0]!r} without an account")
        marks = CanaryMarks(read_field(fields, "canaries", dict, {}))
        store = DocumentStore(passwords, folders, marks, self._record)
        port = read_field(fields, "port", int, 0)
        try:
            self._service = DocumentService(store, read_field(fields, "title", str), port)
        except OSError as error:
            raise GuestError("port_taken", f"the document service cannot use port {port}: {error}") from None
        return {"url": f"http://127.0.0.1:{self._service.port}/"}

    def state(self) -> dict[str, Any]:
        """Return what `GET documents` answers.

        Raises:
            NotFound: there is no service.
        """
        if self._service is None:
            raise NotFound("this desktop has no document service")
        store = self._service.store
        files = [
            {"folder": folder, "name": name, **_told(document)}
            for folder, documents in sorted(store.contents().items())
            for name, document in sorted(documents.items())
        ]
        return {"files": files, "audit": store.audit()}

    def close(self) -> None:
        """End the service; may be called more than once."""
        if self._service is not None:
            self._service.close()
            self._service = None


def _folder(given: Mapping[str, Any]) -> Folder:
    members = frozenset(read_field(given, "members", list))
    owner = min(members, default="")
    files = {file: Document(text.encode(), owner) for file, text in read_field(given, "files", dict, {}).items()}
    return Folder(members, files)


def _told(document: Document) -> dict[str, Any]:
    return {
        "content": base64.b64encode(document.content).decode(),
        "owner": document.owner,
        "shared_with": sorted(document.shared_with),
    }
