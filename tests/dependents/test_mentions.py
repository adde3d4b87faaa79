"""Which dependents a changed definition reaches by name."""

from __future__ import annotations

import pytest

from understudy.dependents.mentions import affected, changed_names

PYTHON = """\
LIMIT = 3

def used(a: int) -> int:
    return a

def other():
    return LIMIT

class Shape:
    size = 1

    def area(self):
        return self.size

    def __init__(self, side: int) -> None:
        self.side = side
"""

SCRIPT = """\
export const LIMIT = 3;
export function used(a: number): number {
  return a;
}
export class Shape {
  area(): number {
    return 1;
  }
}
export default function main() {
  return LIMIT;
}
"""

BRANCHES = "    def f(a: int) -> int: ...\nelse:\n    def f(a: str) -> int: ...\n"
BRANCHES_SWAPPED = "    def f(a: str) -> int: ...\nelse:\n    def f(a: int) -> int: ...\n"
PLATFORMS = f"import sys\nif sys.platform == 'linux':\n{BRANCHES}"

CHANGES = [
    ("m.py", PYTHON, "LIMIT = 3", "LIMIT = 'x'", {"LIMIT"}),
    ("m.py", PYTHON, "(a: int)", "(a: int, b: int)", {"used"}),
    ("m.py", PYTHON, "return LIMIT", "return 0", {"other"}),
    ("m.py", PYTHON, "def used", "def renamed", {"used", "renamed"}),
    ("m.py", PYTHON, "def area(self)", "def area(self, x)", {"area", "Shape"}),
    ("m.py", PYTHON, "self.side = side", "self.side = [side]", {"side", "__init__", "Shape"}),
    ("m.py", PYTHON, "class Shape:", "class Shape(Base):", {"Shape"}),
    ("m.py", PYTHON, "LIMIT = 3\n", "LIMIT = 3\n\n\n# a note\n", set()),
    ("m.py", PLATFORMS, "'linux'", "'win32'", {"f"}),
    ("m.py", PLATFORMS, BRANCHES, BRANCHES_SWAPPED, {"f"}),
    ("m.py", "x = 1\nx = ''\n", "x = 1\nx = ''\n", "x = ''\nx = 1\n", {"x"}),
    ("m.py", "x = 1\ny = 2\n", "x = 1\ny = 2\n", "y = 2\nx = 1\n", set()),
    ("m.py", "x = 1\n", "x = 1\n", "x = 1\ndel x\n", {"x"}),
    ("m.py", "for x in a:\n    y = 1\n", "in a", "in b", {"x", "y"}),
    ("m.py", "match a:\n    case 1:\n        def f(): ...\n", "case 1", "case 2", {"f"}),
    ("m.ts", SCRIPT, "LIMIT = 3", "LIMIT = 'x'", {"LIMIT"}),
    ("m.ts", SCRIPT, "(a: number)", "(a: string)", {"used"}),
    ("m.ts", SCRIPT, "area(): number", "area(): string", {"area", "Shape"}),
    ("m.ts", SCRIPT, "return LIMIT", "return 0", {"main", "default"}),
]


@pytest.mark.parametrize(("path", "text", "old", "new", "expected"), CHANGES)
def test_names_of_a_change(path: str, text: str, old: str, new: str, expected: set[str]):
    found = changed_names(path, text, text.replace(old, new, 1))
    assert found is not None
    assert expected <= found
    if path.endswith(".py"):
        assert found == expected


@pytest.mark.parametrize(
    ("path", "text", "old", "new"),
    [
        ("m.py", PYTHON, "(a: int)", "(a: int"),  # half-written
        ("m.py", PYTHON, "return a", "raise ValueError(a)"),  # callers may never go on
        ("m.ts", SCRIPT, "return a;\n}", "return a;\n"),
        ("m.ts", SCRIPT, "LIMIT = 3", "LIMIT = `3"),
        ("m.json", "{}", "{}", '{"a": 1}'),
        # what a wildcard passes on is written elsewhere
        ("m.py", "from a import *\n", "from a import *\n", ""),
        ("m.ts", "export * from './a';\n", "'./a'", "'./b'"),
    ],
)
def test_where_any_name_may_have_changed(path: str, text: str, old: str, new: str):
    assert changed_names(path, text, text.replace(old, new, 1)) is None


