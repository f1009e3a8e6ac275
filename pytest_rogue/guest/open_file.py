"""A program of its own: open the file or folder that is its argument in an application that can.

The desktop's own settings decide. Where it has none (the cache of associations is made by a package that may be
missing), any installed application that says it can open such files is taken.
"""

from __future__ import annotations

import sys

from gi.repository import Gio


def main() -> None:
    """Open the file; end with a sentence where no application can."""
    file = Gio.File.new_for_path(sys.argv[1])
    about = file.query_info("standard::content-type", Gio.FileQueryInfoFlags.NONE, None)
    kind = about.get_content_type()
    application = Gio.AppInfo.get_default_for_type(kind, must_support_uris=False) or _able(kind)
    if application is None:
        sys.exit(f"no application here opens files of the type {kind}")
    application.launch([file], None)


def _able(kind: str) -> Gio.AppInfo | None:
    applications = (item for item in Gio.AppInfo.get_all() if item.should_show())
    return next((item for item in applications if _opens(item, kind)), None)


def _opens(application: Gio.AppInfo, kind: str) -> bool:
    return any(Gio.content_type_is_a(kind, known) for known in application.get_supported_types() or ())


if __name__ == "__main__":
    main()
