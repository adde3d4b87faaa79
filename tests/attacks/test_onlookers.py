"""An edit is not clean where a file names it that no server judges: components, notebooks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command_line import Done, Shell
from tests.e2e.folders import make_folder
from understudy.dependents.onlookers import KINDS, kind_of, names_in

API = """\
export interface User {
  name: string
}

export function fetchUser(id: number): User {
  return { name: `${id}` }
}

export function other(): number {
  return 1
}
"""
SCRIPT = {
    "tsconfig.json": '{"compilerOptions": {"strict": true, "paths": {"@/*": ["./src/*"]}}}',
    "src/api.ts": API,
    "src/mid.ts": 'import { fetchUser } from "./api"\n\nexport const load = () => fetchUser(1)\n',
    "src/far.ts": "export const far: number = 1\n",
}
GEOMETRY = """\
def area(w: int, h: int) -> int:
    return w * h


def side() -> int:
    return 1
"""
PYTHON = {"pkg/__init__.py": "", "pkg/geo.py": GEOMETRY, "pkg/far.py": "FAR: int = 1\n"}
EDIT_SCRIPT = {
    "kind": "replace", "path": "src/api.ts",
    "old": "fetchUser(id: number)", "new": "fetchUser(id: number, more?: number)",
}  # fmt: skip
EDIT_PYTHON = {
    "kind": "replace", "path": "pkg/geo.py",
    "old": "    return w * h", "new": "    return h * w",
}  # fmt: skip


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def notebook(*cells: str, kind: str = "code") -> str:
    listed = [{"cell_type": kind, "source": cell.splitlines(keepends=True)} for cell in cells]
    return json.dumps({"cells": listed, "nbformat": 4, "metadata": {}})


def component(script: str = "", markup: str = "<p>fetchUser is prose</p>") -> str:
    style = "<style>.fetchUser {}</style>"
    return f"<script>\n{script}\n</script>\n\n<template>{markup}</template>\n{style}\n"


def checked(folder: Path, state: Path, edit: dict[str, Any], *more: str) -> Done:
    state.mkdir(exist_ok=True)
    file = state / "edits.json"
    file.write_text(json.dumps([edit]))
    return Shell(folder, state)("check", "--edits", file, "--format", "json", *more)


NAMING = [
    ("src/A.vue", component("import { other } from './api'")),
    ("src/A.vue", component("import { fetchUser } from '@/api'")),
    ("src/A.vue", component("const user = fetchUser(1)")),
    ("src/A.vue", component(markup="<p>{{ fetchUser(1).name }}</p>")),
    ("src/A.vue", component("import { load } from './mid'\nload()")),
    ("src/A.vue", '<script src="./api.ts"></script>'),
    ("pages/a.svelte", "<script>\n  import { other } from '../src/api'\n</script>\n"),
    ("pages/a.astro", "---\nimport { other } from '../src/api'\n---\n<p>text</p>\n"),
    ("docs/a.mdx", "import { other } from '../src/api'\n\n# Title\n"),
    ("docs/a.html", "<script type=module>import { other } from '../src/api.js'</script>"),
    ("src/a.coffee", "api = require './api'\n"),
    ("a.ipynb", notebook("from pkg.geo import side\n", "side()")),
    ("a.ipynb", notebook("import numpy", "import pkg\npkg.geo.area(1, 2)")),
    ("a.ipynb", notebook("%run pkg/geo.py")),
    ("a.ipynb", notebook("from pkg.geo import side")[:-3]),
    ("pkg/fast.pyx", "from pkg.geo cimport side\n"),
    ("report.qmd", "# Title\n\n```{python}\nfrom pkg import geo\n```\n"),
]
NAMING_NOTHING = [
    ("src/A.vue", component("import { far } from './far'")),
    ("src/A.vue", component(markup="<p>fetchUser</p>\n<!-- fetchUser -->")),
    ("src/A.vue", component("const fetchUsers = 1")),
    ("docs/a.mdx", "# About fetchUser\n\nIt fetches the user.\n"),
    ("docs/a.html", "<script src=api.js></script><p>fetchUser</p>"),
    ("a.ipynb", notebook("from pkg import far")),
    ("a.ipynb", notebook("The area of a pkg.geo\n", kind="markdown")),
]


def is_python(path: str) -> bool:
    kind = kind_of(path)
    assert kind is not None
    return "python" in kind.families


@pytest.mark.parametrize(("path", "text"), NAMING)
def test_what_is_named_is_unknown(tmp_path: Path, state: Path, path: str, text: str) -> None:
    files, edit = (PYTHON, EDIT_PYTHON) if is_python(path) else (SCRIPT, EDIT_SCRIPT)
    folder = make_folder(tmp_path / "work", {**files, path: text})
    report = checked(folder, state, edit).json
    (unknown,) = [file for file in report["files"] if file["verdict"] == "unknown"]
    assert (report["verdict"], unknown["path"], report["passed_over"]) == ("unknown", path, 0)
    assert unknown["reason"]["code"] == "no-server"
    assert "understudy run" in unknown["reason"]["text"]
    assert checked(folder, state, edit, "--scope", "edited").json["verdict"] == "clean"


@pytest.mark.parametrize(("path", "text"), NAMING_NOTHING)
def test_what_names_nothing_is_counted(tmp_path: Path, state: Path, path: str, text: str) -> None:
    files, edit = (PYTHON, EDIT_PYTHON) if is_python(path) else (SCRIPT, EDIT_SCRIPT)
    folder = make_folder(tmp_path / "work", {**files, path: text})
    report = checked(folder, state, edit).json
    assert (report["verdict"], report["passed_over"]) == ("clean", 1), report
    state.joinpath("edits.json").write_text(json.dumps([edit]))
    said = Shell(folder, state)("check", "--edits", state / "edits.json").out
    assert "passed over: 1 file of kinds that no server judges" in said


def test_other_languages_are_no_matter(tmp_path: Path, state: Path) -> None:
    files = {**PYTHON, "src/A.vue": component("import x from 'pkg/geo'; area()")}
    report = checked(make_folder(tmp_path / "work", files), state, EDIT_PYTHON).json
    assert (report["verdict"], report["passed_over"]) == ("clean", 0)


@pytest.mark.parametrize(
    ("edited", "cells", "told", "named"),
    [
        (
            "pkg/geo.py", ("import pkg", "1", "pkg.geo.area(1, 2)\n", "g = pkg.geo"),
            "mentions geo, which", "(cells 3, 4)",
        ),
        (
            "pkg/geo.py", ("FAR = 1", "from pkg.geo import side\n", "side()"),
            "it imports pkg/geo.py", "(cell 2)",
        ),
        (
            "pkg/geo.py", ("import pkg.geo",) * 300,
            "it imports pkg/geo.py", "(cells 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 290 more)",
        ),
        ("pkg/__init__.py", ("1", "import pkg"), "it imports pkg/__init__.py", "(cell 2)"),
    ],
    ids=["mentioned", "imported", "many", "package"],
)  # fmt: skip
def test_the_cells_of_a_notebook_are_told(
    tmp_path: Path, state: Path, edited: str, cells: tuple[str, ...], told: str, named: str
) -> None:
    folder = make_folder(tmp_path / "work", {**PYTHON, "a.ipynb": notebook(*cells)})
    package = {"kind": "write", "path": edited, "text": "SIDES: int = 4\n"}
    edit = EDIT_PYTHON if edited == EDIT_PYTHON["path"] else package
    report = checked(folder, state, edit).json
    (unknown,) = [file for file in report["files"] if file["verdict"] == "unknown"]
    text = unknown["reason"]["text"]
    assert told in text
    assert named in text, text


def test_a_deleted_module_that_a_notebook_imports(tmp_path: Path, state: Path) -> None:
    files = {**PYTHON, "a.ipynb": notebook("from pkg import far")}
    edit = {"kind": "delete", "path": "pkg/far.py"}
    report = checked(make_folder(tmp_path / "work", files), state, edit).json
    assert report["verdict"] == "unknown"


@pytest.mark.parametrize(
    "text",
    ["<script>" * 50_000, "<script " * 50_000, "<!--" * 50_000, "<a>" + "x" * 500_000,
     "```{python}\n" * 50_000, "%run " + "a" * 200_000, "<script src " * 50_000, "{" * 200_000,
     '{"cells": ' + "[" * 100_000],
    ids=["scripts", "tags", "notes", "prose", "chunks", "runs", "sources", "braces", "deep"],
)  # fmt: skip
def test_hostile_texts_are_read(text: str) -> None:
    """Each form would take hours if reading were not linear."""
    for kind in KINDS:
        names_in(kind.code(text))
