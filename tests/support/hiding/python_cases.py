"""Python: three type servers, mypy and ruff."""

from __future__ import annotations

from tests.support.hiding.model import HidingProject, breaks, mends

_LIB = """\
from helper import load


class Item:
    name: str = ""


def make(x: int) -> Item:
    return Item()


def guess(x: int):
    return load(x)


item = make(1)
"""
_USE = """\
import sys
from lib import make, guess, item
from helper import load

a: int = make(1)
b: int = guess(1)
c: int = load(1)
make("x")
item.nothing
undefined_one


def f(q: int) -> str:
    return q


def g(q: str) -> str:
    print(q, sys)
    return q + 1
"""
_FILES = {
    "helper.py": 'def load(x: int) -> str:\n    return "x"\n',
    "lib.py": _LIB,
    "use.py": _USE,
}
_F = "\ndef f(q: int) -> str:\n    return q\n"
_BREAKS = {
    "a parenthesis": breaks(
        "a parenthesis", {"use.py": ("c: int = load(1)", "c: int = (load(1)")}, "use.py:8,9,14,19"
    ),
    "a quote": breaks(
        "a quote", {"use.py": ("c: int = load(1)", 'c: int = """load(1)')}, "use.py:8,9,14,19"
    ),
    "a docstring": breaks(
        "a docstring",
        {
            "use.py": (
                "\n\ndef f(q: int) -> str:\n    return q\n",
                '\n"""\ndef f(q: int) -> str:\n    return q\n"""\n',
            )
        },
        "use.py:14",
    ),
    "a module": breaks(
        "a module", {"use.py": ("from lib import", "from libb import")}, "use.py:5,8"
    ),
    "a name of a module": breaks(
        "a name of a module", {"use.py": ("import make,", "import makee as make,")}, "use.py:5,8"
    ),
    "a module of a module": breaks(
        "a module of a module", {"lib.py": ("from helper", "from helperr")}, "use.py:6"
    ),
    "a name in a module": breaks(
        "a name in a module", {"lib.py": ("return load(x)", "return lod(x)")}, "use.py:6"
    ),
    "a function goes": breaks("a function goes", {"helper.py": ("load", "lod")}, "use.py:7"),
    "a call": breaks("a call", {"lib.py": ("item = make(1)", "item = make(1, 2)")}, "use.py:9"),
    "a return": breaks(
        "a return",
        {"use.py": ("    print(q, sys)", "    return q\n    print(q, sys)")},
        "use.py:19",
    ),
    "an exit": breaks("an exit", {"use.py": ("a: int =", "sys.exit(1)\na: int =")}, "use.py:5,7,8"),
}
_MENDS = (
    mends("a line", {"use.py": ("return q + 1", "return q + '1'")}, "use.py:19"),
    mends(
        "a guard",
        {"use.py": ("    return q + 1", "    if q:\n        return q\n    return q")},
        "use.py:19",
    ),
    mends(
        "what it uses",
        {"helper.py": ('-> str:\n    return "x"', "-> int:\n    return 1")},
        "use.py:7",
    ),
)
_INFERRED = mends(
    "what it uses",
    {"helper.py": ('-> str:\n    return "x"', "-> int:\n    return 1")},
    "use.py:6,7",
)


def _project(*names: str, infers: bool = False) -> HidingProject:
    repairs = (*_MENDS[:2], _INFERRED) if infers else _MENDS
    return HidingProject(_FILES, (*(_BREAKS[name] for name in names), *repairs))


_RUFF = """\
import os
import sys


def f(a):
    l = 1
    print(undefined_name)
    assert (a, "x")


def g():
    x = 1
    return 2
"""

PYTHON = {
    "basedpyright": _project(*_BREAKS, infers=True),
    "pyright": _project(*_BREAKS, infers=True),
    "ty": _project(
        "a quote",
        "a docstring",
        "a module",
        "a name of a module",
        "a function goes",
        "a return",
        "an exit",
    ),
    "mypy": HidingProject(
        _FILES, (*(_BREAKS[name] for name in ("a quote", "a module", "a return")), *_MENDS[1:])
    ),
    "ruff": HidingProject(
        {"a.py": _RUFF},
        (
            breaks("a parenthesis", {"a.py": ("def f(a):", "def f(a:")}, "a.py:1,2,6,7,8,12"),
            breaks(
                "at the end", {"a.py": ("    return 2\n", "    return (\n")}, "a.py:1,2,6,7,8,12"
            ),
            breaks("a star", {"a.py": ("def f(a):", "from lib import *\n\n\ndef f(a):")}, "a.py:7"),
            mends("a line", {"a.py": ("import os\n", "")}, "a.py:1"),
            mends(
                "two",
                {"a.py": ("    l = 1\n    print(undefined_name)\n", "    print(a)\n")},
                "a.py:6,7",
            ),
        ),
    ),
}
