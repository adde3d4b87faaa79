"""What a Rust text takes from other files: modules, included files, names of other crates."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from understudy.syntax.grammars import language_of
from understudy.syntax.model import ALL, NO_IMPORTS, WHOLE, Binding, FileImports, Import

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

SUFFIXES: Final = (".rs",)

BELOW_PACKAGE: Final = " below the package"
"""Ends the kind of an inclusion by a path from the package's folder."""

GENERATED: Final = " of the build"
"""Ends the kind of an inclusion of what a build script writes."""


def read(path: str, text: bytes) -> FileImports:
    """All that a text takes, in macros' arguments as well.

    The kinds are `mod`, whose target has the modules around it in the text as folders; `path` for a
    module with a file of its own choice, and `inner path` for one inside of other modules; the
    macros `include`, `include_str`, `include_bytes`; `use` and `extern crate`, whose target is the
    first name of the path.
    """
    del path
    root = _parser().parse(text).root_node if language_of("rust") else None
    if root is None:
        return NO_IMPORTS
    found: dict[Import, None] = {}
    # A pattern proposes places; what stands there, in code or in a comment, the parser says.
    for place in _PLACES.finditer(text):
        node = root.descendant_for_byte_range(place.start(), place.end(1))
        if node is None or (node.start_byte, node.end_byte) != place.span(1):
            continue
        if place[1] == b"mod":
            found.update(dict.fromkeys(_module(node)))
        elif place[1] in (b"use", b"crate"):
            found.update(dict.fromkeys(_names(node)))
        elif node.type == "identifier":
            found.update(dict.fromkeys(_inclusion(node)))
    return FileImports(tuple(found))


@cache
def _parser() -> Parser:
    from tree_sitter import Parser  # noqa: PLC0415 - a compiled wheel

    return Parser(language_of("rust"))


_PLACES: Final = re.compile(rb"\b(mod\b|use\b|crate\b|include(?:_str|_bytes)?(?=\s*!))")
_TEXT: Final = (Binding(ALL, ALL, ALL),)
_NAMED: Final = (Binding(WHOLE),)
"""Which names a `use` takes, the declarations tell."""
_INSIDE: Final = ("crate", "self", "super", "Self")
_ROOTS: Final = re.compile(r"//[^\n]*|/\*.*?\*/|[{},]|::|\*|[\w]+", re.DOTALL)


def _module(node: Node) -> Iterator[Import]:
    """A module that lies in a file of its own; `node` is the word `mod`."""
    name = node.next_sibling
    ending = name.next_sibling if name else None
    if name is None or name.type != "identifier" or ending is None or ending.type != ";":
        return
    item = node.parent if node.parent and node.parent.type == "mod_item" else node
    folders = _around(item)
    paths, is_certain = _paths(item)
    for path in paths:
        kind = "inner path" if folders else "path"
        yield Import("/".join((*folders, path)), kind, _TEXT)
    if not is_certain:
        yield Import("/".join((*folders, _plain(name))), "mod", _TEXT)


def _around(item: Node) -> list[str]:
    """The folders that the modules around an item stand for, outermost first."""
    folders: list[str] = []
    inner: Node | None = item.parent
    while inner is not None:
        if inner.type in ("declaration_list", "token_tree"):
            name = inner.prev_sibling
            word = name.prev_sibling if name else None
            if name is not None and word is not None and word.type == "mod":
                is_item = word.parent is not None and word.parent.type == "mod_item"
                paths, _ = _paths(word.parent if is_item and word.parent else word)
                folders.append(paths[-1] if paths else _plain(name))
        inner = inner.parent
    return folders[::-1]


def _paths(item: Node) -> tuple[list[str], bool]:
    """The paths that attributes above an item give it, and whether one does in any case."""
    paths: list[str] = []
    is_certain = False
    before = item.prev_sibling
    while before is not None and before.type in _ABOVE:
        found = _PATH_ATTRIBUTE.findall(before.text or b"")
        if found and before.type in ("attribute_item", "token_tree"):
            paths += [_unescaped(one) for one in found]
            is_certain |= b"cfg_attr" not in (before.text or b"")
        before = before.prev_sibling
    return paths[::-1], is_certain


