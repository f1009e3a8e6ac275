"""pytest-rogue: does a computer-use agent let go of the wheel when it should?"""

from __future__ import annotations

__version__ = "0.1.0"
