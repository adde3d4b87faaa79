"""The Python sample project: three layers of modules, with every common way to import."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tests.support.sample import NOUNS, Change, Project, Snippets

_CORE = '''\
"""Stock records: {noun}s."""

from __future__ import annotations

from dataclasses import dataclass, field

{upper}_LIMIT: int = {limit}
{upper}_CODES = ("{noun}-a", "{noun}-b")


@dataclass(frozen=True)
class {cls}:
    """A {noun} on the shelf."""

    name: str
    count: int
    price: float = {price}
    tags: list[str] = field(default_factory=list)

    def label(self) -> str:
        return f"{{self.name}} x{{self.count}}"

    @property
    def worth(self) -> float:
        return self.count * self.price


def make_{noun}(name: str, count: int) -> {cls}:
    """Take a {noun} into stock."""
    return {cls}(name, count)


def find_{noun}(items: list[{cls}], name: str) -> {cls}:
    for item in items:
        if item.name == name:
            return item
    raise LookupError(name)


def total_{noun}(items: list[{cls}]):
    return sum(item.count for item in items)
'''

_SERVICE = '''\
"""What the shop does with {noun}s."""

{imports}


def restock_{noun}(name: str):
    return {at}make_{noun}(name, {at}{upper}_LIMIT)


def describe_{noun}(item: {at}{cls}):
    return item.label()


def cost_{noun}(items: list[{at}{cls}], name: str) -> float:
    found = {at}find_{noun}(items, name)
    return round(found.worth + found.price, 2)


def tag_{noun}(item: {at}{cls}) -> str:
    return item.label().upper()


def codes_{noun}() -> list[str]:
    return [code.upper() for code in {at}{upper}_CODES]
'''

_REPORT = '''\
"""Lines about {noun}s for the printed report."""

from shop.core import total_{noun}
{import_service}


def lines_{noun}() -> list[str]:
    item = {at}restock_{noun}("{noun}")
    text: str = {at}describe_{noun}(item)
    return [text, text.upper()]


def count_{noun}() -> int:
    items = [{at}restock_{noun}("one"), {at}restock_{noun}("two")]
    total: int = total_{noun}(items)
    return total + items[0].count
'''

_TEST = '''\
"""Checks of the {noun} report."""

from shop.reports.{noun}_report import count_{noun}, lines_{noun}


def test_lines_{noun}() -> None:
    first = lines_{noun}()[0]
    assert first.startswith("{noun}")
    assert count_{noun}() > 0
'''

_STUB = '''\
"""Types of the untyped tariff module."""

RATES: dict[str, float]

def rate(code: str, default: float = ...) -> float: ...
def band(amount: float) -> str: ...
'''

_TARIFF = '''\
"""Rates by code; its types stand in the stub beside it."""

RATES = {"a": 1.0, "b": 2.5}


def rate(code, default=0.0):
    return RATES.get(code, default)


def band(amount):
    return "high" if amount > 100 else "low"
'''

_TARIFF_USER = '''\
"""Prices with the tariff applied."""

from shop import tariff


def charged(amount: float, code: str) -> float:
    return amount * tariff.rate(code)


def banner(amount: float) -> str:
    return tariff.band(amount).title()
'''

_FLAWED = '''\
"""Left over from the first version; known to be wrong."""

import os
import shop.core.{noun} as stock

OLD_LIMIT: str = stock.{upper}_LIMIT


def old_name(item: stock.{cls}) -> int:
    return item.title


def old_total() -> int:
    return missing_total + 1
'''

_PYPROJECT = """\
[project]
name = "shop"
version = "1.0"
requires-python = ">=3.10"

[tool.pyright]
typeCheckingMode = "{mode}"
pythonVersion = "3.11"

[tool.ruff]
target-version = "py311"

