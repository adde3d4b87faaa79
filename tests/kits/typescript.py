"""TypeScript: both language servers; the compiler as a command."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.support import file_edits_typescript, oracle, typescript_project
from tests.support.kit import CrossFile, Kit, Oracle, Pairing, Sample
from tests.support.oracle import STOPPED, Found, output
from tests.support.servers import node, program

_TSC_LINE = re.compile(
    r"^(?P<path>[^\s(][^(]*)\((?P<line>\d+),\d+\): (?P<word>\w+) TS(?P<code>\d+):"
)
_SYNTAX = re.compile(r"1\d\d\d$")
"""Codes of syntax errors, and of a few others."""


def _tsc(name: str) -> Callable[[Path], Iterator[Found]]:
    def find(folder: Path) -> Iterator[Found]:
        found = list(_tsc_lines(name, folder))
        if any(one.code is not None and _SYNTAX.match(one.code) for one in found):
            # The command line stops at syntax errors and is silent about all else.
            found = list(_by_api(name, folder))
        yield from found

    return find


def _tsc_lines(name: str, folder: Path) -> Iterator[Found]:
    text = output(folder, name, "--noEmit", "--pretty", "false", "-p", ".", codes=(0, 1, 2))
    for line in text.splitlines():
        match = _TSC_LINE.match(line)
        if match is not None:
            yield Found(match["path"], int(match["line"]) - 1, match["code"], match["word"].lower())
        elif line and not line.startswith(" "):
            raise AssertionError(f"{name} said something that is not a finding: {line}")


def _by_api(name: str, folder: Path) -> Iterator[Found]:
    """All findings by a cold run of the compiler's own programming interface."""
    compiler = program(name).resolve().parent.parent
    script = Path(oracle.__file__).with_name("typescript_api.mjs")
    command = (str(node()), str(script), str(compiler))
    for line in output(folder, *command, codes=(0,)).splitlines():
        item = json.loads(line)
        path = Path(item["fileName"]).resolve().relative_to(folder).as_posix()
        severity = ("warning", "error", "hint", "information")[item["category"]]
        yield Found(path, item["line"], str(item["code"]), severity)


def _tsc_command(folder: Path) -> Iterator[Found]:
    """What the command line says, and no more; its profile leaves the codes as they are printed."""
    for found in _tsc_lines("tsc", folder):
        yield found._replace(code=f"TS{found.code}")
        if found.code is not None and _SYNTAX.match(found.code):
            yield STOPPED


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


_SAMPLE = Sample(
    "typescript",
    typescript_project.make,
    file_edits_typescript.scenarios,
    lambda text, marker: f"{text}\nexport const at_{marker} = {marker};\n",
)
PAIRINGS = (
    Pairing(
        "typescript-language-server",
        Oracle("typescript5", _tsc("tsc5"), 6, "tsc5"),
        _SAMPLE,
        n_edits=4,
    ),
    Pairing("typescript7", Oracle("typescript7", _tsc("tsc"), 40, "tsc"), _SAMPLE),
)
COMMANDS = (Pairing("tsc", Oracle("tsc", _tsc_command), _SAMPLE),)
KITS = (
    _typescript("typescript-language-server"),
    _typescript("typescript-language-server", {"rule": "canary"}),
    _typescript("typescript7"),
)
