"""Python: pyright and its kin, ty, zuban, ruff; mypy as a command."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.support import file_edits_python, python_project
from tests.support.edits import KINDS_ALONE
from tests.support.kit import CrossFile, Kit, Oracle, Pairing, Sample
from tests.support.oracle import STOPPED, Found, output, run


def _pyright(name: str) -> Callable[[Path], Iterator[Found]]:
    def find(folder: Path) -> Iterator[Found]:
        report = json.loads(output(folder, name, "--outputjson"))
        assert report["summary"]["filesAnalyzed"] > 0, f"{name} has judged no file"
        for item in report["generalDiagnostics"]:
            path = Path(item["file"]).resolve().relative_to(folder).as_posix()
            # An import cycle has no place; a language server can only put it at the start.
            line = item["range"]["start"]["line"] if "range" in item else 0
            yield Found(path, line, item.get("rule"), item["severity"])

    return find


def _ruff(folder: Path) -> Iterator[Found]:
    text = output(folder, "ruff", "check", "--no-cache", "--output-format", "json")
    for item in json.loads(text):
        path = Path(item["filename"]).resolve().relative_to(folder).as_posix()
        yield Found(path, item["location"]["row"] - 1, item["code"], "warning")


def _ty(folder: Path) -> Iterator[Found]:
    severities = {"info": "information", "minor": "warning", "major": "error", "critical": "error"}
    text = output(folder, "ty", "check", "--output-format", "gitlab")
    for item in json.loads(text):
        place = item["location"]
        line = place["positions"]["begin"]["line"] - 1
        yield Found(place["path"], line, item["check_name"], severities[item["severity"]])


_MYPY_LINE = re.compile(
    r"(?P<path>[^\s:]+):(?:(?P<line>\d+):)? (?P<word>error|note): .*?(?:  \[(?P<code>[\w-]+)\])?"
)


def _each_module(find: Callable[[Path, str], Iterator[Found]]) -> Callable[[Path], Iterator[Found]]:
    """All files of the folder; modules under a stub, which its run passes over, for themselves."""

    def find_all(folder: Path) -> Iterator[Found]:
        yield from find(folder, ".")
        stubs = (path.with_suffix(".py") for path in sorted(folder.rglob("*.pyi")))
        for hidden in (path.relative_to(folder).as_posix() for path in stubs if path.is_file()):
            yield from (item for item in find(folder, hidden) if item[0] == hidden)

    return find_all


def _mypy(folder: Path, what: str) -> Iterator[Found]:
    options = ("--cache-dir", os.devnull, "--no-error-summary", "--no-color-output")
    done = run(folder, "mypy", *options, what)
    assert done.returncode in (0, 1, 2), done.stderr
    yield from _lines_of_mypy(done.stdout)
    if done.returncode == 2:  # of a syntax error, of modules that it takes for the same
        yield STOPPED


def _zuban(folder: Path, what: str) -> Iterator[Found]:
    done = run(folder, "zuban", "check", "--no-error-summary", what)
    assert done.returncode in (0, 1), done.stderr
    yield from _lines_of_mypy(done.stdout)


def _lines_of_mypy(text: str) -> Iterator[Found]:
    for line in text.splitlines():
        match = _MYPY_LINE.fullmatch(line)
        assert match is not None, f"this is not a finding: {line}"
        severity = "error" if match["word"] == "error" else "information"
        yield Found(match["path"], int(match["line"] or 1) - 1, match["code"], severity)


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


_SAMPLE = Sample(
    "python",
    python_project.make,
    file_edits_python.scenarios,
    lambda text, marker: f"{text}\n\nat_{marker} = {marker}\n",
)
PAIRINGS = (
    Pairing(
        "basedpyright", Oracle("basedpyright", _pyright("basedpyright"), 6), _SAMPLE, n_edits=4
    ),
    Pairing("pyright", Oracle("pyright", _pyright("pyright"), 6), _SAMPLE, n_edits=4),
    Pairing("ruff", Oracle("ruff", _ruff, 60), _SAMPLE, KINDS_ALONE),
    Pairing("ty", Oracle("ty", _ty, 60), _SAMPLE),
    Pairing("zuban", Oracle("zuban", _each_module(_zuban), 60), _SAMPLE),
)
COMMANDS = (Pairing("mypy", Oracle("mypy", _each_module(_mypy)), _SAMPLE),)
KITS = (
    *(_python(name) for name in ("basedpyright", "pyright", "ty", "zuban")),
    _python("ruff", cross=False),
)
