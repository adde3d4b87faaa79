"""Patches and edits: what an agent sends."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tests.fuzz.targets.model import FuzzTarget, text_of
from tests.support.trees import MemoryTree
from understudy.edits.batch import apply_edits
from understudy.edits.draft import DraftChange
from understudy.edits.model import parse_edits
from understudy.edits.render import unified_diff
from understudy.values.errors import UnderstudyError

_TREE = MemoryTree(
    {
        "a.py": "def f(x):\n    return x\n\n\ndef g():\n    return f(1)\n",
        "b/c.txt": "one\r\ntwo\r\nthree",
        "empty": "",
        "same": "x\nx\nx\n",
    }
)


def _applied(raw: object) -> Mapping[str, DraftChange] | None:
    try:
        return apply_edits(parse_edits(raw), _TREE)
    except UnderstudyError:
        return None


def _patch(data: bytes) -> None:
    """What a patch makes, written as a patch, makes the same again."""
    changes = _applied([{"kind": "diff", "text": text_of(data)}])
    for path, change in (changes or {}).items():
        before = _TREE.read(path)
        if change.origin is not None or before is None or before == change.after:
            continue
        rendered = unified_diff(before, change.after, path)
        again = _applied([{"kind": "diff", "text": rendered}])
        assert again is not None, "our own patch does not apply"
        assert again[path].after == change.after, "our own patch makes something else"


def _edits(data: bytes) -> None:
    try:
        raw = json.loads(text_of(data))
    except (ValueError, RecursionError):
        return
    _applied(raw)


def _json(*edits: object) -> bytes:
    return json.dumps(list(edits)).encode()


TARGETS = (
    FuzzTarget(
        "patch",
        _patch,
        (
            b"--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n def f(x):\n-    return x\n+    return x + 1\n",
            b"diff --git a/same b/new\nsimilarity index 90%\nrename from same\nrename to new\n",
            (
                b"*** Begin Patch\n*** Update File: a.py\n@@ def g():\n-    return f(1)\n+    return 2\n"
                b"*** Add File: n.txt\n+hello\n*** Delete File: empty\n*** End Patch\n"
            ),
            (
                b'--- "a/b/c.txt"\n+++ "b/b/c.txt"\n@@ -2 +2 @@\n-two\r\n+zwei\r\n'
                b"\\ No newline at end of file\n"
            ),
            b"--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n",
            b"GIT binary patch\nliteral 0\nHcmV?d00001\n",
        ),
    ),
    FuzzTarget(
        "edits",
        _edits,
        (
            _json({"kind": "replace", "path": "a.py", "old": "f(1)", "new": "f(2)"}),
            _json(
                {"kind": "write", "path": "n/e/w", "text": "\r\n"},
                {"kind": "delete", "path": "same"},
            ),
            _json({"kind": "rename", "path": "a.py", "to": "b.py"}),
            _json(
                {
                    "kind": "workspaceEdit",
                    "edit": {
                        "changes": {
                            "file:///a.py": [
                                {
                                    "range": {
                                        "start": {"line": 0, "character": 0},
                                        "end": {"line": 0, "character": 3},
                                    },
                                    "newText": "x",
                                }
                            ]
                        },
                        "documentChanges": [{"kind": "create", "uri": "file:///q"}],
                    },
                }
            ),
        ),
    ),
)
