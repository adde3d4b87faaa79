"""Git on a stage: a folder of its own, which works, and which nothing of the user's breaks."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.stages.field import Field, fingerprints, put, sh, until
from understudy.stage.overlay.stage import OverlayStage

WHO = (
    "GIT_AUTHOR_NAME=u",
    "GIT_AUTHOR_EMAIL=u@x",
    "GIT_COMMITTER_NAME=u",
    "GIT_COMMITTER_EMAIL=u@x",
)
ENV = dict(pair.split("=") for pair in WHO)
WORK = """set -e
test -z "$(git status --porcelain)"
echo more >> a.txt
git diff --stat | grep -q a.txt
git add a.txt
git commit -qm inside
test "$(cat hook.log)" = ran
git log --oneline | grep -q inside
echo again >> a.txt
git stash -q
git stash pop -q
git checkout -q -b topic
git commit -qam again
git checkout -q side
git rebase -q -
git fsck --full --strict 2>&1 | grep -v dangling || true
git gc -q --prune=now
git log --oneline
git -c user.name=x worktree add -q ../linked 2>/dev/null || true
"""


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env={**os.environ, **ENV}, capture_output=True, text=True
    )
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def repository(folder: Path, *options: str) -> Path:
    """A repository with two branches, one of them packed, a stash, and a hook."""
    put(folder, {"a.txt": "one\n", "b.txt": "two\n", ".gitignore": "hook.log\n"})
    git(folder, "init", "-qb", "main", *options)
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    git(folder, "branch", "side")
    git(folder, "gc", "-q")
    put(folder, {"c.txt": "three\n"})
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "second")
    hook = folder / ".git/hooks/pre-commit"
    put(hook.parent, {"pre-commit": "#!/bin/sh\necho ran > hook.log\n"})
    hook.chmod(0o755)
    return folder


async def git_works_and_leaves_no_edits(field: Field) -> None:
    root = repository(field.home / "repo")
    before = fingerprints(root)
    async with field.stage(root, own_git=True, on_disk=True) as stage:
        said = await sh(stage, WORK, env=ENV)
        assert said.ended.status == 0, said.text
        assert "inside" in said.text
        changed = {change.path for change in (await stage.changes()).items}
        assert changed == {"a.txt", "hook.log"}, changed
        assert "refs/heads/topic" in (stage.git[0].copy / "packed-refs").read_text()
    assert fingerprints(root) == before, "nothing is written to the user's git folder"


async def what_the_user_prunes_stays_for_the_stage(field: Field) -> None:
    """Commits that nothing of the user's leads to any more, and blobs of the index alone."""
    root = repository(field.home / "repo")
    put(root, {"staged.txt": "only in the index\n"})
    git(root, "add", "staged.txt")
    head = git(root, "rev-parse", "HEAD").strip()
    async with field.stage(root, own_git=True, on_disk=True) as stage:
        await _ok(stage, "git commit -qm ours && git log --oneline | grep -q ours")
        await until(lambda: stage.holding is not None and stage.holding.done(), "all is held")
        git(root, "reset", "-q", "--hard", "HEAD~1")
        git(root, "commit", "-q", "--amend", "-m", "rewritten")
        git(root, "branch", "-D", "side")
        git(root, "reflog", "expire", "--expire=now", "--all")
        git(root, "gc", "-q", "--prune=now")
        missing = subprocess.run(["git", "cat-file", "-e", head], cwd=root, check=False)
        assert missing.returncode != 0, "the user's repository has forgotten it"
        script = f"""set -e
            git cat-file -p {head} > /dev/null
            test "$(git show HEAD:staged.txt)" = "only in the index"
            git fsck --full 2>&1 | grep -E "missing|broken|error" && exit 1
            git log -p --all > /dev/null
            git checkout -q side && git merge -q main -m merged
            git rebase -q -f --root
            git gc -q --prune=now
            git log --oneline | grep -q second
        """
        await _ok(stage, script)
    assert git(root, "log", "--oneline").count("\n") == 1


