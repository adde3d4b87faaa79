"""Small projects for checking commands, edits of them, and the truth by cold command lines.

The truth is read from the commands' text output (the product reads JSON where there is any).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.support.servers import MissingServerError, environment

SECONDS = 300
Files = Mapping[str, str | None]


@dataclass(frozen=True)
class CommandProject:
    """A project for one command: its files, edits by name, and how to ask for the truth."""

    checker: str
    files: Files
    edits: Mapping[str, Files]
    command: tuple[str, ...]
    line: re.Pattern[str]
    """Of the text output: groups `path`, `line`, `message`."""

    def truth(self, folder: Path, edit: Files) -> Counter[tuple[str, int, str]]:
        """What the edit introduces: path, line (from 1) and message of each new finding."""
        before = self._findings(self._copy(folder / "before", self.files))
        after = self._findings(self._copy(folder / "after", {**self.files, **edit}))
        old = Counter((path, message) for path, _, message in before)
        found: Counter[tuple[str, int, str]] = Counter()
        for path, line, message in sorted(after):
            if old[path, message] > 0:
                old[path, message] -= 1
            else:
                found[path, line, message] += 1
        return found

    def _copy(self, folder: Path, files: Files) -> Path:
        for path, text in files.items():
            if text is not None:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text)
        return folder

    def _findings(self, folder: Path) -> set[tuple[str, int, str]]:
        words = [
            str(path.relative_to(folder)) for path in sorted(folder.rglob("*.py"))
        ] if self.checker == "mypy" else []  # fmt: skip
        program = shutil.which(self.command[0], path=environment()["PATH"])
        if program is None:
            raise MissingServerError(f"{self.command[0]} is missing; run `make servers`")
        done = subprocess.run(
            [program, *self.command[1:], *words], cwd=folder, env=environment(),
            capture_output=True, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
        shutil.rmtree(folder / "target", ignore_errors=True)
        found: set[tuple[str, int, str]] = set()
        for line in (done.stdout + done.stderr).splitlines():
            if match := self.line.fullmatch(line):
                path = os.path.relpath(folder / match["path"], folder)
                found.add((path, int(match["line"]), match["message"]))
        return found


CARGO = CommandProject(
    "cargo-check",
    {
        "Cargo.toml": '[workspace]\nmembers = ["one", "two"]\nresolver = "2"\n',
        "one/Cargo.toml": '[package]\nname = "one"\nversion = "0.1.0"\nedition = "2021"\n',
        "one/src/lib.rs": "pub mod a;\npub fn twice(x: i32) -> i32 {\n    a::same(x) * 2\n}\n",
        "one/src/a.rs": "pub fn same(x: i32) -> i32 {\n    x\n}\n",
        "one/tests/t.rs": "#[test]\nfn t() {\n    assert_eq!(one::twice(2), 4);\n}\n",
        "two/Cargo.toml": '[package]\nname = "two"\nversion = "0.1.0"\nedition = "2021"\n'
        '[dependencies]\none = { path = "../one" }\n',
        "two/src/main.rs": 'fn main() {\n    println!("{}", one::twice(1));\n}\n',
    },
    {
        "clean": {"one/src/a.rs": "pub fn same(x: i32) -> i32 {\n    x + 0\n}\n"},
        "own": {"one/src/a.rs": 'pub fn same(x: i32) -> i32 {\n    let _y: i32 = "s";\n    x\n}\n'},
        "warning": {"one/src/a.rs": "pub fn same(x: i32) -> i32 {\n    let y = 1;\n    x\n}\n"},
        "caller": {"one/src/a.rs": "pub fn same(x: &str) -> i32 {\n    x.len() as i32\n}\n"},
        "other package": {
            "one/src/lib.rs": "pub mod a;\npub fn twice(x: u8) -> u8 {\n    x\n}\n",
            "one/tests/t.rs": None,
            "two/src/main.rs": "fn main() {\n    let _: i32 = one::twice(1);\n}\n",
        },
        "syntax": {"one/src/a.rs": "pub fn same(x: i32) -> i32 {\n    x +\n}\n"},
        "new": {
            "one/src/b.rs": "pub fn f() -> bool {\n    1\n}\n",
            "one/src/lib.rs": "pub mod a;\npub mod b;\npub fn twice(x: i32) -> i32 {\n    x\n}\n",
        },
        "deleted": {"one/src/a.rs": None},
        "configuration": {"two/Cargo.toml": '[package]\nname = "two"\nversion = "0.1.0"\n'},
        "macro": {
            "one/src/a.rs": "macro_rules! m {\n    () => {\n        let _x: i32 = 1u8;\n    };\n}\n"
            "pub fn same(x: i32) -> i32 {\n    m!();\n    x\n}\n"
        },
    },
    ("cargo", "check", "--workspace", "--all-targets", "--offline", "--message-format=short"),
    re.compile(
        r"(?P<path>[^\s:]+):(?P<line>\d+):\d+: (?:error|warning)(?:\[\w+\])?: (?P<message>.*)"
    ),
)

GO = CommandProject(
    "go-vet",
    {
        "go.mod": "module example.org/m\n\ngo 1.21\n",
        "p/p.go": 'package p\n\nimport "fmt"\n\nfunc F(n int) { fmt.Printf("%d\\n", n) }\n',
        "p/p_test.go": 'package p\n\nimport "testing"\n\nfunc TestF(t *testing.T) { F(1) }\n',
        "q/q.go": 'package q\n\nimport "example.org/m/p"\n\nfunc G() { p.F(1) }\n',
    },
    {
        "clean": {"p/p.go": 'package p\n\nimport "fmt"\n\nfunc F(n int) { fmt.Println(n) }\n'},
        "vet": {
            "p/p.go": 'package p\n\nimport "fmt"\n\nfunc F(n int) { fmt.Printf("%s\\n", n) }\n'
        },
        "wide": {
            "q/q.go": 'package q\n\nimport "fmt"\n\nfunc G() { fmt.Printf("\u00e9 %d", "x") }\n'
        },
        "caller": {"p/p.go": 'package p\n\nimport "fmt"\n\nfunc F(n string) { fmt.Println(n) }\n'},
        "syntax": {"p/p.go": "package p\n\nfunc F(n int) {\n"},
        "new": {"q/r.go": "package q\n\nfunc H() int { return true }\n"},
        "deleted": {"p/p.go": None},
        "new package": {"r/r.go": 'package r\n\nimport "example.org/m/q"\n\nvar _ = q.Nothing\n'},
    },
    ("go", "vet", "./..."),
    re.compile(r"(?:vet: )?(?P<path>[^\s:]+\.go):(?P<line>\d+):\d+: (?P<message>.*)"),
)

MYPY = CommandProject(
    "mypy",
    {
        "mypy.ini": "[mypy]\nstrict = false\n",
        "a.py": "def f(x: int) -> int:\n    return x\n",
        "b.py": "from a import f\n\nf(1)\n",
        "package/__init__.py": "",
        "package/c.py": "from b import f\n\ny: int = f(2)\n",
    },
    {
        "clean": {"a.py": "def f(x: int) -> int:\n    return x + 1\n"},
        "own": {"a.py": "def f(x: int) -> int:\n    return str(x)\n"},
        "caller": {"a.py": "def f(x: str) -> str:\n    return x\n"},
        "syntax": {"a.py": "def f(x: int) -> int:\n    return (\n"},
        "new": {"new.py": "from b import f\n\nf('')\n"},
        "deleted": {"a.py": None},
    },
    ("mypy", "--no-error-summary"),
    re.compile(
        r"(?P<path>[^\s:]+):(?P<line>\d+): (?:error|note): (?P<message>.*?)(?:  \[[\w-]+\])?"
    ),
)


def tsconfig(strict: str) -> str:
    return f'{{"compilerOptions": {{"strict": {strict}, "types": []}}, "include": ["src"]}}\n'


TSC = CommandProject(
    "tsc",
    {
        "tsconfig.json": tsconfig("false"),
        "src/a.ts": "export function f(x: number): number { return x }\n",
        "src/b.ts": 'import { f } from "./a"\nexport const y: number = f(1)\n',
        "src/c.ts": "export function g(x) { return x }\n",
    },
    {
        "clean": {"src/a.ts": "export function f(x: number): number { return x + 1 }\n"},
        "own": {"src/a.ts": "export function f(x: number): number { return String(x) }\n"},
        "caller": {"src/a.ts": "export function f(x: string): number { return x.length }\n"},
        "syntax": {"src/a.ts": "export function f(x: number): number { return (\n"},
        "new": {"src/d.ts": 'import { f } from "./a"\nf("")\n'},
        "deleted": {"src/a.ts": None},
        "configuration": {"tsconfig.json": tsconfig("true")},
        # What the project's own configuration leaves out is left out, as by its command line.
        "no check": {
            "tsconfig.json": tsconfig('false, "noCheck": true'),
            "src/a.ts": "export function f(x: number): number { return String(x) }\n",
        },
        "no check in a file": {
            "src/a.ts": "// @ts-nocheck\nexport function f(x: string): number { return x }\n"
        },
        "no check of a syntax error": {
            "tsconfig.json": tsconfig('false, "noCheck": true'),
            "src/a.ts": "export function f(x: number): number { return (\n",
        },
        "libraries skipped": {
            "tsconfig.json": tsconfig('false, "skipLibCheck": true'),
            "src/d.d.ts": "declare const d: Nothing;\n",
        },
        "libraries checked": {"src/d.d.ts": "declare const d: Nothing;\n"},
    },
    ("tsc", "--noEmit", "--pretty", "false"),
    re.compile(r"(?P<path>[^\s(]+)\((?P<line>\d+),\d+\): error TS\d+: (?P<message>.*)"),
)

PROJECTS = {project.checker: project for project in (CARGO, GO, MYPY, TSC)}
