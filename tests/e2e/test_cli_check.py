"""`understudy check` in a shell: verdicts, exit codes, both forms of output, no traces left."""

from __future__ import annotations

import json
import os
import re
import select
import shlex
import signal
import time
from pathlib import Path

import pytest

from tests.e2e.command_line import SECONDS, Shell
from tests.e2e.contract import assert_check
from tests.e2e.folders import (
    DEMO_PATCH,
    left_in_state,
    left_in_temporary,
    make_folder,
    settings_text,
    toy_profile,
    toy_settings,
    write_user_settings,
)
from tests.langserver.toybox import ended_in
from tests.support.workspace import state_of

CLEAN, FINDINGS, BAD_INPUT, UNKNOWN, INTERRUPTED = 0, 1, 2, 3, 130
TAX, TOTALS = "invoices/tax.py", "invoices/totals.py"
FINDING = re.compile(r"  (?P<path>\S+):(?P<line>\d+):(?P<column>\d+): (?P<severity>error|warning) "
                     r"(?P<code>\w+) .+ \((?P<server>[\w-]+)\)$")  # fmt: skip
HARMLESS = f"""--- a/{TAX}
+++ b/{TAX}
@@ -20 +20 @@
-    return (line.net * percent + 50) // 100
+    return (line.net * percent + 49) // 100
"""


def edits_file(folder: Path, *edits: dict[str, str]) -> Path:
    """A file for `--edits`, beside the project."""
    path = folder.parent / "edits.json"
    path.write_text(json.dumps(edits), encoding="utf-8")
    return path


def test_findings(shell: Shell) -> None:
    before = state_of(shell.folder)
    done = shell("check", DEMO_PATCH)
    assert done.code == FINDINGS
    assert done.err == ""
    lines = done.out.split("\n")
    found = [match for line in lines if (match := FINDING.match(line))]
    assert {(m["path"], m["line"], m["severity"], m["code"], m["server"]) for m in found} == {
        ("invoices/printing.py", "17", "error", "reportCallIssue", "basedpyright"),
        ("invoices/tax.py", "6", "warning", "F401", "ruff"),
        ("invoices/tax.py", "26", "error", "reportReturnType", "basedpyright"),
        ("invoices/totals.py", "22", "error", "reportCallIssue", "basedpyright"),
    }
    assert "      tax = sum(tax_of(line, invoice.country) for line in invoice.lines)" in lines
    assert lines[-2].startswith("findings: 3 introduced at severity error or worse")
    assert state_of(shell.folder) == before
    assert ended_in(shell.folder)
    assert left_in_temporary(shell.state) == []
    assert left_in_state(shell.state) == []


def test_the_text_is_the_same_in_every_run(shell: Shell) -> None:
    assert shell("check", DEMO_PATCH).out == shell("check", DEMO_PATCH).out


def test_clean_from_stdin(shell: Shell) -> None:
    done = shell("check", "-", stdin=HARMLESS)
    assert done.code == CLEAN
    assert done.out.startswith("clean: 0 introduced")


def test_json_alone_on_stdout(shell: Shell) -> None:
    done = shell("check", DEMO_PATCH, "--format", "json")
    assert done.code == FINDINGS
    assert done.err == ""
    assert_check(done.json)
    assert [item["path"] for item in done.json["introduced"] if item["severity"] == "error"] == [
        "invoices/printing.py", "invoices/tax.py", "invoices/totals.py"
    ]  # fmt: skip


def test_fixed_findings(shell: Shell) -> None:
    text = (shell.folder / TAX).read_text(encoding="utf-8")
    (shell.folder / TAX).write_text(text + "\n\nprint(undefined)\n", encoding="utf-8")
    edit = {"kind": "replace", "path": TAX, "old": "undefined", "new": "1"}
    done = shell("check", "--edits", edits_file(shell.folder, edit))
    assert done.code == CLEAN
    assert "fixed:\n  invoices/tax.py:23:7: error reportUndefinedVariable" in done.out


