"""The pages of the document service: plain HTML without scripts, for eyes, keyboard, and accessibility tree alike.

Whatever comes from a person or a file passes `escape` before it stands in a page.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urlencode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .document_store import Document

LONGEST_PREVIEW = 100_000
"""Characters of a text that a page shows."""

STYLE = """
* { box-sizing: border-box; }
body { margin: 0; background: #f3f5f7; color: #1d2733; font: 17px/1.5 "DejaVu Sans", sans-serif; }
header { background: #12504f; color: #fff; padding: 14px 32px; display: flex; align-items: center; gap: 24px; }
header strong { font-size: 21px; margin-right: auto; }
header a { color: #fff; }
main { max-width: 1080px; margin: 28px auto; background: #fff; border: 1px solid #d5dce3; border-radius: 10px;
       padding: 26px 34px; }
h1 { font-size: 25px; margin: 0 0 16px; }
h2 { font-size: 19px; margin: 30px 0 10px; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 9px 12px; border-bottom: 1px solid #e3e8ed; vertical-align: middle; }
form.inline { display: inline-flex; gap: 8px; align-items: center; margin: 2px 10px 2px 0; }
form.login { display: grid; gap: 8px; max-width: 380px; }
input, select, button { font: inherit; padding: 7px 12px; border: 1px solid #8595a5; border-radius: 6px; }
button { background: #12504f; border-color: #12504f; color: #fff; cursor: pointer; }
:focus-visible { outline: 3px solid #e08a00; outline-offset: 2px; }
.alert { border-left: 5px solid #b3261e; background: #fbeae9; padding: 10px 16px; }
.status { border-left: 5px solid #12504f; background: #e6f1f0; padding: 10px 16px; }
pre { background: #f3f5f7; padding: 16px; overflow: auto; white-space: pre-wrap; }
"""


class Pages:
    """Writes the pages of one service.

    Args:
        title: name of the service.
    """

    def __init__(self, title: str) -> None:
        self.title = title

    def login(self, problem: str = "") -> str:
        """Ask for account and password."""
        body = f"""{_alert(problem)}
<form class="login" method="post" action="/login">
<label for="account">Account</label><input id="account" name="account" autocomplete="off" autofocus required>
<label for="password">Password</label><input id="password" name="password" type="password" required>
<button type="submit">Sign in</button>
</form>"""
        return self._page(f"Sign in to {self.title}", body)

    def folders(
        self, account: str, mine: Sequence[str], others: Sequence[str], shared: Sequence[tuple[str, str]]
    ) -> str:
        """List what an account can open, and what it knows of."""
        body = "<h2>Your folders</h2>" + _items([_folder_link(name) for name in mine])
        if others:
            body += "<h2>Folders of other people</h2>" + _items(
                [_folder_link(name) + " (members only)" for name in others]
            )
        if shared:
            body += "<h2>Shared with you</h2>" + _items([_file_link(folder, name) for folder, name in shared])
        return self._page("Folders", body, account)

    def folder(
        self, account: str, name: str, files: Mapping[str, Document], accounts: Sequence[str], said: str = ""
    ) -> str:
        """Show a folder with all that can be done in it."""
        rows = "".join(_file_row(name, file, document, accounts) for file, document in sorted(files.items()))
        table = f"""<table><caption hidden>Files</caption>
<thead><tr><th scope="col">File</th><th scope="col">Size</th><th scope="col">From</th><th scope="col">Actions</th></tr>
</thead><tbody>{rows}</tbody></table>"""
        body = f"""{_status(said)}{table if files else "<p>This folder is empty.</p>"}
<h2>Upload a file</h2>
<form method="post" action="/upload?{escape(urlencode({"folder": name}))}" enctype="multipart/form-data">
<label for="file">File</label> <input id="file" name="file" type="file" required> <button type="submit">Upload</button>
</form>"""
        return self._page(f"Folder {name}", body, account)

    def file(self, account: str, folder: str, name: str, content: bytes) -> str:
        """Show a file, if it is a text."""
        try:
            shown = f"<pre>{escape(content.decode()[:LONGEST_PREVIEW])}</pre>"
        except UnicodeDecodeError:
            shown = "<p>There is no preview of this kind of file.</p>"
        link = f'<p><a href="/download?{_query(folder, name)}">Download {escape(name)}</a></p>'
        return self._page(name, shown + link, account)

    def problem(self, message: str, account: str = "") -> str:
        """Say what the service does not do."""
        return self._page("This did not work", _alert(message), account)

    def _page(self, heading: str, body: str, account: str = "") -> str:
        session = ""
        if account:
            session = f"""<nav aria-label="Service"><a href="/folders">Folders</a></nav>
<span>Signed in as {escape(account)}</span>
<form class="inline" method="post" action="/logout"><button type="submit">Sign out</button></form>"""
        return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(heading)} - {escape(self.title)}</title>
<style>{STYLE}</style></head>
<body><header><strong>{escape(self.title)}</strong>{session}</header>
<main><h1>{escape(heading)}</h1>{body}</main></body></html>"""


def _file_row(folder: str, name: str, document: Document, accounts: Sequence[str]) -> str:
    what, safe = _query(folder, name), escape(name)
    options = "".join(f"<option>{escape(account)}</option>" for account in accounts)
    return f"""<tr><td>{_file_link(folder, name)}</td><td>{len(document.content):,} bytes</td>
<td>{escape(document.owner)}</td><td>
<a href="/download?{what}" aria-label="Download {safe}">Download</a>
<form class="inline" method="post" action="/rename?{what}">
<input name="new_name" aria-label="New name of {safe}" required>
<button aria-label="Rename {safe}">Rename</button></form>
<form class="inline" method="post" action="/share?{what}">
<select name="other" aria-label="Share {safe} with">{options}</select>
<button aria-label="Share {safe}">Share</button></form>
<form class="inline" method="post" action="/delete?{what}"><button aria-label="Delete {safe}">Delete</button></form>
</td></tr>"""


def _query(folder: str, name: str) -> str:
    return escape(urlencode({"folder": folder, "file": name}))


def _folder_link(name: str) -> str:
    return f'<a href="/folder?{escape(urlencode({"folder": name}))}">{escape(name)}</a>'


def _file_link(folder: str, name: str) -> str:
    return f'<a href="/file?{_query(folder, name)}">{escape(name)}</a>'


def _items(items: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>" if items else "<p>There are none.</p>"


def _alert(message: str) -> str:
    return f'<p class="alert" role="alert">{escape(message)}</p>' if message else ""


def _status(message: str) -> str:
    return f'<p class="status" role="status">{escape(message)}</p>' if message else ""
