"""This checkout's own overrides of the plugin's fixtures and hooks. There are none at present."""
