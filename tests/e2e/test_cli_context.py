"""`understudy context …` as a shell sees it, and the same over LSP."""

from __future__ import annotations

import fcntl
import json
import signal
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.e2e.command_line import SECONDS, Shell
from tests.e2e.folders import make_folder
from tests.e2e.lsp_client import open_editor
from tests.support.workspace import state_of

LONG = "".join(f"step {n} is fine\n" for n in range(2000)).replace(
    "step 700 is fine", "src/a.py:700: error: bad thing"
)
EVENTS: list[dict[str, object]] = [
    {"kind": "system", "text": "You are."},
    {"kind": "user", "text": "mend it"},
    {"kind": "call", "tool": "pytest", "call": "c1", "input": {"b": 1, "a": [1]}},
    {"kind": "result", "tool": "pytest", "call": "c1", "text": LONG, "exit": 1},
    {"kind": "assistant", "text": "I see."},
    {"kind": "todo", "text": "- [ ] mend"},
]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(make_folder(tmp_path / "work", {"a.py": "x = 1\n"}), tmp_path / "state")


def lines(events: list[dict[str, object]]) -> str:
    return "".join(json.dumps(event) + "\n" for event in events)


def test_notes(shell: Shell) -> None:
    done = shell("context", "note", "x is one", "--about", "a.py", "--lines", "1")
    assert (done.code, done.out) == (0, "noted as 1\n")
    assert shell("context", "notes").out == "1. x is one (a.py:1-1) [the user]\n"
    (shell.folder / "a.py").write_text("x = 2\n")
    (note,) = shell("context", "notes", "--format", "json").json["notes"]
    assert (note["path"], note["stale"]) == ("a.py", "its code has changed")
    assert shell("context", "note", "y", "--about", "gone.py").code == 2
    assert shell("context", "notes", "--forget", "1").out == ""
    assert shell("context", "notes", "--forget", "1").code == 2


def test_put_and_get(shell: Shell) -> None:
    before = state_of(shell.folder)
    done = shell("context", "put", "--label", "pytest", "--exit", "1", stdin=LONG)
    first, *rest = done.out.splitlines()
    assert done.code == 0
    assert first.startswith(f"[understudy] {len(LONG)} bytes, 2000 lines, exit status 1; the whole")
    path = first.rpartition(" ")[2]
    assert path.startswith("tool/pytest-")
    assert "701| src/a.py:700: error: bad thing" in rest
    assert shell("context", "get", path).out == LONG
    assert shell("context", "get", path, "--tail", "1").out == "2000| step 1999 is fine\n"
    assert shell("context", "get", path, "--lines", "2").out == "2| step 1 is fine\n"
    part = shell("context", "get", path, "--grep", "fine", "--budget", "20")
    assert part.out == "1| step 0 is fine\n[1998 of 1999 lines left out]\n"
    body = shell("context", "put", "--label", "pytest", "--format", "json", stdin=LONG).json
    assert (body["stored"], body["path"], body["bytes"]) == (True, path, len(LONG))
    assert Path(body["file"]).read_text() == LONG
    assert state_of(shell.folder) == before


def test_a_pause_in_the_middle_of_a_write_loses_nothing(shell: Shell, tmp_path: Path) -> None:
    """Unbuffered, as in a container, Python's own stream lets go what a signal keeps from it."""
    (tmp_path / "blob").write_bytes(b"fine\n" * 200_000)
    body = shell("context", "put", tmp_path / "blob", "--format", "json").json
    unbuffered = Shell(shell.folder, shell.state, {"PYTHONUNBUFFERED": "1"})
    process = unbuffered.start("context", "get", body["path"])
    assert process.stdout is not None
    pipe = process.stdout.fileno()
    room = fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)
    until(lambda: waiting(pipe) == room)
    process.send_signal(signal.SIGSTOP)
    until(lambda: psutil.Process(process.pid).status() == psutil.STATUS_STOPPED)
    process.send_signal(signal.SIGCONT)
    out, err = process.communicate(timeout=SECONDS)
    assert (len(out), err) == (1_000_000, b"")


