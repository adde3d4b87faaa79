"""Where the user's extensions say that their servers are, and what these are started with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.choosers import chooser
from understudy.langserver.editor import EditorServers


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


def test_an_extensions_server_in_the_users_home(
    tmp_path: Path, bin_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    program = tmp_path / "home" / "go" / "bin" / "gopls"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    for extensions, expected in (({"golang.go": tmp_path / "go"}, "gopls"), ({}, "go-vet")):
        made = chooser(
            tmp_path, bin_folder, "go", trusted=True, editor=EditorServers(None, extensions)
        ).choose("a.go")[0]
        assert (made.name, made.is_installed) == (expected, True)
        assert made.spec is not None
        assert (made.spec.command[0] == str(program)) is bool(extensions)


GO_PLACES = [
    ("given/gopls", {"go": {"alternateTools": {"gopls": "HERE/given/gopls"}}}, {}),
    ("tools/bin/gopls", {"go": {"toolsGopath": "HERE/tools"}}, {}),
    ("gobin/gopls", {}, {"GOBIN": "HERE/gobin"}),
    ("one/bin/gopls", {"go": {"gopath": "${env:ELSEWHERE}"}}, {"ELSEWHERE": "HERE/one"}),
    ("first/bin/gopls", {}, {"GOPATH": "HERE/first:HERE/second"}),
]


@pytest.mark.parametrize(
    ("place", "settings", "environ"),
    GO_PLACES,
    ids=[place for place, _, _ in GO_PLACES],
)
def test_gopls_is_where_its_extension_looks(
    tmp_path: Path, bin_folder: Path, place: str, settings: Any, environ: Any
):
    settings, environ = json.loads(json.dumps([settings, environ]).replace("HERE", str(tmp_path)))
    program = tmp_path / place
    program.parent.mkdir(parents=True)
    editor = EditorServers(None, {"golang.go": tmp_path / "extension"})

    def command() -> str:
        made = chooser(
            tmp_path,
            bin_folder,
            "gopls",
            "go",
            trusted=True,
            editor=editor,
            server_settings=settings,
        )
        made.environ = environ
        (found,) = made.choose("a.go")
        assert found.spec is not None
        return found.spec.command[0]

    assert command() == str(bin_folder / "gopls")
    program.touch(mode=0o755)
    assert command() == str(program)


def test_the_editors_settings_of_clangd(tmp_path: Path, bin_folder: Path):
    editor = EditorServers(None, {"llvm-vs-code-extensions.vscode-clangd": tmp_path / "extension"})
    given = [
        "--compile-commands-dir=${workspaceFolder}/build", "-j", "8", "--background-index",
        "--query-driver", "/usr/bin/g++", "--use-dirty-headers=false", "-j16", 5,
    ]  # fmt: skip
    folder = tmp_path / "root"
    taken = (
        f"--compile-commands-dir={folder}/build", "--query-driver", "/usr/bin/g++"
    )  # fmt: skip
    settings = {"clangd": {"path": "clangd-99", "arguments": given}}
    commands: dict[bool, tuple[str, ...]] = {}
    for trusted in (True, False):
        made = chooser(
            tmp_path, bin_folder, "clangd", "clangd-99",
            trusted=trusted, editor=editor, server_settings=settings,
        )  # fmt: skip
        (found,) = made.choose("a.cpp")
        assert found.spec is not None
        commands[trusted] = found.spec.command
    own = commands[False][1:]
    # A folder that is not trusted may have set them.
    assert commands[False] == (str(bin_folder / "clangd"), *own)
    assert commands[True] == (str(bin_folder / "clangd-99"), *own, *taken)
    assert {"--background-index=false", "--use-dirty-headers", "-j=2"} == set(own)


@pytest.mark.parametrize(
    "value", ["", "no-such-program", "${env:NOT_SET}/clangd", "${config:x}", 7]
)
def test_a_setting_that_names_no_program_is_left_alone(
    tmp_path: Path, bin_folder: Path, value: object
):
    editor = EditorServers(None, {"llvm-vs-code-extensions.vscode-clangd": tmp_path / "extension"})
    settings = {"clangd": {"path": value, "arguments": "--no list"}}
    made = chooser(
        tmp_path, bin_folder, "clangd", trusted=True, editor=editor, server_settings=settings
    )
    (found,) = made.choose("a.cpp")
    assert found.spec is not None
    assert (found.origin, found.spec.command[0]) == ("path", str(bin_folder / "clangd"))
