"""Batches: each item on the result of the one before, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.trees import Files, MemoryTree, applied
from understudy.edits.batch import apply_edits
from understudy.edits.draft import DraftChange
from understudy.edits.model import Delete, DiffEdit, Edit, Rename, Replace, Write
from understudy.values.errors import BadInput
from understudy.values.texts import Text

AB: Files = {"a": "one\ntwo\n", "b": "three\n"}
PATCH = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-{}\n+{}\n"


@pytest.mark.parametrize(
    ("before", "edits", "after"),
    [
        ({}, [Write("d/n.py", "x\r\n")], {"d/n.py": b"x\r\n"}),
        ({"a": b"\xef\xbb\xbfold"}, [Write("a", "new\n")], {"a": b"\xef\xbb\xbfnew\n"}),
        ({"a": b"\xef\xbb\xbfold"}, [Write("a", "\ufeffnew\n")], {"a": b"\xef\xbb\xbfnew\n"}),
        ({"a": b"\xff\xfeo\0"}, [Write("a", "n")], {"a": b"\xff\xfen\0"}),
        ({}, [Write("a", "\ufeffx")], {"a": b"\xef\xbb\xbfx"}),
        ({"a": "x y"}, [Replace("./a", "x", "z")], {"a": b"z y"}),
        ({"a": "x\r\ny\r\n"}, [Replace("a", "x\ny", "x\nz\ny")], {"a": b"x\r\nz\r\ny\r\n"}),
        ({"a": "x\ny\r\n"}, [Replace("a", "x\n", "z\n")], {"a": b"z\ny\r\n"}),
        ({"a": b"\xff x"}, [Replace("a", "x", "z")], {"a": b"\xff z"}),
        (AB, [Delete("a")], {"b": b"three\n"}),
        (AB, [Delete("a"), Write("a", "new")], {"a": b"new", "b": b"three\n"}),
        (AB, [Write("n", ""), Delete("n")], {"a": b"one\ntwo\n", "b": b"three\n"}),
        (AB, [DiffEdit(PATCH.format("one", "1")), Replace("a", "1", "2")],
         {"a": b"2\ntwo\n", "b": b"three\n"}),
        (AB, [Delete("a"), Rename("b", "a")], {"a": b"three\n"}),
        ({"d": "x"}, [Delete("d"), Write("d/n", "y")], {"d/n": b"y"}),
    ],
)  # fmt: skip
def test_applies_in_order(before: Files, edits: list[Edit], after: dict[str, bytes]) -> None:
    assert applied(before, edits) == after


@pytest.mark.parametrize(
    ("edits", "changes"),
    [
        ([], {}),
        ([Write("a", "one\ntwo\n")], {}),
        ([Write("n", "x"), Delete("n")], {}),
        ([Rename("b", "c")], {"b": DraftChange(None), "c": DraftChange(Text("three\n"), "b")}),
        (
            [Rename("b", "c"), Write("c", "x"), Rename("c", "d")],
            {"b": DraftChange(None), "d": DraftChange(Text("x"), "b")},
        ),
        ([Rename("b", "c"), Rename("c", "b")], {}),
        ([Rename("b", "c"), Delete("c")], {"b": DraftChange(None)}),
        ([Write("n", "x"), Rename("n", "m")], {"m": DraftChange(Text("x"))}),
        (
            [Rename("b", "c"), Write("b", "x")],
            {"b": DraftChange(Text("x")), "c": DraftChange(Text("three\n"), "b")},
        ),
        (
            [Write("b", "x"), Rename("b", "c")],
            {"b": DraftChange(None), "c": DraftChange(Text("x"), "b")},
        ),
        (
            [Rename("a", "t"), Rename("b", "a"), Rename("t", "b")],
            {"a": DraftChange(Text("three\n"), "b"), "b": DraftChange(Text("one\ntwo\n"), "a")},
        ),
    ],
)
def test_changes_and_origins(edits: list[Edit], changes: dict[str, DraftChange]) -> None:
    assert dict(apply_edits(edits, MemoryTree(AB))) == changes


@pytest.mark.parametrize(
    ("edits", "code", "where", "text"),
    [
        ([Replace("a", "four", "x")], "no-match", "edits[0] a", "nor does its first line"),
        ([Replace("a", "  two\nx", "y")], "no-match", "edits[0] a", "is at 2"),
        ([Replace("a", "o", "x")], "ambiguous-match", "edits[0] a", "2 times (lines 1, 2)"),
        (
            [Write("n", "aaaaaaaa\n"), Replace("n", "aa", "x")],
            "ambiguous-match",
            "edits[1] n",
            "more than 5 times (lines 1, 1, 1, 1, 1)",
        ),
        ([Replace("a", "", "x")], "no-match", "edits[0] a", "empty"),
        ([Replace("n", "x", "y")], "no-such-file", "edits[0] n", "no such file"),
        ([Delete("n")], "no-such-file", "edits[0] n", "no such file"),
        ([Delete("a"), Delete("a")], "no-such-file", "edits[1] a", "no such file"),
        ([Rename("n", "m")], "no-such-file", "edits[0] n", "no such file"),
        ([Rename("a", "b")], "exists", "edits[0] b", "exists"),
        ([Rename("a", "a")], "exists", "edits[0] a", "exists"),
        ([Write("n/x", ""), Write("n", "")], "is-folder", "edits[1] n", "n/x"),
        ([Write("n", ""), Write("n/x", "")], "not-a-folder", "edits[1] n/x", "n is a file"),
        ([Write("n.ipynb", "")], "unsupported", "edits[0] n.ipynb", "notebook"),
        ([Rename("a", "n.IPYNB")], "unsupported", "edits[0] n.IPYNB", "notebook"),
        ([Write("/etc/x", "")], "outside-root", "edits[0] /etc/x", "relative"),
        ([Write("a/../../x", "")], "outside-root", "edits[0] a/../../x", "'..'"),
        ([Write("", "")], "bad-path", "edits[0] (empty)", "not a path"),
        ([Write("n", "a\0b")], "not-text", "edits[0] n", "NUL"),
        ([Write("n", "a\ud800b")], "not-text", "edits[0] n", "U+D800"),
        ([Write("\ud800", "")], "bad-path", "edits[0] \\ud800", "name"),
        ([Write("n", "x" * (20 * 1024 * 1024 + 1))], "too-large", "edits[0] n", "limit"),
        ([DiffEdit("x" * (50 * 1024 * 1024))], "too-large", "edits[0]", "limit"),
    ],
)
def test_refuses(edits: list[Edit], code: str, where: str, text: str) -> None:
    with pytest.raises(BadInput) as caught:
        apply_edits(edits, MemoryTree(AB))
    assert (caught.value.code, caught.value.where) == (code, where)
    assert text in caught.value.text


def test_through_a_link_out_of_the_root(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "out").symlink_to(tmp_path)
    with pytest.raises(BadInput) as caught:
        apply_edits([Write("n", ""), Write("out/x", "")], MemoryTree({}, root))
    assert (caught.value.code, caught.value.where) == ("outside-root", "edits[1] out/x")


def test_what_the_tree_refuses_to_read_names_the_item() -> None:
    class Guarded(MemoryTree):
        def read(self, path: str) -> Text | None:
            raise BadInput("too-large", "52428800 bytes", path)

    with pytest.raises(BadInput) as caught:
        apply_edits([Replace("big", "x", "y")], Guarded({}))
    assert (caught.value.code, caught.value.where) == ("too-large", "edits[0] big")
