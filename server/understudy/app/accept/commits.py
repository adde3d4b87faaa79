"""The verb `accept` with commits: those that were made in a branch, at a ref of their own."""

from __future__ import annotations

import asyncio

from understudy.disk.layout import Layout
from understudy.process.git_objects import take_bundle
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.workspace.servers.environment import find_git


@frozen
class TakenCommits:
    """The new ref, and the commit that it names."""

    ref: str
    commit: str


async def take_commits(root: Root, layout: Layout, branch: str) -> TakenCommits:
    """Copy the commits of a branch into the user's repository, at `understudy/BRANCH`.

    Nothing else changes there, no file and no other ref. Raises BadInput `no-commits`, and as
    `take_bundle` does.
    """
    file = layout.commits / f"{branch}.bundle"
    try:
        bundle = await asyncio.to_thread(file.read_bytes)
    except OSError as error:
        text = "nothing was committed in this branch, or it is a rehearsal that still runs"
        raise BadInput("no-commits", text, branch) from error
    git = find_git(root)
    if git is None:
        raise OutsideFailure("not-installed", "taking commits needs git", "git")
    ref = f"refs/heads/understudy/{branch}"
    commit = await take_bundle(git, root.path, bundle, ref)
    return TakenCommits(ref, commit)
