"""The metrics of published tasks: how their checks judge values, a module for each family."""
