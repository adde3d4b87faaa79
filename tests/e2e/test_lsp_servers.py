"""What an editor says of language servers: the ones it brings, and the user's settings for them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.e2e.folders import make_folder
from tests.e2e.lsp_client import Editor, connect, open_editor
from tests.support.servers import program

LONG = {"kind": "write", "path": "a.py", "text": f"x = 1  # {'é' * 100}\n"}
RUFF_EXTENSION: dict[str, Any] = {
    "nativeServer": "on",
    "logLevel": None,
    "importStrategy": "fromEnvironment",
    "interpreter": [],
    "path": [],
    "configuration": None,
    "lineLength": None,
    "organizeImports": True,
    "fixAll": True,
    "codeAction": {"fixViolation": {"enable": True}, "disableRuleComment": {"enable": True}},
    "lint": {"enable": True, "preview": None, "select": None, "extendSelect": None, "ignore": None},
    "format": {"preview": None, "backend": "internal"},
    "exclude": None,
    "showSyntaxErrors": True,
    "trace": {"server": "off"},
}
"""The section `ruff` as VS Code has it with ruff's extension, all of it at its defaults."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "work", {"a.py": "x = 1\n"})


async def codes(editor: Editor) -> list[str]:
    branch = await editor.branch(LONG)
    found = await editor.check(branch, servers=["ruff"], severity="hint")
    assert found["verdict"] != "unknown", found
    return [finding["code"] for finding in found["introduced"]]


async def test_ruff_has_the_users_settings(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, {}, {"ruff": RUFF_EXTENSION}) as editor:
        assert await codes(editor) == []
        chosen = {**RUFF_EXTENSION, "lint": {**RUFF_EXTENSION["lint"], "select": ["E501"]}}
        editor.client.set_configuration({"ruff": chosen})
        editor.send({"method": "workspace/didChangeConfiguration", "params": {"settings": None}})
        assert await codes(editor) == ["E501"]
        editor.client.set_configuration({"ruff": {**chosen, "lineLength": 320}})
        editor.send({"method": "workspace/didChangeConfiguration", "params": {"settings": None}})
        assert await codes(editor) == []


async def test_a_server_that_an_extension_brings(folder: Path, tmp_path: Path, state: Path) -> None:
    """It judges, and not the one of the search path."""
    extension = tmp_path / "extensions" / "charliermarsh.ruff-2026.1.0"
    place = extension / "bundled" / "libs" / "bin" / "ruff"
    place.parent.mkdir(parents=True)
    shutil.copy2(program("ruff"), place)
    options = {"editor": {"extensions": {"charliermarsh.Ruff": str(extension)}}}
    async with open_editor(folder, state, options) as editor:
        assert await codes(editor) == []
        (server,) = (await editor.ask("understudy/status"))["servers"]
        assert psutil.Process(server["pid"]).exe() == str(place)


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"node": 5}, "initializationOptions.editor"),
        ({"node": "node"}, "initializationOptions.editor.node"),
        ({"extensions": {"a.b": "./there"}}, "initializationOptions.editor.extensions.a.b"),
        ({"extensions": {"a.b": None}}, "initializationOptions.editor.extensions.a.b"),
        ({"bundled": "servers"}, "initializationOptions.editor.bundled"),
        ({"plugins": {}}, "initializationOptions.editor"),
    ],
)
async def test_wrong_options_are_named(
    folder: Path, state: Path, options: dict[str, Any], where: str
) -> None:
    async with connect(folder, state) as editor:
        response = await editor.initialize({"editor": options})
        data = response["error"]["data"]
        assert (data["code"], data["where"]) == ("bad-setting", where)


async def test_the_doctor_knows_what_the_editor_brings(
    folder: Path, tmp_path: Path, state: Path
) -> None:
    place = tmp_path / "ruff" / "bundled" / "libs" / "bin" / "ruff"
    place.parent.mkdir(parents=True)
    shutil.copy2(program("ruff"), place)
    extensions = {"charliermarsh.ruff": str(tmp_path / "ruff")}
    settings = {"disabledGroups": ["types"]}
    options = {"editor": {"extensions": extensions}, "settings": settings}
    async with open_editor(folder, state, options) as editor:
        answer = await editor.ask("understudy/doctor")
        states = {finding["subject"]: finding["state"] for finding in answer["findings"]}
        assert states["ruff"] == "ok"
        (line,) = [line for line in answer["text"].splitlines() if line.startswith("ok      ruff ")]
        assert f"the editor's, {place} server" in line
        assert "untrusted" not in answer["text"]
        assert (await editor.ask("understudy/status"))["servers"] == []
