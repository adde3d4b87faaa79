"""What is run on a stage and outside to compare the CPU time: builds, tests, a search, git."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.stages import write_tree
from tests.support.projects import project
from tests.support.servers import node, npm_packages

DEADLINE_S = 300
N_FILES = 20_000
"""Of the tree that is searched, and that git looks at."""
MEASURED = """
import json, os, resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"code": code, "seconds": used.ru_utime + used.ru_stime}))
"""
"""Runs a command and prints its CPU time with all its children: the same inside and outside."""


@dataclass(frozen=True)
class Workload:
    """A command in a folder; `edit` gives the files that run number N is about.

    `tools` are folders outside that it needs and that no variable names.
    """

    name: str
    folder: Path
    argv: tuple[str, ...]
    edit: Callable[[int], Mapping[str, str]]
    tools: tuple[Path, ...] = ()


def tsc(folder: Path) -> Workload:
    """TypeScript 5 over 250 generated modules."""
    root = folder / "tsc"
    for seed in range(10):
        files = project("typescript", seed).files
        # It has mistakes on purpose; a run must end well here.
        sound = {path: text for path, text in files.items() if not path.endswith("legacy.ts")}
        _write(root, sound, f"part{seed}/")
    settings = json.loads(project("typescript").files["tsconfig.json"])
    settings.pop("files", None)
    _write(root, {"tsconfig.json": json.dumps({**settings, "include": ["part*/**/*.ts"]})})
    first = next(path for path in sorted(project("typescript").files) if path.endswith(".ts"))
    text = project("typescript", 0).files[first]
    package = npm_packages("typescript-language-server") / "typescript"
    return Workload(
        "tsc", root, (str(node()), str(package / "bin" / "tsc"), "--noEmit"),
        lambda n: {f"part0/{first}": f"{text}\nexport const added{n} = {n};\n"},
        (package, node().parent),
    )  # fmt: skip


def cargo(folder: Path, verb: str = "check") -> Workload:
    """`cargo check` of a crate of 60 modules after a change of one of them, incrementally."""
    program = shutil.which("cargo")
    assert program is not None, "cargo is not installed: it comes with rustup"
    root = folder / "cargo"
    modules = {
        f"src/m{n}.rs": "".join(
            f"pub fn f{k}(x: &[u64]) -> Vec<u64> {{\n"
            f"    x.iter().map(|y| y.wrapping_mul({k}) ^ {n}).filter(|y| y % 3 != 1).collect()\n"
            "}\n"
            for k in range(40)
        )
        for n in range(60)
    }
    manifest = '[package]\nname = "sample"\nversion = "0.1.0"\nedition = "2021"\n'
    library = "".join(f"pub mod m{n};\n" for n in range(60))
    _write(root, {**modules, "Cargo.toml": manifest, "src/lib.rs": library})
    text = modules["src/m7.rs"]
    return Workload(
        f"cargo {verb}, incremental", root, (program, verb, "--quiet", "--offline"),
        lambda n: {"src/m7.rs": f"{text}pub fn added{n}() -> u64 {{\n    {n}\n}}\n"},
    )  # fmt: skip


def pytest(folder: Path) -> Workload:
    """A suite of 600 tests that write and read temporary files."""
    root = folder / "pytest"
    tests = (
        "import pytest\n\n@pytest.mark.parametrize('n', range(60))\ndef test_files(n, tmp_path):\n"
    )
    tests += "    for k in range(20):\n        (tmp_path / f'{k}.txt').write_text('x' * 1000 * n)\n"
    tests += "    assert sum(len(p.read_text()) for p in tmp_path.iterdir()) == 20000 * n\n"
    _write(root, {f"test_{n}.py": tests for n in range(10)})
    _write(root, {"pytest.ini": "[pytest]\n"})
    return Workload(
        "pytest", root, (sys.executable, "-m", "pytest", "-q"),
        lambda n: {"test_0.py": f"{tests}\n\ndef test_{n}():\n    pass\n"},
    )  # fmt: skip


def npm_test(folder: Path) -> Workload:
    """`npm test` of a package: Node's own runner over 40 files of 30 tests, each with its file."""
    root = folder / "npm"
    module = "".join(f"export const f{k} = (x) => x * {k} + 1;\n" for k in range(30))
    head = (
        "import {test} from 'node:test'; import assert from 'node:assert';\n"
        "import {mkdtempSync, readFileSync, writeFileSync} from 'node:fs';\n"
        "import {tmpdir} from 'node:os'; import {join} from 'node:path';\n"
        "const folder = mkdtempSync(join(tmpdir(), 'npm-'));\n"
    )
    one = (
        "test('f{k}', () => {{ const file = join(folder, '{k}');\n"
        "  writeFileSync(file, 'x'.repeat(1000));\n"
        "  assert.equal(readFileSync(file, 'utf8').length, 1000);\n"
        "  assert.equal(m.f{k}(2), {k} * 2 + 1); }});\n"
    )
    for n in range(40):
        tests = "".join(one.format(k=k) for k in range(30))
        text = f"{head}import * as m from './m{n}.js';\n{tests}"
        _write(root, {f"m{n}.js": module, f"m{n}.test.js": text})
    manifest = {
        "name": "sample",
        "version": "1.0.0",
        "type": "module",
        "scripts": {"test": "node --test"},
    }
    _write(root, {"package.json": json.dumps(manifest)})
    program = shutil.which("npm")
    assert program is not None, "npm is not installed: it comes with Node.js"
    return Workload(
        "npm test", root, (program, "test", "--silent"),
        lambda n: {"m7.js": f"{module}export const added{n} = {n};\n"},
        (node().parent,),
    )  # fmt: skip


def rg(folder: Path) -> Workload:
    """A search through a tree of small files."""
    program = shutil.which("rg")
    assert program is not None, "ripgrep is not installed"
    root = write_tree(folder / "rg", N_FILES)
    first = "group-0/package-0/lib/module_0.js"
    return Workload(
        "rg", root, (program, "-c", "-j1", "value = 1"),
        lambda n: {first: f"export const value = 1{n};\n"},
    )  # fmt: skip


def git_status(folder: Path) -> Workload:
    """`git status` in a tree of small files of which one was edited."""
    program = shutil.which("git")
    assert program is not None
    root = write_tree(folder / "git", N_FILES)
    first = "group-0/package-0/lib/module_0.js"
    return Workload(
        "git status", root, (program, "status", "--short"),
        lambda n: {first: f"export const value = 1{n};\n"},
    )  # fmt: skip


def _write(root: Path, files: Mapping[str, str], below: str = "") -> None:
    for path, text in files.items():
        target = root / below / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
