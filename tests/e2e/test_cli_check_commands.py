"""`understudy check` with checking commands in the place of servers: cargo, and one's own."""

from __future__ import annotations

import json
import signal
import sys
import time
from pathlib import Path
from typing import Any

import psutil

from tests.e2e.command_line import SECONDS, Shell
from tests.e2e.contract import assert_check
from tests.e2e.folders import left_in_temporary, make_folder, write_user_settings
from tests.support.command_projects import PROJECTS
from tests.support.workspace import state_of

FINDINGS, UNKNOWN, INTERRUPTED = 1, 3, 130
SETTINGS = """[servers.toy]
group = "toy"
command = [{python}, "-S", "toy.py", {word}]
files = {{ "*.txt" = "plaintext" }}
rule = "command"
scope = "project"
install = "it is here"

[servers.toy.checker]
output = "pattern"
ran = [0]
coverage = "declared"
run_in = "root"

[servers.toy.checker.patterns]
finding = '(?P<path>[^:]+):(?P<line>[0-9]+): (?P<message>.*)'
"""


def edits_file(folder: Path, *edits: dict[str, Any]) -> Path:
    path = folder.parent / "edits.json"
    path.write_text(json.dumps(edits))
    return path


def test_rust_is_judged_by_cargo(tmp_path: Path, state: Path) -> None:
    project = PROJECTS["cargo-check"]
    files = {path: text for path, text in project.files.items() if text is not None}
    folder = make_folder(tmp_path / "work", files)
    before = state_of(folder)
    shell = Shell(folder, state)
    ((path, text),) = project.edits["caller"].items()
    edits = edits_file(folder, {"kind": "write", "path": path, "text": text})
    done = shell("check", "--edits", edits)
    assert done.code == UNKNOWN
    assert "one/src/a.rs: untrusted: cargo-check executes code of this folder" in done.out
    done = shell("check", "--edits", edits, "--trust", "--format", "json")
    assert done.code == FINDINGS
    assert_check(done.json)
    (finding,) = done.json["introduced"]
    assert (finding["path"], finding["range"]["start"]) == (
        "one/src/lib.rs", {"line": 2, "character": 12},
    )  # fmt: skip
    assert (finding["code"], finding["server"]) == ("E0308", "cargo-check")
    assert state_of(folder) == before
    assert left_in_temporary(state) == []


def test_an_interrupt_ends_the_command(tmp_path: Path, state: Path) -> None:
    word = f"asleep-{time.monotonic_ns()}"
    write_user_settings(
        state, SETTINGS.format(python=json.dumps(sys.executable), word=json.dumps(word))
    )
    folder = make_folder(
        tmp_path / "work", {"a.txt": "fine\n", "toy.py": "import time\ntime.sleep(3600)\n"}
    )
    edits = edits_file(folder, {"kind": "write", "path": "a.txt", "text": "fine, too\n"})
    process = Shell(folder, state).start("check", "--edits", edits)
    deadline = time.monotonic() + SECONDS
    while not running(word):
        assert time.monotonic() < deadline
        assert process.poll() is None, process.communicate()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == INTERRUPTED
    assert (out, err) == (b"", b"understudy: interrupted\n")
    while running(word):
        assert time.monotonic() < deadline
    assert left_in_temporary(state) == []


def running(word: str) -> list[int]:
    """The processes that were started with this word."""
    return [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if word in (process.info["cmdline"] or ())
    ]
