"""Whatever the user and the agent do in whatever order: nothing of either is lost."""

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.workspace import Workspace, state_of, workspace
from understudy.app.accept.folder import accept
from understudy.values.errors import Conflict
from understudy.workspace.branches.book import BranchBook

PATHS = ("a.py", "b.py")


@dataclass(frozen=True)
class Step:
    who: Literal["agent", "user on disk", "user in buffer", "rebase", "restart"]
    path: str
    place: int


steps = st.lists(
    st.builds(
        Step,
        st.sampled_from(["agent", "agent", "user on disk", "user in buffer", "rebase", "restart"]),
        st.sampled_from(PATHS),
        st.integers(0, 40),
    ),
    max_size=14,
)


@settings(max_examples=60, deadline=None)
@given(steps=steps, save_first=st.booleans())
def test_every_line_of_both_is_in_the_snapshot_or_in_a_conflict(
    steps: list[Step], save_first: bool
):
    async def check() -> None:
        start = "".join(f"line {n}\n" for n in range(20))
        with tempfile.TemporaryDirectory() as folder:
            async with workspace(Path(folder), dict.fromkeys(PATHS, start)) as space:
                await play(space, steps, save_first)

    asyncio.run(check())


async def play(space: Workspace, steps: list[Step], save_first: bool) -> None:
    book = await space.book()
    await book.create("x")
    lines: dict[str, list[tuple[str, str]]] = {path: [] for path in PATHS}
    for number, step in enumerate(steps):
        who, mine = step.who, f"{step.who} {number}\n"
        if step.who == "agent":
            snapshot = await book.snapshot("b1", space.base)
            text = inserted(text_of_read(snapshot.read(step.path)), step.place, mine)
            edit = {"kind": "write", "path": step.path, "text": text}
            if step.path in snapshot.conflicts:
                with pytest.raises(Conflict):
                    await book.edit("b1", [edit], space.base)
                continue
            await book.edit("b1", [edit], space.base)
        elif step.who == "restart":
            book = await space.book()
            continue
        elif step.who == "rebase":
            await book.rebase("b1", space.base)
            continue
        else:
            text = inserted(text_of_read(space.base.read(step.path)), step.place, mine)
            if step.who == "user in buffer" or step.path in space.base.buffers:
                who = "user in buffer"
                space.type(step.path, text)
            else:
                space.write(step.path, text)
                space.look()
        lines[step.path].append((who, mine))
        await nothing_is_lost(space, book, lines)
    await taken(space, book, lines, save_first)


async def nothing_is_lost(
    space: Workspace, book: BranchBook, lines: dict[str, list[tuple[str, str]]]
) -> None:
    snapshot = await book.snapshot("b1", space.base)
    for path in PATHS:
        text = text_of_read(snapshot.read(path)).splitlines(keepends=True)
        for who, line in lines[path]:
            if who == "agent" or path not in snapshot.conflicts:
                assert text.count(line) == 1


async def taken(
    space: Workspace,
    book: BranchBook,
    lines: dict[str, list[tuple[str, str]]],
    save_first: bool,
) -> None:
    """The user accepts on the command line, with or without having saved the buffers."""
    for path in [*space.base.buffers]:
        if save_first:
            space.write(path, text_of_read(space.base.read(path)))
        space.base = space.base.with_buffer(path, None)
    space.look()
    before = state_of(space.folder)
    snapshot = await book.snapshot("b1", space.base)
    texts = {path: text_of_read(snapshot.read(path)) for path in PATHS}
    if snapshot.conflicts:
        with pytest.raises(Conflict):
            await accept(book, "b1", space.base)
        assert state_of(space.folder) == before
        assert [summary.id for summary in book.summaries()] == ["b1"]
        return
    await accept(book, "b1", space.base)
    assert {path: space.read(path).decode() for path in PATHS} == texts
    for path in PATHS:
        for who, line in lines[path]:
            if who == "agent" or save_first or who == "user on disk":
                assert line in texts[path]


def inserted(text: str, place: int, line: str) -> str:
    lines = text.splitlines(keepends=True)
    place = min(place, len(lines))
    return "".join([*lines[:place], line, *lines[place:]])


def text_of_read(text) -> str:
    assert text is not None
    return text.content
