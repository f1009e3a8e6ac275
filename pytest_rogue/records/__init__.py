"""The run directory: results, events, screenshots, and the store."""