def waiting(pipe: int) -> int:
    """How many bytes of a pipe nobody has read."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline


def test_bytes_go_through_as_they_are(shell: Shell, tmp_path: Path) -> None:
    data = bytes(range(256)) * 9 + b"\r\n"
    (tmp_path / "blob").write_bytes(data)
    body = shell("context", "put", tmp_path / "blob", "--format", "json").json
    assert Path(body["file"]).read_bytes() == data
    assert body["path"].endswith(".bin")
    assert shell("context", "get", body["path"]).out.encode("utf-8", "surrogateescape") == data


def test_a_log_its_prompt_and_its_cost(shell: Shell) -> None:
    done = shell("context", "log", "s1", "--append", "-", stdin=lines(EVENTS))
    assert done.code == 0
    assert done.out.splitlines()[:2] == ["#1 system", "#2 user"]
    text = shell("context", "log", "s1").out
    assert text.startswith("# history of s1\n")
    assert "\n## 4 result pytest\ncall c1; exit status 1; " in text
    packed = shell("context", "pack", "s1", "--format", "json").json
    assert [m["role"] for m in packed["messages"]] == [
        "system", "user", "assistant", "tool", "assistant", "user",
    ]  # fmt: skip
    assert packed["messages"][2]["content"] == '{"a":[1],"b":1}'
    assert packed["messages"][-1]["content"] == "- [ ] mend"
    assert (packed["stable"], packed["want"], packed["failures"]) == (5, None, [])
    assert shell("context", "pack", "s1").out == shell("context", "pack", "s1").out
    assert shell("context", "pack", "s1", "--upto", "2").out.count("---") == 2
    cost = shell("context", "simulate", "s1", "--format", "json").json
    assert cost["logged"]["calls"] == 2
    assert set(cost["rules"]) == {"never", "batch", "cost", "auto"}
    assert "never" in shell("context", "simulate", "s1").out
    small = shell("context", "pack", "s1", "--policy", '{"window": 100}')
    assert "a summary of all up to #5 is wanted (window)" in small.err


def test_search_and_skills(shell: Shell) -> None:
    shell("context", "log", "s1", "--append", "-", stdin=lines(EVENTS))
    found = shell("context", "search", "bad", "thing").out.splitlines()
    assert any(line.endswith(":701: src/a.py:700: error: bad thing") for line in found), found
    assert shell("context", "search", "--grep", "step 77 is").out.count("step 77 is fine") == 1
    assert shell("context", "search", "--regex", "^step 7[78] ").out.count("\n") == 2
    assert shell("context", "search", "nothingofthekind").code == 0
    (shell.folder / ".agents/skills/one").mkdir(parents=True)
    (shell.folder / ".agents/skills/one/SKILL.md").write_text(
        "---\nname: one\ndescription: The first.\n---\n"
    )
    assert "not trusted" in shell("context", "skills").err
    assert "- one: The first. (" in shell("context", "skills", "--trust").out


def test_mistakes(shell: Shell) -> None:
    shell("context", "log", "s1", "--append", "-", stdin=lines(EVENTS[:2]))
    for arguments, stdin, code in (
        (("get", "../../etc/passwd"), "", "bad-store-path"),
        (("get", "tool/nope.txt"), "", "no-such-blob"),
        (("get", "history/s1.md", "--lines", "x"), "", "bad-range"),
        (("get", "history/s1.md", "--lines", "900"), "", "no-lines"),
        (("get", "history/s1.md", "--grep", "(", "--regex"), "", "bad-pattern"),
        (("get", "history/s1.md", "--grep", "x", "--tail", "3"), "", "bad-params"),
        (("get", "history/s1.md", "--tail", "0"), "", "bad-params: tail: "),
        (("put", "nope.txt"), "", "unreadable"),
        (("put", "--policy", "{"), "", "bad-policy"),
        (("put", "--policy", '{"keep": 0}'), "", "bad-policy"),
        (("log", "nope"), "", "no-such-log"),
        (("log", "../x"), "", "bad-log-name"),
        (("log", "s1", "--append", "-"), "{", "bad-event"),
        (("log", "s1", "--append", "-"), '{"kind": "system", "text": ""}', "bad-event"),
        (("pack", "s1", "--upto", "99"), "", "bad-params"),
        (("simulate", "s1", "--prices", '{"read": -1}'), "", "bad-policy"),
        (("search", "--kind", "nope", "x"), "", "bad-params"),
        (("search", "()"), "", "empty-question"),
        (("skills", "--client", "../x"), "", "bad-params"),
    ):
        done = shell("context", *arguments, stdin=stdin)
        assert (done.code, done.out) == (2, ""), (arguments, done)
        assert done.err.startswith(f"understudy: {code}"), done.err


def test_a_damaged_log_is_said_and_left_alone(shell: Shell) -> None:
    body = shell("context", "put", "--format", "json", stdin="x" * 9).json
    shell("context", "log", "s1", "--append", "-", stdin=lines(EVENTS))
    file = Path(body["file"]).parents[1] / "history/s1.jsonl"
    file.write_bytes(file.read_bytes().replace(b"mend it", b"break it", 1))
    for arguments in (("log", "s1"), ("pack", "s1"), ("simulate", "s1")):
        done = shell("context", *arguments)
        assert (done.code, done.out) == (4, "")
        assert done.err.startswith("understudy: log-damaged: ")
    Path(body["file"]).write_text("y")
    assert shell("context", "get", body["path"]).err.startswith("understudy: blob-altered: ")


async def test_over_lsp(tmp_path: Path) -> None:
    root = make_folder(tmp_path / "work", {"a.py": "x = 1\n"})
    async with open_editor(root, tmp_path / "state") as editor:
        ask = editor.ask
        put = await ask("understudy/context/put", {"text": LONG, "label": "t", "exit": 1})
        assert "701| src/a.py:700: error: bad thing" in put["text"]
        got = await ask("understudy/context/get", {"path": put["path"], "lines": [1, 2]})
        assert got["text"] == "1| step 0 is fine\n2| step 1 is fine\n"
        long = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(900))
        attach = {"kind": "attach", "path": "long.py", "text": long}
        added = await ask("understudy/context/log", {"log": "s", "events": [*EVENTS, attach]})
        assert [event["seq"] for event in added["events"]] == [1, 2, 3, 4, 5, 6, 7]
        assert "def f0()" in added["events"][6]["text"]
        assert len(added["events"][6]["text"]) < len(long)
        packed = await ask("understudy/context/pack", {"log": "s", "policy": {"rule": "cost"}})
        assert packed["toolChoice"] == {"mode": "auto", "prefixes": []}
        assert (await ask("understudy/context/topic", {"log": "s"}))["text"].startswith("user: ")
        assert (await ask("understudy/context/simulate", {"log": "s"}))["logged"]["calls"] == 2
        (figures,) = (await ask("understudy/context/stats", {}))["logs"]
        assert (figures["calls"], figures["outputs"], figures["receipts"]) == (2, 1, 1)
        named = {"log": "s", "policy": {"model": "claude-sonnet-5"}}
        request = (await ask("understudy/context/pack", named))["request"]
        assert [message["role"] for message in request["messages"]][:2] == ["user", "assistant"]
        assert (await ask("understudy/context/skills", {}))["skills"] == []
        hits = (await ask("understudy/context/search", {"text": "bad thing"}))["hits"]
        assert {701, None} <= {hit["line"] if hit["event"] is None else None for hit in hits}
