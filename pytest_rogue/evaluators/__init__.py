"""Task success: how the end state of a desktop becomes a score."""
