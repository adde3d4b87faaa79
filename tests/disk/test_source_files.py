"""The files that a map is about: what git would not ignore, without asking git."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.workspace import state_of
from understudy.disk.folder.source_files import source_files
from understudy.values.errors import BadInput
from understudy.values.paths import Root

IGNORED = """\
*.log
!keep.log
/top.py
build/
!
[z-a]
doc/*.txt
**/deep/*.py
!deep/k.py
a b.py
\\#x.py
foo/*
!foo/bar.py
trail.py\x20\x20
caf\xe9.py
"""
PATHS = (
    *("a.py", "top.py", "sub/top.py", "x.log", "keep.log", "sub/x.log", "sub/y.log", "build/a.py"),
    *("sub/build/a.py", "sub/build2/a.py", "build.py", "doc/a.txt", "sub/doc/a.txt", "z/deep/q.py"),
    *("z/deep/k.py", "a b.py", "#x.py", "foo/a.py", "foo/bar.py", "trail.py", "excl.py", "only.py"),
    *("sub/excl.py", "sub/only.py", "sub/local.py", "sub/q/local.py", "sub/more/a.py", "more/a.py"),
    *("caf\xe9.py", "caf\xe8.py", "new\nline.py"),
)


def listed(folder: Path, takes=lambda name: True) -> list[str]:
    return list(source_files(Root.open(folder), takes).files)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    files = {
        ".gitignore": IGNORED,
        ".git/info/exclude": "excl.py\nsub/only.py\n",
        "sub/.gitignore": "!x.log\n/local.py\nmore/\n",
        **dict.fromkeys(PATHS, ""),
    }
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def of_git(folder: Path) -> set[str]:
    """What git itself lists."""
    command = ["git", "ls-files", "-z", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=True)
    return {os.fsdecode(name) for name in done.stdout.split(b"\0")} - {""}


def test_ignore_files_mean_what_they_mean_to_git(repository: Path):
    before = state_of(repository)
    assert set(listed(repository)) == of_git(repository)
    assert set(listed(repository / "sub")) == of_git(repository / "sub")
    assert state_of(repository) == before


def test_without_a_repository_ignore_files_count_below_only(tmp_path: Path):
    (tmp_path / ".gitignore").write_text("*.py\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / ".gitignore").write_text("b.py\n")
    for name in ("a.py", "b.py"):
        (tmp_path / "folder" / name).touch()
    assert listed(tmp_path / "folder") == [".gitignore", "a.py"]


def test_only_names_that_are_asked_for_and_no_installed_packages(tmp_path: Path):
    for path in ("a.py", "b.txt", "node_modules/x.py", "env/pyvenv.cfg", "env/lib/y.py", "s/c.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    assert listed(tmp_path, lambda name: name.endswith(".py")) == ["a.py", "s/c.py"]


def test_links_loops_and_pipes(tmp_path: Path):
    folder = tmp_path / "folder"
    (folder / "s").mkdir(parents=True)
    (folder / "s" / "a.py").touch()
    (tmp_path / "outside.py").touch()
    (folder / "s" / "up").symlink_to(folder)
    (folder / "s" / "self.py").symlink_to("self.py")
    (folder / "inside.py").symlink_to("s/a.py")
    (folder / "outside.py").symlink_to(tmp_path / "outside.py")
    (folder / "gone.py").symlink_to("nowhere.py")
    os.mkfifo(folder / "pipe.py")
    found = source_files(Root.open(folder), lambda name: True)
    assert list(found.files) == ["outside.py", "s/a.py"]
    assert found.links == ["s/up"]


def test_a_folder_that_cannot_be_listed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "shut").mkdir()
    (tmp_path / "a.py").touch()
    scandir = os.scandir
    shut = {str(tmp_path / "shut")}

    def guarded(folder: str):
        if folder in shut:
            raise PermissionError(13, "Permission denied", folder)
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", guarded)  # the tests may run as root, who may read all
    found = source_files(Root.open(tmp_path), lambda name: True)
    assert (list(found.files), found.unreadable) == (["a.py"], ["shut/"])
    shut.add(str(tmp_path))
    with pytest.raises(BadInput) as caught:
        listed(tmp_path)
    assert caught.value.code == "unreadable-root"