[tool.ruff.lint]
select = {rules}
"""

_NEW_FILE = '''\
"""A new module that uses an old one wrongly."""

import os

from shop.core.{noun} import make_{noun}

FIRST = make_{noun}("first", "one")
SECOND: int = make_{noun}("second", 2).label()
'''

_STUB_CHANGE = Change(
    "shop/tariff.pyi",
    (("def band(amount: float) -> str: ...", "def band(amount: float) -> int: ..."),),
    "stub's return type",
)
SNIPPETS = Snippets(
    wrong=(
        "def extra_@n@() -> int:\n    return missing_@n@\n\n\n",
        'def extra_@n@() -> int:\n    size: int = "text"\n    return missing_@n@ + size\n\n\n',
        "def extra_@n@(text: str) -> int:\n    import os\n\n    return text.missing_@n@\n\n\n",
        "def extra_@n@(size: int) -> str:\n    unused = absent_@n@\n    return size\n\n\n",
    ),
    harmless=(
        "# Says nothing new (@n@).\n\n",
        "def extra_@n@(text: str) -> str:\n    return text.strip()\n\n\n",
        "EXTRA_@n@ = @n@\n\n\n",
        "\n\n",
    ),
    broken=(
        "def extra_@n@(first: int,\n\n\n",
        "EXTRA_@n@ = [1, 2,\n\n\n",
        'EXTRA_@n@ = """half a string\n\n\n',
        "def extra_@n@(first: int) -> int:\n    if first:\n\n\n",
        "def extra_@n@(first: int) -> int:\n        return first\n    return 1\n\n\n",
    ),
)
_FIXES = (
    Change("shop/legacy.py", (("import os\n", ""),), "unused import"),
    Change("shop/legacy.py", (("    return item.title", "    return item.count"),), "attribute"),
    Change("shop/legacy.py", (("    return missing_total + 1", "    return 1"),), "name"),
    Change("shop/legacy.py", (("OLD_LIMIT: str", "OLD_LIMIT: int"),), "declared type"),
)
_RULES = ('["E", "F"]', '["E", "F", "I", "UP"]', '["F", "B", "SIM", "RET"]')


def make(rng: random.Random) -> Project:
    """About 30 modules: `shop.core` <- `shop.services` <- `shop.reports` <- `tests`."""
    nouns = rng.sample(NOUNS, 7)
    files: dict[str, str] = {}
    cross: list[Change] = []
    for index, noun in enumerate(nouns):
        words = {
            "noun": noun,
            "cls": noun.title(),
            "upper": noun.upper(),
            "limit": str(rng.randrange(10, 90)),
            "price": f"{rng.randrange(1, 9)}.5",
        }
        files[f"shop/core/{noun}.py"] = _CORE.format(**words)
        files[f"shop/services/{noun}_service.py"] = _service(noun, index)
        files[f"shop/reports/{noun}_report.py"] = _report(noun, index)
        cross += _cross_changes(noun, words["limit"])
    for noun in nouns[:3]:
        files[f"tests/test_{noun}.py"] = _TEST.format(noun=noun)
    first = nouns[0]
    files |= {
        "shop/__init__.py": '"""A shop\'s stock."""\n',
        "shop/core/__init__.py": _exports(nouns),
        "shop/services/__init__.py": '"""What the shop does."""\n',
        "shop/reports/__init__.py": '"""What the shop prints."""\n',
        "shop/tariff.py": _TARIFF,
        "shop/tariff.pyi": _STUB,
        "shop/prices.py": _TARIFF_USER,
        "shop/legacy.py": _FLAWED.format(noun=first, cls=first.title(), upper=first.upper()),
    }
    sources = tuple(sorted(path for path in files if not path.endswith("__init__.py")))
    files["pyproject.toml"] = _PYPROJECT.format(
        mode=rng.choice(("basic", "standard", "strict")), rules=rng.choice(_RULES)
    )
    new_file = {"shop/core/extra.py": _NEW_FILE.format(noun=nouns[1])}
    changes = (*cross, _STUB_CHANGE)
    return Project("python", files, sources, SNIPPETS, changes, fixes=_FIXES, new_files=new_file)