def test_a_list_of_edits(shell: Shell) -> None:
    edits = [
        {"kind": "replace", "path": TAX, "old": "+ 50", "new": "+ missing"},
        {"kind": "diff", "text": HARMLESS.replace("+ 50", "+ missing")},
    ]
    done = shell("check", "--edits", edits_file(shell.folder, *edits))
    assert (done.code, done.err) == (CLEAN, "")


@pytest.mark.parametrize(("scope", "judged"), [("edited", 1), ("affected", 3), ("workspace", 8)])
def test_scope(shell: Shell, scope: str, judged: int) -> None:
    done = shell("check", DEMO_PATCH, "--scope", scope, "--format", "json")
    assert done.code == FINDINGS
    assert len(done.json["files"]) == judged
    assert any(item["path"] == TOTALS for item in done.json["introduced"]) == (scope != "edited")
    assert_check(done.json)
    assert done.json.get("affected_files") == (3 if scope == "workspace" else None)


def test_the_whole_workspace_beside_the_affected_files(shell: Shell) -> None:
    done = shell("check", DEMO_PATCH, "--scope", "workspace", "--server", "ruff")
    assert "7 files judged (types not asked), where the scope affected asks about 1 [" in done.out


@pytest.mark.parametrize(
    ("severity", "code"), [("error", CLEAN), ("warning", FINDINGS), ("hint", FINDINGS)]
)
def test_severity(shell: Shell, severity: str, code: int) -> None:
    old, new = "from invoices", "import os\nfrom invoices"
    edit = {"kind": "replace", "path": TAX, "old": old, "new": new}
    edits = edits_file(shell.folder, edit)
    options = ("--server", "ruff", "--severity", severity)
    assert shell("check", "--edits", edits, *options).code == code


def test_server(shell: Shell) -> None:
    done = shell("check", DEMO_PATCH, "--server", "ruff", "--format", "json")
    assert {item["server"] for item in done.json["introduced"]} == {"ruff"}
    edited = [file["path"] for file in done.json["files"]]
    assert done.json["not_asked"] == [{"group": "types", "files": edited}]
    done = shell("check", DEMO_PATCH, "--server", "nobody")
    assert done.code == BAD_INPUT
    assert done.err.startswith("understudy: unknown-server: nobody: there are: basedpyright")


def test_what_a_named_server_leaves_out_is_said(shell: Shell) -> None:
    tax = {"kind": "replace", "path": TAX, "old": "+ 50", "new": "+ 49"}
    script = {"kind": "write", "path": "main.ts", "text": "export const text: number = '';\n"}
    done = shell("check", "--edits", edits_file(shell.folder, tax, script), "--server", "ruff")
    assert done.code == CLEAN
    assert (
        "not judged (no server that was asked is for this kind of file):\n  main.ts\n" in done.out
    )
    assert "1 file judged (types not asked) [stamp " in done.out
    options = ("--server", "ruff", "--format", "sarif")
    done = shell("check", "--edits", edits_file(shell.folder, tax, script), *options)
    (run,) = done.json["runs"]
    assert run["properties"]["notAsked"] == {"types": [TAX, "main.ts"]}
    alone = shell("check", "--edits", edits_file(shell.folder, script), "--server", "ruff")
    assert alone.code == UNKNOWN
    assert "main.ts: no-server: none of those asked judges this kind of file: ruff" in alone.out


def test_a_time_limit_that_is_too_short_is_unknown(shell: Shell) -> None:
    done = shell("check", DEMO_PATCH, "--timeout", "0.01", "--format", "json")
    assert done.code == UNKNOWN
    assert_check(done.json)
    codes = {file["reason"]["code"] for file in done.json["files"]}
    assert codes <= {"starting", "timeout"}
    assert done.json["introduced"] == []


def test_files_that_no_server_judges(shell: Shell) -> None:
    note = {"kind": "write", "path": "notes.txt", "text": "to do\n"}
    tax = {"kind": "replace", "path": TAX, "old": "+ 50", "new": "+ 49"}
    alone = shell("check", "--edits", edits_file(shell.folder, note))
    assert alone.code == UNKNOWN
    assert "notes.txt: no-server: " in alone.out
    both = edits_file(shell.folder, note, tax)
    done = shell("check", "--edits", both)
    assert done.code == CLEAN
    assert "not judged (no server for this kind of file):\n  notes.txt\n" in done.out
    strict = shell("check", "--edits", both, "--strict")
    assert strict.code == UNKNOWN
    assert "notes.txt: no-server: " in strict.out


