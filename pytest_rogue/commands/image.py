"""`pytest-rogue image`: build, list, and remove the image of the Docker desktop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse


def add_image_command(commands: Any) -> None:
    """Declare the command.

    Args:
        commands: argparse's group of commands.
    """
    image = commands.add_parser("image", help="build, list, or remove the image of the Docker desktop")
    parts = image.add_subparsers(metavar="PART", required=True)

    build = parts.add_parser("build", help="build the image of this version where it is not there yet, and name it")
    build.add_argument("--base", metavar="NAME", help="image of a Debian 12 to build on")
    build.set_defaults(run=_build)

    name = parts.add_parser("name", help="name the image that this version uses")
    name.set_defaults(run=_name)

    listing = parts.add_parser("list", help="list the desktop images of the engine, newest first")
    listing.set_defaults(run=_list)

    prune = parts.add_parser("prune", help="remove images of other versions, and what building them left")
    prune.add_argument("--all", action="store_true", help="the one of this version and all build stages too")
    prune.set_defaults(run=_prune)


def _build(chosen: argparse.Namespace) -> int:
    from pytest_rogue.desktops.docker_image import build_image

    print(build_image(base=chosen.base, say=lambda line: print(line, flush=True)))
    return 0


def _name(_: argparse.Namespace) -> int:
    from pytest_rogue.desktops.docker_image import image_name

    print(image_name())
    return 0


def _list(_: argparse.Namespace) -> int:
    from pytest_rogue.desktops.docker_image import image_name, list_images

    images = list_images()
    for image in images:
        mark = "*" if image.current else " "
        print(f"{mark} {image.name or image.id}  {image.size / 1e9:.1f} GB  {image.created[:19]}")
    if not any(image.current for image in images):
        print(f"the image of this version, {image_name()}, is not there: pytest-rogue image build")
    return 0


def _prune(chosen: argparse.Namespace) -> int:
    from pytest_rogue.desktops.docker_image import prune_images

    removed = prune_images(everything=chosen.all)
    for image in removed:
        print(f"removed {image.name or image.id}")
    if not removed:
        print("there was no image to remove")
    return 0