REACHED = [
    # other files, names changed, who is affected
    ({"a.py": "from m import f\nf()\n", "b.py": "from m import g\ng()\n"}, {"f"}, {"a.py"}),
    ({"a.py": "import m\nm.f()\n", "b.py": "import m\n"}, {"f"}, {"a.py"}),
    # an inferred result hands it on, a written signature does not
    ({"a.py": "def h(x):\n    return f(x)\n", "b.py": "h(1)\n"}, {"f"}, {"a.py", "b.py"}),
    ({"a.py": "def h(x: int) -> int:\n    return f(x)\n", "b.py": "h(1)\n"}, {"f"}, {"a.py"}),
    ({"a.py": "def h() -> F:\n    ...\n", "b.py": "h()\n"}, {"F"}, {"a.py", "b.py"}),
    ({"a.py": "def h(x):\n    f(x)\n", "b.py": "h(1)\n"}, {"f"}, {"a.py"}),  # gives nothing back
    ({"a.py": "@f\ndef h(x: int) -> int: ...\n", "b.py": "h(1)\n"}, {"f"}, {"a.py", "b.py"}),
    ({"a.py": "v = f()\n", "b.py": "import a\na.v\n"}, {"f"}, {"a.py", "b.py"}),
    ({"a.py": "from m import f as g\n", "b.py": "g()\n"}, {"f"}, {"a.py", "b.py"}),
    ({"a.py": "class C(B):\n    pass\n", "b.py": "C()\n"}, {"B"}, {"a.py", "b.py"}),
    (
        {"a.py": "class C:\n    def __init__(self):\n        self.v = f()\n", "b.py": "c.v\n"},
        {"f"},
        {"a.py", "b.py"},
    ),
    ({"a.py": 'x: "F" = y\n', "b.py": "# F\ny = 'F'\n"}, {"F"}, {"a.py"}),
    ({"a.py": "from m import (f\n", "b.py": ""}, {"f"}, {"a.py"}),  # half-written
    (
        {"a.ts": "import { f } from './m'\nf()\n", "b.ts": "import { g } from './f'\n"},
        {"f"},
        {"a.ts"},
    ),
    (
        {
            "a.ts": "import M from './m'\nexport const v = M()\n",
            "b.ts": "import { v } from './a'\n",
        },
        {"default"},
        {"a.ts", "b.ts"},
    ),
    (
        {
            "a.ts": "export { default as M } from './m'\n",
            "b.ts": "import { M } from './a'\n",
            "c.ts": "import { N } from './a'\n",
        },
        {"default"},
        {"a.ts", "b.ts"},
    ),
    (
        {"a.ts": "import m = require('./m')\n", "b.ts": "export { m }\nconst s = 'g'\n"},
        {"default"},
        {"a.ts", "b.ts"},
    ),
    ({"a.ts": "export { f }\nconst s = 'g'\n", "b.ts": "const f = 's'\n"}, {"s"}, {"a.ts", "b.ts"}),
    (
        {
            "a.ts": "export function h(x: number): number {\n  return f(x)\n}\n",
            "b.ts": "import { h } from './a'\n",
        },
        {"f"},
        {"a.ts"},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("texts", "names", "expected"), REACHED)
def test_who_is_reached(texts: dict[str, str], names: set[str], expected: set[str]):
    assert affected(names, {path: [text] for path, text in texts.items()}) == expected


def test_nothing_changed_reaches_nobody():
    assert affected(set(), {"a.py": ["x = 1\n"]}) == set()
