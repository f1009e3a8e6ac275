"""The desktop image: how it is named, built, and removed."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.cli import main
from pytest_rogue.desktops import docker_image
from pytest_rogue.desktops.docker_image import (
    ImageBuildError,
    build_image,
    image_name,
    image_present,
    list_images,
    prune_images,
)
from pytest_rogue.errors import InfraError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEST_LABEL = f"pytest-rogue.test-image-{os.getpid()}"
TEST_REPOSITORY = f"pytest-rogue-test-image-{os.getpid()}"

# --- its name and what goes into it (no engine needed) --------------------


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have the image made from a copy of its files, which a test may change."""
    folder = tmp_path / "image"
    shutil.copytree(docker_image.FOLDER, folder)
    monkeypatch.setattr(docker_image, "FOLDER", folder)
    return folder


def packed() -> dict[str, tarfile.TarInfo]:
    with tarfile.open(fileobj=io.BytesIO(docker_image._context().getvalue())) as archive:
        return {entry.name: entry for entry in archive}


def test_the_same_files_give_the_same_name(copied: Path) -> None:
    before = image_name()
    (copied / "Dockerfile").touch()
    assert image_name() == before
    assert before.startswith("pytest-rogue-desktop:")


def test_another_content_gives_another_name(copied: Path) -> None:
    before = image_name()
    with (copied / "set-up").open("a") as file:
        file.write("# changed\n")
    assert image_name() != before


def test_another_place_gives_another_name(copied: Path) -> None:
    before = image_name()
    (copied / "set-up").rename(copied / "set-up-more")
    assert image_name() != before


def test_what_the_host_says_about_registries_does_not_change_the_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = image_name()
    monkeypatch.setenv("NODE_EXTRA_CA_CERTS", str(tmp_path / "ca.pem"))
    (tmp_path / "ca.pem").write_text("a certificate")
    assert image_name() == before
    assert packed()["host/ca.pem"].size == len("a certificate")


def test_the_guest_and_what_stands_beside_it_go_into_the_image() -> None:
    names = packed()
    assert {"guest/guest/__main__.py", "guest/pyautogui/__init__.py"} <= names.keys()
    assert not [name for name in names if "__pycache__" in name]


def test_programs_may_be_executed_whatever_became_of_their_modes(copied: Path) -> None:
    (copied / "desktop/usr/local/bin/code").chmod(0o644)
    entries = packed()
    assert entries["desktop/usr/local/bin/code"].mode == 0o755
    assert entries["Dockerfile"].mode == 0o644


def test_nothing_of_the_environment_but_registries_and_proxies_is_told_to_a_build() -> None:
    environment = {
        "SECRET_API_KEY": "x",
        "https_proxy": "http://proxy:1",
        "PIP_INDEX_URL": "http://index",
        "HTTP_PROXY": "",
    }
    assert docker_image._host_settings(environment) == {
        "https_proxy": "http://proxy:1",
        "PIP_INDEX_URL": "http://index",
    }


def test_without_an_engine_one_sentence_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    with pytest.raises(InfraError, match=r"no Docker engine answers .*: start one, or set DOCKER_HOST"):
        build_image()


# --- on an engine, with images that take no time --------------------


