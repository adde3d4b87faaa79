"""Which servers judge a file, and with what environment they are started."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.choosers import chooser
from understudy.disk.added_servers import adding, keep_added, records_folder
from understudy.langserver.editor import EditorServers
from understudy.langserver.packages.names import key_of
from understudy.workspace.servers.go_flags import go_environment
from understudy.workspace.settings import Settings


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


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


def test_what_an_extension_that_cannot_be_borrowed_is_told_counts_for_ours(
    tmp_path: Path, bin_folder: Path
) -> None:
    """Where ours is told nothing itself; what would silence a file is told to nobody."""
    pylance = {
        "extraPaths": ["lib"], "stubPath": None, "ignore": ["*"], "typeCheckingMode": "off",
        "autoSearchPaths": False, "diagnosticMode": "openFilesOnly",
    }  # fmt: skip
    own = {"analysis": {"autoSearchPaths": True, "diagnosticMode": "workspace"}}
    given = {"python": {"analysis": pylance}, "basedpyright": own}
    made = chooser(tmp_path, bin_folder, "basedpyright-langserver", server_settings=given)
    spec = made.choose("a.py")[0].spec
    assert spec is not None
    assert spec.settings["basedpyright"]["analysis"] == {
        "extraPaths": ["lib"], "autoSearchPaths": True, "diagnosticMode": "workspace",
        "baselineMode": "discard",
    }  # fmt: skip
    # Neither does it take the place of what `config.toml` says, nor count where it says nothing.
    overrides = {"reportAny": "error"}
    settings = {"basedpyright": {"analysis": {"diagnosticSeverityOverrides": overrides}}}
    pylance |= {
        "extraPaths": [],
        "stubPath": "",
        "diagnosticSeverityOverrides": {"reportAny": "none"},
    }
    told = Settings(servers={"basedpyright": {"settings": settings}})
    made = chooser(
        tmp_path, bin_folder, "basedpyright-langserver", settings=told, server_settings=given
    )
    spec = made.choose("a.py")[0].spec
    assert spec is not None
    assert spec.settings["basedpyright"]["analysis"] == {
        "autoSearchPaths": True, "diagnosticMode": "workspace",
        "diagnosticSeverityOverrides": overrides, "baselineMode": "discard",
    }  # fmt: skip


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


def brought(tmp_path: Path, *files: str, **more: Any) -> EditorServers:
    """An editor with a Node.js and extensions that have these files, as `ID/PATH`."""
    node = tmp_path / "editor"
    node.touch(mode=0o755)
    places: dict[str, Path] = {}
    for name in files:
        file = tmp_path / "extensions" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o755)
        extension = name.partition("/")[0]
        places[extension] = tmp_path / "extensions" / extension
    return EditorServers(node, places, **more)


BASEDPYRIGHT = "detachhead.basedpyright/dist/server.js"
RUFF = "charliermarsh.ruff/bundled/libs/bin/ruff"
PYLANCE = "ms-python.vscode-pylance/dist/server.bundle.js"
TSSERVER = "node_modules/typescript/lib/tsserver.js"
TYPESCRIPT = ("vscode.typescript-language-features/package.json", TSSERVER)


def test_what_the_editor_brings_comes_first(tmp_path: Path, bin_folder: Path):
    editor = brought(tmp_path, BASEDPYRIGHT, RUFF, PYLANCE)
    installed = ("basedpyright-langserver", "ruff")
    types, lint = chooser(tmp_path, bin_folder, *installed, editor=editor).choose("a.py")
    assert (types.name, types.origin, lint.origin) == ("basedpyright", "editor", "editor")
    assert types.spec is not None
    script = tmp_path / "extensions" / BASEDPYRIGHT
    assert types.spec.command == (str(editor.node), str(script), "--stdio")
    assert types.spec.env["ELECTRON_RUN_AS_NODE"] == "1"
    assert lint.spec is not None
    assert lint.spec.command == (str(tmp_path / "extensions" / RUFF), "server")
    assert "ELECTRON_RUN_AS_NODE" not in lint.spec.env


def test_another_profile_of_the_editor_comes_before_the_search_path(
    tmp_path: Path, bin_folder: Path
):
    editor = brought(tmp_path, "ms-pyright.pyright/dist/server.js")
    made = chooser(tmp_path, bin_folder, "basedpyright-langserver", editor=editor)
    assert made.choose("a.py")[0].name == "pyright"


def test_the_search_path_comes_before_what_is_bundled(tmp_path: Path, bin_folder: Path):
    bundled = tmp_path / "bundled"
    for name in ("basedpyright/langserver.index.js", "bin/ruff"):
        (bundled / name).parent.mkdir(parents=True)
        (bundled / name).touch(mode=0o755)
    editor = brought(tmp_path, bundled=bundled)
    alone = chooser(tmp_path, bin_folder, editor=editor).choose("a.py")
    assert [(one.name, one.origin) for one in alone] == [
        ("basedpyright", "bundled"),
        ("ruff", "bundled"),
    ]
    made = chooser(tmp_path, bin_folder, "ty", "ruff", editor=editor)
    assert [(one.name, one.origin) for one in made.choose("a.py")] == [
        ("ty", "path"),
        ("ruff", "path"),
    ]
    # A checking command is never preferred to a server, wherever that is.
    (bin_folder / "ty").unlink()
    made = chooser(tmp_path, bin_folder, "mypy", editor=editor, trusted=True)
    assert made.choose("a.py")[0].name == "basedpyright"


def test_an_added_server_comes_between_the_search_path_and_what_is_bundled(
    tmp_path: Path, bin_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("UNDERSTUDY_STATE_DIR", str(tmp_path / "state"))
    key = key_of(["pip ruff"])
    with adding(key) as folder:
        (folder / "bin").mkdir()
        (folder / "bin" / "ruff").touch(mode=0o755)
        keep_added(key, folder, ["pip ruff==1.2.3"], [folder / "bin"])
    bundled = tmp_path / "bundled"
    (bundled / "bin").mkdir(parents=True)
    (bundled / "bin" / "ruff").touch(mode=0o755)
    editor = brought(tmp_path, bundled=bundled)
    (found,) = chooser(tmp_path, bin_folder, editor=editor).choose("a.py", ("ruff",))
    assert found.origin == "added"
    assert found.added is not None
    assert found.added.packages == ("pip ruff==1.2.3",)
    assert found.spec is not None
    assert found.spec.command == (str(folder / "bin" / "ruff"), "server")
    assert found.spec.env["PATH"].split(os.pathsep)[-1] == str(folder / "bin")
    (found,) = chooser(tmp_path, bin_folder, "ruff", editor=editor).choose("a.py", ("ruff",))
    assert found.origin == "path"
    assert found.added is None
    (bin_folder / "ruff").unlink()
    file = records_folder() / f"{key}.json"
    for damaged in ("{", "[]", file.read_text().replace(folder.name, f"../{folder.name}")):
        file.write_text(damaged)
        (found,) = chooser(tmp_path, bin_folder, editor=editor).choose("a.py", ("ruff",))
        assert found.origin == "bundled"


def test_a_server_that_is_bound_to_its_host_is_left_alone(tmp_path: Path, bin_folder: Path):
    types, _ = chooser(tmp_path, bin_folder, editor=brought(tmp_path, PYLANCE)).choose("a.py")
    assert types.reason is not None
    assert types.reason.code == "not-installed"
    for choice in ("basedpyright (pip install", "pyright (npm install", "detachhead.basedpyright"):
        assert choice in types.reason.text


def test_a_workspaces_own_extension_needs_trust(tmp_path: Path, bin_folder: Path):
    folder = tmp_path / "root" / ".vscode" / "extensions" / "ruff"
    program = folder / "bundled" / "libs" / "bin" / "ruff"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    editor = EditorServers(None, {"charliermarsh.ruff": folder})
    for trusted in (False, True):
        lint = chooser(tmp_path, bin_folder, editor=editor, trusted=trusted).choose("a.py")[1]
        assert lint.is_installed is trusted


def test_optional_groups_are_not_judged_where_nothing_is_installed(
    tmp_path: Path, bin_folder: Path
):
    assert chooser(tmp_path, bin_folder).choose("a.css") == ()
    assert names(chooser(tmp_path, bin_folder, "vscode-css-language-server").choose("a.css")) == [
        "vscode-css"
    ]


def test_the_editors_typescript_stands_in(tmp_path: Path, bin_folder: Path):
    editor = brought(tmp_path, *TYPESCRIPT)
    assert editor.typescript == tmp_path / "extensions" / "node_modules" / "typescript"
    program = "typescript-language-server"
    found = chooser(tmp_path, bin_folder, program, "tsc", editor=editor).choose("a.ts")[0]
    assert (found.name, found.origin) == (program, "editor")
    assert found.spec is not None
    tsserver = tmp_path / "extensions" / TSSERVER
    assert found.spec.initialization_options["tsserver"]["path"] == str(tsserver)
    package = typescript(tmp_path / "root", "5.9.3")
    untrusted = chooser(tmp_path, bin_folder, program, editor=editor).choose("a.ts")[0]
    assert untrusted.spec is not None
    assert untrusted.spec.initialization_options["tsserver"]["path"] == str(tsserver)
    trusted = chooser(tmp_path, bin_folder, program, editor=editor, trusted=True).choose("a.ts")[0]
    assert trusted.spec is not None
    own = str(package / "lib" / "tsserver.js")
    assert trusted.spec.initialization_options["tsserver"]["path"] == own
    assert trusted.stamp != untrusted.stamp


def test_the_stamp_names_the_typescript_that_decides(tmp_path: Path, bin_folder: Path):
    editor = brought(tmp_path, *TYPESCRIPT)
    package = tmp_path / "extensions" / "node_modules" / "typescript" / "package.json"

    def stamp(version: str) -> str:
        package.write_text(json.dumps({"name": "typescript", "version": version}))
        made = chooser(tmp_path, bin_folder, "typescript-language-server", editor=editor)
        return made.choose("a.ts")[0].stamp

    assert stamp("6.0.3") != stamp("6.0.10")


def test_settings_that_go_with_the_handshake(tmp_path: Path, bin_folder: Path):
    given = {"ruff": {"lineLength": 77, "lint": {"select": ["E501"]}}}
    made = chooser(tmp_path, bin_folder, "ruff", server_settings=given)
    spec = made.choose("a.py", ("ruff",))[0].spec
    assert spec is not None
    assert spec.initialization_options == {"settings": given["ruff"]}


def test_eslint_judges_only_below_a_configuration_of_its_own(tmp_path: Path, bin_folder: Path):
    program = "vscode-eslint-language-server"
    (tmp_path / "root" / "web").mkdir(parents=True)
    (tmp_path / "root" / "web" / "eslint.config.mjs").write_text("export default [];\n")
    refused = chooser(tmp_path, bin_folder, program).choose("web/src/a.js")[-1]
    assert refused.reason is not None
    assert (refused.name, refused.reason.code) == ("eslint", "untrusted")
    made = chooser(tmp_path, bin_folder, program, trusted=True, server_settings={
        "eslint": {"validate": None, "quiet": True, "rules": {}},
    })  # fmt: skip
    assert [choice.name for choice in made.choose("a.js")] == ["typescript-language-server"]
    spec = made.choose("web/src/a.js")[-1].spec
    assert spec is not None
    assert spec.profile.scope == "file"
    told = spec.settings["eslint"]
    assert (told["validate"], told["quiet"], told["nodePath"]) == ("on", True, None)


def test_rules_that_read_other_files_make_the_project_eslints_scope(
    tmp_path: Path, bin_folder: Path
):
    program = "vscode-eslint-language-server"
    (tmp_path / "root" / "web").mkdir(parents=True)
    config = "export default tseslint.config(tseslint.configs.recommendedTypeChecked);\n"
    (tmp_path / "root" / "web" / "eslint.config.mjs").write_text(config)
    (found,) = chooser(tmp_path, bin_folder, program, trusted=True).choose("a.js", ("eslint",))
    assert found.sees_project
    assert found.profile.reads_disk


def test_a_servers_options_take_a_part_of_the_users_settings(tmp_path: Path, bin_folder: Path):
    settings = {"clangd": {"fallbackFlags": ["-std=c++20"], "path": "elsewhere"}}
    for given, expected in ((settings, {"fallbackFlags": ["-std=c++20"]}), ({}, {})):
        made = chooser(tmp_path, bin_folder, "clangd", server_settings=given)
        spec = made.choose("a.cpp")[0].spec
        assert spec is not None
        assert spec.initialization_options == expected
        assert spec.command[0] == str(bin_folder / "clangd")


def test_the_editors_eslint_runs_on_the_editors_node(tmp_path: Path, bin_folder: Path):
    editor = brought(tmp_path, "dbaeumer.vscode-eslint/server/out/eslintServer.js")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / ".eslintrc.json").write_text("{}\n")
    found = chooser(tmp_path, bin_folder, editor=editor, trusted=True).choose("a.jsx")[-1]
    assert (found.name, found.origin) == ("eslint", "editor")
    assert found.spec is not None
    assert found.spec.command[0] == str(editor.node)
    assert found.spec.command[2:] == ("--stdio",)


GO_SETTINGS = [
    ({}, {"GOFLAGS": "-p=2"}, None),
    ({"go": {"buildTags": "a,b"}}, {}, "-tags=a,b"),
    ({"go": {"buildTags": "a b"}}, {"GOFLAGS": "-mod=mod -tags=c"}, "-mod=mod -tags=c -tags=a,b"),
    ({"go": {"buildFlags": ["-race", "-tags", "a"]}}, {}, "-tags=a"),
    ({"gopls": {"build.buildFlags": ["-tags=a"]}, "go": {"buildTags": "b"}}, {}, "-tags=a"),
    ({"gopls": {"build": {"buildFlags": ["--tags=a"]}}}, {}, "-tags=a"),
    ({"go": {"buildTags": "a -toolexec=x"}}, {}, "-tags=a"),
    ({"go": {"buildTags": 3, "buildFlags": "-tags=a"}, "gopls": None}, {}, None),
    ({"go": {"buildTags": "a"}}, {"GOENV": "WRITTEN"}, "-mod=vendor -tags=a"),
]


@pytest.mark.parametrize(("settings", "environ", "flags"), GO_SETTINGS)
def test_the_tags_of_a_project_of_go(
    tmp_path: Path, settings: Any, environ: dict[str, str], flags: str | None
) -> None:
    written = tmp_path / "env"
    written.write_text("GOPROXY=off\nGOFLAGS=-mod=vendor\n")
    given = {"HOME": str(tmp_path), **environ}
    found = go_environment(
        settings, {k: v.replace("WRITTEN", str(written)) for k, v in given.items()}
    )
    assert found == ({} if flags is None else {"GOFLAGS": flags})
