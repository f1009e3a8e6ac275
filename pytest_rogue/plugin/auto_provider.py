"""`--rogue-provider=auto`: Docker where all that it needs is there, else the embedded desktop."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_rogue.settings import Settings

AUTO = "auto"


def choose_provider(settings: Settings) -> tuple[str, str]:
    """Return the name of the provider, and why it is that one in a few words; takes seconds where an engine hangs."""
    from pytest_rogue.desktops.docker import DockerProvider

    needs = DockerProvider(image=settings.docker_image).readiness()
    lacking = next((need for need in needs if not need.ready), None)
    if lacking is None:
        return "docker", "auto: engine and image are there"
    return "local", f"auto: {lacking.found}; {lacking.fix.partition(';')[0]}"
