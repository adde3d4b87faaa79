"""`understudy check` of patches that create, delete and rename files, on real servers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.command_line import SECONDS, Shell
from tests.e2e.folders import child_environment, left_in_state, left_in_temporary, make_folder
from tests.langserver.toybox import ended_in
from tests.support.workspace import state_of

CLEAN, FINDINGS, UNKNOWN = 0, 1, 3


def edits_file(shell: Shell, *edits: dict[str, str]) -> Path:
    path = shell.folder.parent / "edits.json"
    path.write_text(json.dumps(edits), encoding="utf-8")
    return path


def deletion(shell: Shell, path: str) -> str:
    """A git patch that deletes a file."""
    lines = (shell.folder / path).read_text().splitlines()
    body = "".join(f"-{line}\n" for line in lines)
    head = f"diff --git a/{path} b/{path}\ndeleted file mode 100644\n"
    return f"{head}--- a/{path}\n+++ /dev/null\n@@ -1,{len(lines)} +0,0 @@\n{body}"


def found(report) -> set[tuple[str, int, str]]:
    """Path, 0-based line and code of what is introduced at severity error."""
    return {
        (item["path"], item["range"]["start"]["line"], item["code"])
        for item in report["introduced"]
        if item["severity"] == "error"
    }


def test_a_deleted_module_is_missed_by_its_importers(shell: Shell) -> None:
    before = state_of(shell.folder)
    done = shell("check", "-", stdin=deletion(shell, "invoices/tax.py"))
    assert done.code == FINDINGS, done
    for line in ("invoices/printing.py:6:6: error reportMissingImports",
                 "invoices/totals.py:8:6: error reportMissingImports"):  # fmt: skip
        assert f"  {line} " in done.out
    assert state_of(shell.folder) == before
    assert ended_in(shell.folder)
    assert left_in_temporary(shell.state) == []
    assert left_in_state(shell.state) == []


def test_a_renamed_module(shell: Shell) -> None:
    rename = {"kind": "rename", "path": "invoices/tax.py", "to": "invoices/vat.py"}
    done = shell("check", "--edits", edits_file(shell, rename), "--format", "json")
    assert done.code == FINDINGS
    assert found(done.json) == {
        ("invoices/printing.py", 5, "reportMissingImports"),
        ("invoices/totals.py", 7, "reportMissingImports"),
    }
    fixed = [
        {"kind": "replace", "path": path, "old": "from invoices.tax", "new": "from invoices.vat"}
        for path in ("invoices/printing.py", "invoices/totals.py")
    ]
    done = shell("check", "--edits", edits_file(shell, rename, *fixed), "--format", "json")
    assert (done.code, found(done.json)) == (CLEAN, set())


def test_a_new_module_and_its_first_user(shell: Shell) -> None:
    new = {"kind": "write", "path": "invoices/money.py", "text": "def money() -> str: ...\n"}
    text = "from invoices.money import money\n\nAMOUNT: int = money()\n"
    use = {"kind": "write", "path": "use.py", "text": text}
    done = shell("check", "--edits", edits_file(shell, new, use), "--format", "json")
    assert ("use.py", 2, "reportAssignmentType") in found(done.json), done
    assert not any(code == "reportMissingImports" for _, _, code in found(done.json))


@pytest.mark.parametrize("server", ["typescript-language-server", "typescript7"])
def test_a_stricter_configuration(tmp_path: Path, state: Path, server: str) -> None:
    config = '{"compilerOptions": {"strict": %s, "noEmit": true, "types": []}}\n'
    files = {
        "tsconfig.json": config % "false",
        "a.ts": "export function double(n) {\n  return 2 * n;\n}\n",
        "b.ts": "export const b = 1;\n",
    }
    shell = Shell(make_folder(tmp_path / "work", files), state)
    edit = {"kind": "write", "path": "tsconfig.json", "text": config % "true"}
    path = edits_file(shell, edit)
    done = shell("check", "--edits", path, "--server", server, "--format", "json")
    assert (done.code, found(done.json)) == (FINDINGS, {("a.ts", 0, "7006")}), done
    assert {file["path"] for file in done.json["files"]} == {"a.ts", "b.ts"}


def test_where_no_stage_can_be_made(shell: Shell) -> None:
    """As in a container that forbids namespaces: never clean, and the reason says what failed."""
    program = "from understudy.stage.copy import seccomp; seccomp.install(); "
    program += "from understudy.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "check", "-"],
        cwd=shell.folder,
        env=child_environment(shell.state),
        input=deletion(shell, "invoices/tax.py"),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == UNKNOWN, done
    assert "invoices/tax.py is deleted or renamed, but still on disk" in done.stdout
    assert "namespace failed" in done.stdout
    assert left_in_temporary(shell.state) == []
