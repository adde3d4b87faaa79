"""A submodule is part of what the working tree introduces: its files are judged, or it is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.command_line import Done, Shell
from tests.support.repositories import GitRepository, git

FORMER = "def f(a: int) -> int:\n    return a\n"
LATER = "def f(a: int, b: int) -> int:\n    return a + b\n"
USE = "from m.lib import f\n\nX: int = f(1)\n"


@pytest.fixture
def project(tmp_path: Path) -> GitRepository:
    """A project with a submodule `m`, at the former of its two commits."""
    library = GitRepository(tmp_path / "library")
    first = library.commit({"__init__.py": "", "lib.py": FORMER})
    library.commit({"lib.py": LATER})
    made = GitRepository(tmp_path / "project")
    made.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", library.folder, "m")
    git(made.folder / "m", "checkout", "-q", first)
    made.commit({"use.py": USE})
    return made


def checked(project: GitRepository, *more: str) -> Done:
    return Shell(project.folder, project.folder.parent / "state")("check", *more)


def test_nothing_changed(project: GitRepository) -> None:
    done = checked(project)
    assert (done.code, "nothing differs" in done.out) == (0, True), done


def test_a_file_in_it_changed(project: GitRepository) -> None:
    project.write({"m/lib.py": LATER})
    done = checked(project)
    assert (done.code, "use.py:3:10: error" in done.out) == (1, True), done


@pytest.mark.parametrize("besides", [{}, {"other.py": "Y: int = 1\n"}])
def test_it_moved(project: GitRepository, besides: dict[str, str]) -> None:
    git(project.folder / "m", "checkout", "-q", "main")
    project.write(besides)
    done = checked(project)
    assert (done.code, "use.py:3:10: error" in done.out) == (1, True), done


def test_it_is_new(project: GitRepository) -> None:
    git(project.folder / "m", "checkout", "-q", "main")
    project.git("rm", "-q", "--cached", "m")
    project.git("commit", "-q", "-m", "without it")
    project.git("add", "m")
    done = checked(project, "--format", "json")
    assert {"m/lib.py", "use.py"} <= {file["path"] for file in done.json["files"]}, done
    assert done.code == 1, done


def test_it_is_not_here_and_moved(project: GitRepository) -> None:
    later = git(project.folder / "m", "rev-parse", "main").strip()
    project.git("submodule", "deinit", "-q", "-f", "m")
    assert checked(project).code == 0
    project.git("update-index", "--cacheinfo", f"160000,{later},m")
    done = checked(project)
    assert (done.code, "git submodule update --init m" in done.out) == (3, True), done


def test_it_was_removed(project: GitRepository) -> None:
    project.git("rm", "-q", "-f", "m")
    project.write({"other.py": "Y: int = 1\n"})
    done = checked(project)
    assert (done.code, "m: base-unknown: this submodule was removed" in done.out) == (3, True), done


def test_its_commit_is_not_in_its_clone(project: GitRepository) -> None:
    project.git("update-index", "--cacheinfo", f"160000,{'1' * 40},m")
    project.git("commit", "-q", "-m", "elsewhere")
    done = checked(project)
    assert (done.code, "fetch it in m" in done.out) == (3, True), done


def test_a_patch_inside_it(project: GitRepository) -> None:
    lines = ["--- a/m/lib.py", "+++ b/m/lib.py", "@@ -1,2 +1,2 @@", "-def f(a: int) -> int:"]
    diff = "\n".join([*lines, "+def f(a: str) -> str:", "     return a", ""])
    done = Shell(project.folder, project.folder.parent / "state")("check", "-", stdin=diff)
    assert (done.code, "use.py:3:12: error" in done.out) == (1, True), done


def test_without_git_it_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "use.py").write_text("X: int = 1\n")
    shell = Shell(tmp_path / "plain", tmp_path / "state")
    done = shell("check")
    assert (done.code, "give a PATCH or --edits instead" in done.err) == (2, True), done
    diff = "--- a/use.py\n+++ b/use.py\n@@ -1 +1 @@\n-X: int = 1\n+X: int = ''\n"
    assert shell("check", "-", stdin=diff).code == 1
