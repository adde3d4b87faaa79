"""Edits over LSP: what is wrong with one is said by name, and the branch is as it was."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.e2e.folders import make_folder
from tests.e2e.lsp_client import Editor, Json, open_editor
from tests.support.workspace import state_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

FILES: dict[str, str | bytes] = {
    "a.txt": "one\ntwo\n\U0001f600\n",
    "twice.txt": "x\nsame\ny\nx\nsame\ny\n",
    "folder/b.txt": "b\n",
    "binary.bin": b"\0\1\2",
    "huge.txt": b"x" * 1024 * 1024 * 21,
    "book.ipynb": "{}\n",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    place = tmp_path_factory.mktemp("edits")
    folder = make_folder(place / "work", FILES)
    (folder / "link").symlink_to(place)
    before = state_of(folder)
    async with open_editor(folder, place / "state") as opened:
        yield opened
    assert state_of(folder) == before


def diff(path: str, *lines: str) -> Json:
    head = f"--- a/{path}\n+++ b/{path}\n@@ -1,2 +1,2 @@\n"
    return {"kind": "diff", "text": head + "".join(f"{line}\n" for line in lines)}


def workspace_edit(uri: str, *places: tuple[int, int, int, int, str]) -> Json:
    edits = [
        {
            "range": {
                "start": {"line": line, "character": column},
                "end": {"line": last, "character": end},
            },
            "newText": text,
        }
        for line, column, last, end, text in places
    ]
    return {"kind": "workspaceEdit", "edit": {"changes": {uri: edits}}}


REFUSED: list[tuple[Json, str, str]] = [
    # edit, code, part of where
    ({"kind": "diff", "text": "hello\n"}, "not-a-diff", ""),
    ({"kind": "diff", "text": ""}, "not-a-diff", ""),
    (diff("../out.txt", "-one", "+1"), "outside-root", "../out.txt"),
    (diff("link/out.txt", "-one", "+1"), "outside-root", "link/out.txt"),
    (diff("a.txt", "-three", "+3"), "hunk-mismatch", "a.txt"),
    ({"kind": "diff", "text": "--- a/twice.txt\n+++ b/twice.txt\n@@ -30,3 +30,3 @@\n x\n-same\n"
      "+other\n y\n"}, "hunk-ambiguous", "twice.txt"),
    ({"kind": "diff", "text": "diff --git a/binary.bin b/binary.bin\nindex 1..2 100644\n"
      "Binary files a/binary.bin and b/binary.bin differ\n"}, "binary-patch", "binary.bin"),
    ({"kind": "write", "path": "/etc/passwd", "text": ""}, "outside-root", "/etc/passwd"),
    ({"kind": "write", "path": "folder/../../x", "text": ""}, "outside-root", "folder/../../x"),
    ({"kind": "write", "path": ".git/config", "text": ""}, "outside-root", ".git/config"),
    ({"kind": "write", "path": "folder", "text": ""}, "is-folder", "folder"),
    ({"kind": "write", "path": "a.txt/b", "text": ""}, "not-a-folder", "a.txt/b"),
    ({"kind": "write", "path": "", "text": ""}, "bad-path", ""),
    ({"kind": "write", "path": "a.txt", "text": "x\0y"}, "not-text", "a.txt"),
    ({"kind": "write", "path": "a.txt", "text": "\ud83d"}, "not-text", "a.txt"),
    ({"kind": "write", "path": "a.txt"}, "missing-field", "edits[1].text"),
    ({"kind": "write", "path": "a.txt", "text": 3}, "bad-field", "edits[1].text"),
    ({"kind": "write", "path": "a.txt", "text": "", "x": 1}, "unexpected-field", "edits[1].x"),
    ({"kind": "paint", "path": "a.txt"}, "unknown-kind", "edits[1].kind"),
    ({"kind": "replace", "path": "a.txt", "old": "three", "new": "3"}, "no-match", "a.txt"),
    ({"kind": "replace", "path": "twice.txt", "old": "same", "new": ""}, "ambiguous-match",
     "twice.txt"),
    ({"kind": "replace", "path": "none.txt", "old": "a", "new": ""}, "no-such-file", "none.txt"),
    ({"kind": "replace", "path": "binary.bin", "old": "a", "new": ""}, "not-text", "binary.bin"),
    ({"kind": "replace", "path": "huge.txt", "old": "a", "new": ""}, "too-large", "huge.txt"),
    ({"kind": "replace", "path": "book.ipynb", "old": "{", "new": ""}, "unsupported", "book.ipynb"),
    ({"kind": "delete", "path": "none.txt"}, "no-such-file", "none.txt"),
    ({"kind": "rename", "path": "a.txt", "to": "twice.txt"}, "exists", "twice.txt"),
    (workspace_edit("a.txt", (9, 0, 9, 0, "x")), "bad-range", "a.txt"),
    (workspace_edit("a.txt", (2, 1, 2, 2, "x")), "bad-range", "a.txt"),
    (workspace_edit("a.txt", (0, 2, 0, 1, "x")), "bad-range", "a.txt"),
    (workspace_edit("a.txt", (0, 0, 0, 2, "x"), (0, 1, 0, 3, "y")), "overlapping-edits", "a.txt"),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "code", "where"), REFUSED)
async def test_a_refused_edit_says_where_and_changes_nothing(
    editor: Editor, edit: Json, code: str, where: str
) -> None:
    branch = await editor.branch()
    kept = await editor.edit(branch, {"kind": "write", "path": "kept.txt", "text": "kept\n"})
    before = await the_state_of(editor, branch)
    if edit["kind"] == "workspaceEdit":
        ((name, changes),) = edit["edit"]["changes"].items()
        edit = {"kind": "workspaceEdit", "edit": {"changes": {editor.uri(name): changes}}}
    good = {"kind": "write", "path": "good.txt", "text": "good\n"}
    params = {"branch": branch, "edits": [good, edit]}
    error = await editor.refusal("understudy/branch/edit", params)
    assert error["code"] == -32602
    assert error["data"]["code"] == code
    assert where in (error["data"]["where"] or "")
    assert error["data"]["text"]
    assert await the_state_of(editor, branch) == before
    again = {"branch": branch, "edits": [good], "ifStamp": kept["stamp"]}
    assert (await editor.ask("understudy/branch/edit", again))["changed"] == ["good.txt"]


async def the_state_of(editor: Editor, branch: str) -> tuple[Any, ...]:
    """All that the face tells about a branch."""
    listed = (await editor.ask("understudy/branch/list"))["branches"]
    (summary,) = [entry for entry in listed if entry["branch"] == branch]
    return summary["files"], summary["revision"], await editor.diff(branch)


async def test_a_stale_stamp_is_refused(editor: Editor) -> None:
    branch = await editor.branch()
    first = await editor.edit(branch, {"kind": "write", "path": "new.txt", "text": "1\n"})
    edit = {"kind": "write", "path": "new.txt", "text": "2\n"}
    params = {"branch": branch, "edits": [edit], "ifStamp": first["stamp"]}
    second = await editor.ask("understudy/branch/edit", params)
    assert second["stamp"] != first["stamp"]
    error = await editor.refusal("understudy/branch/edit", params)
    assert error["data"]["code"] == "stale-stamp"
    assert second["stamp"] in error["data"]["text"]
    assert await editor.diff(branch) == (
        "diff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n"
        "@@ -0,0 +1 @@\n+2\n"
    )


MALFORMED: list[tuple[str, object, str, str]] = [
    # method, params, code, part of the text
    ("branch/create", {"title": 3}, "bad-params", "expected a string"),
    ("branch/create", {"name": "x"}, "bad-params", "unknown: name"),
    ("branch/create", [1], "bad-params", "expected a table"),
    ("branch/create", {"title": "two\nlines"}, "bad-title", "one line"),
    ("branch/edit", {}, "bad-params", "missing: branch"),
    ("branch/edit", {"branch": "b1", "edits": {}}, "bad-params", "expected a list"),
    ("branch/edit", {"branch": "none", "edits": []}, "unknown-branch", "no such branch"),
    ("branch/check", {}, "bad-params", "name a branch"),
    ("branch/check", {"branch": 7}, "bad-params", "branch"),
    ("branch/check", {"branch": "none"}, "unknown-branch", "no such branch"),
    ("branch/check", {"branch": "$", "before": "none"}, "unknown-checkpoint", "no such"),
    ("branch/check", {"branch": "$", "servers": ["none"]}, "unknown-server", "there are: "),
    ("branch/check", {"branch": "$", "servers": "ruff"}, "bad-params", "a list of strings"),
    ("branch/check", {"branch": "$", "scope": "all"}, "bad-params", "scope"),
    ("branch/check", {"branch": "$", "severity": "fatal"}, "bad-params", "severity"),
    ("branch/check", {"branch": "$", "timeout": "5"}, "bad-params", "expected a number"),
    ("branch/check", {"branch": "$", "timeout": 0}, "bad-timeout", "more than 0"),
    ("branch/check", {"branch": "$", "timeout": -1}, "bad-timeout", "more than 0"),
    ("branch/check", {"branch": "$", "strict": "no"}, "bad-params", "true or false"),
    ("branch/diff", {}, "bad-params", "missing: branch"),
    ("branch/diff", {"branch": "none"}, "unknown-branch", "no such branch"),
    ("branch/rebase", {"branch": "none"}, "unknown-branch", "no such branch"),
    ("branch/rebase", {"branch": "$", "resolve": {"a.txt": 3}}, "bad-params", "a text, or null"),
    ("branch/rebase", {"branch": "$", "resolve": {"a.txt": ""}}, "no-conflict", "no conflict"),
    ("branch/discard", {"branch": "none"}, "unknown-branch", "no such branch"),
    ("branch/list", {"archived": 1}, "bad-params", "true or false"),
    ("branch/request", {"branch": "$"}, "bad-params", "missing: method"),
    ("branch/request", {"branch": "none", "method": "textDocument/hover",
                        "params": {}}, "unknown-branch", "no such branch"),
    ("branch/request", {"branch": "$", "method": "textDocument/didOpen",
                        "params": {}}, "method-not-allowed", "textDocument/hover"),
    ("branch/request", {"branch": "$", "method": "textDocument/hover",
                        "params": {}}, "bad-params", "textDocument.uri"),
    ("branch/request", {"branch": "$", "method": "textDocument/hover", "params":
                        {"textDocument": {"uri": "file:///x"}}}, "outside-root", "not in the root"),
    ("checkpoint", {"drop": "none"}, "unknown-checkpoint", "no such checkpoint"),
    ("status", {"verbose": True}, "bad-params", "unknown: verbose"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "params", "code", "text"), MALFORMED)
async def test_malformed_params(
    editor: Editor, method: str, params: object, code: str, text: str
) -> None:
    if isinstance(params, dict) and params.get("branch") == "$":
        params = {**params, "branch": await editor.branch()}
    error = await editor.refusal(f"understudy/{method}", params)
    assert error["code"] == -32602
    assert error["data"]["code"] == code
    assert text in error["data"]["text"]
    assert error["data"].keys() == {"code", "text", "where"}
