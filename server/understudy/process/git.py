"""A git repository read by commands that write nothing and run nothing of its own (law 3).

Only plumbing that reads objects, refs, configuration values and file names: no `status`, no `diff`,
no `checkout`. Hooks, filters, text converters and file-system monitors are never run, and what a
partial clone lacks is not fetched (law 7).
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from understudy.process.run import Completed, run
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.frozen import frozen

SECONDS = 120.0
_OUTPUT_CAP = 512 * 1024 * 1024
_BATCH_BYTES = 32 * 1024 * 1024
_LAST_WORDS = 300

_OFF = ("-c", "core.fsmonitor=", "-c", "protocol.allow=never", "-c", "core.quotePath=false")
_ENVIRONMENT: Mapping[str, str | None] = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # a git older than the line above fetches nothing either
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "LC_ALL": "C",
    # A hook is started with these; the repository is the one around the folder all the same.
    "GIT_DIR": None,
    "GIT_WORK_TREE": None,
    "GIT_INDEX_FILE": None,
    "GIT_PREFIX": None,
    "GIT_COMMON_DIR": None,
    "GIT_OBJECT_DIRECTORY": None,
    "GIT_ALTERNATE_OBJECT_DIRECTORIES": None,
    "GIT_NAMESPACE": None,
    "GIT_EXTERNAL_DIFF": None,
}


def read_only_environment() -> Mapping[str, str | None]:
    """The variables with which git asks nobody and fetches nothing; None takes one away."""
    return _ENVIRONMENT


@frozen(slots=True)
class Revision:
    """A tree to compare with: its object id, and what it is in words."""

    tree: str
    text: str


class TreeEntry(NamedTuple):
    """One path of a tree: `mode` in octal as git writes it, and the object's id in hex."""

    mode: str
    oid: str


class Listed(NamedTuple):
    """One path that git knows of here; `untracked` if only the folder has it."""

    path: str
    untracked: bool
    skipped: bool
    """Left out of the folder on purpose (a sparse checkout)."""


