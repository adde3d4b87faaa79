"""Too deep, too many, no JSON: over LSP, the host's socket, the command line and settings."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder
from tests.e2e.lsp_client import Editor, address_of, open_editor
from tests.support.workspace import state_of

DEEP = "[" * 100_000 + "]" * 100_000
DEEP_OBJECT = '{"a":' * 100_000 + "1" + "}" * 100_000


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "project", {"a.txt": "fine\n", "pyproject.toml": "[project]\n"})


async def answer_to(editor: Editor, body: str, number: object) -> dict[str, Any]:
    """The answer to a message that no client's library would send."""
    editor.client.protocol.writer.write(  # pyright: ignore[reportOptionalMemberAccess]
        f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
    )
    return await editor.recorder.wait_for(lambda m: "method" not in m and m.get("id") == number)


@pytest.mark.parametrize("attached", [False, True])
async def test_messages_over_lsp(project: Path, state: Path, attached: bool) -> None:
    head = '{"jsonrpc":"2.0","id":"%s","method":"understudy/status","params":'
    async with (
        open_editor(project, state, {"trusted": True}) as first,
        open_editor(project, state, {}) as second,
    ):
        editor = second if attached else first
        for number, body, code in (
            ("d1", head % "d1" + DEEP + "}", -32700),
            ("d2", head % "d2" + DEEP_OBJECT + "}", -32700),
            ("d3", head % "d3" + "nothing}", -32700),
            ("d4", '{"jsonrpc":"1.0","id":"d4","method":"understudy/status"}', -32600),
            (None, "[]", -32600),
        ):
            error = (await answer_to(editor, body, number))["error"]
            assert error["code"] == code
            assert error["data"]["code"] in ("too-deep", "not-json", "bad-request")
        inner = {"jsonrpc": "2.0", "id": 1, "method": "shutdown"}
        refused = await editor.refusal("understudy/branch/create", {"title": inner})
        assert refused["data"]["code"] == "bad-params"
        assert (await editor.ask("understudy/status"))["root"] == str(project)


async def test_frames_over_the_socket(project: Path, state: Path) -> None:
    async with open_editor(project, state, {"trusted": True}):
        address = address_of(state)
        reader, writer = await asyncio.open_unix_connection(address["socket"])
        hello = {"token": address["token"], "version": address["version"], "face": "agent"}
        writer.write(json.dumps(hello).encode() + b"\n")
        assert json.loads(await reader.readline()) == {"ok": True}
        for body, number, code in (
            ('{"id":1,"call":"lint","params":' + DEEP_OBJECT + "}", 1, "too-deep"),
            ('{"id":2,"call":"lint","params":', 2, "not-json"),
            ("[]", None, "bad-request"),
            ('{"id":3,"call":"nothing"}', 3, "unknown-call"),
        ):
            writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body.encode()))
            length = int((await reader.readline()).split(b":")[1])
            await reader.readline()
            answer = json.loads(await reader.readexactly(length))
            assert (answer["id"], answer["error"]["code"]) == (number, code)
        writer.close()


def test_files_on_the_command_line(project: Path, state: Path) -> None:
    shell, edits = Shell(project, state), state.parent / "edits.json"
    before = state_of(project)
    for text, code in (
        (DEEP, "too-deep"),
        ("9" * 5000, "not-json"),
        (json.dumps([{"kind": "delete", "path": "d/" * 500_000}]), "bad-path"),
        (json.dumps([{"kind": "write", "path": "a\ud800", "text": ""}]), "bad-path"),
        (json.dumps([{"kind": "write", "path": "a.txt", "text": "\ud800"}]), "not-text"),
    ):
        edits.write_text(text)
        done = shell("check", "--edits", str(edits))
        assert (done.code, code in done.err) == (2, True), done.err[:500]
        assert "Traceback" not in done.err
    assert state_of(project) == before
    for name, text in (
        ("pyproject.toml", "[tool.understudy]\nx = " + DEEP),
        ("understudy.toml", f"timeout_s = {'9' * 5000}\n"),
        ("package.json", DEEP),
    ):
        (project / name).write_text(text)
        done = shell("check", "-", stdin="--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-fine\n+good\n")
        assert done.code == (3 if name == "package.json" else 2), done.err[:500]
        assert "Traceback" not in done.err
        (project / name).unlink()


async def test_a_hundred_thousand_files_in_one_batch(project: Path, state: Path) -> None:
    """Too many are refused at once; as many as may be are applied and checked."""
    many = [{"kind": "write", "path": f"d{n % 9}/{n}.txt", "text": "x"} for n in range(100_000)]
    header = "--- /dev/null\n+++ b/%d.txt\n@@ -0,0 +1 @@\n+x\n"
    diff = "".join(header % n for n in range(20_000))
    changes = {(project / f"{n}.txt").as_uri(): [] for n in range(20_000)}
    async with open_editor(project, state, {"trusted": True}) as editor:
        branch = await editor.branch()
        for edits in (
            many,
            [{"kind": "diff", "text": diff}],
            [{"kind": "workspaceEdit", "edit": {"changes": changes}}],
        ):
            params = {"branch": branch, "edits": edits}
            refused = await editor.refusal("understudy/branch/edit", params)
            assert refused["data"]["code"] == "too-many-files"
        await editor.edit(branch, *many[:10_000])
        found = (await editor.ask("understudy/branch/list"))["branches"]
        assert [one["files"] for one in found] == [10_000]
        checked = await editor.check(branch, timeout=50)
        assert checked["verdict"] == "unknown"
