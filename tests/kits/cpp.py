"""C and C++: clangd, whose own check of one file is the oracle."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tests.support import cpp_project, file_edits_cpp
from tests.support.kit import CrossFile, Kit, Oracle, Pairing, Sample
from tests.support.oracle import DEADLINE_S, Found, run
from tests.support.servers import environment, program

_CLANGD_LINE = re.compile(r"[EI]\[[^]]*\] \[(?P<code>[^]]+)\] Line (?P<line>\d+): ")
_GCC_LINE = re.compile(r"([^:\s][^:]*):(\d+):\d+: ((?:fatal )?error|warning): (.*)")
_UNITS = (".c", ".cc", ".cpp", ".cxx")
_CLANGD_SUFFIXES = (".c", ".cc", ".cpp", ".h", ".hpp")


def _clangd(folder: Path) -> Iterator[Found]:
    """clangd's own check of one file, in a process for each."""

    def check(path: str) -> str:
        options = ("--check-warnings", "--check-locations=false", "--check-completion=false")
        done = subprocess.run(
            [str(program("clangd")), f"--check={path}", *options],
            cwd=folder, env=environment(), capture_output=True, text=True, timeout=DEADLINE_S,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        assert "All checks completed" in done.stderr, done.stderr
        return done.stderr

    sources = (path for path in folder.rglob("*") if path.name.endswith(_CLANGD_SUFFIXES))
    paths = sorted(path.relative_to(folder).as_posix() for path in sources)
    with ThreadPoolExecutor(2) as pool:
        for path, output in zip(paths, pool.map(check, paths), strict=True):
            for line in output.splitlines():
                if (match := _CLANGD_LINE.match(line)) is not None:
                    yield Found(path, int(match["line"]) - 1, match["code"], "error")


def _gcc(folder: Path) -> Iterator[Found]:
    """Each translation unit alone; what a header brings up is a finding of the unit that has it."""
    flags = (folder / "compile_flags.txt").read_text().split()
    compiled = partial(_compiled, folder, flags)
    units = sorted(path for path in folder.rglob("*") if path.suffix in _UNITS)
    with ThreadPoolExecutor(2) as pool:
        for path, output in zip(units, pool.map(compiled, units), strict=True):
            unit = path.relative_to(folder).as_posix()
            for match in map(_GCC_LINE.match, output.splitlines()):
                if match is None:
                    continue
                place, line, severity, said = match.groups()
                is_here = (folder / place) == path
                severity = severity.removeprefix("fatal ")
                yield Found(unit, int(line) - 1 if is_here else 0, f"{place}: {said}", severity)


def _compiled(folder: Path, flags: Sequence[str], unit: Path) -> str:
    command = ["gcc", "-fsyntax-only", "-Wall", "-Wextra", "-fno-diagnostics-show-caret"]
    done = run(folder, *command, *flags, unit.relative_to(folder).as_posix())
    assert done.returncode in (0, 1), done.stderr
    return done.stderr


def _cpp_lib(kind: str, value: int) -> str:
    return f"#pragma once\n\ninline {kind} value() {{ return {value}; }}\n"


_SAMPLE = Sample(
    "cpp",
    cpp_project.make,
    file_edits_cpp.scenarios,
    lambda text, marker: f'{text}\nstatic_assert({marker}, "");\n',
)
PAIRINGS = (Pairing("clangd", Oracle("clangd", _clangd, 10), _SAMPLE, n_edits=5),)
COMPILERS = (Pairing("gcc", Oracle("gcc", _gcc), _SAMPLE),)
KITS = (
    Kit(
        name="clangd",
        path="app.cpp",
        files={
            "compile_flags.txt": "-std=c++17\n-Wall\n",
            "app.cpp": '#include "lib.hpp"\n\nint one() { return value(); }\n',
            "lib.hpp": _cpp_lib("int", 1),
            "user.cpp": '#include "lib.hpp"\n\nint *number(int *p) { return p + value(); }\n',
            "wants.cpp": '#include "extra.hpp"\n\nint more() { return number; }\n',
        },
        marked=lambda m: (
            f'#include "lib.hpp"\r\nint a = value();\r\nauto s = "😀"; auto t = {m};\r\n'
        ),
        broken='#include "lib.hpp"\nint one() { return (value();\n',
        cross=CrossFile(
            importer="user.cpp",
            dependency="lib.hpp",
            good=lambda i: _cpp_lib("int", i),
            bad=lambda i: _cpp_lib("double", i),
            missing="wants.cpp",
            created="extra.hpp",
        ),
    ),
)
