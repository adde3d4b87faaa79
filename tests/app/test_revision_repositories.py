"""Revisions: repositories that are odd or hostile, and what is refused with a reason."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.support.repositories import GitRepository, git
from tests.support.revisions import FILES, edits_against, refused, session_in, snapshots
from tests.support.sessions import check_edits
from tests.support.workspace import state_of
from understudy.app.check.check import check
from understudy.values.errors import BadInput
from understudy.workspace.options import CheckOptions
from understudy.workspace.revisions.sides import revision_sides


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    made = GitRepository(tmp_path / "project")
    made.commit(FILES)
    return made


@pytest.mark.parametrize("name", ["nope", "-q", "--all", "HEAD:a.txt", "HEAD~7", "", "a\0b"])
async def test_unknown_revisions(tmp_path: Path, repository: GitRepository, name: str):
    error = await refused(tmp_path, name)
    assert (error.code, error.where) == ("unknown-revision", name)


async def test_no_commit_yet(tmp_path: Path):
    GitRepository(tmp_path / "project").write({"a.txt": "a"})
    assert (await refused(tmp_path, "HEAD")).code == "unknown-revision"


async def test_no_repository(tmp_path: Path):
    (tmp_path / "project").mkdir()
    assert (await refused(tmp_path, "HEAD")).code == "no-repository"


async def test_bare_and_inside_the_git_folder(tmp_path: Path):
    bare = GitRepository(tmp_path / "project", "--bare")
    assert bare.git("rev-parse", "--is-bare-repository") == "true\n"
    assert (await refused(tmp_path, "HEAD")).code == "no-repository"


async def test_an_ignored_folder_of_another_repository(tmp_path: Path):
    outer = GitRepository(tmp_path)
    outer.commit({".gitignore": "project/\nstate/\n"})
    outer.write({"project/a.txt": "a"})
    error = await refused(tmp_path, "HEAD")
    assert error.code == "no-repository"
    assert "tracks nothing" in error.text


async def test_no_common_commit(tmp_path: Path, repository: GitRepository):
    repository.git("checkout", "-q", "--orphan", "alone")
    repository.commit({"alone.txt": "no parents\n"})
    error = await refused(tmp_path, "main")
    assert (error.code, error.where) == ("no-merge-base", "main")


async def test_a_shallow_clone_says_what_to_fetch(tmp_path: Path):
    origin = GitRepository(tmp_path / "origin")
    origin.commit(FILES)
    origin.git("checkout", "-q", "-b", "topic")
    origin.commit({"t.txt": "t"})
    origin.git("checkout", "-q", "main")
    origin.commit({"later.txt": "l"})
    git(tmp_path, "clone", "-q", "--depth", "1", "--no-single-branch", f"file://{origin.folder}",
        "project", "-b", "topic")  # fmt: skip
    error = await refused(tmp_path, "origin/main")
    assert error.code == "no-merge-base"
    assert "git fetch --unshallow" in error.text
    git(tmp_path / "project", "fetch", "-q", "--unshallow")
    assert await edits_against(tmp_path, "origin/main") == {"t.txt": None}


async def test_a_partial_clone_fetches_nothing(tmp_path: Path):
    """What it lacks is not known; a remote helper that would be run leaves a trace."""
    origin = GitRepository(tmp_path / "origin")
    origin.commit(FILES)
    origin.commit({"a.txt": "second\n"})
    origin.git("config", "uploadpack.allowFilter", "true")
    url = f"file://{origin.folder}"
    git(tmp_path, "clone", "-q", "--filter=blob:none", url, "project")
    witness = tmp_path / "witness"
    git(tmp_path / "project", "config", "remote.origin.uploadpack", f"touch '{witness}'; false")
    async with session_in(tmp_path) as session:
        before, _ = await snapshots(session, "HEAD~1")
    assert before.forgotten == {"a.txt"}
    assert not witness.exists()


async def test_git_is_missing(tmp_path: Path, repository: GitRepository):
    async with session_in(tmp_path) as session:
        session.environ = {**session.environ, "PATH": str(tmp_path)}
        session._choose_servers()
        with pytest.raises(BadInput) as caught:
            await revision_sides(session, "HEAD")
    assert caught.value.code == "no-git"


async def test_nothing_is_written_and_nothing_runs(tmp_path: Path, repository: GitRepository):
    """Law 3, with hooks, a monitor, filters and converters that would each leave a trace."""
    witness = arm(repository, tmp_path)
    repository.write({"a.txt": "BAD\n", "new.txt": "n\n", "sub/b.txt": None})
    later = time.time_ns() + 10**9
    os.utime(repository.folder / "link.txt", ns=(later, later))  # a state that git would refresh
    before = state_of(repository.folder)
    async with session_in(tmp_path) as session:
        sides = await revision_sides(session, "main")
        checked = await check(session, sides.before, sides.after, CheckOptions())
        assert {file.path for file in checked.report.files} >= {"a.txt", "new.txt"}
    assert state_of(repository.folder) == before
    assert not witness.exists()


def arm(repository: GitRepository, tmp_path: Path) -> Path:
    """Set every trap that a repository can hold; returns the file that any of them makes."""
    witness = tmp_path / "witness"
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch '{witness}'\ncat\n")
    trap.chmod(0o755)
    attributes = "*.txt filter=evil diff=evil merge=evil\n"
    repository.commit({".gitattributes": attributes})
    for hook in ("post-index-change", "reference-transaction", "pre-commit", "post-checkout",
                 "fsmonitor-watchman", "pre-auto-gc"):  # fmt: skip
        path = repository.folder / ".git/hooks" / hook
        path.write_text(trap.read_text())
        path.chmod(0o755)
    settings = {
        "core.fsmonitor": trap, "core.hooksPath": ".git/hooks", "core.pager": trap,
        "core.sshCommand": trap, "core.untrackedCache": "true", "core.askPass": trap,
        "filter.evil.clean": trap, "filter.evil.smudge": trap, "filter.evil.process": trap,
        "diff.evil.textconv": trap, "diff.evil.command": trap, "diff.external": trap,
        "merge.evil.driver": trap, "pager.ls-tree": trap, "pager.config": trap,
        "alias.ls-tree": f"!{trap}", "alias.cat-file": f"!{trap}", "gc.auto": "1",
        "credential.helper": trap, "uploadpack.packObjectsHook": trap,
    }  # fmt: skip
    for key, value in settings.items():
        repository.git("config", key, str(value))
    witness.unlink(missing_ok=True)
    return witness


async def test_the_traps_are_real(tmp_path: Path, repository: GitRepository):
    witness = arm(repository, tmp_path)
    repository.write({"a.txt": "changed\n"})
    repository.git("status")
    assert witness.exists()


async def test_a_branch_is_checked_as_before(tmp_path: Path, repository: GitRepository):
    repository.write({"a.txt": "BAD\n"})
    async with session_in(tmp_path) as session:
        checked = await check_edits(session, [{"kind": "write", "path": "n.txt", "text": "BAD"}])
        assert [finding.path for finding in checked.report.introduced] == ["n.txt"]
