"""The program inside the desktop. It stands alone: Python 3.10 and what Debian ships."""

from __future__ import annotations

__version__ = "1.0"
"""Version of what the guest speaks (`PROTOCOL.md`), not of the package around it."""
