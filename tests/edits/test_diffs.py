"""Diffs in every form that tools and agents write, and what they make of a file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.texts import text_pairs
from tests.support.trees import patched
from understudy.edits.render import unified_diff
from understudy.values.errors import BadInput
from understudy.values.texts import Text

TEN = "".join(f"line {number}\n" for number in range(1, 11))
HUNK = "@@ -2,3 +2,4 @@\n line 2\n-line 3\n+LINE 3\n+more\n line 4\n"
DONE = TEN.replace("line 3\n", "LINE 3\nmore\n")
PLAIN = "--- a/f.py\n+++ b/f.py\n"


@dataclass
class Case:
    name: str
    patch: str
    after: dict[str, str | bytes]
    before: dict[str, str | bytes] = field(default_factory=lambda: {"f.py": TEN})


FORMS = [
    Case("plain", PLAIN + HUNK, {"f.py": DONE}),
    Case("no prefix", "--- f.py\n+++ f.py\n" + HUNK, {"f.py": DONE}),
    Case(
        "timestamps",
        f"--- f.py\t2026-01-02 03:04:05.6 +0100\n+++ f.py\t2026-01-02\n{HUNK}",
        {"f.py": DONE},
    ),
    Case(
        "timestamps after blanks",
        f"--- f.py 2026-01-02 03:04:05\n+++ f.py 2026-01-02 03:04\n{HUNK}",
        {"f.py": DONE},
    ),
    Case("backup name", "--- f.py.orig\n+++ f.py\n" + HUNK, {"f.py": DONE}),
    Case(
        "git",
        f"diff --git a/f.py b/f.py\nindex 1234567..89abcde 100644\n{PLAIN}{HUNK}",
        {"f.py": DONE},
    ),
    Case(
        "git, mnemonic prefixes",
        f"diff --git i/f.py w/f.py\n--- i/f.py\n+++ w/f.py\n{HUNK}",
        {"f.py": DONE},
    ),
    Case(
        "svn",
        f"Index: f.py\n{'=' * 67}\n--- f.py\t(revision 1)\n+++ f.py\t(working copy)\n{HUNK}",
        {"f.py": DONE},
    ),
    Case(
        "fence and prose",
        f"Here it is:\n\n```diff\n{PLAIN}{HUNK}```\n\n- a bullet\n+ another\n",
        {"f.py": DONE},
    ),
    Case(
        "mail",
        f"From 1f0 Mon Sep 17\nSubject: x\n\n---\n f.py | 3 ++-\n\ndiff --git a/f.py b/f.py\n{PLAIN}{HUNK}-- \n2.39.5\n\n",
        {"f.py": DONE},
    ),
    Case("prose after exact counts", PLAIN + HUNK + "\nThat was it.\n- really\n", {"f.py": DONE}),
    Case("CRLF diff of an LF file", (PLAIN + HUNK).replace("\n", "\r\n"), {"f.py": DONE}),
    Case("no newline after the last line", (PLAIN + HUNK).removesuffix("\n"), {"f.py": DONE}),
    Case(
        "CRLF file",
        PLAIN + HUNK,
        {"f.py": DONE.replace("\n", "\r\n")},
        {"f.py": TEN.replace("\n", "\r\n")},
    ),
    Case(
        "CRLF file, CRLF diff",
        (PLAIN + HUNK).replace("\n", "\r\n"),
        {"f.py": DONE.replace("\n", "\r\n")},
        {"f.py": TEN.replace("\n", "\r\n")},
    ),
    Case(
        "line ends only",
        f"{PLAIN}@@ -1,2 +1,2 @@\n a\r\n-b\r\n+b\n",
        {"f.py": "a\r\nb\n"},
        {"f.py": "a\r\nb\r\n"},
    ),
    Case(
        "mixed file takes the neighbour's end",
        f"{PLAIN}@@ -1,2 +1,3 @@\n a\n b\n+c\n",
        {"f.py": "a\nb\r\nc\r\n"},
        {"f.py": "a\nb\r\n"},
    ),
    Case(
        "BOM left out",
        f"{PLAIN}@@ -1 +1 @@\n-a\n+b\n",
        {"f.py": b"\xef\xbb\xbfb\n"},
        {"f.py": b"\xef\xbb\xbfa\n"},
    ),
    Case(
        "BOM removed",
        f"{PLAIN}@@ -1 +1 @@\n-\ufeffa\n+b\n",
        {"f.py": "b\n"},
        {"f.py": b"\xef\xbb\xbfa\n"},
    ),
    Case(
        "BOM added",
        f"{PLAIN}@@ -1 +1 @@\n-a\n+\ufeffa\n",
        {"f.py": b"\xef\xbb\xbfa\n"},
        {"f.py": "a\n"},
    ),
    Case(
        "UTF-16 file",
        f"{PLAIN}@@ -1 +1 @@\n-a\n+é\n",
        {"f.py": "\ufeffé\n".encode("utf-16-le")},
        {"f.py": "\ufeffa\n".encode("utf-16-le")},
    ),
    Case(
        "bytes that are no UTF-8 stay",
        f"{PLAIN}@@ -2 +2 @@\n-b\n+c\n",
        {"f.py": b"\xff\xfe!\nc\n"},
        {"f.py": b"\xff\xfe!\nb\n"},
    ),
    Case(
        "newline at the end added",
        f"{PLAIN}@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n",
        {"f.py": "a\n"},
        {"f.py": "a"},
    ),
    Case(
        "newline at the end removed",
        f"{PLAIN}@@ -1 +1 @@\n-a\n+a\n\\ Kein Zeilenumbruch\n",
        {"f.py": "a"},
        {"f.py": "a\n"},
    ),
    Case(
        "missing newline not mentioned",
        f"{PLAIN}@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
        {"f.py": "a\nc"},
        {"f.py": "a\nb"},
    ),
    Case(
        "appended after a line without end",
        f"{PLAIN}@@ -1 +1,2 @@\n a\n+b\n",
        {"f.py": "a\nb"},
        {"f.py": "a"},
    ),
    Case(
        "two files",
        f"{PLAIN}{HUNK}--- a/g\n+++ b/g\n@@ -1 +1 @@\n-x\n+y\n",
        {"f.py": DONE, "g": "y\n"},
        {"f.py": TEN, "g": "x\n"},
    ),
    Case(
        "same file twice",
        f"{PLAIN}@@ -1 +1 @@\n-a\n+b\n{PLAIN}@@ -1 +1 @@\n-b\n+c\n",
        {"f.py": "c\n"},
        {"f.py": "a\n"},
    ),
    Case(
        "removed '-- ' and added '++ ' lines",
        f"{PLAIN}@@ -1,2 +1,2 @@\n--- x\n+++ y\n z\n",
        {"f.py": "++ y\nz\n"},
        {"f.py": "-- x\nz\n"},
    ),
    Case(
        "blank kept lines stripped",
        f"{PLAIN}@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n",
        {"f.py": "a\n\nc\n"},
        {"f.py": "a\n\nb\n"},
    ),
    Case(
        "blank kept line stripped at the end",
        f"{PLAIN}@@ -1,2 +1,2 @@\n-a\n+b\n\n",
        {"f.py": "b\n\n"},
        {"f.py": "a\n\n"},
    ),
]

FILES = [
    Case("new", "--- /dev/null\n+++ b/d/n.py\n@@ -0,0 +1,2 @@\n+a\n+b\n", {"d/n.py": "a\nb\n"}, {}),
    Case("new, without /dev/null", "--- n.py\n+++ n.py\n@@ -0,0 +1 @@\n+a\n", {"n.py": "a\n"}, {}),
    Case("new, epoch", "--- n.py\t1970-01-01 00:00:00 +0000\n+++ n.py\t2026-01-01 00:00\n@@ -0,0 +1 @@\n+a\n", {"n.py": "a\n"}, {}),
    Case("new, no newline", "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n", {"n": "a"}, {}),
    Case("new, CRLF", "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\r\n", {"n": "a\r\n"}, {}),
    Case("new, git", "diff --git a/n b/n\nnew file mode 100755\nindex 0000000..7898192\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n", {"n": "a\n"}, {}),
    Case("new and empty", "diff --git a/n b/n\nnew file mode 100644\nindex 0000000..e69de29\n", {"n": ""}, {}),
    Case("new in a folder b, no prefix", "diff --git b/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n", {"b/n": "a\n"}, {}),
    Case("folder a, no prefix", "--- a/f\n+++ a/f\n@@ -1 +1 @@\n-x\n+y\n", {"a/f": "y\n", "f": "x\n"}, {"a/f": "x\n", "f": "x\n"}),
    Case("a/ on both sides", "--- a/f\n+++ a/f\n@@ -1 +1 @@\n-x\n+y\n", {"f": "y\n"}, {"f": "x\n"}),
    Case("deleted", "--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n", {}, {"f": "a\nb\n"}),
    Case("deleted, git", "diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n\\ No newline at end of file\n", {}, {"f": "a"}),
    Case("deleted, CRLF", "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", {}, {"f": "a\r\n"}),
    Case("deleted, empty", "diff --git a/f b/f\ndeleted file mode 100644\nindex e69de29..0000000\n", {}, {"f": ""}),
    Case("mode only", "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n", {"f": "a\n"}, {"f": "a\n"}),
    Case("mode and text", "diff --git a/f b/f\nold mode 100644\nnew mode 100755\nindex 1..2\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", {"f": "b\n"}, {"f": "a\n"}),
    Case("pure rename", "diff --git a/x/f b/y/g h\nsimilarity index 100%\nrename from x/f\nrename to y/g h\n", {"y/g h": "a\n"}, {"x/f": "a\n"}),
    Case("rename and change", "diff --git a/f b/g\nsimilarity index 50%\nrename from f\nrename to g\n--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n", {"g": "b\n"}, {"f": "a\n"}),
    Case("copy", "diff --git a/f b/g\nsimilarity index 90%\ncopy from f\ncopy to g\n--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n", {"f": "a\n", "g": "b\n"}, {"f": "a\n"}),
    Case("octal escapes", 'diff --git "a/\\303\\274 \\"x\\".py" "b/\\303\\274 \\"x\\".py"\n--- "a/\\303\\274 \\"x\\".py"\n+++ "b/\\303\\274 \\"x\\".py"\n@@ -1 +1 @@\n-a\n+b\n', {'ü "x".py': "b\n"}, {'ü "x".py': "a\n"}),
    Case("name that is not UTF-8", '--- "a/\\377"\n+++ "b/\\377"\n@@ -1 +1 @@\n-a\n+b\n', {"\udcff": "b\n"}, {"\udcff": "a\n"}),
    Case("spaces in names", "diff --git a/x y b/x y\n--- a/x y\t\n+++ b/x y\t\n@@ -1 +1 @@\n-a\n+b\n", {"x y": "b\n"}, {"x y": "a\n"}),
    Case("spaces, header alone", "diff --git a/x y b/x y\nnew file mode 100644\n", {"x y": ""}, {}),
]  # fmt: skip

PLACES = [
    Case("wrong counts", PLAIN + HUNK.replace("-2,3 +2,4", "-2,9 +2,1"), {"f.py": DONE}),
    Case("counts too large by a header", f"{PLAIN}@@ -1,2 +1,2 @@\n-a\n+b\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-x\n+y\n", {"f.py": "b\n", "g": "y\n"}, {"f.py": "a\n", "g": "x\n"}),
    Case("wrong counts in a mail", PLAIN + HUNK.replace("3 +2", "7 +2") + "-- \n2.39.5\n", {"f.py": DONE}),
    Case("wrong counts in a fence", f"```\n{PLAIN}{HUNK.replace('3 +2', '7 +2')}\n```\nend\n", {"f.py": DONE}),
    Case("no numbers", PLAIN + HUNK.replace("-2,3 +2,4", "..."), {"f.py": DONE}),
    Case("bare @@", PLAIN + HUNK.replace("@@ -2,3 +2,4 @@", "@@"), {"f.py": DONE}),
    Case("half a header", PLAIN + HUNK.replace("+2,4 @@", "+2,4"), {"f.py": DONE}),
    Case("moved", PLAIN + HUNK.replace("-2,3", "-7,3"), {"f.py": DONE}),
    Case("moved together", f"{PLAIN}@@ -1 +1 @@\n-only\n+ONLY\n@@ -3 +3 @@\n-a\n+b\n", {"f.py": "a\n\nONLY\n\nb\n"}, {"f.py": "a\n\nonly\n\na\n"}),
    Case("twice, the stated one", f"{PLAIN}@@ -3 +3 @@\n-a\n+b\n", {"f.py": "a\n\nb\n"}, {"f.py": "a\n\na\n"}),
    Case("last line by its missing end", f"{PLAIN}@@ -9 +9 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n", {"f.py": "a\nb"}, {"f.py": "a\na"}),
    Case("shared kept line", f"{PLAIN}@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -2,2 +2,2 @@\n b\n-c\n+C\n", {"f.py": "A\nb\nC\n"}, {"f.py": "a\nb\nc\n"}),
    Case("hunks out of order", f"{PLAIN}@@ -3 +3 @@\n-c\n+C\n@@ -1 +1 @@\n-a\n+A\n", {"f.py": "A\nb\nC\n"}, {"f.py": "a\nb\nc\n"}),
    Case("empty file filled", f"{PLAIN}@@ -0,0 +1 @@\n+a\n", {"f.py": "a\n"}, {"f.py": ""}),
    Case("file emptied", f"{PLAIN}@@ -1 +0,0 @@\n-a\n", {"f.py": ""}, {"f.py": "a\n"}),
]  # fmt: skip

BLOCKS = [
    Case("update", "*** Begin Patch\n*** Update File: f.py\n@@\n line 2\n-line 3\n+LINE 3\n+more\n line 4\n*** End Patch\n", {"f.py": DONE}),
    Case("update without @@, prose, fence", "So:\n```\n*** Begin Patch\n*** Update File: f.py\n-line 3\n+LINE 3\n+more\n*** End Patch\n```\n", {"f.py": DONE}),
    Case("CRLF file", "*** Begin Patch\n*** Update File: f\n@@\n a\n+b\n*** End Patch", {"f": "a\r\nb\r\n"}, {"f": "a\r\n"}),
    Case("@@ line chooses", "*** Begin Patch\n*** Update File: f\n@@ class B:\n     x = 1\n-    y = 1\n+    y = 2\n*** End Patch", {"f": "class A:\n    x = 1\n    y = 1\nclass B:\n    x = 1\n    y = 2\n"}, {"f": "class A:\n    x = 1\n    y = 1\nclass B:\n    x = 1\n    y = 1\n"}),
    Case("nested @@ lines", "*** Begin Patch\n*** Update File: f\n@@ B\n@@ g\n-1\n+2\n*** End Patch", {"f": "A\n g\n1\nB\n f\n1\n g\n2\n"}, {"f": "A\n g\n1\nB\n f\n1\n g\n1\n"}),
    Case("end of file", "*** Begin Patch\n*** Update File: f\n@@\n a\n+b\n*** End of File\n*** End Patch", {"f": "a\na\nb\n"}, {"f": "a\na\n"}),
    Case("append only", "*** Begin Patch\n*** Update File: f\n+b\n*** End of File\n*** End Patch", {"f": "a\r\nb\r\n"}, {"f": "a\r\n"}),
    Case("add, delete, move", "*** Begin Patch\n*** Add File: d/n\n+x\n+\n*** Delete File: g\n*** Update File: f\n*** Move to: h\n@@\n-a\n+b\n*** End Patch", {"d/n": "x\n\n", "h": "b\n"}, {"f": "a\n", "g": "1\n"}),
    Case("add an empty file", "*** Begin Patch\n*** Add File: n\n*** End Patch", {"n": ""}, {}),
    Case("move only", "*** Begin Patch\n*** Update File: f\n*** Move to: g\n*** End Patch", {"g": "a\n"}, {"f": "a\n"}),
    Case("two hunks", "*** Begin Patch\n*** Update File: f\n@@\n-a\n+A\n@@\n-c\n+C\n*** End Patch", {"f": "A\nb\nC\n"}, {"f": "a\nb\nc\n"}),
    Case("CRLF text", "*** Begin Patch\r\n*** Update File: f\r\n@@\r\n-a\r\n+b\r\n*** End Patch\r\n", {"f": "b\n"}, {"f": "a\n"}),
]  # fmt: skip


@pytest.mark.parametrize("case", [*FORMS, *FILES, *PLACES, *BLOCKS], ids=lambda case: case.name)
def test_applies(case: Case) -> None:
    expected = {
        path: content.encode() if isinstance(content, str) else content
        for path, content in case.after.items()
    }
    assert patched(case.before, case.patch) == expected


def _without_counts(diff: str) -> str:
    return re.sub(r"^@@ .* @@$", "@@ @@", diff, flags=re.MULTILINE)


def _with_wrong_counts(diff: str, add: int) -> str:
    def wrong(match: re.Match[str]) -> str:
        old, new = int(match[2] or 1), int(match[4] or 1)
        return f"@@ -{match[1]},{max(old + add, 1)} +{match[3]},{max(new - add, 1)} @@"

    return re.sub(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@$", wrong, diff, flags=re.MULTILINE)


MANGLED = {
    "no counts": _without_counts,
    "counts + 1": lambda diff: _with_wrong_counts(diff, 1),
    "counts - 1": lambda diff: _with_wrong_counts(diff, -1),
    "counts + 5": lambda diff: _with_wrong_counts(diff, 5),
    "fence": lambda diff: f"Look:\n```diff\n{diff}```\nDone.\n",
    "mail": lambda diff: f"Subject: x\n---\n f | 1 +\n\n{diff}-- \n2.39.5\n",
    "blank lines after": lambda diff: diff + "\n\n",
    "stripped": lambda diff: re.sub(r"^ $", "", diff, flags=re.MULTILINE),
}


@settings(max_examples=300)
@given(text_pairs(), st.sampled_from(sorted(MANGLED)))
def test_a_mangled_diff_is_read_rightly_or_refused(pair: tuple[Text, Text], way: str) -> None:
    before, after = pair
    diff = unified_diff(before, after, "f.py")
    try:
        result = patched({"f.py": before}, MANGLED[way](diff))
    except BadInput as error:
        assert way not in ("fence", "mail", "blank lines after", "stripped") or not diff, error
        assert error.code != "overlapping-edits"
    else:
        assert result == {"f.py": after.encode()}