_ABOVE: Final = (
    *("attribute_item", "token_tree", "#", "line_comment", "block_comment"),
    *("visibility_modifier", "pub"),
)
_PATH_ATTRIBUTE: Final = re.compile(rb"\bpath\s*=\s*r?#*\"((?:[^\"\\]|\\.)*)\"", re.DOTALL)


def _names(node: Node) -> Iterator[Import]:
    """The first names of the paths of a `use`, or the name of an `extern crate`."""
    if node.type == "crate":
        before, name = node.prev_sibling, node.next_sibling
        if before is None or before.type != "extern" or name is None:
            return
        if name.type in ("identifier", "self"):
            yield Import(_plain(name), "extern crate", _TEXT)
        return
    tree = node.next_sibling if node.type == "use" else None
    parts = list[str]()
    while tree is not None and tree.type != ";":
        parts.append((tree.text or b"").decode("utf-8", "replace").replace("r#", ""))
        tree = tree.next_sibling
    if parts and parts[0].startswith("<"):
        return  # `use<'a>` in a bound says what a type captures
    depth, is_start = 0, True
    for piece in _ROOTS.findall(" ".join(parts)):
        if piece == "{":
            # A list at the very start has paths of its own; one behind a name goes on with it.
            depth += 0 if is_start and depth == 0 else 1
        elif piece == "}":
            depth -= 1
        elif piece == ",":
            is_start = depth <= 0
        elif piece[0].isalnum() or piece[0] == "_":
            if is_start and depth <= 0 and piece not in _INSIDE:
                yield Import(piece, "use", _NAMED)
            is_start = False


def _inclusion(node: Node) -> Iterator[Import]:
    """A file that a macro includes; `node` is the macro's name."""
    whole = node.parent
    is_qualified = whole is not None and whole.type == "scoped_identifier"
    mark = whole.next_sibling if whole is not None and is_qualified else node.next_sibling
    arguments = mark.next_sibling if mark is not None and mark.type == "!" else None
    if arguments is None or arguments.type != "token_tree":
        return
    kind = (node.text or b"").decode()
    bindings = _TEXT if kind == "include" else (Binding(WHOLE),)
    inner = [one for one in arguments.named_children if not one.type.endswith("_comment")]
    if len(inner) == 1 and inner[0].type in ("string_literal", "raw_string_literal"):
        yield Import(_string(inner[0]), kind, bindings)
        return
    text = arguments.text or b""
    if b"OUT_DIR" in text:
        yield Import("", f"{kind}{GENERATED}", bindings)
    elif b"CARGO_MANIFEST_DIR" in text:
        strings = [one[1] for one in _STRINGS.finditer(text) if one[1] != b"CARGO_MANIFEST_DIR"]
        target = posixpath.normpath("".join(map(_unescaped, strings)).lstrip("/"))
        yield Import(target, f"{kind}{BELOW_PACKAGE}", bindings)
    else:
        yield Import("", kind, bindings)


_STRINGS: Final = re.compile(rb"\"((?:[^\"\\]|\\.)*)\"", re.DOTALL)


def _plain(name: Node) -> str:
    return (name.text or b"").decode("utf-8", "replace").removeprefix("r#")


def _string(node: Node) -> str:
    text = node.text or b""
    if node.type == "raw_string_literal":
        return text.partition(b'"')[2].rpartition(b'"')[0].decode("utf-8", "surrogateescape")
    return _unescaped(text[1:-1] if text.endswith(b'"') else text[1:])


def _unescaped(text: bytes) -> str:
    return re.sub(rb"\\(.)", rb"\1", text).decode("utf-8", "surrogateescape")
