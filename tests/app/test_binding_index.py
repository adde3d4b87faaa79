"""The index of who binds what: files that no scan lists, long texts, configuration of a branch."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.branch_cases import delete, write
from tests.support.sessions import open_session
from understudy.app.check.blast_radius import blast_radius
from understudy.shadow.base import Buffer
from understudy.shadow.snapshot import Snapshot
from understudy.values.texts import PackedText, Text
from understudy.workspace.binding_index import BindingIndex
from understudy.workspace.session import Session
from understudy.workspace.snapshot_sources import Stopped
from understudy.workspace.workers import Workers


async def reached(session: Session, *edits: dict[str, str]) -> dict[str, int]:
    base = await session.fresh_base()
    branch = await session.branches.create("test")
    await session.branches.edit(branch.id, list(edits), base)
    after = await session.branches.snapshot(branch.id, base)
    return dict((await blast_radius(session.bindings, Snapshot(base), after, "affected")).distance)


GO = {
    "go.mod": "module example.org/m\n",
    "main.go": 'package main\n\nimport _ "embed"\n\n//go:embed pages/*.txt\nvar pages string\n',
    "other.go": "package main\n\nfunc other() {}\n",
    "pages/a.txt": "a\n",
}


async def test_a_file_that_no_scan_lists_is_embedded(tmp_path: Path) -> None:
    async with open_session(tmp_path, GO, {}) as session:
        assert await reached(session, write("pages/a.txt", "b\n")) == {"main.go": 1}
        assert await reached(session, delete("pages/a.txt")) == {"main.go": 1}
        assert await reached(session, write("pages/b.txt", "b\n")) == {"main.go": 1}
        assert await reached(session, write("elsewhere.txt", "b\n")) == {}


async def test_a_long_text_is_reached_by_whatever_it_may_take(tmp_path: Path) -> None:
    files = {
        "lib.py": "def f(a: int) -> int:\n    return a\n",
        "long.py": "from lib import f\n" + "# a note\n" * 120_000,
        "user.py": "from long import g\n",
        "short.py": "from lib import g\n",
    }
    async with open_session(tmp_path, files, {}) as session:
        edit = write("lib.py", files["lib.py"].replace("a: int", "a: str"))
        assert await reached(session, edit) == {"long.py": 1, "user.py": 2}
        inside = write("long.py", files["long.py"] + "x = 1\n")
        assert await reached(session, inside) == {"user.py": 1}


async def test_a_text_of_hundreds_of_kilobytes_is_read_like_any_other(tmp_path: Path) -> None:
    files = {
        "lib.py": "def f(a: int) -> int:\n    return a\n",
        "large.py": "from lib import f\n" + "# a note\n" * 80_000 + "g = 1\n",
        "user.py": "from large import g\n",
    }
    async with open_session(tmp_path, files, {}) as session:
        edit = write("lib.py", files["lib.py"].replace("a: int", "a: str"))
        assert await reached(session, edit) == {"large.py": 1}


async def test_a_configuration_in_a_branch_leads_imports_elsewhere(tmp_path: Path) -> None:
    files = {
        "tsconfig.json": '{"compilerOptions": {"paths": {"@lib": ["./one.ts"]}}}',
        "one.ts": "export const a: number = 1\n",
        "two.ts": "export const a: number = 1\n",
        "user.ts": "import { a } from '@lib'\na\n",
    }
    async with open_session(tmp_path, files, {}) as session:
        two = write("two.ts", "export const a: string = ''\n")
        assert await reached(session, two) == {}
        moved = write("tsconfig.json", files["tsconfig.json"].replace("one", "two"))
        assert await reached(session, two, moved) == {"user.ts": 1}


async def test_an_edit_inside_a_body_asks_nobody(tmp_path: Path) -> None:
    files = {"lib.py": "def f(a: int) -> int:\n    return a\n", "user.py": "import lib\nlib.f(1)\n"}
    async with open_session(tmp_path, files, {}) as session:
        assert await reached(session, write("lib.py", files["lib.py"] + "# a note\n")) == {}
        assert session.bindings.n_graphs == 0, "no index is built for it"
        changed = write("lib.py", files["lib.py"].replace("a: int", "a: str"))
        assert await reached(session, changed) == {"user.py": 1}
        assert session.bindings.n_graphs > 0


async def test_a_file_whose_reader_is_ended_may_import_anything(tmp_path: Path) -> None:
    """Workers that may use no memory end at once, as they would for a text that eats it all."""
    files = {"lib.py": "def f(a: int) -> int:\n    return a\n", "a.py": "x = 1\n", "b.go": "x"}
    edit = write("lib.py", files["lib.py"].replace("a: int", "a: str"))
    async with open_session(tmp_path, files, {}) as session:
        assert await reached(session, edit) == {}
        workers = Workers(inline_below=0, memory_bytes=1_000_000)
        session.bindings = BindingIndex(workers)
        try:
            assert set(await reached(session, edit, write("new.py", "y = 1\n"))) == {"a.py"}
        finally:
            await workers.close()


async def test_an_edited_text_whose_reader_is_ended_may_import_anything(tmp_path: Path) -> None:
    files = {"lib.py": "def f(a: int) -> int:\n    return a\n", "a.py": "x = 1\n"}
    async with open_session(tmp_path, files, {}) as session:
        base = await session.fresh_base()
        typed = replace(
            base, buffers={"a.py": Buffer(PackedText.pack(Text("y = 1\n")), "python", 1)}
        )
        branch = await session.branches.create("test")
        edit = write("lib.py", files["lib.py"].replace("a: int", "a: str"))
        await session.branches.edit(branch.id, [edit], base)
        workers = Workers(memory_bytes=1_000_000)
        index = BindingIndex(workers)
        try:
            after = await session.branches.snapshot(branch.id, base)
            assert set(await index.reached(Snapshot(base), after, ["lib.py"])) == {"lib.py"}
            workers.inline_below = 0  # the folder is read by now
            after = await session.branches.snapshot(branch.id, typed)
            found = await index.reached(Snapshot(typed), after, ["lib.py"])
            assert set(found) == {"lib.py", "a.py"}
        finally:
            await workers.close()


async def test_a_file_that_no_scan_lists_is_read_anew_when_it_has_changed(tmp_path: Path) -> None:
    files = {"lib.odd.h": "int f(int a);\n"}
    async with open_session(tmp_path, files, {}) as session:
        sources = session.bindings.sources(*(Snapshot(await session.fresh_base()),) * 2)
        for text, name in (("int f(int a);\n", "f"), ("int other(int a);\n", "other")):
            (session.root.path / "part.inc").write_text(text)
            (reading,) = sources.declarations("part.inc")
            assert [one.name for one in reading.declarations] == [name]


async def test_a_text_nested_too_deeply_is_not_parsed_and_may_import_anything(
    tmp_path: Path,
) -> None:
    """A parser's time is quadratic in the depth: this one would take it minutes."""
    files = {"lib.py": "def f(a: int) -> int:\n    return a\n", "a.py": "x = 1\n"}
    edit = write("lib.py", files["lib.py"].replace("a: int", "a: str"))
    async with open_session(tmp_path, files, {}) as session:
        deep = write("deep.py", "x = " + "([{" * 80_000 + "\n")
        assert set(await asyncio.wait_for(reached(session, edit, deep), 60)) == set()
        session.root.path.joinpath("deep.py").write_text(deep["text"])
        assert set(await asyncio.wait_for(reached(session, edit), 60)) == {"deep.py"}


async def test_who_follows_a_change_ends_at_the_next_file_when_it_is_stopped(
    tmp_path: Path,
) -> None:
    files = {"lib.py": "def f(a):\n    return a\n"}
    files |= {f"user{n}.py": f"from lib import f\ng{n} = f(1)\n" for n in range(50)}
    async with open_session(tmp_path, files, {}) as session:
        base = await session.fresh_base()
        branch = await session.branches.create("test")
        edit = write("lib.py", files["lib.py"].replace("(a)", "(a, b)"))
        await session.branches.edit(branch.id, [edit], base)
        sides = Snapshot(base), await session.branches.snapshot(branch.id, base)
        sources = session.bindings.sources(*sides)
        assert sources.words("user1.py") is not None
        sources.stop()
        with pytest.raises(Stopped):
            sources.words("user2.py")
        with pytest.raises(Stopped):
            sources.declarations("user2.py")