async def worktrees_submodules_and_folders_below(field: Field) -> None:
    """Wherever git has put its folder, it is one of the stage's own, at the same path."""
    lender = repository(field.home / "lender")
    main = field.home / "main"
    git(field.home, "clone", "-q", "--shared", str(lender), str(main))
    put(field.home / "sub-origin", {"s.txt": "s\n"})
    repository(field.home / "sub-origin")
    allow = ("-c", "protocol.file.allow=always")
    for named in ("sub", "sub-of/objects"):
        add = ("submodule", "add", "-q", "--name", named, str(field.home / "sub-origin"), named)
        git(main, *allow, *add)
        for ref in ("heads/objects/x", "remotes/origin/objects/x"):
            git(main / named, "update-ref", f"refs/{ref}", "HEAD")
    git(main, "commit", "-qm", "with a submodule")
    git(main, "worktree", "add", "-q", str(field.home / "linked"))
    put(main / "below", {"d.txt": "d\n"})
    commit = "set -e; echo x >> {0}; git add {0}; git commit -qm inside; "
    commit += "git status --porcelain; git log -1 --format=%s"
    for root, path, ref in (
        (field.home / "linked", "a.txt", "refs/heads/linked"),
        (main, "a.txt", "refs/heads/main"),
        (main / "sub", "a.txt", "refs/heads/main"),
        (main / "sub-of/objects", "a.txt", "refs/heads/main"),
        (main / "below", "d.txt", "refs/heads/main"),
    ):
        old = git(root, "rev-parse", ref)
        before = fingerprints(main), fingerprints(lender), fingerprints(field.home / "linked")
        async with field.stage(root, own_git=True, on_disk=True) as stage:
            said = await _ok(stage, commit.format(path))
            assert said.endswith("inside\n"), said
            assert [change.path for change in (await stage.changes()).items] == [path]
        assert git(root, "rev-parse", ref) == old
        after = fingerprints(main), fingerprints(lender), fingerprints(field.home / "linked")
        assert after == before, root
    async with field.stage(main, own_git=True, on_disk=True) as stage:
        for named in ("sub", "sub-of/objects"):
            refs = "git rev-parse objects/x origin/objects/x origin/HEAD"
            script = f"(cd {named}; {refs}; echo x >> a.txt; git commit -qam in)"
            await _ok(stage, f"set -e; {script}; git add {named}; git commit -qm up")


async def odd_git_folders(field: Field) -> None:
    """No commit yet, no repository, one that is none, and formats that not every git has."""
    new = field.home / "new"
    put(new, {"a.txt": "a\n"})
    git(new, "init", "-qb", "main")
    async with field.stage(new, own_git=True, on_disk=True) as stage:
        await _ok(stage, "git add . && git commit -qm first && git log | grep -q first")
    assert not (new / ".git/refs/heads/main").exists()
    async with field.stage(own_git=True, on_disk=True) as stage:
        await _ok(stage, "git init -q && git add . && git commit -qm first")
        assert (await stage.changes()).items
    put(field.home / "fake", {".git": "gitdir: ../outside\n"})
    async with field.stage(field.home / "fake", own_git=True, on_disk=True) as stage:
        assert stage.git == ()
        assert "victim" not in (await sh(stage, "ls -R ..")).text
    other = field.home / "sha256"
    repository(other, "--object-format=sha256")
    async with field.stage(other, own_git=True, on_disk=True) as stage:
        await _ok(stage, "echo x >> a.txt; git commit -qam inside; git log | grep -q inside")


async def _ok(stage: OverlayStage, script: str) -> str:
    said = await sh(stage, script, env=ENV)
    assert said.ended.status == 0, (script, said.text)
    return said.text


SCENARIOS: tuple[Callable[[Field], Any], ...] = (
    git_works_and_leaves_no_edits,
    what_the_user_prunes_stays_for_the_stage,
    worktrees_submodules_and_folders_below,
    odd_git_folders,
)
