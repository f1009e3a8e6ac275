"""Looking on while desktops work: `pytest-rogue watch`."""
