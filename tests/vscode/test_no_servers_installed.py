"""No server on the machine: the editor's own judge, as its Problems do, and its extensions'."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.folders import make_folder
from tests.support.projects import project
from tests.support.servers import environment, program
from tests.support.workspace import state_of
from tests.vscode import stand_ins
from tests.vscode.conftest import TRUSTED
from tests.vscode.workbench import Window

SCHEMA = {"type": "object", "properties": {"count": {"type": "integer"}}}
FILES = {
    "schema.json": json.dumps(SCHEMA),
    "data.json": '{"$schema": "./schema.json", "count": 1}\n',
    "page.css": ".a {\n  color: red;\n}\n",
    "page.html": "<style>\n  .a { color: red; }\n</style>\n",
    "tsconfig.json": '{"compilerOptions": {"strict": true, "types": []}}\n',
    "lib.ts": "export const one: number = 1;\n",
    "user.ts": 'import { one } from "./lib";\nexport const two: number = one;\n',
    **{
        f"web/{path}": text
        for path, text in project("javascript").files.items()
        if path.startswith("node_modules/")
    },
    "web/eslint.config.js": 'module.exports = [{ rules: { "no-undef": "error" } }];\n',
    "web/count.js": "const count = 1;\nmodule.exports = { count };\n",
    "cmd/go.mod": "module demo\n\ngo 1.21\n",
    "cmd/main.go": "package main\n\nfunc main() {\n\tcount := 1\n\t_ = count\n}\n",
    "native/main.c": "int main(void) {\n  int count = 1;\n  return count;\n}\n",
    "app.py": '"""An app."""\n\nprint(1)\n',
}
CASES = [
    ("data.json", "1}", '"many"}', "vscode-json"),
    ("page.css", "color", "colour", "vscode-css"),
    ("page.html", "color", "colour", "vscode-html"),
    ("user.ts", "= one", "= three", "typescript-language-server"),
]


@pytest.fixture(scope="module")
def search_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python, a Go and the system's own programs: no language server, no Node.js."""
    go = shutil.which("go", path=environment()["PATH"])
    assert go is not None
    programs = tmp_path_factory.mktemp("bin")
    (programs / "python3").symlink_to(Path(sys.base_prefix) / "bin" / "python3")
    return f"{programs}:{Path(go).resolve().parent}:/usr/bin:/bin"


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """The user has told the extensions for Go and C where their servers are."""
    tools = tmp_path_factory.mktemp("tools") / "bin"
    tools.mkdir()
    (tools / "gopls").symlink_to(program("gopls"))
    told = {"go.toolsGopath": str(tools.parent), "clangd.path": str(program("clangd"))}
    return {**TRUSTED, **told}


@pytest.fixture(scope="module")
def users_extensions(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Path]:
    folder = tmp_path_factory.mktemp("extensions")
    clangd = ("llvm-vs-code-extensions", "vscode-clangd", "clangd.path")
    return [
        stand_ins.eslint(folder),
        stand_ins.with_setting(folder, "golang", "go", "go.toolsGopath"),
        stand_ins.with_setting(folder, *clangd),
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("folder") / "work", FILES)


MESSAGES = """
const uri = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, path);
const found = vscode.languages.getDiagnostics(uri)
  .filter((one) => one.severity <= vscode.DiagnosticSeverity.Warning)
  .map((one) => one.message.split("\\n")[0]);
return found.length > 0 ? found : undefined;
"""
REPLACE = """
const uri = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, path);
const document = await vscode.workspace.openTextDocument(uri);
await vscode.window.showTextDocument(document);
const at = document.getText().indexOf(old);
const edit = new vscode.WorkspaceEdit();
const range = new vscode.Range(document.positionAt(at), document.positionAt(at + old.length));
edit.replace(uri, range, text);
return vscode.workspace.applyEdit(edit);
"""


@pytest.mark.parametrize(("path", "old", "new", "server"), CASES)
def test_the_verdict_is_what_problems_will_show(
    window: Window, folder: Path, path: str, old: str, new: str, server: str
) -> None:
    before = state_of(folder)
    edit = {"kind": "replace", "path": path, "old": old, "new": new}
    text = window.call_tool("understudy_lint", edits=[edit], fresh=True, severity="warning")
    assert text.startswith("findings: 1 introduced"), text
    assert f"({server})" in text
    assert state_of(folder) == before
    assert window.run(REPLACE, path=path, old=old, text=new)
    (message,) = window.until(MESSAGES, path=path)
    assert message in text, (message, text)
    window.command("workbench.action.files.revert")


@pytest.mark.parametrize(
    ("path", "server"),
    [("web/count.js", "eslint"), ("cmd/main.go", "gopls"), ("native/main.c", "clangd")],
)
def test_what_the_users_extensions_have_judges(window: Window, path: str, server: str) -> None:
    for new, expected in (("= missing", "findings: 1 introduced"), ("= 2", "clean")):
        edit = {"kind": "replace", "path": path, "old": "= 1", "new": new}
        text = window.lint(edits=[edit], fresh=True, servers=[server])
        assert text.startswith(expected), text
        assert expected == "clean" or f"({server})" in text


def test_python_is_judged_by_what_came_with_the_extension(window: Window) -> None:
    edit = {"kind": "write", "path": "app.py", "text": '"""An app."""\n\nprint(undefined_name)\n'}
    text = window.call_tool("understudy_lint", edits=[edit], fresh=True)
    assert "(basedpyright)" in text
    assert "(ruff)" in text


def test_what_nothing_can_judge_names_the_choices(window: Window, folder: Path) -> None:
    edit = {"kind": "write", "path": "run.sh", "text": "#!/bin/sh\necho $x\n"}
    text = window.call_tool("understudy_lint", edits=[edit], fresh=True)
    assert text.startswith("UNKNOWN - NOT VERIFIED")
    assert "not-installed" in text
    assert "bash-language-server (npm install bash-language-server" in text
