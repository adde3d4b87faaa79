"""Diffs in every form that tools and agents write, and what they make of a file."""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.texts import text_pairs
from tests.support.trees import patched
from understudy.edits.render import unified_diff
from understudy.values.errors import BadInput
from understudy.values.texts import Text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TEN = "".join(f"line {number}\n" for number in range(1, 11))
DONE = TEN.replace("line 3\n", "LINE 3\nmore\n")
PLAIN = "--- a/f.py\n+++ b/f.py\n"


DATA = Path(__file__).parent.parent / "data" / "edits"
APPLIED = ("forms", "files", "places", "blocks")
BYTES = [
    ("UTF-16", "é", "\ufeffa\n".encode("utf-16-le"), "\ufeffé\n".encode("utf-16-le")),
    ("bytes that are no UTF-8 stay", "b", b"a\n\xff\xc3!\n", b"b\n\xff\xc3!\n"),
    ("bytes that are no UTF-8, written", "\udcff", b"a\n", b"\xff\n"),
]


def cases(*names: str) -> list[Any]:
    return [
        pytest.param(case, id=f"{name}: {case['name']}")
        for name in names
        for case in tomllib.loads((DATA / f"{name}.toml").read_text("utf-8"))["case"]
    ]


@pytest.mark.parametrize("case", cases(*APPLIED))
def test_applies(case: dict[str, Any]) -> None:
    after = case.get("after", {} if "before" in case else {"f.py": DONE})
    result = patched(case.get("before", {"f.py": TEN}), case["patch"])
    assert result == {path: content.encode() for path, content in after.items()}


@pytest.mark.parametrize("case", cases("refused"))
def test_refuses(case: dict[str, Any]) -> None:
    with pytest.raises(BadInput) as caught:
        patched(case.get("before", {"f.py": TEN}), case["patch"])
    assert (caught.value.code, caught.value.where) == (case["code"], case["where"])
    assert case["text"] in caught.value.text


@pytest.mark.parametrize(("new", "before", "after"), [case[1:] for case in BYTES])
def test_applies_to_bytes(new: str, before: bytes, after: bytes) -> None:
    assert patched({"f.py": before}, f"{PLAIN}@@ -1 +1 @@\n-a\n+{new}\n") == {"f.py": after}


def test_a_name_that_is_not_utf_8() -> None:
    patch = '--- "a/\\377"\n+++ "b/\\377"\n@@ -1 +1 @@\n-a\n+b\n'
    assert patched({"\udcff": "a\n"}, patch) == {"\udcff": b"b\n"}


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
HARMLESS = ("fence", "mail", "blank lines after", "stripped")


@settings(max_examples=300)
@given(text_pairs(), st.sampled_from(sorted(MANGLED)))
def test_a_mangled_diff_is_read_rightly_or_refused(pair: tuple[Text, Text], way: str) -> None:
    before, after = pair
    diff = unified_diff(before, after, "f.py")
    expected = {"f.py": after.encode()}
    if way in HARMLESS:
        assert not diff or patched({"f.py": before}, MANGLED[way](diff)) == expected
        return
    with suppress(BadInput):
        assert patched({"f.py": before}, MANGLED[way](diff)) == expected