def test_an_untrusted_interpreter_is_not_executed(shell: Shell) -> None:
    python = shell.folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    witness = shell.folder.parent / "witness"
    python.write_text(f"#!/bin/sh\ntouch '{witness}'\nexit 1\n", encoding="utf-8")
    python.chmod(0o755)
    done = shell("check", "-", stdin=HARMLESS)
    assert done.code == UNKNOWN
    assert "untrusted" in done.out
    assert "`understudy trust`" in done.out
    assert "--trust" in done.out
    assert not witness.exists()


def test_settings_that_name_programs_need_trust(tmp_path: Path, state: Path) -> None:
    folder = make_folder(tmp_path / "work", {"a.txt": "fine\n"})
    (folder / "understudy.toml").write_text(toy_settings("well_behaved"), encoding="utf-8")
    shell = Shell(folder, state)
    edits = edits_file(folder, {"kind": "write", "path": "a.txt", "text": "BAD one\n"})
    done = shell("check", "--edits", edits)
    assert done.code == BAD_INPUT
    assert done.err.startswith("understudy: untrusted: understudy.toml: ")
    assert "--trust" in done.err
    trusting = shell("check", "--edits", edits, "--trust")
    assert trusting.code == FINDINGS
    assert "a.txt:1:1: error BAD one (well_behaved)" in trusting.out
    assert shell("trust").code == 0
    assert shell("check", "--edits", edits).code == FINDINGS


def test_a_file_that_is_no_utf8(tmp_path: Path, state: Path) -> None:
    data = b"caf\xe9\nrest\n"
    folder = make_folder(tmp_path / "work", {"a.txt": data})
    write_user_settings(state, toy_settings("well_behaved"))
    patch = b"--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n caf\xe9\n-rest\n+BAD \xe9\n"
    done = Shell(folder, state)("check", "-", stdin=patch)
    assert done.code == FINDINGS
    assert done.out.startswith("introduced:\n  a.txt:2:1: error BAD \ufffd (well_behaved)\n")
    assert (folder / "a.txt").read_bytes() == data


INTERRUPTS = [
    # signal, toy, what it was sent last before the signal
    (signal.SIGINT, "never_answers", b"textDocument/diagnostic"),
    (signal.SIGTERM, "never_answers", b"textDocument/diagnostic"),
    (signal.SIGINT, "never_initializes", b"initialize"),
]


@pytest.mark.parametrize(("sent", "toy", "last_words"), INTERRUPTS)
def test_an_interrupt_ends_everything(
    tmp_path: Path, state: Path, sent: signal.Signals, toy: str, last_words: bytes
) -> None:
    folder = make_folder(tmp_path / "work", {"a.txt": "fine\n"})
    shell = Shell(folder, state)
    pipe = tmp_path / "copy-of-its-input"
    os.mkfifo(pipe)
    listening = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    profile = toy_profile(toy)
    profile["command"] = ["sh", "-c", f"tee '{pipe}' | {shlex.join(profile['command'])}"]
    write_user_settings(state, settings_text({toy: profile}))
    edits = edits_file(folder, {"kind": "write", "path": "a.txt", "text": "fine, too\n"})
    process = shell.start("check", "--edits", edits)
    read_until(listening, last_words)
    process.send_signal(sent)
    out, err = process.communicate(timeout=SECONDS)
    os.close(listening)
    assert process.returncode == INTERRUPTED
    assert (out, err) == (b"", b"understudy: interrupted\n")
    assert ended_in(folder)
    assert left_in_temporary(state) == []


def read_until(descriptor: int, expected: bytes) -> None:
    """Wait until these bytes have come through a pipe."""
    deadline = time.monotonic() + SECONDS
    data = b""
    while expected not in data:
        ready, _, _ = select.select([descriptor], [], [], max(deadline - time.monotonic(), 0))
        assert ready, f"{expected!r} did not come, only {data!r}"
        data += os.read(descriptor, 65536)