@frozen
class Repository:
    """The repository around `folder`; paths are relative to the folder, behind `below`.

    That is empty, or where a submodule lies in the folder that is compared, with its slash.
    """

    git: Path
    folder: Path
    prefix: bytes
    index: Path
    object_format: str
    shallow: bool
    below: str = ""

    @staticmethod
    async def around(git: Path, folder: Path, below: str = "") -> Repository:
        """Find the repository; raises BadInput `no-repository` with git's own words."""
        asked = ("--is-inside-work-tree", "--is-shallow-repository", "--show-object-format")
        done = await _git(git, folder, ["rev-parse", *asked, "--show-prefix"])
        lines = done.stdout.split(b"\n", 3)
        if done.status != 0 or len(lines) < 4 or lines[0] != b"true":
            inside = lines[0] == b"false"
            why = "it is inside a repository, but not in its work tree" if inside else _words(done)
            text = f"no git revision to compare with here ({why}); give a PATCH or --edits instead"
            raise BadInput("no-repository", text, str(folder))
        place = await _checked(git, folder, ["rev-parse", "--git-path", "index"])
        return Repository(
            git, folder, lines[3][:-1], folder / os.fsdecode(place[:-1]),
            lines[2].decode(), lines[1] == b"true", below,
        )  # fmt: skip

    async def resolve(self, name: str) -> Revision:
        """What to compare with: of a branch its merge base with HEAD, else the tree it names.

        Raises BadInput `unknown-revision`, `no-merge-base`.
        """
        if name.startswith("-") or "\0" in name or not await self._object(f"{name}^{{tree}}"):
            fetch = "; this clone is shallow: fetch more of it" if self.shallow else ""
            raise BadInput("unknown-revision", f"git knows no such commit or tree{fetch}", name)
        full = await _git(self.git, self.folder, ["rev-parse", "--symbolic-full-name", name])
        reference = full.stdout.decode("utf-8", "surrogateescape").strip()
        commit, text = name, name
        if reference.startswith(("refs/heads/", "refs/remotes/")) and name not in ("HEAD", "@"):
            commit = await self._merge_base(name)
            text = f"{commit[:12]}, the merge base of {name} and HEAD"
        tree = await self._object(f"{commit}^{{tree}}")
        if tree is None:
            raise BadInput("unknown-revision", f"its tree is not in this clone: {commit}", name)
        return Revision(tree, text)

    async def tree(self, tree: str) -> Mapping[str, TreeEntry]:
        """Every file of a tree below the folder; submodules have the mode 160000."""
        listed = await self._run(["ls-tree", "-r", "-z", tree])
        found: dict[str, TreeEntry] = {}
        for line in listed.split(b"\0")[:-1]:
            about, _, path = line.partition(b"\t")
            mode, _, oid = about.decode("ascii").split(" ")
            found[self.below + os.fsdecode(path)] = TreeEntry(mode, oid)
        return found

    async def listed(self) -> Sequence[Listed]:
        """Every path of the index, and those that are new in the folder and not ignored."""
        listed = await self._run(
            ["ls-files", "-z", "-t", "--cached", "--others", "--exclude-standard"]
        )
        return [
            Listed(self.below + os.fsdecode(line[2:]), line[:1] == b"?", line[:1] == b"S")
            for line in listed.split(b"\0")[:-1]
        ]

    async def sizes(self, oids: Iterable[str]) -> Mapping[str, int]:
        """The size in bytes of each of these objects that is a blob and in this clone."""
        asked = "".join(f"{oid}\n" for oid in oids).encode()
        answer = await self._run(["cat-file", "--batch-check"], asked)
        found: dict[str, int] = {}
        for line in answer.decode("ascii").splitlines():
            oid, kind, *rest = line.split(" ")
            if kind == "blob":
                found[oid] = int(rest[0])
        return found

    async def absent(self, tree: str) -> frozenset[str]:
        """The objects of a tree that a partial clone does not have."""
        walk = ["rev-list", "--objects", "--no-walk", "--missing=print", tree]
        listed = (await self._run(walk)).decode("utf-8", "surrogateescape").splitlines()
        return frozenset(line[1:] for line in listed if line.startswith("?"))

    async def blobs(self, sizes: Mapping[str, int]) -> AsyncIterator[tuple[str, bytes]]:
        """The bytes of these blobs, a bounded number of bytes at a time."""
        batch: list[str] = []
        waiting = 0
        for oid, size in sizes.items():
            if batch and waiting + size > _BATCH_BYTES:
                for found in await self._batch(batch):
                    yield found
                batch, waiting = [], 0
            batch.append(oid)
            waiting += size
        for found in await self._batch(batch):
            yield found

    async def attributes(
        self, paths: Sequence[str], names: Sequence[str]
    ) -> Mapping[str, Mapping[str, str]]:
        """The attributes (.gitattributes) of these paths, those unspecified left out."""
        if not paths:
            return {}
        asked = b"".join(os.fsencode(self.inside(path)) + b"\0" for path in paths)
        answer = await self._run(["check-attr", "-z", "--stdin", *names], asked)
        words = answer.split(b"\0")[:-1]
        found: dict[str, dict[str, str]] = {}
        for path, name, value in zip(words[::3], words[1::3], words[2::3], strict=True):
            if value != b"unspecified":
                values = found.setdefault(self.below + os.fsdecode(path), {})
                values[name.decode()] = value.decode("utf-8", "replace")
        return found

    async def config(self, name: str) -> str | None:
        """A configuration value, None if it is not set."""
        done = await _git(self.git, self.folder, ["config", "--get", name])
        return done.stdout.decode("utf-8", "replace").strip() if done.status == 0 else None

    async def staged(self, path: str) -> str | None:
        """The object that the index has for a path, None if it has none."""
        return await self._object(f":./{self.inside(path)}")

    def inside(self, path: str) -> str:
        """The path as the repository's folder has it."""
        return path.removeprefix(self.below)

    async def _merge_base(self, branch: str) -> str:
        done = await _git(self.git, self.folder, ["merge-base", "HEAD", branch])
        if done.status == 0:
            return done.stdout.decode("ascii").strip()
        if done.status != 1:
            raise _failure(["merge-base"], done)
        text = "it and HEAD have no commit in common; name a commit instead"
        if self.shallow:
            text = (
                "this clone is shallow and lacks the commit that it and HEAD have in common: "
                "run `git fetch --unshallow`, or clone with full history (fetch-depth: 0)"
            )
        raise BadInput("no-merge-base", text, branch)

    async def _object(self, name: str) -> str | None:
        done = await _git(self.git, self.folder, ["rev-parse", "--verify", "-q", name])
        return done.stdout.decode("ascii").strip() if done.status == 0 else None

    async def _batch(self, oids: Sequence[str]) -> list[tuple[str, bytes]]:
        if not oids:
            return []
        asked = "".join(f"{oid}\n" for oid in oids).encode()
        answer = await self._run(["cat-file", "--batch"], asked)
        found: list[tuple[str, bytes]] = []
        at = 0
        while at < len(answer):
            end = answer.index(b"\n", at)
            oid, kind, *rest = answer[at:end].decode("ascii").split(" ")
            size = int(rest[0]) if rest else 0
            if kind == "blob":
                found.append((oid, answer[end + 1 : end + 1 + size]))
            at = end + 1 + (size + 1 if rest else 0)
        return found

    async def _run(self, arguments: Sequence[str], stdin: bytes | None = None) -> bytes:
        return await _checked(self.git, self.folder, arguments, stdin)


async def _checked(
    git: Path, folder: Path, arguments: Sequence[str], stdin: bytes | None = None
) -> bytes:
    done = await _git(git, folder, arguments, stdin)
    if done.status != 0 or done.dropped or not done.whole:
        raise _failure(arguments, done)
    return done.stdout


async def _git(
    git: Path, folder: Path, arguments: Sequence[str], stdin: bytes | None = None
) -> Completed:
    return await run(
        [str(git), "--no-pager", *_OFF, *arguments],
        cwd=folder, seconds=SECONDS, env=_ENVIRONMENT, cap=_OUTPUT_CAP, stdin=stdin,
    )  # fmt: skip


def _failure(arguments: Sequence[str], done: Completed) -> OutsideFailure:
    what = f"git {arguments[0]}"
    if done.status is None:
        return OutsideFailure("git-failed", f"no end after {SECONDS:g} s", what)
    if done.dropped or not done.whole:
        return OutsideFailure("git-failed", "its output could not be read whole", what)
    return OutsideFailure("git-failed", _words(done), what)


def _words(done: Completed) -> str:
    said = " ".join(done.stderr.decode("utf-8", "replace").split())
    return said[:_LAST_WORDS].removeprefix("fatal: ") or f"exit status {done.status}"
