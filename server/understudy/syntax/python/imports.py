"""What a Python text imports: statements, the usual calls, and what a package lists."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from understudy.syntax.model import ALL, NO_IMPORTS, WHOLE, Binding, FileImports, Import
from understudy.syntax.python import statements
from understudy.syntax.python.calls import dynamic_imports
from understudy.syntax.python.trees import (
    Parsed,
    captures,
    is_at_the_top,
    parse,
    statement_of,
    string_of,
    text_of,
    tokens_from,
)

if TYPE_CHECKING:
    import tree_sitter

_KEYWORDS = (b"import", b"from")
_FUTURE = "__future__"


def read(path: str, text: bytes) -> FileImports:
    """The imports of a text: `import` and `from` statements, `dynamic` calls, `all` of a package.

    A target keeps its leading dots. `all` names what `__all__` lists: a star import of the package
    imports those of them that are its submodules.
    """
    parsed = parse(text)
    return NO_IMPORTS if parsed is None else imports_in(path, parsed)


def imports_in(path: str, parsed: Parsed) -> FileImports:
    """The imports of a text that is parsed."""
    found = list(_statements(path, parsed))
    found += dynamic_imports(parsed, _importers(found))
    if _is_package(path):
        listed = sorted(set(listed_names(parsed)))
        if listed:
            found.append(Import(".", "all", tuple(Binding(name, "", name) for name in listed)))
    is_global = path.rpartition("/")[2] == "__builtins__.pyi"
    return FileImports(tuple(found), "global" if is_global else "")


def listed_names(parsed: Parsed) -> Iterator[str]:
    """All names in string literals of statements about `__all__`."""
    end = 0
    for node in parsed.words(b"__all__"):
        statement = statement_of(node)
        if statement.start_byte < end:
            continue
        end = statement.end_byte
        for part in captures(statement, "(string) @it"):
            listed = string_of(part)
            if listed and listed.isidentifier():
                yield listed


def _statements(path: str, parsed: Parsed) -> Iterator[Import]:
    declared = _global_names(parsed)
    end = 0
    for node in parsed.words(*_KEYWORDS):
        if node.start_byte < end:
            continue
        statement = statements.read(tokens_from(parsed.text, node.start_byte))
        if not statement.is_whole and _stands_inside(node):
            continue  # `yield from x`, `raise X from y`
        end = statement.end if statement.end >= 0 else len(parsed.text)
        shown = None if is_at_the_top(node) else declared
        yield from _imports(path, statement, shown)


def _global_names(parsed: Parsed) -> frozenset[str]:
    """The names that functions bind in the module."""
    return frozenset(
        text_of(name)
        for node in parsed.words(b"global")
        if node.parent is not None
        for name in node.parent.named_children
    )


def _imports(
    path: str, statement: statements.Statement, shown: Collection[str] | None
) -> Iterator[Import]:
    """The imports of one statement; `shown` are the names that others see of it, None for all."""

    def exported(local: str) -> str:
        return local if shown is None or local in shown else ""

    targets = [statement.target]
    if not statement.is_from:
        targets = [name for name, _ in statement.names if not name.startswith(".")]
        for name, alias in statement.names:
            local = alias or name.partition(".")[0]
            if name in targets:
                yield Import(name, "import", (Binding(WHOLE, local, exported(local)),))
    elif statement.target and statement.target != _FUTURE:
        bindings = [
            Binding(name, alias or name, exported(alias or name)) for name, alias in statement.names
        ]
        yield Import(statement.target, "from", tuple(bindings) or (Binding(WHOLE),))
    for target in targets:
        submodule = statements.submodule_of(path, target)
        if submodule is not None:
            binding = Binding(WHOLE, submodule.name, exported(submodule.name))
            yield Import(submodule.target, "import", (binding,))


def _stands_inside(node: tree_sitter.Node) -> bool:
    """Whether something stands in front of a node in its line that is no beginning of a block."""
    before = node.prev_sibling
    if before is None and node.parent is not None:
        before = node.parent.prev_sibling if node.parent.start_byte == node.start_byte else None
    if before is None or before.end_point.row != node.start_point.row:
        return False
    return text_of(before)[-1:] not in (":", ";")


def _importers(found: Collection[Import]) -> frozenset[str]:
    """What the text calls `importlib.import_module`."""
    return frozenset(
        binding.local
        for one in found
        if one.target == "importlib"
        for binding in one.bindings
        if binding.name in ("import_module", "__import__", ALL)
    )


def _is_package(path: str) -> bool:
    return path.rpartition("/")[2].startswith("__init__.")
