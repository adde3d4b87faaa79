"""The project's own environment: what is found, and what only trust lets run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from understudy.values.paths import Root
from understudy.workspace.servers.environment import (
    find_python,
    find_typescript,
    search_path,
    typescript_major,
)


@pytest.fixture
def root(tmp_path: Path) -> Root:
    (tmp_path / "root").mkdir()
    return Root.open(tmp_path / "root")


def interpreter(prefix: Path) -> Path:
    program = prefix / "bin" / "python"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    return program


def python(root: Root, selected: str | None = None, trusted: bool = False, **environ: str):
    return find_python(root, selected=selected, trusted=trusted, environ=environ)


def test_nothing_is_found_in_a_bare_folder(root: Root):
    found = python(root)
    assert (found.path, found.reason) == (None, None)


def test_the_projects_own_needs_trust(root: Root):
    program = interpreter(root.path / ".venv")
    refused, found = python(root), python(root, trusted=True)
    assert refused.reason is not None
    assert refused.reason.code == "untrusted"
    assert "understudy trust" in refused.reason.text
    assert (found.path, found.reason) == (program, None)


def test_the_order_is_selected_project_then_variables(root: Root, tmp_path: Path):
    mine, other = interpreter(root.path / "venv"), interpreter(tmp_path / "other")
    variables = {"VIRTUAL_ENV": str(tmp_path / "other")}
    assert python(root, trusted=True, **variables).path == mine
    assert python(root, str(other), **variables).path == other
    mine.unlink()
    assert python(root, **variables).path == other


def test_a_selected_folder_means_the_interpreter_in_it(root: Root, tmp_path: Path):
    program = interpreter(tmp_path / "env")
    assert python(root, str(tmp_path / "env")).path == program


def test_a_selected_one_that_is_gone_is_said(root: Root):
    found = python(root, "/nowhere/python")
    assert found.reason is not None
    assert found.reason.code == "not-installed"


def test_a_variable_that_points_into_the_folder_needs_trust_too(root: Root):
    interpreter(root.path / "env")
    found = python(root, VIRTUAL_ENV=str(root.path / "env"))
    assert found.reason is not None
    assert found.reason.code == "untrusted"


@pytest.mark.parametrize("above", [False, True])
def test_yarns_typescript_comes_first_and_needs_trust(root: Root, tmp_path: Path, above: bool):
    """typescript-language-server loads it unasked."""
    package = (tmp_path if above else root.path) / ".yarn" / "sdks" / "typescript"
    for folder in (package, root.path / "node_modules" / "typescript"):
        folder.mkdir(parents=True)
        (folder / "package.json").write_text(json.dumps({"version": "5.9.3-sdk"}))
    found = find_typescript(root, trusted=False)
    assert found.reason is not None
    assert found.reason.code == "untrusted"
    assert find_typescript(root, trusted=True).path == package


@pytest.mark.parametrize("above", [False, True])
def test_typescript_is_found_upwards_and_needs_trust(root: Root, tmp_path: Path, above: bool):
    package = (tmp_path if above else root.path) / "node_modules" / "typescript"
    package.mkdir(parents=True)
    (package / "package.json").write_text(json.dumps({"version": "5.9.3"}))
    found = find_typescript(root, trusted=False)
    assert found.reason is not None
    assert find_typescript(root, trusted=True).path == package
    assert typescript_major(package) == 5


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"version": 7}', '{"version": "x.1"}'])
def test_a_typescript_that_does_not_say_its_version_is_old(tmp_path: Path, text: str):
    (tmp_path / "package.json").write_text(text)
    assert typescript_major(tmp_path) in (0, 7)


def test_path_entries_of_an_untrusted_folder_are_left_out(root: Root, tmp_path: Path):
    inside, outside = root.path / "bin", tmp_path / "bin"
    link = tmp_path / "link"
    inside.mkdir()
    link.symlink_to(inside)
    environ = {"PATH": f"{inside}:{outside}:{link}:relative:"}
    own = root.path / ".venv" / "bin"
    assert search_path(root, (), environ, own, trusted=False) == (own, outside)
    assert search_path(root, ("tools",), environ, own, trusted=True) == (
        root.path / "tools", own, inside, outside, link,
    )  # fmt: skip
