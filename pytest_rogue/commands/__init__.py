"""The larger commands of `pytest-rogue`, one in each module."""