@pytest.fixture
def tiny(copied: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make images of next to nothing, under another name and label, so that real ones are left alone."""
    shutil.rmtree(copied)
    copied.mkdir()
    (copied / "Dockerfile").write_text('FROM scratch\nCOPY . /\nCMD ["/nothing"]\n')
    monkeypatch.setattr(docker_image, "KIND_LABEL", TEST_LABEL)
    monkeypatch.setattr(docker_image, "REPOSITORY", TEST_REPOSITORY)
    yield copied
    prune_images(everything=True)


@pytest.mark.docker
def test_an_image_is_built_once(tiny: Path) -> None:
    assert not image_present()
    said: list[str] = []
    name = build_image(say=said.append)
    assert said[0].startswith("Step 1/")
    assert image_present()
    said.clear()
    assert build_image(say=said.append) == name
    assert not said


@pytest.mark.docker
def test_the_base_is_the_one_that_is_given(tiny: Path) -> None:
    base = build_image()
    (tiny / "Dockerfile").write_text("ARG BASE=nothing\nFROM ${BASE}\nCOPY Dockerfile /\n")
    build_image(base)
    with docker_image._engine() as engine:
        built, given = engine.images.get(image_name()), engine.images.get(base)
    assert built.attrs["Parent"]
    assert given.attrs["RootFS"]["Layers"][0] == built.attrs["RootFS"]["Layers"][0]
    assert built.labels["pytest-rogue.base"] == base


@pytest.mark.docker
def test_a_base_that_cannot_be_had_is_named_with_the_way_to_make_one(tiny: Path) -> None:
    (tiny / "Dockerfile").write_text("ARG BASE=nothing\nFROM ${BASE}\nCOPY host/ca.pem /\n")
    with pytest.raises(ImageBuildError, match=r"127\.0\.0\.1:1/base:none cannot be had .* `make image-base` makes one"):
        build_image("127.0.0.1:1/base:none")
    assert not image_present()


@pytest.mark.docker
def test_a_build_that_fails_says_where(tiny: Path) -> None:
    (tiny / "Dockerfile").write_text("FROM scratch\nCOPY no-such-file /\n")
    with pytest.raises(ImageBuildError, match=r"the image was not built: .*no-such-file.*; before that: .*Step 2/"):
        build_image()


@pytest.mark.docker
def test_images_are_listed_with_the_current_one_marked(tiny: Path) -> None:
    first = build_image()
    (tiny / "more").write_text("x")
    second = build_image()
    assert {(image.name, image.current) for image in list_images()} == {(first, False), (second, True)}


@pytest.mark.docker
def test_pruning_removes_what_is_not_current(tiny: Path) -> None:
    first = build_image()
    (tiny / "more").write_text("x")
    second = build_image()
    assert [image.name for image in prune_images()] == [first]
    assert [image.name for image in list_images()] == [second]


@pytest.mark.docker
def test_pruning_leaves_an_image_that_a_container_uses(tiny: Path) -> None:
    first = build_image()
    (tiny / "more").write_text("x")
    build_image()
    with docker_image._engine() as engine:
        container: Any = engine.containers.create(first)
        try:
            assert prune_images() == []
        finally:
            container.remove()


@pytest.mark.docker
def test_pruning_keeps_what_makes_the_next_build_short(tiny: Path) -> None:
    stages = (
        "FROM scratch AS stage\nLABEL {}=stage\nCOPY {} /one\nFROM scratch\nCOPY --from=stage /one /\nCOPY last /\n"
    )
    for first, last in (("a", "x"), ("b", "y"), ("b", "z")):
        (tiny / first).write_text(first)
        (tiny / "last").write_text(last)
        (tiny / "Dockerfile").write_text(stages.format(TEST_LABEL, first))
        build_image()
    with docker_image._engine() as engine:
        left = {"dangling": True, "label": f"{TEST_LABEL}=stage"}
        assert len(engine.images.list(filters=left)) == 2
        prune_images()
        assert len(engine.images.list(filters=left)) == 1
        (tiny / "last").write_text("again")
        said: list[str] = []
        build_image(say=said.append)
        assert "Using cache" in " ".join(said[: said.index("Step 4/8 : FROM scratch")])
        prune_images(everything=True)
        assert engine.images.list(filters=left) == []


# --- by command --------------------


@pytest.mark.docker
def test_the_command_builds_once_and_lists_what_is_there(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["image", "list"]) == 0
    assert f"{image_name()}, is not there: pytest-rogue image build" in capsys.readouterr().out
    assert main(["image", "build"]) == 0
    assert "Step 1/" in capsys.readouterr().out
    assert main(["image", "build"]) == 0
    assert capsys.readouterr().out == f"{image_name()}\n"
    assert main(["image", "list"]) == 0
    assert capsys.readouterr().out.startswith(f"* {image_name()}  ")


@pytest.mark.docker
def test_the_command_prunes_what_is_not_current_and_on_demand_all(
    tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = build_image()
    (tiny / "more").write_text("x")
    second = build_image()
    assert main(["image", "prune"]) == 0
    assert capsys.readouterr().out == f"removed {first}\n"
    assert main(["image", "prune", "--all"]) == 0
    assert capsys.readouterr().out == f"removed {second}\n"
    assert list_images() == []


def test_the_command_says_in_one_sentence_that_no_engine_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    assert main(["image", "list"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("pytest-rogue: no Docker engine answers")
    assert said.count("\n") == 1
