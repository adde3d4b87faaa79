"""Recorded terminals over LSP: requests, the language of their logs, and what agents see."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from tests.e2e.folders import make_folder
from tests.e2e.lsp_client import SECONDS, Editor, Json, connect, open_editor
from tests.e2e.mcp_agent import open_agent
from tests.support.recorded_shells import RecordedShell
from understudy.values.paths import uri_of

LANGUAGE_FEATURES = {
    "textDocument/documentSymbol": "documentSymbol",
    "textDocument/foldingRange": "foldingRange",
    "textDocument/documentLink": "documentLink",
    "textDocument/hover": "hover",
}
ABLE = {name: {"dynamicRegistration": True} for name in LANGUAGE_FEATURES.values()}


@pytest.fixture
def session(tmp_path: Path, state: Path) -> Iterator[RecordedShell]:
    """A bash session with three commands in it, whose state the editor shares."""
    shell = RecordedShell(tmp_path, "bash", UNDERSTUDY_STATE_DIR=str(state / "understudy"))
    shell.state = state / "understudy"
    make_folder(shell.root, {"a.py": "x = 1\n"})
    shell.cwd = shell.home  # nothing may run in the folder when an editor has closed it
    (shell.cwd / "a.py").write_text("x = 1\n")
    shell.start("--root", str(shell.root))
    shell.run("echo one")
    shell.run("sh -c 'echo a.py:1:5: wrong; exit 4'")
    shell.run("echo three")
    yield shell
    if shell.terminal.fd >= 0:
        os.close(shell.terminal.fd)


pytestmark = pytest.mark.usefixtures("session")


@asynccontextmanager
async def editor_of_logs(root: Path, state: Path) -> AsyncIterator[tuple[Editor, list[Any]]]:
    """An editor that takes registrations, and what was registered."""
    async with connect(root, state) as editor:
        registered: list[Any] = []
        came = asyncio.Event()

        @editor.client.feature(lsp.CLIENT_REGISTER_CAPABILITY)
        def register(params: lsp.RegistrationParams) -> None:
            registered.extend(params.registrations)
            came.set()

        response = await editor.initialize(documents=ABLE)
        offered = response["result"]["capabilities"]
        assert not any(offered.get(f"{name}Provider") for name in LANGUAGE_FEATURES.values())
        await asyncio.wait_for(came.wait(), SECONDS)
        yield editor, registered
        assert await editor.shut_down() == 0


async def plain(editor: Editor, method: str, params: Json) -> Any:
    """The result of one of the protocol's own requests, as it came over LSP."""
    response = await editor.raw(
        {"id": f"{method} {len(editor.recorder.messages)}", "method": method, "params": params}
    )
    assert "error" not in response, response
    return response["result"]


