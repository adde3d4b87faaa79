"""The tools for the AI in the editor: the same texts as over MCP, over the editor's own buffers."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder, settings_text, toy_profile, write_user_settings
from tests.e2e.lsp_client import Editor, connect, open_editor, until
from tests.e2e.mcp_agent import open_agent
from tests.support.workspace import state_of
from understudy.faces.answers.agent_text import MAX_BYTES
from understudy.faces.calls.tools import BEGINS_NOW
from understudy.faces.lsp.chats import MAX_SESSIONS

TOYS = {"toy": toy_profile("well_behaved")}
TRUSTED = {"trusted": True, "settings": {"servers": TOYS}}
FILES = {"a.txt": "fine\n", "b.txt": "fine\n", "code.py": "def one():\n    return 1\n"}
BAD = {"kind": "write", "path": "a.txt", "text": "BAD one\n"}


@pytest.fixture
def folder(tmp_path: Path, state: Path) -> Path:
    write_user_settings(state, settings_text(TOYS))
    return make_folder(tmp_path / "work", FILES)


@pytest.fixture
async def editor(folder: Path, state: Path) -> AsyncIterator[Editor]:
    async with open_editor(folder, state, TRUSTED) as opened:
        yield opened


async def call(editor: Editor, tool: str, session: str = "one", **arguments: Any) -> dict[str, Any]:
    params = {"tool": tool, "input": arguments, "session": session}
    return await editor.ask("understudy/tool", params)


async def text_of(editor: Editor, tool: str, session: str = "one", **arguments: Any) -> str:
    return (await call(editor, tool, session, **arguments))["text"]


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("understudy_lint", {"edits": [BAD]}),
    ("understudy_lint", {"diff": "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-fine\n+BAD two\n"}),
    ("understudy_lint", {"branch": "b1", "severity": "hint"}),
    ("understudy_context", {"action": "diff"}),
    ("understudy_code", {"action": "outline", "path": "code.py"}),
    ("understudy_code", {"action": "source", "path": "code.py", "symbol": "one"}),
    ("understudy_code", {"action": "map"}),
    ("understudy_run", {"command": ["cat", "a.txt", "b.txt"]}),
    ("understudy_context", {"action": "tail", "path": "runs/1.log", "count": 1}),
    ("understudy_lint", {"edits": [{**BAD, "text": "good\n"}], "fresh": True}),
    ("understudy_lint", {}),
]
REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("understudy_lint", {"edits": [{"kind": "write"}]}),
    ("understudy_lint", {"edits": "all"}),
    ("understudy_lint", {"colour": "red"}),
    ("understudy_lint", {"scope": "galaxy"}),
    ("understudy_lint", {"branch": "b99"}),
    ("understudy_lint", {"diff": "no diff", "fresh": True}),
    ("understudy_run", {"command": []}),
    ("understudy_context", {"action": "accept"}),
    ("understudy_context", {"action": "read", "path": "/etc/passwd"}),
    ("understudy_context", {"action": "grep", "path": "runs/1.log", "pattern": "("}),
]


async def test_the_texts_are_those_of_mcp(folder: Path, tmp_path: Path, state: Path) -> None:
    """Two hosts with states of their own, so that branches and runs have the same names."""
    before = state_of(folder)
    other = tmp_path / "other"
    write_user_settings(other, settings_text(TOYS))
    trusting = Shell(folder, other)
    assert trusting("trust").code == 0
    async with (
        open_editor(folder, state, TRUSTED) as editor,
        open_agent(other, cwd=folder) as agent,
    ):
        for tool, arguments in CALLS:
            theirs = await agent.call(tool, **arguments)
            assert plain(await text_of(editor, tool, **arguments)) == plain(theirs), tool
        for tool, arguments in REFUSED:
            theirs = await agent.refusal(tool, **arguments)
            params = {"tool": tool, "input": arguments, "session": "one"}
            refusal = await editor.refusal("understudy/tool", params)
            assert f"{refusal['data']['code']}: {refusal['message']}" == theirs
    assert state_of(folder) == before


def plain(text: str) -> str:
    """Without the folders that differ between two hosts."""
    return re.sub(r"\S+/understudy/\S+?/(?=runs/)", "", text)


async def test_the_first_question_is_never_clean(editor: Editor, folder: Path) -> None:
    assert await text_of(editor, "understudy_lint") == BEGINS_NOW
    assert not re.search(r"\bclean\b", BEGINS_NOW)
    assert (await text_of(editor, "understudy_lint")).startswith("clean: nothing differs")
    editor.open("b.txt", "BAD not saved\n", "plaintext")
    text = await text_of(editor, "understudy_lint")
    assert text.startswith("findings: 1 introduced")
    assert "b.txt:1:1" in text
    assert "compared with the start of this session" in text
    assert await text_of(editor, "understudy_lint", "two") == BEGINS_NOW
    assert (folder / "b.txt").read_text() == "fine\n"


async def test_any_call_begins_a_session(editor: Editor, folder: Path) -> None:
    await text_of(editor, "understudy_context", action="outline", path="code.py")
    (folder / "a.txt").write_text("BAD on disk\n")
    assert (await text_of(editor, "understudy_lint")).startswith("findings: 1 introduced")


async def test_a_session_that_was_forgotten_begins_anew(editor: Editor) -> None:
    assert await text_of(editor, "understudy_lint", "first") == BEGINS_NOW
    for n in range(MAX_SESSIONS):
        assert await text_of(editor, "understudy_lint", f"s{n}") == BEGINS_NOW
    assert (await text_of(editor, "understudy_lint", "s0")).startswith("clean: ")
    assert await text_of(editor, "understudy_lint", "first") == BEGINS_NOW


async def test_each_chat_has_a_branch_that_the_user_sees(editor: Editor) -> None:
    one = await call(editor, "understudy_lint", edits=[BAD])
    two = await call(editor, "understudy_lint", "two", edits=[{**BAD, "path": "b.txt"}])
    again = await call(editor, "understudy_lint", edits=[{**BAD, "path": "c.txt"}])
    assert one["branch"] == again["branch"] != two["branch"]
    listed = (await editor.ask("understudy/branch/list"))["branches"]
    assert {branch["branch"]: branch["files"] for branch in listed} == {
        one["branch"]: 2,
        two["branch"]: 1,
    }
    assert [branch["called"] for branch in listed] == ["c.txt and 1 more", "b.txt"]
    for given in (_HOSTILE, "something else"):  # it is called by the first
        ask = {"branch": one["branch"], "edits": [{**BAD, "path": "d.txt"}], "title": given}
        await call(editor, "understudy_lint", **ask)
        listed = (await editor.ask("understudy/branch/list"))["branches"]
        named, other = (branch["called"] for branch in listed)
        assert (named[: len(_SEEN)], len(named), other) == (_SEEN, 200, "b.txt")
        assert _KEY not in named
    await editor.ask("understudy/branch/discard", {"branch": one["branch"]})
    after = await call(editor, "understudy_lint", edits=[BAD])
    assert after["branch"] not in (one["branch"], two["branch"])


_KEY = "ghp_" + "a1B2c3D4e5F6" * 3
_HOSTILE = f"Mend \x1b[2J\u202e the\nfees, token {_KEY}" + " and so on" * 1000
_SEEN = r"Mend \x1b[2J\u202e the fees, token "
"""What an agent says of its branch, and the beginning of what people are shown."""


async def test_a_chat_outlives_the_server(folder: Path, state: Path) -> None:
    async with connect(folder, state) as first:
        assert "result" in await first.initialize(TRUSTED)
        branch = (await call(first, "understudy_lint", edits=[BAD]))["branch"]
        first.client.process.kill()
        await first.client.process.wait()
    async with open_editor(folder, state, TRUSTED) as editor:
        params = {"tool": "understudy_lint", "input": {"edits": [{**BAD, "path": "b.txt"}]}}
        answer = await editor.ask("understudy/tool", {**params, "resume": branch})
        assert answer["branch"] == branch
        assert answer["text"].startswith("findings: 2 introduced")
        assert (await editor.ask("understudy/tool", params))["branch"] == branch
        gone = {**params, "session": "two", "resume": "b77"}
        assert (await editor.ask("understudy/tool", gone))["branch"] not in (branch, "b77")


async def test_a_chat_works_over_its_own_window(folder: Path, state: Path) -> None:
    edit = {"kind": "replace", "path": "a.txt", "old": "first", "new": "BAD first"}
    async with open_editor(folder, state, TRUSTED) as one, connect(folder, state) as two:
        assert "result" in await two.initialize()
        one.open("a.txt", "first\n", "plaintext")
        assert (await text_of(one, "understudy_lint", edits=[edit])).startswith("findings: 1")
        two.open("a.txt", "second\n", "plaintext")
        assert (await text_of(one, "understudy_lint", edits=[edit], fresh=True)).startswith("find")
        params = {"tool": "understudy_lint", "input": {"edits": [edit]}}
        assert (await two.refusal("understudy/tool", params))["data"]["code"] == "no-match"
        assert await two.shut_down() == 0


async def test_a_call_that_is_cancelled_frees_its_server(folder: Path, state: Path) -> None:
    toys = {"toy": toy_profile("never_answers")}
    write_user_settings(state, settings_text(toys))
    async with open_editor(folder, state, {"trusted": True}) as editor:
        params = {"tool": "understudy_lint", "input": {"edits": [BAD], "timeout": 600}}
        number, answer = editor.pending("understudy/tool", params)
        await until(editor, lambda server: server["state"] == "busy")
        editor.cancel(number)
        assert (await answer(30.0))["error"]["code"] == -32800
        await until(editor, lambda server: server["state"] in ("idle", "stopped"))


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({}, "bad-params"),
        ({"tool": "understudy_accept"}, "unknown-tool"),
        ({"tool": "accept"}, "unknown-tool"),
        ({"tool": "understudy_lint", "input": []}, "bad-params"),
        ({"tool": "understudy_lint", "input": {"root": "/"}}, "bad-params"),
        ({"tool": "understudy_lint", "session": 5}, "bad-params"),
        ({"tool": "understudy_lint", "session": "x" * 1001}, "bad-params"),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_wrong_calls(refusing: Editor, params: dict[str, Any], code: str) -> None:
    assert (await refusing.refusal("understudy/tool", params))["data"]["code"] == code


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def refusing(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """One session for all wrong calls: none of them counts for a right one after them."""
    place = tmp_path_factory.mktemp("refusing")
    folder = make_folder(place / "work", FILES)
    async with open_editor(folder, place / "state", TRUSTED) as editor:
        yield editor
        assert (await editor.ask("understudy/status"))["branches"] == 0
        assert (await text_of(editor, "understudy_lint", edits=[BAD])).startswith("findings: 1")


async def test_no_text_is_too_long(editor: Editor) -> None:
    long = "".join(f"BAD {n} {'x' * 200}\n" for n in range(150))
    text = await text_of(editor, "understudy_lint", edits=[{**BAD, "text": long}])
    assert text.startswith("findings: 150 introduced")
    assert len(text.encode()) <= MAX_BYTES


async def test_what_is_counted_can_be_had(folder: Path, state: Path) -> None:
    """Where an agent finds the rest is a way that it can go."""
    (folder / "user.py").write_text("def one() -> None:\n    pass\n")
    edit = {"kind": "replace", "path": "user.py", "old": "one()", "new": "one(two: int)"}
    standard = {"basedpyright": {"analysis": {"typeCheckingMode": "standard"}}}
    async with open_editor(folder, state, {"servers": standard}) as opened:
        short = await text_of(opened, "understudy_lint", edits=[edit], servers=["basedpyright"])
        assert "--format" not in short
        assert 'and 1 hint ("severity": "hint" lists them)' in short
        asked = {"branch": "b1", "severity": "hint", "servers": ["basedpyright"]}
        assert "user.py:1:9: hint" in await text_of(opened, "understudy_lint", **asked)


async def test_a_run_that_changes_many_files(editor: Editor) -> None:
    script = "for n in $(seq 60); do echo > made-$n.txt; done"
    text = await text_of(editor, "understudy_run", command=["sh", "-c", script])
    assert "and 20 more (too many to list)" in text
    assert "--format" not in text
