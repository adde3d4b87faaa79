"""Revisions of a repository as sides of a comparison, with a toy as the only judge."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.sessions import open_session, toy_profile
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.workspace.revisions.sides import revision_sides
from understudy.workspace.session import Session

FILES = {"a.txt": "one\ntwo\n", "sub/b.txt": "bee\n", "c.dat": "data\n", "link.txt": "kept\n"}


@asynccontextmanager
async def session_in(tmp_path: Path) -> AsyncIterator[Session]:
    """A session over the repository's folder, or a folder below it, judged by a toy."""
    async with open_session(tmp_path, {}, {"toy": toy_profile("well_behaved")}) as session:
        yield session


async def snapshots(session: Session, name: str = "HEAD") -> tuple[Snapshot, Snapshot]:
    sides = await revision_sides(session, name)
    base = await session.fresh_base()
    return await sides.before(base), await sides.after(base)


def content(snapshot: Snapshot, path: str) -> str | None:
    text = snapshot.read(path)
    return None if text is None else text.content


async def edits_against(tmp_path: Path, name: str = "HEAD") -> dict[str, str | None]:
    async with session_in(tmp_path) as session:
        before, _ = await snapshots(session, name)
        return {path: content(before, path) for path in before.edits}


async def refused(tmp_path: Path, name: str) -> BadInput:
    async with session_in(tmp_path) as session:
        with pytest.raises(BadInput) as caught:
            await revision_sides(session, name)
    return caught.value
