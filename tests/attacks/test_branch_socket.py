"""Attacks on the one socket that an agent in a branch has: each is refused, the host lives."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.folders import make_folder, settings_text, toy_profile, write_user_settings
from tests.e2e.warm_hosts import Hosts
from tests.support.branch_way import SECONDS, BranchWay, Json, open_way
from tests.support.workspace import state_of
from understudy.faces.frames import frame, read_frame
from understudy.faces.inside.place import MAX_FRAME
from understudy.faces.rehearsal.branch_socket import MOST_CALLS, MOST_CONNECTIONS

pytestmark = pytest.mark.ring
NOT_THERE, OTHER = "not-in-a-rehearsal", "other-branch"
DECIDING = ("understudy.accept", "understudy.reject", "understudy.sendBack")
BAD = {"kind": "write", "path": "b.txt", "text": "BAD of the agent's\n"}
ESCAPE = [{"kind": "write", "path": "../out.txt", "text": "x"}]
CALLS: dict[str, tuple[str, Any, str]] = {
    "check another branch": ("check", {"branch": "b1"}, OTHER),
    "report of another branch": ("report", {"branch": "b1"}, OTHER),
    "diff of another branch": ("diff", {"branch": "b1"}, OTHER),
    "lint another branch": ("lint", {"branch": "b1"}, OTHER),
    "edits over another branch": ("lint", {"branch": "b1", "edits": [BAD]}, OTHER),
    "read a file of another branch": (
        "code", {"action": "source", "path": "a.txt", "branch": "b1"}, OTHER,
    ),
    "ask servers about another branch": (
        "ask", {"question": "search", "target": "a", "branch": "b1"}, OTHER,
    ),
    "outline in another branch": ("outline", {"path": "a.txt", "branch": "b1"}, OTHER),
    "map of another branch": ("map", {"branch": "b1"}, OTHER),
    "reach of another branch": ("affected", {"branch": "b1"}, OTHER),
    "a branch that is no text": ("diff", {"branch": ["b2"]}, OTHER),
    "accept": ("accept", {"branch": "b2"}, NOT_THERE),
    "accept as editors do": ("understudy/branch/accept", {"branch": "b2"}, "unknown-call"),
    "discard": ("discard", {"branch": "b2"}, NOT_THERE),
    "discard as editors do": ("understudy/branch/discard", {"branch": "b2"}, NOT_THERE),
    "edit the branch from here": (
        "understudy/branch/edit", {"branch": "b2", "edits": [BAD]}, NOT_THERE,
    ),
    "make a branch": ("understudy/branch/create", {}, NOT_THERE),
    "list branches": ("branches", {}, NOT_THERE),
    "run outside": ("run", {"command": ["true"], "network": "host"}, NOT_THERE),
    "run outside as the user": ("execute", {"command": ["true"], "by_user": True}, NOT_THERE),
    "run outside as editors do": ("understudy/branch/run", {"command": ["true"]}, NOT_THERE),
    "run the tests of candidates": (
        "rank", {"candidates": [{"branch": "b2"}], "command": ["true"]}, NOT_THERE,
    ),
    "rank by way of a check": ("lint", {"candidates": ["b1"]}, NOT_THERE),
    "a tool of another server": ("mcp/call", {"tool": "x/y"}, NOT_THERE),
    "the same as an agent": ("context", {"action": "call", "tool": "x/y"}, NOT_THERE),
    "allow a server": ("mcp/allow", {"server": "x"}, NOT_THERE),
    "kept outputs": ("context", {"action": "read", "path": "runs/1/output"}, NOT_THERE),
    "the user's terminals": ("context", {"action": "terminals"}, NOT_THERE),
    "search in the state": ("context", {"action": "search", "pattern": "a"}, NOT_THERE),
    "a part of the store": ("understudy/context/get", {"path": "x"}, NOT_THERE),
    "the host's status": ("understudy/status", {}, NOT_THERE),
    "a file of the user's": ("text", {"path": "a.txt"}, NOT_THERE),
    "listen to what happens": ("listen", {}, NOT_THERE),
    "pin the user's text": ("understudy/checkpoint", {}, NOT_THERE),
    "compare with a pin": ("check", {"before": "c1"}, NOT_THERE),
    "compare with a revision": ("check", {"revision": "HEAD"}, NOT_THERE),
    "have the branch mended": ("check", {"fix": True}, NOT_THERE),
    "rename in the branch": ("rename", {"target": "a.txt::x", "to": "y"}, NOT_THERE),
    "move as a tool does": ("code", {"action": "move", "path": "a.txt", "to": "c"}, NOT_THERE),
    "begin as an agent": ("begin", {}, NOT_THERE),
    "a call that there is not": ("trust", {}, "unknown-call"),
    "a file outside": ("outline", {"path": "../../etc/passwd"}, "outside-root"),
    "a file of the machine": ("code", {"action": "source", "path": "/etc/passwd"}, "outside-root"),
    "edits outside": ("check", {"edits": ESCAPE}, "outside-root"),
    "params that are none": ("check", ["b2"], "bad-params"),
    "fields that are none": ("check", {"trust": True}, "bad-params"),
}  # fmt: skip
HELLOS: dict[str, tuple[object, str | None]] = {
    "another folder": ({"wire": 1, "kind": "calls", "root": "/etc"}, "other-root"),
    "the folder above": ({"wire": 1, "kind": "calls", "root": "{root}/.."}, "other-root"),
    "a neighbour": ({"wire": 1, "kind": "lsp", "root": "{root}-secret"}, "other-root"),
    "another branch": ({"wire": 1, "kind": "calls", "branch": "b1"}, OTHER),
    "another version": ({"wire": 99, "kind": "calls"}, "bad-hello"),
    "a truth for a version": ({"wire": True, "kind": "calls"}, "bad-hello"),
    "another face": ({"wire": 1, "kind": "command"}, "bad-hello"),
    "a host's own greeting": ({"version": "0", "token": "x", "face": "command"}, "bad-hello"),
    "a list": ([1], "bad-request"),
    "depth": (b"[" * 5000 + b"]" * 5000 + b"\n", "bad-hello"),
    "a long line": (b"x" * 20_000 + b"\n", "bad-hello"),
    "no end of a line": (b"x" * 3_000_000, None),
    "raw bytes": (random.Random(7).randbytes(3000) + b"\n", "not-json"),
}


async def test_every_attack_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    assert len(CALLS) + len(HELLOS) >= 30
    write_user_settings(state, settings_text({"toy": toy_profile("well_behaved")}))
    folder = make_folder(tmp_path / "work", {f"{name}.txt": "fine\n" for name in "abc"})
    hosts, before = Hosts(state), state_of(folder)
    try:
        async with open_way(folder, state, monkeypatch, BAD) as way:
            host = hosts.only()
            kept = await _branches(way)
            for name, (call, params, code) in CALLS.items():
                answer = await way.ask(call, params)
                assert answer.get("error", {}).get("code") == code, (name, answer)
            for name, (hello, code) in HELLOS.items():
                told = await way.greet(_filled(hello, folder))
                assert told.get("error", {}).get("code") == code, (name, told)
            await _frames(way)
            await _floods(way)
            await _lsp(way)
            files = state_of(state / "understudy")
            ends = [{"session": f"s{number}", "moment": "end"} for number in range(100)]
            told = [(await way.ask("turn", end))["result"]["text"] for end in ends]
            assert "b.txt:1:1" in told[0]
            assert not any(told[1:]), "the same words are said once"
            assert state_of(state / "understudy").keys() == files.keys(), "nothing is noted"
            found = await way.ask("check")
            assert found["result"]["verdict"] == "findings"
            assert await _branches(way) == kept
            assert hosts.only() == host, "the host is the one that it was"
    finally:
        hosts.end()
    assert state_of(folder) == before


async def _branches(way: BranchWay) -> dict[str, Any]:
    listed = (await way.user.call("branches", {"archived": True}))["branches"]
    return {
        one["branch"]: (one["revision"], await way.user.call("diff", {"branch": one["branch"]}))
        for one in listed
    }


def _filled(hello: object, folder: Path) -> object:
    if isinstance(hello, bytes | list):
        return hello
    return json.loads(json.dumps(hello).replace("{root}", str(folder)))


async def _frames(way: BranchWay) -> None:
    """What no message is: refused where it can be answered, else the connection ends."""
    for body, code in (
        (b"\xff\xfe\x00", "not-json"),
        (b"[]", "bad-request"),
        (b'{"id": 1, "call": ' + b"[" * 500 + b"]" * 500 + b"}", "too-deep"),
    ):
        assert (await _answer_to(way, frame(body)))["error"]["code"] == code
    for header in (b"Content-Length: %d\r\n\r\n" % (MAX_FRAME + 1), b"Content-Length: 9%s\r\n\r\n"):
        huge = header if b"%" not in header else header.replace(b"%s", b"0" * 300)
        answer = await _answer_to(way, huge)
        assert answer["error"]["code"] == "too-large"
    assert await _answer_to(way, random.Random(8).randbytes(3_000_000)) is None


async def _answer_to(way: BranchWay, data: bytes) -> Any:
    async with way.raw() as (reader, writer):
        writer.write(b'{"wire": 1, "kind": "calls"}\n' + data)
        writer.write_eof()
        await asyncio.wait_for(reader.readline(), SECONDS)
        body = await asyncio.wait_for(read_frame(reader), SECONDS)  # None: it has ended
        return None if body is None else json.loads(body)


async def _floods(way: BranchWay) -> None:
    """More than there is room for: told so, and whoever came before is served."""
    async with way.raw() as (reader, writer):
        writer.write(b'{"wire": 1, "kind": "calls"}\n')
        n_sent = 20 * MOST_CALLS
        for number in range(n_sent):
            message = {"id": number // 2, "call": "check", "params": {}}
            writer.write(frame(json.dumps(message).encode()))
        await reader.readline()
        answers: list[Json] = []
        while len(answers) < n_sent:
            body = await asyncio.wait_for(read_frame(reader), SECONDS)
            assert body is not None
            message = json.loads(body)
            answers += [message] if "result" in message or "error" in message else []
        codes = {one["error"]["code"] if "error" in one else "ok" for one in answers}
        assert codes == {"ok", "busy"}
        # Who has come and reads nothing keeps nobody waiting.
        for number in range(MOST_CALLS):
            message = {"id": number, "call": "diff", "params": {}}
            writer.write(frame(json.dumps(message).encode()))
        assert "result" in await way.ask("diff")
    crowd = [await asyncio.open_unix_connection(way.socket.path) for _ in range(MOST_CONNECTIONS)]
    try:
        told = await way.greet({"wire": 1, "kind": "calls"})
        assert told["error"]["code"] == "busy"
    finally:
        for _, writer in crowd:
            writer.close()
        await asyncio.gather(*(writer.wait_closed() for _, writer in crowd))


async def _lsp(way: BranchWay) -> None:
    """The other kind of conversation: it cannot become another branch's, nor edit this one."""
    messages: list[Json] = [
        {"branch": "b1", "shares": True},
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"jsonrpc": "2.0", "id": 2, "method": "understudy/branch/accept", "params": {}},
        {
            "jsonrpc": "2.0", "id": 3, "method": "workspace/executeCommand",
            "params": {"command": "understudy.apply", "arguments": [{
                "server": "toy", "path": "a.txt", "since": "x",
                "action": {"title": "t", "edit": {"changes": {}}},
            }]},
        },
        *(
            {
                "jsonrpc": "2.0", "id": command, "method": "workspace/executeCommand",
                "params": {
                    "command": command, "arguments": [{"branch": way.branch, "path": "b.txt"}],
                },
            }
            for command in DECIDING
        ),
        {"jsonrpc": "2.0", "id": 4, "method": "shutdown"},
    ]  # fmt: skip
    before = state_of(way.root.path)
    async with way.raw() as (reader, writer):
        writer.write(b'{"wire": 1, "kind": "lsp"}\n')
        assert json.loads(await reader.readline())["ok"]
        answers: dict[Any, Json] = {}
        for message in messages:
            writer.write(frame(json.dumps(message).encode()))
            while "id" in message and message["id"] not in answers:
                body = await asyncio.wait_for(read_frame(reader), SECONDS)
                assert body is not None
                answer = json.loads(body)
                answers[answer.get("id")] = answer
    offered = answers[1]["result"]["capabilities"]["executeCommandProvider"]["commands"]
    assert offered == ["understudy.apply"]
    for command in DECIDING:
        assert answers[command].get("error", {}).get("data", {}).get("code") == NOT_THERE, command
    assert state_of(way.root.path) == before
    assert answers[2]["error"]["data"]["code"] == "unknown-method"
    assert "error" in answers[3]
