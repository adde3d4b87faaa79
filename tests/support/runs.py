"""Runs of commands in a session's folder, in short."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.programs import Started
from tests.support.sessions import open_session
from tests.support.workspace import state_of
from understudy.app.run.run import RunOptions, RunReceipt, run
from understudy.shadow.base import Buffer
from understudy.values.texts import PackedText, Text
from understudy.workspace.progress import Audience, Live, unheard
from understudy.workspace.session import Session

FILES = {
    "a.py": "def f():\n    return 1\n",
    "b.txt": "one\ntwo\nthree\n",
    "sub/c.txt": "c\n",
}


_started: dict[Path, Started] = {}
"""By the folder of a session, since that was opened."""


@asynccontextmanager
async def run_session(tmp_path: Path, *, changed: bool) -> AsyncIterator[Session]:
    """A session in a trusted folder, which is left as it was unless the test has `changed` it."""
    async with open_session(tmp_path, FILES, {}) as session:
        before = state_of(session.root.path)
        _started[session.root.path] = Started()
        yield session
        assert changed or state_of(session.root.path) == before
        stages = session.layout.stages
        assert not stages.is_dir() or not list(stages.glob("stage-*"))


async def branch_with(session: Session, *edits: dict[str, Any]) -> str:
    branch = (await session.branches.create("test")).id
    await session.branches.edit(branch, list(edits), await session.fresh_base())
    return branch


def write(path: str, text: str) -> dict[str, Any]:
    return {"kind": "write", "path": path, "text": text}


async def shell(
    session: Session,
    script: str,
    branch: str | None = None,
    live: Live = unheard,
    owner: str | None = None,
    **options: Any,
) -> RunReceipt:
    asked = RunOptions(("sh", "-c", script), **options)
    return await run(session, branch, asked, Audience(live=live), owner=owner)


def whole(receipt: RunReceipt) -> str:
    return receipt.output.path.read_text()


def type_into(session: Session, path: str, text: str) -> None:
    session.set_buffer(path, Buffer(PackedText.hold(Text(text)), "python", 1))


def kinds(receipt: RunReceipt) -> dict[str, str]:
    return {change.path: change.kind for change in receipt.changes.items}


def sleepers(session: Session) -> list[int]:
    """Programs that the session's commands have started and that still run."""
    running = _started[session.root.path].running()
    return [pid for pid, name in running.items() if name in ("sleep", "sh")]
