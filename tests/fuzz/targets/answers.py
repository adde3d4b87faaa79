"""What programs of others answer: language servers, checkers, test runners, agents' hooks."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re

from tests.fuzz.targets.model import FuzzTarget, chosen, text_of
from understudy.app.rank.test_reports import read_report
from understudy.checkers.cargo import read_cargo, source_files
from understudy.checkers.first_error import first_error
from understudy.checkers.go_vet import read_go_list, read_go_vet
from understudy.checkers.model import Patterns
from understudy.checkers.mypy import read_mypy
from understudy.checkers.patterns import read_lines
from understudy.faces.answers.sound_json import json_line
from understudy.faces.frames import Frames, frame, read_frame
from understudy.langserver.diagnostics import Malformed, findings_of, proof_of
from understudy.values.errors import UnderstudyError
from understudy.values.positions import LineIndex
from understudy.values.verdicts import Reason
from understudy.workspace.agents.catalogue import shipped_agents
from understudy.workspace.agents.events import read_event

_TEXT = "def f():\n    return \N{GRINNING FACE}\r\n\nx = 1"
_PATTERNS = Patterns(finding=re.compile(r"(?P<path>[^:]+):(?P<line>\d+): (?P<message>.*)"))
_HOOKED = [agent for agent in shipped_agents() if agent.hook is not None]


def _frames(data: bytes) -> None:
    """Whole or in pieces, the same messages are read; and what we send is read back."""

    async def whole() -> list[bytes]:
        reader = asyncio.StreamReader()
        reader.feed_data(data)
        reader.feed_eof()
        found: list[bytes] = []
        while (body := await read_frame(reader)) is not None:
            found.append(body)
        return found

    pieces = Frames()
    found = [body for at in range(0, len(data), 7) for body in pieces.feed(data[at : at + 7])]
    assert found == asyncio.run(whole()) or pieces.is_broken
    assert Frames().feed(frame(data)) == [data]


def _diagnostics(data: bytes) -> None:
    try:
        items = json.loads(text_of(data))
    except (ValueError, RecursionError):
        return
    proof = proof_of(items, "utf-16")
    if isinstance(proof, Reason):
        return
    try:
        found = findings_of(proof, "a.py", "toy", lambda: LineIndex(_TEXT))
    except Malformed:
        return
    for finding in found:
        json.loads(json_line({"message": finding.message, "code": finding.code}))


def _checkers(data: bytes) -> None:
    which, rest = chosen(data, 7)
    text = text_of(rest)
    if which == 0:
        read_cargo(text, "/folder")
    elif which == 1:
        read_go_vet(text, text)
    elif which == 2:
        read_mypy(text, text)
    elif which == 3:
        read_lines(text, _PATTERNS)
    elif which == 4:
        read_report(text.splitlines())
    elif which == 5:
        first_error(text)
        source_files(text)
    else:
        read_go_list(text)


def _hooks(data: bytes) -> None:
    which, rest = chosen(data, len(_HOOKED))
    with contextlib.suppress(UnderstudyError):
        read_event(_HOOKED[which], rest)


TARGETS = (
    FuzzTarget(
        "frames",
        _frames,
        (
            b"Content-Length: 2\r\n\r\n{}Content-Length: 4\r\n\r\nnull",
            b"Content-Type: x\nContent-Length: 1\n\n1\r\ncontent-length:3\r\n\r\nabc",
        ),
    ),
    FuzzTarget(
        "diagnostics",
        _diagnostics,
        (
            (
                b'[{"range":{"start":{"line":0,"character":4},"end":{"line":1,"character":99}},'
                b'"message":"m","severity":2,"code":"E1","source":"s","tags":[1]}]'
            ),
            (
                b'[{"range":{"start":{"line":-1,"character":1e400},"end":{"line":3,"character":0}},'
                b'"message":{"kind":"markdown","value":"v"},"code":{"value":7}}]'
            ),
        ),
    ),
    FuzzTarget(
        "checkers",
        _checkers,
        (
            (
                b'\x00{"reason":"compiler-message","package_id":"p","target":{"src_path":"/folder/a.rs"},'
                b'"message":{"message":"m","level":"error","spans":[{"file_name":"a.rs","line_start":1,'
                b'"line_end":1,"column_start":1,"column_end":2,"is_primary":true}]}}'
            ),
            b'\x01# p\n{"p":{"printf":[{"posn":"a.go:1:2","message":"m"}]}}\n',
            b'\x02{"file":"a.py","line":1,"column":0,"message":"m","code":"c","severity":"error"}',
            b"\x03a.py:1: m\n",
            b"\x04PASSED tests/a.py::test_x\nFAILED tests/a.py::test_y - E\n2 passed in 0.1s\n",
            b"\x04--- FAIL: TestX (0.00s)\nok  \tpkg\t0.1s\n# tests 3\n# pass 2\n",
            b"\x05a.o: a.rs \\\n b.rs\n",
            b'\x06{"ImportPath":"p","Dir":"/folder","GoFiles":["a.go"],"Imports":["q"]}',
        ),
    ),
    FuzzTarget(
        "hooks",
        _hooks,
        tuple(
            bytes([which])
            + b'{"hook_event_name":"PostToolUse","session_id":"s","cwd":"/w","prompt":"p",'
            b'"tool_input":{"file_path":"a.py","input":"*** Update File: b.py\\n"}}'
            for which in range(len(_HOOKED))
        ),
    ),
)
