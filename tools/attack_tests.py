"""Which attacks the tests hold, read from their sources: tests, and the rows of their tables."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
STAGES = TESTS / "support" / "stages"
OF_ATTACKS = (
    *("crowds", "escapes", "fenced_copies", "hogs", "hosts", "late_sockets", "limits"),
    *("networks", "probing", "secrets"),
)
"""Modules of scenarios that attack a stage; those of the others are about what works there."""

_TYPESCRIPT_TEST = re.compile(r"^\s*(?:it|test)\(\s*[\"'`](.+?)[\"'`],", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Attack:
    """A test by its file and name, and the names of the rows that it plays one by one."""

    name: str
    rows: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many attacks it is."""
        return len(self.rows) or 1

    @property
    def file(self) -> str:
        """Where it is."""
        return re.split("::|: ", self.name)[0]

    def told(self) -> str:
        """Its name without the file, and those of its rows."""
        rows = ", ".join(f"`{row}`" for row in self.rows)
        return f"`{self.name[len(self.file) :].lstrip(': ')}`" + (f" with {rows}" if rows else "")


def attacks_of(token: str) -> Iterator[Attack]:
    """What a name of a proof stands for; nothing where it leads nowhere."""
    path = ROOT / token
    if "/" in token and path.exists():
        yield from every_test(path)
    elif token.startswith("test_"):
        yield from _tests_by_name().get(token, ())
    elif token in OF_ATTACKS:
        yield from _playing(frozenset(_scenarios_of(STAGES / f"{token}.py")))
    else:
        yield from _playing(frozenset((token,)))


def every_test(path: Path) -> Iterator[Attack]:
    """The tests of a file, or of all files below a folder."""
    for file in [path] if path.is_file() else sorted(path.rglob("test_*.py")):
        name = file.relative_to(ROOT).as_posix()
        if file.suffix == ".py":
            yield from _tests_of(file)
        else:
            told = _TYPESCRIPT_TEST.findall(file.read_text(encoding="utf-8"))
            yield from (Attack(f"{name}: {one}") for one in told)


@cache
def scenarios() -> frozenset[str]:
    """Every scenario that attacks a stage."""
    return frozenset(one for name in OF_ATTACKS for one in _scenarios_of(STAGES / f"{name}.py"))


def _playing(wanted: frozenset[str]) -> Iterator[Attack]:
    """The test that plays these scenarios, with them alone as rows."""
    for file in [*TESTS.glob("stage/test_*.py"), *TESTS.glob("attacks/test_*.py")]:
        for attack in _tests_of(file):
            rows = tuple(row for row in attack.rows if row in wanted)
            if rows:
                yield Attack(attack.name, rows)


@cache
def _tests_by_name() -> dict[str, list[Attack]]:
    found: dict[str, list[Attack]] = {}
    for attack in every_test(TESTS):
        found.setdefault(attack.name.rpartition("::")[2], []).append(attack)
    return found


@cache
def _tests_of(file: Path) -> tuple[Attack, ...]:
    module = _Module(file)
    name = file.relative_to(ROOT).as_posix()
    tests = (node for node in module.defined.values() if isinstance(node, _FUNCTIONS))
    return tuple(
        Attack(f"{name}::{node.name}", module.rows(node))
        for node in tests
        if node.name.startswith("test_")
    )


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class _Module:
    """The names of a module, and what each of them reads."""

    def __init__(self, file: Path) -> None:
        self.defined: dict[str, ast.AST] = {}
        self.imported: dict[str, Path] = {}
        for node in ast.parse(file.read_text(encoding="utf-8"), str(file)).body:
            if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
                self.defined[node.name] = node
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                self.defined[node.target.id] = node
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self.defined[target.id] = node
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests."):
                place = ROOT / (node.module or "").replace(".", "/")
                for alias in node.names:
                    beside = place / f"{alias.name}.py"
                    self.imported[alias.asname or alias.name] = (
                        beside if beside.is_file() else place.with_suffix(".py")
                    )

    def rows(self, test: ast.AST) -> tuple[str, ...]:
        """The keys of the tables, and the scenarios, that a test reads, in order."""
        found: dict[str, None] = {}
        waiting, seen = [test], {test}
        while waiting:
            for node in ast.walk(waiting.pop()):
                if not isinstance(node, ast.Name):
                    continue
                if node.id in self.imported:
                    found |= dict.fromkeys(_named_rows(self.imported[node.id], node.id))
                inner = self.defined.get(node.id)
                if inner is None or inner in seen:
                    continue
                seen.add(inner)
                waiting.append(inner)
                if node.id.isupper():
                    found |= dict.fromkeys(_keys(inner))
        return tuple(found)


def _named_rows(file: Path, name: str) -> tuple[str, ...]:
    """The rows of what is imported from there: a module's scenarios, or a table."""
    if file.stem == name:
        return _scenarios_of(file) if name in OF_ATTACKS else ()
    table = _Module(file).defined.get(name) if name.isupper() and file.is_file() else None
    return tuple(_keys(table)) if table is not None else ()


def _keys(node: ast.AST) -> Iterator[str]:
    """The names of the rows of a table: a dict that is written out, whose keys are words.

    A dict of files' texts is none: one key at least has a space, and none has a dot or a slash.
    """
    value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
    keys = [
        key.value
        for key in (value.keys if isinstance(value, ast.Dict) else ())
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    ]
    if any(" " in key for key in keys) and not any(set("./") & set(key) for key in keys):
        yield from keys


@cache
def _scenarios_of(file: Path) -> tuple[str, ...]:
    listed = _Module(file).defined.get("SCENARIOS")
    value = listed.value if isinstance(listed, (ast.Assign, ast.AnnAssign)) else None
    elements = value.elts if isinstance(value, ast.Tuple) else []
    return tuple(one.id for one in elements if isinstance(one, ast.Name))