async def test_list_read_and_wait(session: RecordedShell, state: Path) -> None:
    async with open_editor(session.root, state) as editor:
        listed = await editor.ask("understudy/terminal/list")
        (terminal,) = listed["terminals"]
        assert (terminal["id"], terminal["grade"], terminal["status"]) == ("1", "full", "idle")
        assert Path(listed["folder"]) == Path(terminal["path"]).parent
        assert (terminal["failed"]["command"], terminal["failed"]["exit_code"]) == (2, 4)
        failed = await editor.ask("understudy/terminal/read", {"terminal": "1", "command": 0})
        assert "a.py:1:5: wrong" in failed["text"]
        facts = failed["record"]
        assert (facts["exit_code"], facts["complete"], facts["raw_bytes"]) == (4, True, 17)
        last = await editor.ask(
            "understudy/terminal/read", {"terminal": "1", "command": 3, "tail": 1}
        )
        assert (last["left_out"], last["text"].startswith("#| 3 exit=0")) == (2, True)
        # It runs before, while and after it is waited for: of one that has ended nobody would hear.
        session.type("until test -e go; do :; done; echo come; until test -e gone; do :; done")
        ask = {"terminal": "1", "pattern": "^come$", "timeout": 60}
        _, waited_for = editor.pending("understudy/terminal/wait", ask)
        await editor.ask("understudy/terminal/list")
        (session.cwd / "go").touch()
        waited = (await waited_for(SECONDS))["result"]
        assert (waited["ended"], waited["line"]) == ("matched", "come")
        (session.cwd / "gone").touch()
        session.wait_for_prompt()
        never = {"terminal": "1", "pattern": "never", "timeout": 0}
        waited = await editor.ask("understudy/terminal/wait", never)
        assert waited["ended"] == "timeout"


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("read", {"terminal": "7"}, "unknown-terminal"),
        ("read", {"terminal": "../1"}, "unknown-terminal"),
        ("read", {"terminal": "1", "command": 99}, "unknown-command"),
        ("read", {"terminal": "1", "tail": 0}, "bad-tail"),
        ("read", {}, "bad-params"),
        ("wait", {"terminal": "1", "pattern": "("}, "bad-pattern"),
        ("wait", {"terminal": "1", "timeout": -1}, "bad-params"),
        ("wait", {"terminal": "1", "idle": 0}, "bad-params"),
        ("switch", {"terminal": "9", "recording": False}, "unknown-terminal"),
    ],
)
async def test_bad_questions(
    session: RecordedShell, state: Path, method: str, params: Json, code: str
) -> None:
    async with open_editor(session.root, state) as editor:
        error = await editor.refusal(f"understudy/terminal/{method}", params)
        assert error["data"]["code"] == code


async def test_the_switch_and_the_focus(session: RecordedShell, state: Path) -> None:
    async with open_editor(session.root, state) as editor:
        off = await editor.ask("understudy/terminal/switch", {"terminal": "1", "recording": False})
        assert off["status"] == "off"
        session.run("echo private-matter")
        on = await editor.ask("understudy/terminal/switch", {"terminal": "1", "recording": True})
        assert on["status"] == "idle"
        assert "private-matter" not in session.log()
        second = RecordedShell(session.folder, "bash", UNDERSTUDY_STATE_DIR=str(session.state))
        second.cwd = second.home
        second.start("--root", str(session.root))
        for marked in (0, 1):
            listed = (await editor.ask("understudy/terminal/list"))["terminals"]
            await editor.ask("understudy/terminal/focus", {"pid": listed[marked]["pid"]})
            listed = (await editor.ask("understudy/terminal/list"))["terminals"]
            assert [terminal["active"] for terminal in listed] == [marked == 0, marked == 1]
        second.leave()


async def test_the_language_of_logs(session: RecordedShell, state: Path) -> None:
    async with editor_of_logs(session.root, state) as (editor, registered):
        assert {r.method for r in registered} == set(LANGUAGE_FEATURES)
        for registration in registered:
            (selected,) = registration.register_options["documentSelector"]
            assert selected["language"] == "terminal-log"
        document = {"textDocument": {"uri": uri_of(session.logs / "1.txt")}}
        lines = session.log().split("\n")
        symbols = await plain(editor, "textDocument/documentSymbol", document)
        assert [s["name"] for s in symbols][:3] == [
            "echo one", "sh -c 'echo a.py:1:5: wrong; exit 4'", "echo three",
        ]  # fmt: skip
        assert symbols[1]["detail"].startswith("exit 4 - ")
        for number, symbol in enumerate(symbols, 1):
            assert lines[symbol["range"]["start"]["line"]].startswith(f"#| {number} start=")
        folds = await plain(editor, "textDocument/foldingRange", document)
        assert [fold["startLine"] for fold in folds][1:] == [
            symbol["range"]["start"]["line"] for symbol in symbols
        ]
        links = await plain(editor, "textDocument/documentLink", document)
        assert {link["target"] for link in links} == {uri_of(session.cwd / "a.py") + "#L1,5"}
        linked = [lines[link["range"]["start"]["line"]] for link in links]
        assert any(line.startswith("a.py:1:5") for line in linked)
        place = {"line": symbols[1]["range"]["start"]["line"], "character": 0}
        hover = await plain(editor, "textDocument/hover", {**document, "position": place})
        assert "exit 4" in hover["contents"]["value"]


