"""Checkouts of a batch: a work tree of a revision, out of a mirror that is only read.

Each seat has one git folder for a repository, with the mirror's objects as alternates. Nothing of
the mirror's configuration counts, no hook and no filter runs, and nothing is fetched.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from understudy.process.run import Completed, run
from understudy.values.errors import BadInput, OutsideFailure

_SECONDS = 600.0
_OFF = (
    *("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=", "-c", "core.attributesFile="),
    *("-c", "protocol.allow=never", "-c", "submodule.recurse=false", "-c", "gc.auto=0"),
    *("-c", "advice.detachedHead=false"),
)
_ENVIRONMENT: Mapping[str, str | None] = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_DIR": None,
    "GIT_WORK_TREE": None,
    "GIT_INDEX_FILE": None,
    "GIT_OBJECT_DIRECTORY": None,
    "GIT_ALTERNATE_OBJECT_DIRECTORIES": None,
    "LC_ALL": "C",
}
_SHA256_LENGTH = 64
_WORDS = 300
_LONGEST_DIFF = 16 * 1024 * 1024


def objects_of(mirror: Path) -> Path:
    """Where a repository, bare or not, has its objects; raises BadInput `no-mirror`."""
    for place in (mirror / "objects", mirror / ".git" / "objects"):
        if place.is_dir():
            return place.resolve()
    raise BadInput("no-mirror", "there is no git repository", str(mirror))


class Checkouts:
    """The work trees of one seat below `folder`, one a repository, each at its last revision."""

    def __init__(self, git: Path, folder: Path) -> None:
        self._git = git
        self._folder = folder
        self._n_made = 0
        self._trees: dict[tuple[str, str], Path] = {}

    async def at(self, repo: str, mirror: Path, revision: str, *, is_hostile: bool = False) -> Path:
        """The work tree of a repository, with exactly what the revision has.

        Of a mirror that somebody may have rewritten (`is_hostile`), nothing is taken that is not
        what its id says, and the revision is the whole id of a commit.
        Raises BadInput `no-mirror`, `unknown-revision`, OutsideFailure `git-failed`.
        """
        form = "sha256" if len(revision) == _SHA256_LENGTH else "sha1"
        tree = None if is_hostile else self._trees.get((repo, form))
        if tree is None:
            tree = await self._made(mirror, form)
        if not is_hostile:
            self._trees[repo, form] = tree
        name = f"{revision}^{{commit}}"
        known = await self._asked(tree, "rev-parse", "--verify", "-q", "--end-of-options", name)
        if known.status != 0:
            text = f"its mirror has no such commit: {revision}"
            raise BadInput("unknown-revision", text, repo)
        commit = known.stdout.decode("ascii", "replace").strip()
        if is_hostile:
            if commit != revision:
                text = f"expected the whole id of a commit: {revision}"
                raise BadInput("unknown-revision", text, repo)
            await self._take_over(tree, commit)
        await self._done(tree, "checkout", "-q", "-f", "--detach", commit)
        await self._done(tree, "clean", "-q", "-ffdx")
        return tree

    async def changes(self, tree: Path, folder: Path) -> str:
        """What another folder has that a work tree's revision has not, as a git diff.

        What that folder's own `.gitignore` names is left out. Raises BadInput `not-text`,
        OutsideFailure `git-failed`.
        """
        index = {"GIT_INDEX_FILE": str(tree / ".git" / "other-index")}
        there = (f"--git-dir={tree / '.git'}", f"--work-tree={folder}")
        await self._done(tree, *there, "read-tree", "HEAD", env=index)
        await self._done(tree, *there, "add", "-A", env=index)
        shown = ("diff", "--cached", "--binary", "--no-renames", "--no-ext-diff", "--no-textconv")
        done = await self._done(tree, *there, *shown, "HEAD", env=index)
        if done.dropped:
            raise BadInput("too-large", f"more than {_LONGEST_DIFF} bytes differ", str(folder))
        try:
            return done.stdout.decode("utf-8")
        except UnicodeDecodeError as error:
            raise BadInput("not-text", "a change is no UTF-8", str(folder)) from error

    async def _made(self, mirror: Path, form: str) -> Path:
        objects = objects_of(mirror)
        self._n_made += 1
        tree = self._folder / str(self._n_made)
        shutil.rmtree(tree, ignore_errors=True)
        tree.mkdir(parents=True)
        await self._done(tree, "init", "-q", "--template=", f"--object-format={form}")
        alternates = tree / ".git" / "objects" / "info" / "alternates"
        alternates.parent.mkdir(exist_ok=True)
        alternates.write_text(f"{objects}\n", encoding="utf-8")
        return tree

    async def _take_over(self, tree: Path, commit: str) -> None:
        """Have all objects of a commit in our own git folder, each by its id, and no others.

        Where it only reads, git believes the name of an object's file, and the index of a pack.
        """
        git = tree / ".git"
        (git / "shallow").write_text(f"{commit}\n", encoding="ascii")  # without its history
        await self._done(tree, "update-ref", "--no-deref", "HEAD", commit)
        await self._done(tree, "repack", "-a", "-q", "--pack-kept-objects")
        (git / "objects" / "info" / "alternates").unlink()
        packs = [str(one) for one in (git / "objects" / "pack").glob("*.idx")]
        await self._done(tree, "verify-pack", *packs)

    async def _done(
        self, tree: Path, *arguments: str, env: Mapping[str, str] | None = None
    ) -> Completed:
        done = await self._asked(tree, *arguments, env=env)
        if done.status != 0:
            said = " ".join(done.stderr.decode("utf-8", "replace").split())[:_WORDS]
            verb = next(part for part in arguments if not part.startswith("-"))
            raise OutsideFailure("git-failed", said or "no end in time", f"git {verb}")
        return done

    async def _asked(
        self, tree: Path, *arguments: str, env: Mapping[str, str] | None = None
    ) -> Completed:
        command = [str(self._git), *_OFF, *arguments]
        settings = {**_ENVIRONMENT, **(env or {})}
        return await run(command, cwd=tree, seconds=_SECONDS, env=settings, cap=_LONGEST_DIFF)
