"""The getters of published tasks: where their checks find values, a module for each family."""
