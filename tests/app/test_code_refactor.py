"""Rename and move: what a server would edit lands in a branch, whole, or nothing does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.agreement import rehearsals
from tests.support.code_projects import CPP, GO, PYTHON, TYPESCRIPT, written
from tests.support.workspace import state_of
from understudy.app.code.answer import Why
from understudy.app.code.refactor import Refactored, RefactorWish, move_file, rename
from understudy.values.errors import BadInput
from understudy.workspace.session import Session

RENAMES = {
    "basedpyright": (
        PYTHON, "Item.label", "tag", ["shop/app.py", "shop/core.py", "shop/other.py"],
        "return [c.make(n).tag() for",
    ),
    "typescript-language-server": (
        TYPESCRIPT, "Item.label", "tag", ["app.ts", "core.ts", "other.ts"], "c.make(n).tag()",
    ),
    "gopls": (GO, "Item.Label", "Tag", ["lib/core.go", "main.go"], "item.Tag()"),
    "clangd": (CPP, "make", "build", ["app.cpp", "core.cpp", "core.h", "other.cpp"], 'build("y")'),
}  # fmt: skip


async def renamed(session: Session, target: str, to: str, branch: str | None = None) -> Refactored:
    return await rename(session, session.bases.own, RefactorWish(target, to, branch))


async def moved(session: Session, path: str, to: str) -> Refactored:
    return await move_file(session, session.bases.own, RefactorWish(path, to))


async def text_of(session: Session, branch: str | None, path: str) -> str:
    assert branch is not None
    snapshot = await session.branches.snapshot(branch, await session.fresh_base())
    text = snapshot.read(path)
    return "" if text is None else text.content


@pytest.mark.parametrize("server", RENAMES)
async def test_every_file_that_uses_a_name_is_edited(tmp_path: Path, server: str) -> None:
    files, target, to, changed, line = RENAMES[server]
    folder = written(files, tmp_path / "folder")
    before = state_of(folder)
    async with rehearsals(folder, tmp_path / "state", server) as live:
        found = await renamed(live.session, target, to)
        assert (found.status, sorted(found.changed)) == ("answered", changed), found
        texts = [await text_of(live.session, found.branch, path) for path in changed]
        assert any(line in text for text in texts), texts
        again = await renamed(live.session, f"{target}x"[:-1], f"{to}2", found.branch)
        assert again.status == "no-such-name"
    assert state_of(folder) == before


async def test_a_branch_is_renamed_over_its_own_edits(tmp_path: Path) -> None:
    folder = written(PYTHON, tmp_path / "folder")
    async with rehearsals(folder, tmp_path / "state", "basedpyright") as live:
        branch = (await live.session.branches.create("mine")).id
        text = "from shop.core import make\n\nNEW = make('q').label()\n"
        await live.edit(branch, [{"kind": "write", "path": "shop/fresh.py", "text": text}])
        found = await renamed(live.session, "Item.label", "tag", branch)
        assert found.branch == branch
        assert "shop/fresh.py" in found.changed
        assert "make('q').tag()" in await text_of(live.session, branch, "shop/fresh.py")


async def test_what_cannot_be_renamed_leaves_no_branch(tmp_path: Path) -> None:
    folder = written(PYTHON, tmp_path / "folder")
    async with rehearsals(folder, tmp_path / "state", "basedpyright") as live:
        session = live.session
        assert (await renamed(session, "label", "tag")).status == "ambiguous"
        assert (await renamed(session, "nothing_like_it", "tag")).status == "no-such-name"
        for to, status in (("class", "unknown"), ("1st", "unknown"), ("make", "nothing")):
            kept = await renamed(session, "make", to)
            assert (kept.status, kept.changed) == (status, ()), to
            text = f"basedpyright: it gives no edit for the name {to}"
            assert kept.why == (Why("refused", text) if status == "unknown" else None)
        keyword = await renamed(session, "shop/core.py:9:return", "text")
        assert keyword.why is not None
        assert keyword.why.text.endswith("for the name text, and may rename nothing here")
        builtin = await renamed(session, "shop/core.py:5:str", "text")
        assert builtin.status in ("nothing", "unknown"), builtin
        assert (await renamed(session, "shop/core.py:1:1", "text")).status in ("nothing", "unknown")
        for to in ("", "two words", "a\nb"):
            with pytest.raises(BadInput) as refused:
                await renamed(session, "make", to)
            assert refused.value.code == "bad-name"
        with pytest.raises(BadInput) as refused:
            await renamed(session, "make", "build", "b9")
        assert refused.value.code == "unknown-branch"
        for path, to, code in (
            ("shop/app.py", "shop/core.py", "exists"),
            ("shop/none.py", "shop/some.py", "no-such-file"),
            ("shop/app.py", "../out.py", "outside-root"),
        ):
            with pytest.raises(BadInput) as refused:
                await moved(session, path, to)
            assert refused.value.code == code, path
        assert session.branches.summaries() == []


async def test_a_moved_file_takes_its_importers_along(tmp_path: Path) -> None:
    folder = written(PYTHON, tmp_path / "python")
    async with rehearsals(folder, tmp_path / "state", "basedpyright") as live:
        found = await moved(live.session, "shop/core.py", "shop/stock.py")
        assert {"shop/app.py", "shop/core.py", "shop/stock.py"} <= set(found.changed)
        app = await text_of(live.session, found.branch, "shop/app.py")
        assert "from shop.stock import make" in app
        report = (await live.check(str(found.branch))).report
        assert report.verdict == "clean", report.introduced
    folder = written(TYPESCRIPT, tmp_path / "typescript")
    async with rehearsals(folder, tmp_path / "state2", "typescript-language-server") as live:
        found = await moved(live.session, "core.ts", "lib/core.ts")
        assert "'./lib/core'" in await text_of(live.session, found.branch, "app.ts")
        assert "'./lib/core'" in await text_of(live.session, found.branch, "other.ts")


async def test_where_no_server_can_mend_the_move_is_told(tmp_path: Path) -> None:
    folder = written(CPP, tmp_path / "folder")
    async with rehearsals(folder, tmp_path / "state", "clangd") as live:
        found = await moved(live.session, "core.h", "lib/core.h")
        assert found.status == "answered"
        assert sorted(found.changed) == ["core.h", "lib/core.h"]
        assert found.notes[0].startswith("what names the file was not mended: not-offered")
