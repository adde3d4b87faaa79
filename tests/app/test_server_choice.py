"""Which servers judge a file, and with what environment they are started."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from understudy.app.server_choice import ServerChooser
from understudy.app.settings import Settings
from understudy.langserver.catalogue import Catalogue
from understudy.values.paths import Root


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


def chooser(
    tmp_path: Path, bin_folder: Path, *installed: str, trusted: bool = False, **more: Any
) -> ServerChooser:
    """A chooser that finds just these programs: nothing beside our own Python counts."""
    for name in installed:
        if not (bin_folder / name).exists():
            (bin_folder / name).touch(mode=0o755)
    (tmp_path / "root").mkdir(exist_ok=True)
    settings = more.pop("settings", Settings())
    made = ServerChooser(
        Root.open(tmp_path / "root"), settings, trusted, Catalogue.load(settings.servers),
        {"PATH": str(bin_folder)}, **more,
    )  # fmt: skip
    made.__dict__["search_path"] = (bin_folder,)
    return made


def names(choices: Any) -> list[str]:
    return [choice.name for choice in choices]


def test_the_first_installed_of_each_group_judges(tmp_path: Path, bin_folder: Path):
    found = chooser(tmp_path, bin_folder, "ty", "ruff").choose("a.py")
    assert names(found) == ["ty", "ruff"]
    assert all(choice.reason is None for choice in found)
    with_better = chooser(tmp_path, bin_folder, "basedpyright-langserver").choose("a.py")
    assert names(with_better) == ["basedpyright", "ruff"]


def test_a_group_with_none_installed_says_how_to_install_one(tmp_path: Path, bin_folder: Path):
    types, lint = chooser(tmp_path, bin_folder, "ruff").choose("a.py")
    assert types.reason is not None
    assert types.reason.code == "not-installed"
    assert "pip install basedpyright" in types.reason.text
    assert lint.reason is None


def test_groups_can_be_disabled_and_servers_named(tmp_path: Path, bin_folder: Path):
    settings = Settings(disabled_groups=("types",))
    made = chooser(tmp_path, bin_folder, "ty", "ruff", settings=settings)
    assert names(made.choose("a.py")) == ["ruff"]
    assert names(made.choose("a.py", ("ty",))) == ["ty"]
    assert names(made.choose("README.md")) == []


def test_the_interpreter_reaches_the_servers(tmp_path: Path, bin_folder: Path):
    made = chooser(tmp_path, bin_folder, "basedpyright-langserver", "ty", "ruff", trusted=True)
    program = tmp_path / "root" / ".venv" / "bin" / "python"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    by_name = {choice.name: choice.spec for choice in made.all() if choice.spec is not None}
    assert by_name["basedpyright"].settings["python"]["pythonPath"] == str(program)
    assert by_name["ty"].env["VIRTUAL_ENV"] == str(tmp_path / "root" / ".venv")


def test_an_editors_interpreter_setting_needs_trust(tmp_path: Path, bin_folder: Path):
    given = {"python": {"pythonPath": "/evil/python", "analysis": {"x": 1}}, "other": {"y": 1}}
    for trusted in (False, True):
        made = chooser(
            tmp_path, bin_folder, "basedpyright-langserver", trusted=trusted, server_settings=given
        )
        spec = made.choose("a.py")[0].spec
        assert spec is not None
        assert ("pythonPath" in spec.settings["python"]) is trusted
        assert spec.settings["python"]["analysis"] == {"x": 1}
        assert "other" not in spec.settings


def typescript(root: Path, version: str) -> Path:
    package = root / "node_modules" / "typescript"
    package.mkdir(parents=True)
    (package / "package.json").write_text(json.dumps({"name": "typescript", "version": version}))
    return package


def test_the_projects_typescript_5_is_loaded_only_when_trusted(tmp_path: Path, bin_folder: Path):
    program = "typescript-language-server"
    package = typescript(tmp_path / "root", "5.9.3")
    refused = chooser(tmp_path, bin_folder, program).choose("a.ts")[0]
    assert refused.reason is not None
    assert refused.reason.code == "untrusted"
    found = chooser(tmp_path, bin_folder, program, trusted=True).choose("a.ts")[0]
    assert found.spec is not None
    path = found.spec.initialization_options["tsserver"]["path"]
    assert path == str(package / "lib" / "tsserver.js")


def test_a_projects_typescript_7_is_its_own_server(tmp_path: Path, bin_folder: Path):
    package = typescript(tmp_path / "root", "7.0.2")
    made = chooser(tmp_path, bin_folder, "typescript-language-server", trusted=True)
    found = made.choose("a.ts")[0]
    assert found.name == "typescript7"
    assert found.spec is not None
    assert found.spec.command[0] == str(package / "bin" / "tsc")


def test_stamps_differ_with_settings_and_version(tmp_path: Path, bin_folder: Path):
    def stamp(**more: Any) -> str:
        return chooser(tmp_path, bin_folder, "ruff", **more).choose("a.py", ("ruff",))[0].stamp

    first = stamp()
    assert stamp() == first
    assert stamp(server_settings={"ruff": {"lineLength": 3}}) != first
    (bin_folder / "ruff").write_text("another version")
    assert stamp() != first
