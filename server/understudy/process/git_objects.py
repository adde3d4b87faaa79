"""Objects for a repository, from a bundle of somebody else's making, and a new ref for them.

Plumbing alone: no hook, no filter and no remote of the repository's own configuration takes part.
Every object is checked before it is there, and no ref that exists is touched.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from understudy.process.git import read_only_environment
from understudy.process.run import run
from understudy.values.errors import BadInput, OutsideFailure, Refused

_SECONDS = 300.0
_CAP = 1 << 20
_OFF = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0")
_HEAD = re.compile(rb"# v[23] git bundle\n")
_LINE = re.compile(rb"(-?)([0-9a-f]{40}|[0-9a-f]{64})(?: ([^\n]*))?")


async def take_bundle(git: Path, folder: Path, bundle: bytes, ref: str) -> str:
    """Put a bundle's objects into the repository, and its HEAD at a new ref; the commit's id.

    A ref that names this commit already is left as it is. Raises Refused `ref-exists` where it
    names another, BadInput `bad-bundle` for what is none, or what lacks commits that the repository
    no longer has, OutsideFailure `git-failed`.
    """
    commit, needed, at = _read(bundle)
    if (await _git(git, folder, ["rev-parse", "-q", "--verify", ref]))[0] == 0:
        verify = f"verify {ref} {commit}\n".encode()
        if (await _git(git, folder, ["update-ref", "--stdin"], verify))[0] == 0:
            return commit
        raise Refused("ref-exists", "there is such a ref already, and it is left alone", ref)
    for one in needed:
        if (await _git(git, folder, ["cat-file", "-e", f"{one}^{{commit}}"]))[0] != 0:
            text = "it builds on a commit that the repository no longer has"
            raise BadInput("bad-bundle", text, one)
    await _checked(git, folder, ["index-pack", "--stdin", "--fix-thin", "--strict"], bundle[at:])
    create = f"create {ref} {commit}\n".encode()
    await _checked(git, folder, ["update-ref", "--stdin", "--create-reflog"], create)
    return commit


def _read(bundle: bytes) -> tuple[str, list[str], int]:
    """The commit of HEAD, those that it builds on, and where the pack begins."""
    found = _HEAD.match(bundle)
    at = 0 if found is None else found.end()
    needed: list[str] = []
    commit: str | None = None
    while at and (end := bundle.find(b"\n", at)) >= 0:
        line, at = bundle[at:end], end + 1
        if not line:
            if commit is None:
                break
            return commit, needed, at
        parts = _LINE.fullmatch(line)
        if parts is not None and parts[1]:
            needed.append(parts[2].decode())
        elif parts is not None and parts[3] == b"HEAD":
            commit = parts[2].decode()
        elif parts is None and not line.startswith(b"@object-format="):
            break
    raise BadInput("bad-bundle", "this is no bundle of a HEAD")


async def _checked(git: Path, folder: Path, arguments: Sequence[str], stdin: bytes) -> None:
    status, said = await _git(git, folder, arguments, stdin)
    if status != 0:
        raise OutsideFailure("git-failed", said, f"git {arguments[0]}")


async def _git(
    git: Path, folder: Path, arguments: Sequence[str], stdin: bytes | None = None
) -> tuple[int | None, str]:
    done = await run(
        [str(git), "--no-pager", *_OFF, *arguments], cwd=folder, seconds=_SECONDS,
        env=read_only_environment(), cap=_CAP, stdin=stdin,
    )  # fmt: skip
    said = " ".join(done.stderr.decode("utf-8", "replace").split())[:300]
    return done.status, said or f"exit status {done.status}"