def _service(noun: str, style: int) -> str:
    """A service module; one of seven ways to import the same names, by turns."""
    cls, upper = noun.title(), noun.upper()
    names = [f"{upper}_CODES", f"{upper}_LIMIT", cls, f"find_{noun}", f"make_{noun}"]
    block = "(\n" + "".join(f"    {name},\n" for name in names) + ")"
    styles = (
        (f"from shop.core.{noun} import {', '.join(names)}", ""),
        (f"from ..core.{noun} import {block}", ""),
        (f"from shop.core import {block}", ""),
        (f"import shop.core.{noun} as stock", "stock."),
        (f"from shop.core.{noun} import *  # noqa: F403", ""),
        (f"from ..core import {noun} as stock", "stock."),
        (f"import shop.core.{noun}", f"shop.core.{noun}."),
    )
    imports, prefix = styles[style % len(styles)]
    return _SERVICE.format(noun=noun, imports=imports, at=prefix, cls=cls, upper=upper)


def _report(noun: str, style: int) -> str:
    styles = (
        (f"from shop.services.{noun}_service import describe_{noun}, restock_{noun}", ""),
        (f"from ..services import {noun}_service as service", "service."),
        (f"import shop.services.{noun}_service", f"shop.services.{noun}_service."),
    )
    line, prefix = styles[style % len(styles)]
    return _REPORT.format(noun=noun, import_service=line, at=prefix)


def _exports(nouns: list[str]) -> str:
    """`shop.core.__init__`: re-exports every name of the layer."""
    lines = ['"""Stock records, one module a kind."""', ""]
    names: list[str] = []
    for noun in sorted(nouns):
        mine = [f"{noun.upper()}_CODES", f"{noun.upper()}_LIMIT", noun.title()]
        mine += [f"find_{noun}", f"make_{noun}", f"total_{noun}"]
        lines += [f"from .{noun} import (", *(f"    {name}," for name in mine), ")"]
        names += mine
    return "\n".join([*lines, "", "__all__ = [", *(f'    "{n}",' for n in names), "]", ""])


def _cross_changes(noun: str, limit: str) -> Iterator[Change]:
    """Changes of one noun's core and service modules; each breaks a file it leaves alone."""
    cls = noun.title()
    core, service = f"shop/core/{noun}.py", f"shop/services/{noun}_service.py"
    head = f"def make_{noun}(name: str, count: int)"
    renamed = (f"make_{noun}", f"new_{noun}")
    in_core: list[tuple[str, list[tuple[str, str]]]] = [
        ("new parameter", [(head, f"def make_{noun}(name: str, count: int, shelf: str)")]),
        (
            "method's return type, seen through an inferred one",
            [
                ("    def label(self) -> str:", "    def label(self) -> int:"),
                ('        return f"{self.name} x{self.count}"', "        return self.count"),
            ],
        ),
        (
            "property's type",
            [
                ("    def worth(self) -> float:", "    def worth(self) -> str:"),
                ("        return self.count * self.price", "        return self.name"),
            ],
        ),
        (
            "inferred return type",
            [("    return sum(item.count for item in items)", "    return [*items]")],
        ),
        (
            "result may be None",
            [
                (f"name: str) -> {cls}:\n    for", f"name: str) -> {cls} | None:\n    for"),
                ("    raise LookupError(name)", "    return None"),
            ],
        ),
        ("constant's type", [(f"LIMIT: int = {limit}", f'LIMIT: str = "{limit}"')]),
        ("constant's inferred type", [(f'= ("{noun}-a", "{noun}-b")', "= (1, 2)")]),
    ]
    for label, swaps in in_core:
        yield Change(core, tuple(swaps), label)
    yield Change(core, ((head, head.replace(*renamed)),), "renamed function", renamed)
    old = "    return item.label()\n\n\ndef cost"
    inferred = (old, old.replace("label()", "label().split()"))
    yield Change(service, (inferred,), "inferred return type of a service")
