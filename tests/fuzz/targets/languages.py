"""Texts of programs, half-written as editors have them: outlines, bindings, silencing."""

from __future__ import annotations

from tests.fuzz.targets.model import FuzzTarget, chosen, text_of
from understudy.dependents.families import FAMILIES
from understudy.dependents.readers import declarations_of, imports_of, readers_of
from understudy.dependents.resolvers.model import FolderTree
from understudy.findings.silencing.change import TwoTexts, change_of, may_matter
from understudy.findings.silencing.matching import added_forms
from understudy.findings.silencing.settings import weakened
from understudy.outline.languages import LANGUAGES
from understudy.outline.read_outline import outline
from understudy.syntax.code_digest import code_digest
from understudy.values.errors import UnderstudyError

for _family in FAMILIES:
    readers_of(_family)  # loaded now, so that what they do is counted

_NAMES = sorted(LANGUAGES)
_PATHS = (
    "a.py", "a.pyi", "a.ts", "a.tsx", "a.js", "a.go", "a.rs", "a.c", "a.h", "a.cpp", "a.json",
    "a.vue", "a.svelte", "a.astro", "a.mdx", "a.ipynb", "a.cjs",
)  # fmt: skip
_CONFIGURATION = (
    "tsconfig.json", "package.json", "pyproject.toml", "go.mod", "go.work", "Cargo.toml",
    "compile_commands.json", "compile_flags.txt", ".clangd", "pyrightconfig.json", "setup.cfg",
    "mypy.ini", "ruff.toml", "jsconfig.json", "eslint.config.js", ".eslintrc.json", "a.go",
)  # fmt: skip
_FILES = ("a.py", "pkg/__init__.py", "pkg/b.py", "src/a.ts", "src/b/index.ts", "x.go", "src/lib.rs", "a.c", "inc/a.h")  # fmt: skip
_TEXTS = (
    b"import a.b as c\nfrom . import x\nclass A(B):\n    @d\n    def f(self, x: int = 1): ...\n",
    b"import {a as b} from './c'; export * from \"d\"; export const x = <T,>(y: T) => y\n",
    b'package p\n\nimport (\n\t"a/b"\n)\n\n//go:embed x\nfunc (r *T) F() {}\n',
    b"mod a;\nuse crate::b::{self, c as d};\npub struct S<T> { pub x: T }\nimpl S<u8> { fn f() {} }\n",
    b'#include "a.h"\n#define X(y) y\nstruct S { int f; };\nnamespace n { template <class T> void g(T); }\n',
    b"<script setup lang='ts'>\nimport x from './x'\n</script>\n<template/>\n",
    b'{"cells": [{"cell_type": "code", "source": ["import a\\n"]}], "nbformat": 4}',
)


def _outlines(data: bytes) -> None:
    which, text = chosen(data, len(_NAMES))
    try:
        found = outline(text, _NAMES[which])
        assert outline(text, _NAMES[which]) == found, "two outlines of the same text"
    except UnderstudyError:
        pass


def _bindings(data: bytes) -> None:
    which, text = chosen(data, len(_PATHS))
    path = _PATHS[which]
    imports_of(path, text)
    declarations_of(path, text)


def _resolvers(data: bytes) -> None:
    which, text = chosen(data, len(_CONFIGURATION))
    name = _CONFIGURATION[which]
    tree = FolderTree((*_FILES, name), {name: text})
    for family, path in (("python", "a.py"), ("script", "src/a.ts"), ("go", "x.go"),
                         ("native", "a.c"), ("rust", "src/lib.rs"), ("json", name)):  # fmt: skip
        if family in FAMILIES:
            readers = readers_of(family)
            imports = readers.imports(path, text)
            for edge in readers.resolver(tree).edges(path, imports):
                assert edge.target != path, "a file that imports itself"
            if readers.needs is not None:
                readers.needs(tree)


def _silencing(data: bytes) -> None:
    which, rest = chosen(data, len(_PATHS) + len(_CONFIGURATION))
    path = (*_PATHS, *_CONFIGURATION)[which]
    before, _, after = text_of(rest).partition("\0")
    texts = TwoTexts(path, before, after, was_test="test" in before, is_test="test" in after)
    may_matter(texts)
    change = change_of(texts)
    if change is not None:
        added_forms([change])
    weakened([texts])


def _digests(data: bytes) -> None:
    which, text = chosen(data, 5)
    code_digest(("python", "typescript", "go", "rust", "c")[which], text)


def _each(count: int, texts: tuple[bytes, ...] = _TEXTS) -> tuple[bytes, ...]:
    return tuple(bytes([which]) + text for which in range(count) for text in texts)


TARGETS = (
    FuzzTarget("outlines", _outlines, _each(len(_NAMES))),
    FuzzTarget("bindings", _bindings, _each(len(_PATHS))),
    FuzzTarget(
        "resolvers",
        _resolvers,
        _each(
            len(_CONFIGURATION),
            (
                (
                    b'{"extends": "./b", "compilerOptions": {"paths": {"@/*": ["src/*"]}, "baseUrl": "."},'
                    b' "include": ["src"], "name": "n", "exports": {".": {"types": "./src/a.ts"}}}'
                ),
                b'[tool.x]\npath = "src"\n[workspace]\nmembers = ["*"]\n[package]\nname = "n"\n',
                b"module m\n\ngo 1.2\n\nreplace a => ./b\n\nuse (\n\t./x\n)\n",
                b'[{"directory": "/d", "file": "a.c", "command": "cc -include x.h -I inc a.c"}]',
            ),
        ),
    ),
    FuzzTarget(
        "silencing",
        _silencing,
        _each(
            len(_PATHS) + len(_CONFIGURATION),
            (
                b"x = 1\n\0x: Any = 1  # type: ignore[a]\n",
                b"def test_a():\n    assert f()\n\0@skip\ndef test_a():\n    pass\n",
                b'strict = true\n\0strict = false\nignore = ["E"]\n',
            ),
        ),
    ),
    FuzzTarget("digests", _digests, _each(5)),
)
