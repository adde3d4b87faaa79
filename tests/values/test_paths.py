"""Paths: what lies inside a root, and URIs in every spelling."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.values.errors import BadInput
from understudy.values.paths import Root, path_of_uri, uri_of


@pytest.fixture
def root(tmp_path: Path) -> Root:
    folder = tmp_path / "the root"
    (folder / "src").mkdir(parents=True)
    (folder / "inside").symlink_to(folder / "src")
    (folder / "outside").symlink_to(tmp_path)
    (folder / "loop").symlink_to(folder / "loop")
    return Root.open(folder)


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        ("a.py", "a.py"),
        ("./src//a.py", "src/a.py"),
        ("src/./a.py/", "src/a.py"),
        ("inside/a.py", "inside/a.py"),
        (".gitignore", ".gitignore"),
        ("...", "..."),
        ("a\\b", "a\\b"),
        ("\udcff", "\udcff"),
    ],
)
def test_inside(root: Root, given: str, normal: str) -> None:
    assert root.relative(given) == normal


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("", "bad-path"),
        (".", "bad-path"),
        ("a\0b", "bad-path"),
        ("x" * 256, "bad-path"),
        ("é" * 128, "bad-path"),
        ("\ud800", "bad-path"),
        ("/etc/passwd", "outside-root"),
        ("..", "outside-root"),
        ("src/../../x", "outside-root"),
        ("src/..", "outside-root"),
        ("outside", "outside-root"),
        ("outside/x", "outside-root"),
        (".git/config", "outside-root"),
        ("./.git", "outside-root"),
        (".GIT/config", "outside-root"),
        ("sub/.git/hooks/pre-commit", "outside-root"),
    ],
)
def test_outside_or_no_path(root: Root, given: str, code: str) -> None:
    with pytest.raises(BadInput) as caught:
        root.relative(given)
    assert caught.value.code == code
    assert caught.value.where


def test_roots_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in ("missing", "file"):
        with pytest.raises(BadInput) as caught:
            Root.open(tmp_path / path)
        assert caught.value.code == "no-such-root"


def test_uris(root: Root) -> None:
    assert root.relative_of_uri(root.uri("src/a b#ü.py")) == "src/a b#ü.py"
    assert root.relative_of_uri(root.uri("src/\udcff")) == "src/\udcff"
    assert root.relative_of_uri(root.uri("src").replace("src", "%73rc")) == "src"
    assert root.relative_of_uri(uri_of(root.path)) is None
    assert root.relative_of_uri(uri_of(root.path.parent / "x")) is None
    assert root.relative_of_uri(root.uri("src") + "/../../x") is None
    assert root.relative_of_uri(root.uri("src") + "/%2e%2e/%2e%2e/x") is None
    assert root.relative_of_uri("untitled:a") is None
    assert root.relative_of_uri("file://elsewhere" + str(root.path / "a")) is None


def test_a_root_under_another_name(root: Root, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(root.path)
    assert Root.open(link) == root
    assert root.relative_of_uri(uri_of(link / "src" / "a.py")) == "src/a.py"


def test_a_path_is_the_same_however_its_uri_is_escaped() -> None:
    assert path_of_uri("file:///a%20b/%C3%BC") == path_of_uri("file:///a b/ü") == Path("/a b/ü")
    assert path_of_uri("file:///a") != path_of_uri("file:///b")
    assert path_of_uri("untitled:x") is None


@given(st.binary(min_size=1, max_size=40).filter(lambda name: not set(name) & {0, 0x2F}))
def test_any_name_survives_a_uri(name: bytes) -> None:
    path = Path("/root") / os.fsdecode(name)
    if name in (b".", b".."):
        return
    uri = uri_of(path)
    assert uri.isascii()
    assert path_of_uri(uri) == path
