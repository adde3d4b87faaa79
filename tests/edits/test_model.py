"""Edit batches as JSON: what is read, and what every mistake is called."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.edits.model import (
    Delete,
    DiffEdit,
    Rename,
    Replace,
    WorkspaceEdit,
    Write,
    parse_edits,
)
from understudy.values.errors import BadInput


def test_every_kind() -> None:
    raw = [
        {"kind": "diff", "text": "d"},
        {"kind": "workspaceEdit", "edit": {"changes": {}}},
        {"kind": "replace", "path": "a", "old": "o", "new": ""},
        {"kind": "write", "path": "a", "text": ""},
        {"kind": "delete", "path": "a"},
        {"kind": "rename", "path": "a", "to": "b"},
    ]
    assert parse_edits(raw) == (
        DiffEdit("d"),
        WorkspaceEdit({"changes": {}}),
        Replace("a", "o", ""),
        Write("a", ""),
        Delete("a"),
        Rename("a", "b"),
    )
    assert parse_edits([]) == ()


@pytest.mark.parametrize(
    ("raw", "code", "where"),
    [
        (None, "bad-field", "edits"),
        ({"kind": "delete", "path": "a"}, "bad-field", "edits"),
        ("diff", "bad-field", "edits"),
        (["diff"], "bad-field", "edits[0]"),
        ([{}], "missing-field", "edits[0].kind"),
        ([{"kind": 1}], "bad-field", "edits[0].kind"),
        ([{"kind": "patch", "text": ""}], "unknown-kind", "edits[0].kind"),
        ([{"kind": "delete", "path": "a"}, {"kind": "delete"}], "missing-field", "edits[1].path"),
        ([{"kind": "delete", "path": None}], "bad-field", "edits[0].path"),
        ([{"kind": "delete", "path": "a", "to": "b"}], "unexpected-field", "edits[0].to"),
        ([{"kind": "rename", "path": "a"}], "missing-field", "edits[0].to"),
        ([{"kind": "replace", "path": "a", "old": "x"}], "missing-field", "edits[0].new"),
        ([{"kind": "write", "path": "a", "text": ["x"]}], "bad-field", "edits[0].text"),
        ([{"kind": "diff", "text": True}], "bad-field", "edits[0].text"),
        ([{"kind": "workspaceEdit"}], "missing-field", "edits[0].edit"),
        ([{"kind": "workspaceEdit", "edit": []}], "bad-field", "edits[0].edit"),
    ],
)
def test_mistakes(raw: Any, code: str, where: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_edits(raw)
    assert (caught.value.code, caught.value.where) == (code, where)
