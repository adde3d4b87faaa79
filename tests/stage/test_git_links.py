"""A git folder whose configuration is a link to another's: nothing is written where it leads."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from understudy.stage.copy.folder import copy_folder
from understudy.stage.git.copied import git_view, noted_git

LINKED = ("config", "refs", "objects", "packed-refs")
"""What `git-new-workdir` links, as far as it matters here."""


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=u", "-c", "user.email=u@x", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture(params=["absolute", "relative"])
def checkout(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A work tree whose `.git` is a folder of links to that of `tmp_path/real`."""
    real, checkout = tmp_path / "real", tmp_path / "deep/checkout"
    real.mkdir()
    git(real, "init", "-qb", "main")
    git(real, "config", "remote.origin.url", "somewhere")
    git(real, "commit", "-q", "--allow-empty", "-m", "one")
    git(real, "pack-refs", "--all")
    (checkout / ".git").mkdir(parents=True)
    for name in LINKED:
        place = real / ".git" / name
        relative = os.path.relpath(place, checkout / ".git")
        (checkout / ".git" / name).symlink_to(place if request.param == "absolute" else relative)
    (checkout / ".git/HEAD").write_text("ref: refs/heads/main\n")
    assert git(checkout, "config", "remote.origin.url") == "somewhere"
    return checkout


def test_a_copied_folder_has_a_configuration_of_its_own(checkout: Path, tmp_path: Path) -> None:
    real = tmp_path / "real/.git/config"
    before = real.read_bytes()
    copy = tmp_path / "copies/checkout"
    copy.parent.mkdir()
    copy_folder(checkout, copy, link_dependencies=True)
    assert len(noted_git(copy, tmp_path / "git")) == 1
    assert real.read_bytes() == before
    assert git(copy, "config", "gc.auto") == "0"
    assert git(copy, "config", "remote.origin.url") == "somewhere"


def test_so_has_a_git_folder_that_is_shown_alone(checkout: Path, tmp_path: Path) -> None:
    real = tmp_path / "real/.git/config"
    before = real.read_bytes()
    (shown,) = git_view(checkout, tmp_path / "holder").copies
    assert real.read_bytes() == before
    assert git(tmp_path, "config", "--file", str(shown.copy / "config"), "gc.auto") == "0"
    said = git(tmp_path, "config", "--file", str(shown.copy / "config"), "remote.origin.url")
    assert said == "somewhere"


@pytest.mark.parametrize("named", ["secret", "nothing"])
def test_no_other_file_is_brought_in_by_such_a_link(
    checkout: Path, tmp_path: Path, named: str
) -> None:
    (tmp_path / "secret").write_text("[a]\n\tsecret = word\n")
    (checkout / ".git/config").unlink()
    (checkout / ".git/config").symlink_to(tmp_path / named)
    (shown,) = git_view(checkout, tmp_path / "holder").copies
    assert "word" not in (shown.copy / "config").read_text()
    assert (tmp_path / "secret").read_text() == "[a]\n\tsecret = word\n"
    assert not (tmp_path / "nothing").exists()
