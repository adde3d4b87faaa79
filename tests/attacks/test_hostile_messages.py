"""Whatever bytes come over MCP: every request gets an answer, and none calls itself `internal`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.raw_mcp import RawClient, open_raw, text_of
from tests.e2e.folders import make_folder, settings_text, toy_profile, write_user_settings
from tests.support.workspace import state_of

TOOLS = ("understudy_lint", "understudy_run", "understudy_context", "understudy_code")
LONE = "\\ud800"
DEEP = 100_000


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def project(tmp_path: Path, state: Path) -> Path:
    write_user_settings(state, settings_text({"toy": toy_profile("well_behaved")}))
    return make_folder(tmp_path / "project", {"a.txt": "fine\n", "a.py": "x = 1\n"})


def call(number: int | str, tool: str, arguments: str) -> bytes:
    """A tool's call whose arguments stand in it as they are."""
    return (
        f'{{"jsonrpc":"2.0","id":{json.dumps(number)},"method":"tools/call",'
        f'"params":{{"name":"{tool}","arguments":{arguments}}}}}'
    ).encode()


def nested(inner: str = "1", depth: int = DEEP) -> str:
    return "[" * depth + inner + "]" * depth


SURROGATES = {
    "text": f'{{"edits":[{{"kind":"write","path":"a.txt","text":"BAD {LONE}"}}]}}',
    "path": f'{{"edits":[{{"kind":"write","path":"a{LONE}.txt","text":"x"}}]}}',
    "diff": f'{{"diff":"--- a/a.txt\\n+++ b/a.txt\\n@@ -1 +1 @@\\n-fine\\n+{LONE}\\n"}}',
    "key": f'{{"{LONE}":1}}',
    "root": f'{{"root":"{LONE}"}}',
    "branch": f'{{"branch":"{LONE}"}}',
    "low half": '{"revision":"\\udc00\\ud800"}',
    "server": f'{{"servers":["toy","{LONE}"]}}',
}


async def test_half_a_surrogate_pair(project: Path, state: Path) -> None:
    before = state_of(project)
    async with open_raw(state, cwd=project) as client:
        for number, (what, arguments) in enumerate(SURROGATES.items(), 10):
            client.say(call(number, "understudy_lint", arguments))
            answer = await client.answer_to(number)
            text = text_of(answer)
            assert answer["result"]["isError"] is True
            assert text.startswith(("not-text: arguments", "not-text: a key of arguments")), what
        whole = '{"edits":[{"kind":"write","path":"a.txt","text":"BAD \\ud83d\\ude00"}]}'
        client.say(call(3, "understudy_lint", whole))
        assert text_of(await client.answer_to(3)).startswith("findings: 1 introduced")
    assert state_of(project) == before


