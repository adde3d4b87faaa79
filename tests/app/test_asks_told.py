"""What the user asks of agents about their branches reaches them, whatever else becomes of it."""

from __future__ import annotations

from pathlib import Path

from tests.support.sessions import open_session
from understudy.app.asks import ask_for_change
from understudy.faces.calls.asks import asks_told


async def test_a_branch_that_cannot_be_read_keeps_no_other_from_being_told(tmp_path: Path) -> None:
    files = {"a.txt": "one\n", "b.txt": "two\n"}
    async with open_session(tmp_path, files, {}) as session:
        base = session.bases.own
        first, second = [(await session.branches.create(name)).id for name in ("a", "b")]
        await ask_for_change(session, first, "a.txt", (0, 1), "three", base)
        await ask_for_change(session, second, "b.txt", (0, 1), "four", base)
        (session.root.path / "a.txt").write_bytes(b"\x00\xff\n")
        told: set[tuple[str, int, int]] = set()
        lines = await asks_told(session, base, told)
        assert lines[1:] == [f"{second}: b.txt:1: four", "    two"]
        assert await asks_told(session, base, told) == []
        (session.root.path / "a.txt").write_text("zero\none\n")
        lines = await asks_told(session, base, told)
        assert lines[1:] == [f"{first}: a.txt:2: three", "    one"]
        assert await asks_told(session, base, told) == []
