"""The set-up steps of published tasks, a module for each family."""
