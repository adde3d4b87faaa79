"""What a C, C++, Objective-C or CUDA text includes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from understudy.syntax.model import ALL, WHOLE, Binding, FileImports, Import
from understudy.syntax.native.directives import Directive, directives, without_trigraphs

CPP_SUFFIXES: Final = (
    ".cc", ".cpp", ".cxx", ".c++", ".C", ".cppm", ".ixx", ".mpp", ".ccm", ".cxxm", ".c++m", ".mm",
    ".cu", ".hh", ".hpp", ".hxx", ".h++", ".H", ".cuh", ".ipp", ".tcc", ".tpp", ".txx",
)  # fmt: skip
"""Of files that are C++ for certain; others may be C, where `R"(` begins no raw string."""

SUFFIXES: Final = (
    *CPP_SUFFIXES,
    ".c", ".m", ".cl", ".h", ".inc", ".inl", ".def", ".pch", ".S", ".sx", ".y", ".l",
)  # fmt: skip
"""Of files whose own includes are read; a file of any other name can still be included."""

TEXT: Final = (Binding(ALL, ALL, ALL),)
"""Text that is included hands on all it has, and all it has been handed."""

EFFECT: Final = (Binding(WHOLE),)

ANGLED: Final = "<>"
"""Ends the kind of an import whose name stands in angle brackets."""


def read(path: str, text: bytes) -> FileImports:
    """All that a text includes, in every group of its conditionals.

    The kinds are the directives (`include`, `include_next`, `import`, `embed`), `define` for a
    macro that stands for a header's name, `has_include`, `dependency` of a pragma, `module` for one
    C++ imports by name and `@import` for
    one of Objective-C, and `computed` where a macro has to be expanded to know. A name in angle
    brackets adds ANGLED. What depends on the language's version is read in each way.
    """
    if text[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = text.decode("utf-16", "replace").encode()
    found: dict[Import, None] = {}
    scope = ""
    is_cpp = path.endswith(CPP_SUFFIXES)
    for reading in (text, without_trigraphs(text)) if b"??" in text else (text,):
        for is_modern in (True, False) if not is_cpp and _DATED.search(text) else (True,):
            for one in directives(
                reading, is_modern=is_modern, has_modules=not path.endswith(".c")
            ):
                found.update(dict.fromkeys(_imports(one)))
                scope = scope or (_module(one).partition(":")[0] if is_cpp else "")
    return FileImports(tuple(found), scope)


def module_of(text: bytes) -> str:
    """The C++ module that a text is an interface of, `m`, or of a part of it, `m:part`."""
    lines = directives(text, is_modern=True, has_modules=True)
    exported = (_module(one) for one in lines if one.name == "export module;")
    return next(filter(None, exported), "")


def decoded(name: bytes) -> str:
    """A file's name as the paths of a tree have it."""
    return name.decode("utf-8", "surrogateescape")


# What older C reads in another way than C++ and C23: raw strings and parted digits.
_DATED: Final = re.compile(rb"R\"|[0-9a-fA-F]'[0-9a-fA-F]")
_HEADER: Final = re.compile(rb"\s*(?:<([^>\n]+)>?|\"([^\"\n]+)\"?)")
_MACRO_HEADER: Final = re.compile(rb"\s*\w+\s+(?:<([^<>\n]+)>|\"([^\"\n]+)\")\s*\Z")
_HAS_INCLUDE: Final = re.compile(
    rb"__has_(?:include(?:_next)?|embed)\s*\(\s*(?:<([^>]+)>|\"([^\"]+)\"|([A-Za-z_]))"
)
# A condition holds no string but a header's name, which a macro may hand to __has_include.
_IN_CONDITION: Final = re.compile(rb"\(\s*<([^<>()]+)>\s*[),]|\"([^\"]+)\"")
_IN_PRAGMA: Final = re.compile(rb"<([^<>]+)>|\"([^\"]+)\"")
_MODULE_NAME: Final = re.compile(
    rb"\s*((?:[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*)?)\s*(:?)\s*([\w.]*)"
)


def _imports(one: Directive) -> Iterator[Import]:
    if one.name in ("include", "include_next", "import", "embed") and one.plain.strip():
        yield _include(one)
    elif one.name == "define":
        if header := _MACRO_HEADER.match(one.plain):
            yield _named("define", header[1], header[2])
        if b"__has_" in one.plain:
            yield from _conditions(one.plain, is_macro=True)
    elif one.name in ("if", "elif"):
        yield from _conditions(one.plain, is_macro=False)
    elif one.name == "pragma":
        yield from _pragma(one.plain)
    elif one.name in ("import;", "export import;", "@import;"):
        yield from _module_import(one)


def _include(one: Directive) -> Import:
    header = _HEADER.match(one.plain)
    if header is None:
        return Import("", "computed", TEXT)
    return _named(one.name, header[1], header[2])


def _named(kind: str, angled: bytes | None, quoted: bytes | None) -> Import:
    bindings = EFFECT if kind in ("embed", "has_include", "dependency") else TEXT
    name = decoded((angled or quoted or b"").strip())
    return Import(name, f"{kind}{ANGLED}" if angled else kind, bindings)


def _conditions(line: bytes, *, is_macro: bool) -> Iterator[Import]:
    for found in _HAS_INCLUDE.finditer(line):
        if not found[3]:
            yield _named("has_include", found[1], found[2])
        elif not is_macro:
            yield Import("", "computed", EFFECT)
    if not is_macro:
        for found in _IN_CONDITION.finditer(line):
            yield _named("has_include", found[1], found[2])


def _pragma(line: bytes) -> Iterator[Import]:
    words = line.split()
    if words[:2] == [b"GCC", b"dependency"] or (
        words[:1] and words[0].startswith(b"include_alias")
    ):
        kind = "dependency" if words[0] == b"GCC" else "include"
        for found in _IN_PRAGMA.finditer(line):
            yield _named(kind, found[1], found[2])
    elif words[:3] == [b"clang", b"module", b"import"] and len(words) > 3:
        yield Import(decoded(words[3]), "@import", TEXT)


def _module_import(one: Directive) -> Iterator[Import]:
    """An import by C++20's or Objective-C's own word: of a header, a module or a part of one."""
    header = _HEADER.match(one.plain)
    if header is not None:
        yield _named("import", header[1], header[2])
        return
    name = _MODULE_NAME.match(one.plain)
    after = one.plain[name.end() :].lstrip() if name else b""
    if name is None or (after and after[:1] not in b";[") or not name[0].strip():
        return
    kind = "@import" if one.name == "@import;" else "module"
    handed_on = ALL if one.name == "export import;" else ""
    target = b"".join(name.groups()).replace(b" ", b"")
    yield Import(decoded(target), kind, (Binding(ALL, ALL, handed_on),))


def _module(one: Directive) -> str:
    """The module whose unit a text is, `m` or `m:part`; "" for other lines."""
    name = _MODULE_NAME.match(one.plain) if one.name in ("module;", "export module;") else None
    if name is None or one.plain[name.end() :].strip()[:1] not in (b"", b";", b"["):
        return ""
    return decoded(b"".join(name.groups()).replace(b" ", b"")) if name[1] else ""
