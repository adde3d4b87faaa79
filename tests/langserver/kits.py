"""What the real servers are judged on: texts whose findings are known by construction.

A marker is a name that nothing defines; the finding about it names it, so that a stale answer, a
false clean and another branch's finding are all told apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class CrossFile:
    """A dependency whose change makes an error in its untouched importer."""

    importer: str
    dependency: str
    good: Callable[[int], str]
    bad: Callable[[int], str]
    missing: str = ""
    """A file that imports `created`, which does not exist at first."""
    created: str = ""


@dataclass(frozen=True)
class Kit:
    """One server's material. `marked(marker)` has one finding, on the marker."""

    name: str
    path: str
    files: Mapping[str, str]
    marked: Callable[[str], str]
    broken: str
    cross: CrossFile | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return "-".join([self.name, *(str(value) for value in self.overrides.values())])


def _python(name: str, *, cross: bool = True) -> Kit:
    return Kit(
        name=name,
        path="app.py",
        files={
            "app.py": '"""A module."""\n\nfrom lib import value\n\nprint(value())\n',
            "lib.py": _py_lib("int", 1),
            "user.py": "from lib import value\n\nnumber: int = value()\n",
            "wants.py": "from extra import number\n\nprint(number)\n",
        },
        marked=lambda m: f'"""A module."""\r\n\r\nprint("é😀", {m})\r\n',
        broken='"""A module."""\n\nprint((1,\n',
        cross=CrossFile(
            importer="user.py",
            dependency="lib.py",
            good=lambda i: _py_lib("int", i),
            bad=lambda i: _py_lib("str", f'"{i}"'),
            missing="wants.py",
            created="extra.py",
        )
        if cross
        else None,
    )


def _py_lib(kind: str, value: object) -> str:
    return f"def value() -> {kind}:\n    return {value}\n"


def _typescript(name: str, overrides: Mapping[str, Any] | None = None) -> Kit:
    config = (
        '{"compilerOptions": {"strict": true, "module": "nodenext", "noEmit": true, "types": []}}'
    )
    return Kit(
        name=name,
        path="app.ts",
        files={
            "tsconfig.json": config,
            "package.json": '{"type": "module"}',
            "app.ts": "export const one = 1;\n",
            "lib.ts": _ts_lib("number", 1),
            "user.ts": 'import { value } from "./lib.js";\nexport const n: number = value();\n',
            "wants.ts": 'import { number } from "./extra.js";\nexport const m = number;\n',
        },
        marked=lambda m: f'export const s = "é";\r\nexport const t = ["😀", {m}];\r\n',
        broken="export const s = (1;\n",
        cross=CrossFile(
            importer="user.ts",
            dependency="lib.ts",
            good=lambda i: _ts_lib("number", i),
            bad=lambda i: _ts_lib("string", f'"{i}"'),
            missing="wants.ts",
            created="extra.ts",
        ),
        overrides=overrides or {},
    )


def _ts_lib(kind: str, value: object) -> str:
    return f"export function value(): {kind} {{\n  return {value};\n}}\n"


def _cpp_lib(kind: str, value: int) -> str:
    return f"#pragma once\n\ninline {kind} value() {{ return {value}; }}\n"


def _schema(kind: str, i: int) -> str:
    return (
        f'{{"title": "{i}", "type": "object", "additionalProperties": false, "properties": '
        f'{{"$schema": {{}}, "é😀": {{}}, "n": {{"type": "{kind}"}}}}}}\n'
    )


_JSON = Kit(
    name="vscode-json",
    path="app.json",
    files={
        "app.json": '{"$schema": "./lib.schema.json", "n": 1}\n',
        "user.json": '{"$schema": "./lib.schema.json", "n": 1}\n',
        "lib.schema.json": _schema("number", 0),
    },
    marked=lambda m: f'{{"$schema": "./lib.schema.json",\r\n "é😀": 1, "{m}": 1}}\r\n',
    broken='{"$schema": "./lib.schema.json", "n": \n',
    cross=CrossFile(
        importer="user.json",
        dependency="lib.schema.json",
        good=lambda i: _schema("number", i),
        bad=lambda i: _schema("string", i),
    ),
)

_BASH = Kit(
    name="bash-language-server",
    path="app.sh",
    files={"app.sh": '#!/bin/bash\necho "hello"\n'},
    marked=lambda m: f'#!/bin/bash\necho "é😀" "${m}"\n',
    broken='#!/bin/bash\nif true; then\necho "hello"\n',
)

_CSS = Kit(
    name="vscode-css",
    path="app.css",
    files={"app.css": '.a {\n  content: "é😀";\n}\n'},
    marked=lambda m: f'.a {{\r\n  content: "é😀"; {m}: 1;\r\n}}\r\n',
    broken=".a {\n  color: red;\n",
)

_HTML = Kit(
    name="vscode-html",
    path="app.html",
    files={"app.html": "<style>\n  .a { color: red; }\n</style>\n<p>é😀</p>\n"},
    marked=lambda m: f'<p>é😀</p>\r\n<style>\r\n  .a {{ content: "é😀"; {m}: 1; }}\r\n</style>\r\n',
    broken="<script>\n  const s = (1;\n</script>\n",
)

_CLANGD = Kit(
    name="clangd",
    path="app.cpp",
    files={
        "compile_flags.txt": "-std=c++17\n-Wall\n",
        "app.cpp": '#include "lib.hpp"\n\nint one() { return value(); }\n',
        "lib.hpp": _cpp_lib("int", 1),
        "user.cpp": '#include "lib.hpp"\n\nint *number(int *p) { return p + value(); }\n',
        "wants.cpp": '#include "extra.hpp"\n\nint more() { return number; }\n',
    },
    marked=lambda m: f'#include "lib.hpp"\r\nint a = value();\r\nauto s = "😀"; auto t = {m};\r\n',
    broken='#include "lib.hpp"\nint one() { return (value();\n',
    cross=CrossFile(
        importer="user.cpp",
        dependency="lib.hpp",
        good=lambda i: _cpp_lib("int", i),
        bad=lambda i: _cpp_lib("double", i),
        missing="wants.cpp",
        created="extra.hpp",
    ),
)

KITS = [
    _python("basedpyright"),
    _python("pyright"),
    _python("ty"),
    _python("ruff", cross=False),
    _typescript("typescript-language-server"),
    _typescript("typescript-language-server", {"rule": "canary"}),
    _typescript("typescript7"),
    _JSON,
    _CSS,
    _HTML,
    _BASH,
    _CLANGD,
]
CROSS_KITS = [kit for kit in KITS if kit.cross is not None]
