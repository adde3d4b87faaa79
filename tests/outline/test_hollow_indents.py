"""Python's functions: what of them a parser need not see, and what it has to."""

from __future__ import annotations

import pytest

from tests.support.outline_whole import told, whole
from understudy.outline.hollow import hollow
from understudy.outline.languages import LANGUAGES
from understudy.outline.read_outline import outline

AROUND = {
    "before, between and behind": (
        b"def f():\n"
        b'    """Gone 1.\n\n    def gone_2(a)\n    """\n'
        b"    gone_3 = [\n        a,\n    ]\n"
        b"    @kept(\n        b,\n    )\n"
        b"    def inner_1():\n        gone_4(a, b, c)\n"
        b"    gone_5 = g(a, b)\n"
        b"    def inner_2(a):\n        return a\n"
        b"    return gone_6(a, b)\n"
    ),
    "an arm that declares something": (
        b"def f(a):\n"
        b"    gone_1(a, a, a, a)\n"
        b"    if a:\n        kept = 1\n    else:\n        def inner(): return a\n"
        b"    gone_2(a, a, a, a)\n"
    ),
    "a class": (
        b"def f(a):\n"
        b"    gone_1(a, a, a, a)\n"
        b"    class Inner(\n        A,\n    ):\n        kept = 1\n"
        b"    return gone_2(a, a, a, a)\n"
    ),
}
SEEN = {
    "a function on one line before a deeper line": (
        b"def f(a): return a\nif a:\n    kept = 1\n    kept_too = 2\n"
    ),
    "a string in which a function goes on": (
        b"def f():\n"
        b"    a = '''\n"
        b"    def no(): pass\n"
        b"    b = '''; c(a)\n"
        b"    def inner():\n        return a\n"
    ),
    "a line that goes on": (
        b"def f():\n    a = 1 + \\\n    b\n    def inner():\n        return a\n"
    ),
    "a docstring behind a comment": (
        b'def f(a):\n    # type: (A) -> B\n    """Says it."""\n    a.b()\n'
    ),
    "a comment that is deeper than the body": (
        b"class A:\n    def f(a):\n            # what\n        a.b(a, a)\n\n    kept = 1\n"
    ),
    "a comment that is less deep": (
        b"class A:\n    def f(a):\n        # what\n            a.b(a, a)\n        # less\n\n"
        b"    kept = 1\n"
    ),
    "a docstring that is never closed": (
        b'def f():\n    """Says.\n    a = 1 + 1\n\n\n'
        b'def kept():\n    """Says it."""\n    return 1\n'
    ),
    "tabs": b"def f():\n    a = 1 + 1 + 1\n    def\tinner(a):\n        return a\n",
}


@pytest.mark.parametrize("name", AROUND)
def test_the_statements_around_what_a_body_declares_are_left_out(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = AROUND[name]
    left = hollow(text, LANGUAGES["python"]).text
    assert b"gone" not in left
    assert left.count(b"kept") == text.count(b"kept")
    found = outline(text, "python")
    assert found.complete
    assert told(found) == told(whole(text, "python", monkeypatch))


@pytest.mark.parametrize("name", SEEN)
def test_what_only_looks_like_a_body_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found, all_of_it = outline(SEEN[name], "python"), whole(SEEN[name], "python", monkeypatch)
    if all_of_it.complete:
        assert told(found) == told(all_of_it)
    expected = [entry.name for entry in all_of_it.entries if entry.name.startswith(("kept", "inn"))]
    assert [e.name for e in found.entries if e.name.startswith(("kept", "inn"))] == expected
