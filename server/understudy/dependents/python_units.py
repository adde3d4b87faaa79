"""Python's units, from its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace

from understudy.dependents.units import Unit, words

_NONE: frozenset[str] = frozenset()
_TAKES_TYPES = frozenset({"NewType", "TypeAliasType", "TypeVar", "assert_type", "cast"})
_BODIES = (ast.stmt, ast.ExceptHandler)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def read(content: str) -> list[Unit] | None:
    """The units of a file; None if it cannot be parsed."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return list(_units(tree.body, content.splitlines(keepends=True), _NONE))


def ends_by_raising(content: str) -> frozenset[str]:
    """The functions that end by raising: what follows a call of one may never run."""
    return frozenset(
        node.name
        for node in ast.walk(ast.parse(content))
        if isinstance(node, _Function) and isinstance(node.body[-1], ast.Raise)
    )


def _units(body: Iterable[ast.stmt], lines: list[str], owners: frozenset[str]) -> Iterator[Unit]:
    for node in body:
        if isinstance(node, _Function):
            yield from _function(node, lines, owners)
        elif isinstance(node, ast.ClassDef):
            yield from _class(node, lines, owners)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield _import(node, lines)
        elif isinstance(node, ast.If | ast.For | ast.While | ast.With | ast.Try):
            yield from _compound(node, lines, owners)
        else:
            yield _statement(node, lines, owners)


def _compound(node: ast.stmt, lines: list[str], owners: frozenset[str]) -> Iterator[Unit]:
    """The units inside, each with the condition under which it holds."""
    head = [child for child in ast.iter_child_nodes(node) if not isinstance(child, _BODIES)]
    condition = "".join(map(ast.dump, head))
    shown = _mentions(head)
    yield Unit(condition, _stored(head), shown, owners=owners)
    handled = [child for handler in getattr(node, "handlers", []) for child in handler.body]
    branches = {name: getattr(node, name, []) for name in ("body", "orelse", "finalbody")}
    for name, body in {**branches, "handlers": handled}.items():
        for unit in _units(body, lines, owners):
            source = f"{name} {condition}\n{unit.source}"
            yield replace(unit, source=source, shown=unit.shown | shown)


def _statement(node: ast.stmt, lines: list[str], owners: frozenset[str]) -> Unit:
    source = _source(node, lines)
    stored = _stored([node])
    if "__all__" in stored:
        # It passes names on as they are; only a change of the list itself matters to others.
        return Unit(source, words(source), _NONE, owners=owners)
    return Unit(source, stored, _mentions([node]), owners=owners)


def _function(node: _Function, lines: list[str], owners: frozenset[str]) -> Iterator[Unit]:
    """The function by its name, and the attributes that it declares in its body."""
    source = _source(node, lines)
    head: list[ast.AST] = [node.args, *node.decorator_list]
    if node.returns is not None:
        head.append(ast.AnnAssign(ast.Name("_", ast.Store()), node.returns, None, simple=1))
    shown, inner = _mentions(head), _mentions(node.body)
    if _body_decides(node):
        shown |= inner
    yield Unit(source, frozenset((node.name,)), shown, inner, owners)
    attributes = frozenset(
        target.attr
        for target in ast.walk(node)
        if isinstance(target, ast.Attribute)
        and isinstance(target.ctx, ast.Store)
        and isinstance(target.value, ast.Name)
        and target.value.id in ("self", "cls")
    )
    if attributes:
        yield Unit(source, attributes, shown | inner, owners=owners)


def _class(node: ast.ClassDef, lines: list[str], owners: frozenset[str]) -> Iterator[Unit]:
    start = _start(node)
    head = "".join(lines[start : max(node.body[0].lineno - 1, node.lineno)])
    shown = _mentions([*node.bases, *node.keywords, *node.decorator_list])
    yield Unit(head, frozenset((node.name,)), shown, owners=owners)
    yield from _units(node.body, lines, owners | {node.name})


def _import(node: ast.Import | ast.ImportFrom, lines: list[str]) -> Unit:
    names = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
    bound = [(alias.asname or alias.name).split(".")[0] for alias in node.names]
    return Unit(_source(node, lines), frozenset(bound), frozenset(names))


def _stored(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The names that these nodes bind or unbind."""
    found: set[str] = set()
    for child in (child for node in nodes for child in ast.walk(node)):
        if isinstance(child, ast.Name) and not isinstance(child.ctx, ast.Load):
            found.add(child.id)
        elif isinstance(child, _Function | ast.ClassDef):
            found.add(child.name)
    return frozenset(found)


def _body_decides(node: _Function) -> bool:
    """Whether callers see what the body does: an inferred result, or a decorator's."""
    if node.decorator_list:
        return True
    if node.returns is not None:
        return False
    return any(
        (isinstance(child, ast.Return) and child.value is not None)
        or isinstance(child, ast.Yield | ast.YieldFrom | ast.Await)
        for child in ast.walk(node)
    )


def _mentions(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The names in these nodes, those in types written as strings too."""
    return frozenset(
        word for node in nodes for child in ast.walk(node) for word in _words_of(child)
    )


def _words_of(node: ast.AST) -> Iterable[str]:
    """The names that a node itself mentions, and those in the strings that it takes for types."""
    match node:
        case ast.Name():
            return (node.id,)
        case ast.Attribute():
            return (node.attr,)
        case ast.keyword():
            return (node.arg or "",)
        case ast.arg():
            return (node.arg, *_strings(node.annotation))
        case ast.alias():
            return node.name.split(".")
        case ast.AnnAssign():
            return _strings(node.annotation)
        case ast.Subscript():
            return _strings(node.slice)
        case ast.Call() if _name_of(node.func) in _TAKES_TYPES:
            return _strings(node)
        case ast.ClassDef():
            return (node.name,)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return (node.name, *_strings(node.returns))
        case _:
            return ()


def _strings(node: ast.AST | None) -> set[str]:
    return {
        word
        for child in (() if node is None else ast.walk(node))
        if isinstance(child, ast.Constant) and isinstance(child.value, str)
        for word in words(child.value)
    }


def _name_of(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _start(node: _Function | ast.ClassDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1


def _source(node: ast.stmt, lines: list[str]) -> str:
    start = _start(node) if isinstance(node, _Function | ast.ClassDef) else node.lineno - 1
    return "".join(lines[start : node.end_lineno or node.lineno])
