"""The published benchmark's own task files, run as they are.

A manifest of that benchmark (`test_override.json` beside a folder `examples`) becomes cases like any other:
`manifest.py` reads it, `task.py` a task file. Their set-up steps (`steps/`), getters (`getters/`) and metrics
(`metrics/`) are small models, one a kind, found by the name that the task files use; `protocol.py` says what each is.
"""
