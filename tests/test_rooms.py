"""The rooms of the house: no circle of imports between modules, and no folder that is too full."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parent.parent / "server"
MAX_FILES = 25


def sources() -> dict[str, str]:
    """Every module by its dotted name, with its text."""
    return {
        ".".join(path.relative_to(SOURCES).with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in SOURCES.rglob("*.py")
    }


def imports(texts: Mapping[str, str]) -> dict[str, set[str]]:
    """What each module imports of the others; local imports and those for types count."""
    named = {name.removesuffix(".__init__"): name for name in texts}
    graph: dict[str, set[str]] = {name: set() for name in texts}
    for name, text in texts.items():
        for node in ast.walk(ast.parse(text, name)):
            found: list[str] = []
            if isinstance(node, ast.Import):
                found = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{name}:{node.lineno}: write out what is imported"
                inner = [f"{node.module}.{alias.name}" for alias in node.names]
                found = [one if one in named else str(node.module) for one in inner]
            graph[name] |= {named[one] for one in found if one in named}
    return graph


def test_no_circle_of_imports() -> None:
    graph = imports(sources())
    assert sum(map(len, graph.values())) > len(graph)
    TopologicalSorter(graph).prepare()


API = "understudy.faces.python."
"""Its names are its users', and mirror those of the values inside."""


def test_a_public_class_has_a_name_of_its_own() -> None:
    classes = Counter(
        (name.startswith(API), node.name)
        for name, text in sources().items()
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert len(classes) > len(sources()) / 2
    assert [name for name, n_modules in classes.items() if n_modules > 1] == []


@pytest.mark.parametrize(
    "text",
    [
        "from p import a",
        "from p.a import f",
        "def f():\n    import p.a",
        "if TYPE_CHECKING:\n    from p.a import A",
    ],
)
def test_a_circle_is_seen(text: str) -> None:
    graph = imports({"p.__init__": "", "p.a": "from p.b import B", "p.b": text})
    with pytest.raises(CycleError):
        TopologicalSorter(graph).prepare()


def test_no_folder_is_full() -> None:
    names = [path for path in SOURCES.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    counted = Counter(path.parent.relative_to(SOURCES).as_posix() for path in names)
    assert counted["understudy/langserver"] > 1
    assert {folder: n for folder, n in counted.items() if n > MAX_FILES} == {}
