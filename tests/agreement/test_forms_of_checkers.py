"""Edits of small projects beside what checkers say of them, run cold: whom they reach is enough.

The pure half of these forms is in `tests/dependents`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.dependents.graphs import edits_between, reach_of
from tests.support import script_forms
from tests.support.oracle import json_values
from tests.support.python_forms import PythonForm, python_forms
from tests.support.rust_forms import rust_forms, unseen_forms
from tests.support.script_forms import USUAL, Form
from tests.support.script_forms_rare import RARE
from tests.support.script_forms_spaces import SPACES
from tests.support.servers import environment, node, program

FORMS = (*USUAL, *RARE, *SPACES)


def _findings_of_pyright(folder: Path) -> Iterator[tuple[str, object]]:
    command = [str(program("basedpyright")), "--outputjson", "."]
    done = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=300
    )
    (report,) = json_values(done.stdout)
    for one in report["generalDiagnostics"]:
        path = Path(one["file"]).relative_to(folder.resolve()).as_posix()
        yield path, (str(one.get("range")), one["message"])


def _findings_of_mypy(folder: Path) -> Iterator[tuple[str, object]]:
    options = ["--strict", "--no-error-summary", "--hide-error-context", "--no-incremental"]
    options += ["--explicit-package-bases"]
    command = [sys.executable, "-m", "mypy", *options, "."]
    done = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=300
    )
    assert done.returncode in (0, 1), done.stderr
    for line in done.stdout.splitlines():
        path, _, finding = line.partition(":")
        yield path, finding


@pytest.mark.real
@pytest.mark.parametrize("findings_of", [_findings_of_pyright, _findings_of_mypy])
def test_no_checker_says_more(
    findings_of: Callable[[Path], Iterable[tuple[str, object]]], tmp_path: Path
):
    """Every file whose findings an edit changes is one that it may reach."""
    forms = python_forms()
    found: list[Counter[tuple[str, object]]] = []
    for side in ("before", "after"):
        folder = tmp_path / side
        for form in forms:
            files: dict[str, str] = getattr(form, side)
            for path, text in files.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text, encoding="utf-8")
        found.append(Counter(findings_of(folder)))
    differ = {path for path, _ in (found[0] - found[1]) + (found[1] - found[0])}
    shown = [(differ & {*form.before, *form.after}) - form.edited() for form in forms]
    missed = {str(form): seen - form.expected for form, seen in zip(forms, shown, strict=True)}
    assert {form: paths for form, paths in missed.items() if paths} == {}
    # The forms are such that most of them show in another file.
    assert sum(map(bool, shown)) > len(forms) / 2


def _findings_of_ty(folder: Path) -> Iterator[tuple[str, object]]:
    command = [str(program("ty")), "check", "--output-format", "concise", "--no-progress", "."]
    done = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=300
    )
    assert done.returncode in (0, 1), done.stderr
    for line in done.stdout.splitlines():
        path, _, finding = line.partition(":")
        yield path, finding


@pytest.mark.real
def test_a_checker_that_infers_no_result_says_no_more(tmp_path: Path):
    """What it is not asked about is what it says nothing new of, and that is much of all forms."""
    forms = python_forms()
    found: list[Counter[tuple[str, object]]] = []
    for side in ("before", "after"):
        for form in forms:
            for path, text in getattr(form, side).items():
                (tmp_path / side / path).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / side / path).write_text(text, encoding="utf-8")
        found.append(Counter(_findings_of_ty(tmp_path / side)))
    differ = {path for path, _ in (found[0] - found[1]) + (found[1] - found[0])}
    written = {str(form): _reach(form, infers=False) for form in forms}
    missed = {
        str(form): shown
        for form in forms
        if (shown := (differ & {*form.before, *form.after}) - written[str(form)])
    }
    assert missed == {}
    n_less = sum(written[str(form)] < _reach(form, infers=True) for form in forms)
    assert n_less > 9


def _findings_of_cargo(folder: Path) -> Iterator[tuple[str, object]]:
    (folder / "Cargo.toml").write_text('[workspace]\nresolver = "2"\nmembers = ["*/", "*/dep"]\n')
    command = ["cargo", "check", "--offline", "--workspace", "--keep-going"]
    done = subprocess.run(
        [*command, "--message-format=json"],
        cwd=folder, env=environment(), capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert '"build-finished"' in done.stdout, done.stderr
    for line in done.stdout.splitlines():
        message = json.loads(line).get("message", {})
        for span in message.get("spans", ()):
            if span["is_primary"]:
                yield (
                    span["file_name"],
                    (message["level"], (span["line_start"], message["message"])),
                )


@pytest.mark.real
def test_cargo_says_no_more(tmp_path: Path) -> None:
    """Each form is a package, so one process a side builds them all; each shows in another file."""
    known, unseen = rust_forms(), unseen_forms()
    found: list[Counter[tuple[str, object]]] = []
    for side in ("before", "after"):
        for form in (*known, *unseen):
            for path, text in getattr(form, side).items():
                place = tmp_path / side / form.name / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, encoding="utf-8")
        found.append(Counter(_findings_of_cargo(tmp_path / side)))
    differ = {path for path, _ in (found[1] - found[0])}
    assert not any(kind == "error" for _, (kind, _) in found[0])
    shown = {
        form.name: {path for path in form.before if f"{form.name}/{path}" in differ} - form.edited()
        for form in (*known, *unseen)
    }
    assert {form.name: shown[form.name] for form in known if not shown[form.name]} == {}
    assert {form.name for form in known if not shown[form.name] <= form.expected} == set()
    assert {form.name: shown[form.name] for form in unseen} == {
        form.name: form.expected for form in unseen
    }


def _reach(form: PythonForm, *, infers: bool) -> set[str]:
    edits = edits_between(form.before, form.after)
    return {*reach_of(form.before, edits, infers=infers)}


@cache
def truths() -> dict[str, frozenset[str]]:
    """What cold runs of the compiler before and after each edit differ in."""
    compiler = program("tsc5").resolve().parent.parent
    script = Path(script_forms.__file__).with_name("script_truth.mjs")
    done = subprocess.run(
        [str(node()), str(script), str(compiler)],
        input=json.dumps([[form.files, form.changes] for form in FORMS]),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return {form.name: frozenset(paths) for form, paths in zip(FORMS, found, strict=True)}


@pytest.mark.real
@pytest.mark.parametrize("form", FORMS, ids=[form.name for form in FORMS])
def test_whatever_the_compiler_says_otherwise_is_reached(form: Form):
    assert truths()[form.name] <= {*form.reached.split(), *form.changes}


@pytest.mark.real
def test_the_compiler_says_something_else_after_most_edits():
    silent = [
        form.name for form in FORMS if form.reached and truths()[form.name] <= {*form.changes}
    ]
    assert silent == []