async def test_nothing_for_the_users_own_files(session: RecordedShell, state: Path) -> None:
    copy = session.root / "1.txt"
    copy.write_text(session.log())
    async with editor_of_logs(session.root, state) as (editor, _):
        editor.open("a.py", session.log())
        for path in ("a.py", "1.txt"):
            document = {"textDocument": {"uri": uri_of(session.root / path)}}
            for method in LANGUAGE_FEATURES:
                params = {**document, "position": {"line": 10, "character": 0}}
                assert await plain(editor, method, params) is None


def told(*events: Json, **more: Any) -> Json:
    return {"pid": 4242, "shell": "pwsh", "cwd": "/p", "events": list(events), **more}


BEGIN = {"kind": "begin", "command": "make", "cwd": "/p"}


async def test_terminals_that_the_editor_tells_of(session: RecordedShell, state: Path) -> None:
    async with open_editor(session.root, state) as editor:
        report = "understudy/terminal/report"
        name = (await editor.ask(report, told(BEGIN)))["terminal"]
        await editor.ask(
            report, told({"kind": "data", "text": "10 %\r20 %\r\nTOKEN=abcdef0123456789\r\n"})
        )
        running = (await editor.ask("understudy/terminal/list"))["terminals"][-1]
        assert (running["id"], running["status"], running["grade"]) == (name, "running", "commands")
        await editor.ask(report, told({"kind": "end", "exit": 2}))
        read = {"terminal": name, "command": 1}
        answer = await editor.ask("understudy/terminal/read", read)
        assert answer["text"].splitlines()[1:-1] == ["20 %", "TOKEN=[REDACTED:value:16]"]
        facts = answer["record"]
        assert (facts["exit_code"], facts["complete"], answer["complete"]) == (2, False, False)
        await editor.ask(report, told(BEGIN, {"kind": "end", "exit": 0}))
        answer = await editor.ask("understudy/terminal/read", {**read, "command": 2})
        assert "output: not captured" in answer["text"]
        assert answer["record"]["complete"] is False
        data = {"kind": "data", "text": "part"}
        missed = {"kind": "missed", "characters": 70}
        await editor.ask(report, told(BEGIN, data, missed, {"kind": "end", "exit": None}))
        answer = await editor.ask("understudy/terminal/read", {**read, "command": 3})
        assert (answer["record"]["missed"], answer["record"]["exit_code"]) == (70, None)
        await editor.ask(report, told({"kind": "closed"}))
        listed = (await editor.ask("understudy/terminal/list"))["terminals"][-1]
        assert (listed["status"], listed["complete"]) == ("closed", False)
        again = (await editor.ask(report, told(reason="no shell integration")))["terminal"]
        assert again != name
        listed = (await editor.ask("understudy/terminal/list"))["terminals"][-1]
        assert (listed["grade"], listed["capture"]) == (
            "none", 'none reason="no shell integration"',
        )  # fmt: skip
        for event in ({"kind": "what"}, "x", {"kind": "data"}, {"kind": "end", "exit": "0"}):
            error = await editor.refusal(report, told(event))
            assert error["data"]["code"] == "bad-params"
    assert "status: closed" in (session.logs / f"{again}.txt").read_text()


async def test_what_agents_see(session: RecordedShell, state: Path) -> None:
    async with open_agent(state, "--root", str(session.root), cwd=session.cwd) as agent:
        text = await agent.call("understudy_context", action="terminals")
        assert text.startswith("terminals/1.txt  1  idle, exit 0, full, ")
        assert "last failed: 2 (exit 4)" in text
        found = await agent.call(
            "understudy_context", action="grep", path="terminals/1.txt", pattern="wrong$"
        )
        assert "a.py:1:5: wrong" in found
        waited = await agent.call("understudy_context", action="wait", path="terminals/1.txt")
        assert waited.startswith("exited\n")
        refused = await agent.refusal("understudy_context", action="wait", path="terminals/8.txt")
        assert "unknown-terminal" in refused
