"""Questions about code over every face: the command line, cold and attached, MCP, LSP, chats."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder, write_user_settings
from tests.e2e.lsp_client import open_editor
from tests.e2e.mcp_agent import open_agent
from tests.support.code_projects import PYTHON
from tests.support.workspace import state_of

USES = [
    "references of Item.label (shop/core.py:8): 3 in 3 files (basedpyright)",
    "shop/app.py:6: return item.label()  [report]",
    "shop/core.py:8: def label(self) -> str:  [Item]",
    'shop/other.py:5: return [c.make(n).label() for n in "ab"]  [go]',
    "also with the word, but no use of it: shop/talk.py",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "work", {**PYTHON})


@pytest.fixture
def shell(folder: Path, state: Path) -> Shell:
    return Shell(folder, state)


def test_the_command_line_without_a_host(shell: Shell, folder: Path) -> None:
    before = state_of(folder)
    found = shell("code", "references", "Item.label", "--no-host")
    assert (found.code, found.out.splitlines()) == (0, USES)
    body = shell("code", "definition", "shop/app.py:5:make", "--format", "json", "--no-host").json
    (hit,) = body["hits"]
    assert (hit["path"], hit["line"], hit["owner"]) == ("shop/core.py", 17, "")
    assert hit["range"]["start"] == {"line": 16, "character": 4}
    for arguments, code, said in (
        (("references", "label"), 1, "ambiguous: label is declared 3 times"),
        (("references", "lable"), 1, "no such name: lable; nearest: label"),
        (("definition", "shop/core.py:1:1"), 1, "none"),
        (("references", "Item.label", "--server", "ruff"), 3, "unknown: "),
    ):
        done = shell("code", *arguments, "--no-host")
        assert (done.code, said in done.out) == (code, True), done
    for arguments, said in (
        (("hover", "shop/app.py:99:1"), "outside-file"),
        (("hover", "shop/none.py:1:1"), "no-such-file"),
        (("hover", "make", "--server", "nobody"), "unknown-server"),
        (("hover", " "), "bad-params"),
        (("hover", "make", "--branch", "b1"), "conflicting-options"),
    ):
        done = shell("code", *arguments, "--no-host")
        assert (done.code, said in done.err) == (2, True), done
    assert state_of(folder) == before


def test_rename_and_move_on_the_command_line(shell: Shell, folder: Path) -> None:
    before = state_of(folder)
    done = shell("code", "rename", "Item.label", "tag")
    first, changed = done.out.splitlines()[:2]
    assert first.endswith("to tag: 3 files changed in branch b1 (basedpyright)")
    assert changed == "changed: shop/app.py, shop/core.py, shop/other.py"
    # `Crate.label` overrode it, and no longer does: nothing that is an error.
    assert (done.code, "\nclean: 0 introduced" in done.out) == (0, True), done
    assert "+    return item.tag()" in shell("branches", "diff", "b1").out
    uses = shell("code", "references", "Item.tag", "--branch", "b1")
    assert (uses.code, "shop/app.py:6: return item.tag()  [report]" in uses.out) == (0, True)
    moved = shell("code", "move", "shop/core.py", "shop/stock.py", "--format", "json").json
    assert (moved["branch"], moved["verdict"]) == ("b2", "clean")
    assert moved["check"]["introduced"] == []
    assert state_of(folder) == before


async def test_mcp_and_the_host_that_others_come_to(folder: Path, state: Path) -> None:
    before = state_of(folder)
    async with open_agent(state, cwd=folder) as agent:
        code = "understudy_code"
        text = await agent.call(code, action="references", symbol="Item.label")
        assert text.splitlines() == USES
        assert "(function) def make" in await agent.call(code, action="hover", symbol="make")
        here = await agent.call(
            code, action="definition", path="shop/app.py", lines=[5], symbol="make"
        )
        assert "shop/core.py:17" in here
        symbols = await agent.call(code, action="symbols", path="shop/core.py")
        assert "  8: method label" in symbols
        done = await agent.call(code, action="rename", symbol="shop/core.py::Item.label", to="tag")
        assert "3 files changed in branch b1" in done
        assert "\nclean: " in done
        # What it asks now is about its own branch, where the name is another.
        assert "no such name" in await agent.call(code, action="references", symbol="Item.label")
        assert "item.tag()" in await agent.call(code, action="references", symbol="Item.tag")
        short = await agent.call(code, action="callers", symbol="make", budget=60)
        assert "more left out" in short
        assert (await agent.refusal(code, action="rename", symbol="make")).startswith("bad-params")
        assert (await agent.refusal(code, action="hover")).startswith("bad-params")
        attached = Shell(folder, state)("code", "references", "Item.label")
        assert (attached.code, attached.out.splitlines()) == (0, USES)
    assert state_of(folder) == before


@pytest.mark.parametrize("may", ["lint", "navigation"])
async def test_navigation_and_lints_are_switched_apart(folder: Path, state: Path, may: str) -> None:
    write_user_settings(state, f'agents_may = ["{may}"]\n')
    async with open_agent(state, cwd=folder) as agent:
        questions = [
            ("understudy_code", {"action": "definition", "symbol": "make"}),
            ("understudy_lint", {"diff": "--- a/shop/talk.py\n+++ /dev/null\n"}),
        ]
        for tool, arguments in questions:
            if (tool == "understudy_lint") == (may == "lint"):
                continue
            refusal = await agent.refusal(tool, **arguments)
            assert refusal.startswith("switched-off: "), refusal
        outline = await agent.call("understudy_code", action="outline", path="shop/app.py")
        assert "def report" in outline
        if may == "navigation":
            assert "shop/core.py:17" in await agent.call(*questions[0][:1], **questions[0][1])
    mine = Shell(folder, state)("code", "definition", "make", "--no-host")
    assert mine.code == 0


async def test_lsp_sees_unsaved_text(folder: Path, state: Path) -> None:
    async with open_editor(folder, state) as editor:
        editor.open("shop/app.py", "from shop.core import make\n\nmake('now').label()\n")
        found = await editor.ask(
            "understudy/code", {"question": "references", "target": "Item.label"}
        )
        first = found["hits"][0]
        assert (first["path"], first["line"]) == ("shop/app.py", 3)
        done = await editor.ask("understudy/code/rename", {"target": "Item.label", "to": "tag"})
        assert (done["status"], done["verdict"]) == ("answered", "clean")
        assert "make('now').tag()" in await editor.diff(done["branch"])
        refused = await editor.refusal("understudy/code", {"question": "weather", "target": "x"})
        assert refused["data"]["code"] == "bad-params"
        call = {"tool": "understudy_code", "session": "chat"}
        text = await editor.ask(
            "understudy/tool", {**call, "input": {"action": "callees", "symbol": "go"}}
        )
        assert "shop/core.py:8: def label" in text["text"]
