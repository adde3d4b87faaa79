"""What the host makes of what a rehearsal has written: edits of its branch, and verdicts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.support.live_stages import Stage, living
from tests.support.sessions import open_session
from understudy.app.accept.folder import accept
from understudy.app.rehearse.recovery import end_left
from understudy.app.rehearse.settle import Settlements
from understudy.workspace.rehearsals.place import place_of
from understudy.workspace.session import Session

FILES = {"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n"}


@asynccontextmanager
async def settling(
    tmp_path: Path, judged: list[str], pause_s: float = 30.0
) -> AsyncIterator[tuple[Session, Stage]]:
    """A host that follows the rehearsal of its first branch."""

    async def judge(branch: str) -> None:
        judged.append(branch)

    async with open_session(tmp_path, FILES, {}) as session:
        await session.branches.create("an agent")
        Settlements(session, judge, end_left).start()
        async with living(session.root.path, tmp_path / "state", pause_s) as stage:
            yield session, stage


def held(session: Session) -> dict[str, set[str]]:
    return {branch.id: set(branch.files) for branch in session.branches.all()}


async def test_what_comes_after_an_accept_is_one_branch(tmp_path: Path) -> None:
    async with settling(tmp_path, [], pause_s=0.0) as (session, stage):
        await stage.do("for x in a b c; do echo new >> $x.txt; done")
        await stage.until(lambda: held(session) == {"b1": set(FILES)})
        await accept(session.branches, "b1", await session.fresh_base())
        known, place = stage.rehearsal.truth.sweeper.ledger.known, place_of(stage.layout, "b1")
        await stage.until(lambda: all(known[path].after == known[path].base for path in FILES))
        await stage.until(lambda: not place.has_batches)
        assert held(session) == {}, "the user has all of it"
        for path in FILES:
            await stage.do(f"echo more >> {path}")
            await stage.until(lambda path=path: path in held(session).get("b2", ()))
        assert held(session) == {"b2": set(FILES)}
        await session.branches.discard("b2")
        await stage.do("echo last >> a.txt")
        await stage.until(lambda: held(session) == {"b3": {"a.txt"}})
