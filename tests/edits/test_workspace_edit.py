"""LSP workspace edits: order, positions, options, and every way to be wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.trees import Files, MemoryTree
from understudy.edits.batch import apply_edits
from understudy.edits.model import WorkspaceEdit
from understudy.values.errors import BadInput

ROOT = "file:///nowhere/project/"
AB: Files = {"a": "one\ntwo\n", "b": "x = '😀'\r\n"}


def text_edit(start: str, end: str, new: str, **more: Any) -> dict[str, Any]:
    """An edit from `line:character` to `line:character`."""
    places = [
        dict(zip(("line", "character"), map(int, at.split(":")), strict=True))
        for at in (start, end)
    ]
    return {"range": {"start": places[0], "end": places[1]}, "newText": new, **more}


def document(path: str, *edits: Any) -> dict[str, Any]:
    return {"textDocument": {"uri": ROOT + path, "version": None}, "edits": list(edits)}


def apply(edit: dict[str, Any], files: Files = AB) -> dict[str, bytes]:
    tree = MemoryTree(files)
    changes = apply_edits([WorkspaceEdit(edit)], tree)
    return {path: text.encode() for path, text in tree.after(changes).items()}


@pytest.mark.parametrize(
    ("path", "edits", "after"),
    [
        ("a", [("0:0", "0:3", "ONE"), ("1:0", "1:3", "TWO")], "ONE\nTWO\n"),
        ("a", [("1:0", "1:3", "TWO"), ("0:0", "0:3", "ONE")], "ONE\nTWO\n"),
        ("a", [("0:3", "0:3", "a"), ("0:3", "0:3", "b")], "oneab\ntwo\n"),
        ("a", [("0:0", "0:1", "X"), ("0:1", "0:2", "Y")], "XYe\ntwo\n"),
        ("a", [("0:0", "0:0", "A"), ("0:0", "0:3", "B")], "AB\ntwo\n"),
        ("a", [("2:0", "2:0", "end")], "one\ntwo\nend"),
        ("a", [("0:3", "1:0", " ")], "one two\n"),
        ("b", [("0:5", "0:7", "!")], "x = '!'\r\n"),
        ("b", [("0:8", "1:0", "")], "x = '😀'"),
        ("a", [], "one\ntwo\n"),
    ],
)
def test_edits_of_a_document(path: str, edits: list[tuple[str, str, str]], after: str) -> None:
    items = [text_edit(*edit) for edit in edits]
    assert apply({"documentChanges": [document(path, *items)]})[path] == after.encode()
    assert apply({"changes": {ROOT + path: items}})[path] == after.encode()


@pytest.mark.parametrize(
    ("operations", "after"),
    [
        ([{"kind": "create", "uri": "n"}], {"n": b""}),
        (
            [{"kind": "create", "uri": "n"}, document("n", text_edit("0:0", "0:0", "x"))],
            {"n": b"x"},
        ),
        ([{"kind": "create", "uri": "a", "options": {"overwrite": True}}], {"a": b""}),
        ([{"kind": "create", "uri": "a", "options": {"ignoreIfExists": True}}], {}),
        ([{"kind": "rename", "oldUri": "a", "newUri": "n"}], {"a": None, "n": b"one\ntwo\n"}),
        (
            [{"kind": "rename", "oldUri": "a", "newUri": "b", "options": {"overwrite": True}}],
            {"a": None, "b": b"one\ntwo\n"},
        ),
        (
            [{"kind": "rename", "oldUri": "a", "newUri": "b", "options": {"ignoreIfExists": True}}],
            {},
        ),
        ([{"kind": "delete", "uri": "a"}], {"a": None}),
        ([{"kind": "delete", "uri": "n", "options": {"ignoreIfNotExists": True}}], {}),
        ([document("a", text_edit("0:0", "0:3", "1", annotationId="x"))], {"a": b"1\ntwo\n"}),
    ],
)
def test_operations(operations: list[dict[str, Any]], after: dict[str, bytes | None]) -> None:
    for operation in operations:
        for name in ("uri", "oldUri", "newUri"):
            if name in operation:
                operation[name] = ROOT + operation[name]
    expected: dict[str, bytes | None] = {**apply({}), **after}
    kept = {path: data for path, data in expected.items() if data is not None}
    assert apply({"documentChanges": operations, "changes": {"ignored": 1}}) == kept


@pytest.mark.parametrize(
    ("edit", "code", "where"),
    [
        ({"edits": []}, "unexpected-field", "edit.edits"),
        ({"changes": []}, "bad-field", "edit.changes"),
        ({"changes": {ROOT + "a": {}}}, "bad-field", f"edit.changes['{ROOT}a']"),
        ({"changes": {"file:///etc/passwd": []}}, "outside-root", "file:///etc/passwd"),
        ({"changes": {"http://host/a": []}}, "outside-root", "http://host/a"),
        ({"changes": {ROOT + "..%2fx": []}}, "outside-root", ROOT + "..%2fx"),
        ({"changes": {ROOT + "n.ipynb": []}}, "unsupported", "n.ipynb"),
        (
            {"changes": {"vscode-notebook-cell:/n#1": []}},
            "unsupported",
            "vscode-notebook-cell:/n#1",
        ),
        ({"changes": {ROOT + "n": []}}, "no-such-file", "n"),
        ({"documentChanges": [{"kind": "move"}]}, "unknown-kind", "edit.documentChanges[0].kind"),
        (
            {"documentChanges": [{"edits": []}]},
            "missing-field",
            "edit.documentChanges[0].textDocument",
        ),
        ({"documentChanges": [{"kind": "create", "uri": ROOT + "a"}]}, "exists", "a"),
        (
            {"documentChanges": [{"kind": "create", "uri": ROOT + "n", "options": 1}]},
            "bad-field",
            "edit.documentChanges[0].options",
        ),
        (
            {
                "documentChanges": [
                    {"kind": "create", "uri": ROOT + "a", "options": {"overwrite": 1}}
                ]
            },
            "bad-field",
            "edit.documentChanges[0].options.overwrite",
        ),
        (
            {"documentChanges": [{"kind": "rename", "oldUri": ROOT + "a", "newUri": ROOT + "b"}]},
            "exists",
            "b",
        ),
        (
            {"documentChanges": [{"kind": "rename", "oldUri": ROOT + "n", "newUri": ROOT + "m"}]},
            "no-such-file",
            "n",
        ),
        ({"documentChanges": [{"kind": "delete", "uri": ROOT + "n"}]}, "no-such-file", "n"),
        (
            {
                "documentChanges": [
                    {"kind": "delete", "uri": ROOT + "d", "options": {"recursive": True}}
                ]
            },
            "unsupported",
            "d",
        ),
    ],
)
def test_mistakes(edit: dict[str, Any], code: str, where: str) -> None:
    with pytest.raises(BadInput) as caught:
        apply(edit)
    assert (caught.value.code, caught.value.where) == (code, f"edits[0] {where}")


@pytest.mark.parametrize(
    ("path", "edits", "code", "where"),
    [
        ("a", [("3:0", "3:0", "")], "bad-range", "a:4:1 {}[0].range.start"),
        ("a", [("0:0", "0:4", "")], "bad-range", "a:1:5 {}[0].range.end"),
        ("a", [("0:2", "0:1", "")], "bad-range", "a {}[0].range"),
        ("b", [("0:0", "0:6", "")], "bad-range", "b:1:7 {}[0].range.end"),
        ("a", [("0:0", "0:2", ""), ("0:1", "0:3", "")], "overlapping-edits", "a {}[1]"),
        ("a", [("0:0", "0:2", ""), ("0:0", "0:0", "x")], "overlapping-edits", "a {}[1]"),
        ("a", [("0:-1", "0:1", "")], "bad-field", "{}[0].range.start.character"),
    ],
)
def test_bad_ranges(path: str, edits: list[tuple[str, str, str]], code: str, where: str) -> None:
    with pytest.raises(BadInput) as caught:
        apply({"documentChanges": [document(path, *(text_edit(*edit) for edit in edits))]})
    expected = "edits[0] " + where.format("edit.documentChanges[0].edits")
    assert (caught.value.code, caught.value.where) == (code, expected)


@pytest.mark.parametrize(
    "item",
    [
        {**text_edit("0:0", "0:0", ""), "snippet": {"kind": "snippet", "value": "$0"}},
        {**text_edit("0:0", "0:0", "$0"), "insertTextFormat": 2},
    ],
)
def test_snippets_are_refused(item: dict[str, Any]) -> None:
    with pytest.raises(BadInput) as caught:
        apply({"documentChanges": [document("a", item)]})
    assert caught.value.code == "unsupported"


@pytest.mark.parametrize(
    ("item", "code", "field"),
    [
        (1, "bad-field", ""),
        ({"newText": ""}, "missing-field", ".range"),
        (
            {"range": {"start": {"line": 0, "character": 0}}, "newText": ""},
            "missing-field",
            ".range.end",
        ),
        ({"range": text_edit("0:0", "0:0", "")["range"]}, "missing-field", ".newText"),
        ({**text_edit("0:0", "0:0", ""), "newText": 1}, "bad-field", ".newText"),
        (
            {"range": {"start": {"line": True, "character": 0}}, "newText": ""},
            "bad-field",
            ".range.start.line",
        ),
    ],
)
def test_mistyped_edits(item: Any, code: str, field: str) -> None:
    with pytest.raises(BadInput) as caught:
        apply({"documentChanges": [document("a", item)]})
    assert caught.value.code == code
    assert caught.value.where == f"edits[0] edit.documentChanges[0].edits[0]{field}"


def test_all_or_nothing() -> None:
    tree = MemoryTree(AB)
    before = dict(tree.texts)
    edit = {
        "changes": {
            ROOT + "a": [text_edit("0:0", "0:3", "x")],
            ROOT + "b": [text_edit("9:0", "9:0", "")],
        }
    }
    with pytest.raises(BadInput):
        apply_edits([WorkspaceEdit(edit)], tree)
    assert tree.texts == before