LINES: dict[str, tuple[bytes, object, int]] = {
    "no JSON": (b'{"jsonrpc":"2.0","id":7,"method":"tools/list"', 7, -32700),
    "garbage": (b"\x00\xff\xfe not JSON at all", None, -32700),
    "no UTF-8": (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":"\xff"}}', 7, -32700),
    "deep arguments": (call(7, "understudy_lint", nested()), 7, -32700),
    "deep and unfinished": (call(7, "understudy_lint", "[" * DEEP), 7, -32700),
    "deep before its id": (
        f'{{"jsonrpc":"2.0","method":"x","params":{nested()},"id":"late"}}'.encode(),
        "late",
        -32700,
    ),
    "deep objects": (call(7, "understudy_lint", '{"a":' * DEEP + "1" + "}" * DEEP), 7, -32700),
    "an id below": (b'{"params":{"id":1},"method":"id","id":7,,}', 7, -32700),
    "a huge number": (call(7, "understudy_lint", f'{{"timeout":{"9" * 10_000}}}'), 7, -32700),
    "a list": (b'[{"jsonrpc":"2.0","id":7,"method":"ping"}]', None, -32600),
    "no method": (b'{"jsonrpc":"2.0","id":7}', 7, -32600),
    "params of a kind": (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":5}', 7, -32600),
    "another version": (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', 7, -32600),
    "an id of a kind": (b'{"jsonrpc":"2.0","id":[7],"method":"ping"}', None, -32600),
    "a method of no text": (b'{"jsonrpc":"2.0","id":7,"method":"\\ud800"}', 7, -32600),
    "an id of no text": (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', None, -32600),
    "a tool of no text": (call(7, LONE, "{}"), 7, -32600),
}  # fmt: skip


async def test_lines_that_are_no_message(project: Path, state: Path) -> None:
    async with open_raw(state, cwd=project) as client:
        for name, (line, number, code) in LINES.items():
            client.say(line)
            error = (await client.answer_to(number))["error"]
            assert error["code"] == code, name
            assert error["data"]["code"] in ("not-json", "too-deep", "bad-request", "not-text")
            assert error["message"].startswith(f"{error['data']['code']}: ")
            client.send({"id": 8, "method": "ping"})
            assert (await client.answer_to(8))["result"] == {}


HOSTILE: dict[str, Any] = {
    "a long text": "x" * 1_000_000,
    "a long path": "d/" * 500_000,
    "many dots": "../" * 300_000,
    "a NUL": "a\0b",
    "line ends": "a\r\nb\u2028c",
    "an option": "--output=/tmp/x",
    "escapes": "\x1b[2J\x9b",
    "brackets": "file://[",
    "a pattern": "(" * 5000,
    "nothing": "",
    "a number": 10**400,
    "below zero": -(10**18),
    "endless": 1e308,
    "true": True,
    "a list of lists": [[[]]],
    "an object": {"kind": {"kind": None}},
    "a deep one": json.loads(nested(depth=150)),
    "a long list": ["x"] * 50_000,
}
SIMPLE = {
    "understudy_run": {"command": ["true"]},
    "understudy_context": {"action": "read"},
    "understudy_code": {"action": "affected"},
}


@pytest.mark.parametrize("tool", TOOLS)
async def test_hostile_values_in_every_place(project: Path, state: Path, tool: str) -> None:
    """Each argument of each tool gets each of these; the project is as it was."""
    before = state_of(project)
    async with open_raw(state, cwd=project) as client:
        client.send({"id": 1, "method": "tools/list"})
        listed = (await client.answer_to(1))["result"]["tools"]
        (schema,) = (one["inputSchema"]["properties"] for one in listed if one["name"] == tool)
        number = 10
        for name in schema:
            for what, value in HOSTILE.items():
                number += 1
                await fits(client, number, tool, f"{name}: {what}", {name: value})
        for what, value in HOSTILE.items():
            for arguments in shapes(tool, value):
                number += 1
                await fits(client, number, tool, what, arguments)
    assert state_of(project) == before


def shapes(tool: str, value: object) -> list[dict[str, Any]]:
    """Arguments that get further in than a value of the wrong kind."""
    if tool == "understudy_lint":
        kinds = {
            "write": ("path", "text"), "replace": ("path", "old", "new"), "delete": ("path",),
            "rename": ("path", "to"), "diff": ("text",), "workspaceEdit": ("edit",),
        }  # fmt: skip
        edits = [
            {"kind": kind, **dict.fromkeys(names, "a.txt"), name: value}
            for kind, names in kinds.items()
            for name in names
        ]
        changes = [{"changes": {str(value): []}}, {"documentChanges": [value]}]
        inner = [{"kind": "workspaceEdit", "edit": edit} for edit in changes]
        return [{"edits": [edit]} for edit in [*edits, *inner]] + [{"diff": f"--- {value}\n"}]
    if tool == "understudy_run":
        return [{"command": ["true"], name: value} for name in ("cwd", "env", "timeout", "branch")]
    actions = ("read", "tail", "grep", "search", "outline", "source", "map", "wait", "call")
    if tool == "understudy_code":
        return [
            {"action": action, "path": "a.py", name: value}
            for action in ("outline", "source", "map", "affected")
            for name in ("path", "symbol", "budget", "lines", "diff", "tests", "branch")
        ]
    return [
        {"action": action, "path": "a.py", "pattern": "x", "tool": "a/b", "timeout": 0.1,
         name: value}
        for action in actions
        for name in ("path", "pattern", "symbol", "tool", "budget", "count", "lines", "column")
    ]  # fmt: skip


async def fits(
    client: RawClient, number: int, tool: str, what: str, arguments: dict[str, Any]
) -> None:
    given = {**SIMPLE.get(tool, {}), **arguments}
    client.send(
        {"id": number, "method": "tools/call", "params": {"name": tool, "arguments": given}}
    )
    text = text_of(await client.answer_to(number))
    assert not text.startswith("internal"), (what, text[:500])
    assert "Traceback" not in text
    assert len(text.encode()) < 8192, (what, len(text), text[:300])
