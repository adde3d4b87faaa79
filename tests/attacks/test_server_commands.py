"""A command of a language server changes no byte of the user's folder, whoever asks for it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.folders import make_folder, settings_text, toy_profile, write_user_settings
from tests.e2e.lsp_client import Editor, open_editor
from tests.langserver.toybox import TOYS, ended_in
from tests.support.workspace import state_of

REQUEST = "understudy/branch/request"
COMMAND = "workspace/executeCommand"
SECONDS = 300.0
"""A cold server on a stage of its own takes half a minute on a loaded machine."""


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {"a.py": "import json\n", "b.txt": "fine\n", "pyproject.toml": "[project]\n"}
    return make_folder(tmp_path / "project", files)


async def asked(
    editor: Editor, branch: str, command: str, arguments: list[Any], **more: Any
) -> dict[str, Any]:
    params = {"command": command, "arguments": arguments}
    request = {"branch": branch, "method": COMMAND, "params": params, "timeout": SECONDS, **more}
    return await editor.answer(REQUEST, request, SECONDS)


@pytest.mark.parametrize("trusted", [False, True])
async def test_a_stub_that_a_server_would_write(project: Path, state: Path, trusted: bool) -> None:
    before = state_of(project)
    async with open_editor(project, state, {"trusted": trusted}) as editor:
        text = "import json  # x\n"
        branch = await editor.branch({"kind": "write", "path": "a.py", "text": text})
        at = str(project / "a.py")
        answer = await asked(
            editor, branch, "basedpyright.createtypestub", [str(project), "json", at]
        )
        if trusted:
            assert answer["result"]["staged"] is True
            assert answer["result"]["edited"] == []
        else:
            assert answer["error"]["data"]["code"] == "untrusted"
        imports = await asked(editor, branch, "basedpyright.organizeimports", [editor.uri("a.py")])
        assert imports["result"]["staged"] is False
        assert state_of(project) == before
    assert ended_in(project)


async def test_a_server_that_writes_at_any_word(project: Path, state: Path) -> None:
    """What it wrote is seen by nobody else; a name that the profile lists is taken at its word."""
    profile = {**toy_profile("well_behaved"), "commands": ["toy.harmless"]}
    profile["command"] = [sys.executable, "-S", str(TOYS / "writes_on_command.py")]
    write_user_settings(state, settings_text({"toy": profile}))
    before = state_of(project)
    async with open_editor(project, state, {"trusted": True}) as editor:
        branch = await editor.branch({"kind": "write", "path": "b.txt", "text": "good\n"})
        for command in ("toy.write", "toy.harmless2", "TOY.HARMLESS", "toy.harmless "):
            answer = (await asked(editor, branch, command, [str(project)], server="toy"))["result"]
            assert answer["result"] == [command], "the stage of one command was another's"
            assert answer["staged"] is True
        assert state_of(project) == before
        assert not (project / "written").exists()
    assert ended_in(project)


async def test_places_that_no_request_may_name(project: Path, state: Path) -> None:
    outside = make_folder(state.parent / "elsewhere", {"key.py": "KEY = 1\n"}) / "key.py"
    (project / "link").symlink_to(outside.parent)
    async with open_editor(project, state, {"trusted": True}) as editor:
        branch = await editor.branch({"kind": "write", "path": "a.py", "text": "x = 1\n"})
        (own,) = (state / "understudy" / "workspaces").iterdir()
        inside = {"uri": editor.uri("a.py")}
        for params, code in (
            ({"textDocument": {"uri": outside.as_uri()}}, "outside-root"),
            ({"textDocument": inside, "item": {"uri": outside.as_uri()}}, "outside-root"),
            ({"textDocument": inside, "data": {"uri": outside.as_uri()}}, "outside-root"),
            ({"textDocument": inside, "x": [{"y": (own / "host.json").as_uri()}]}, "own-folder"),
            ({"textDocument": {"uri": (own / "host.json").as_uri()}}, "own-folder"),
            ({"textDocument": {"uri": f"{project.as_uri()}/..%2f{outside.name}"}}, "outside-root"),
            ({"textDocument": {"uri": f"{project.as_uri()}/link/key.py"}}, "outside-root"),
            ({"textDocument": {"uri": "file://["}}, "outside-root"),
        ):  # fmt: skip
            for method in ("textDocument/definition", "callHierarchy/incomingCalls"):
                refused = await editor.refusal(
                    REQUEST, {"branch": branch, "method": method, "params": params}
                )
                assert refused["data"]["code"] == code, params
        for method in ("workspace/applyEdit", "textDocument/codeLens", "workspace/willRenameFiles"):
            refused = await editor.refusal(
                REQUEST, {"branch": branch, "method": method, "params": {"textDocument": inside}}
            )
            assert refused["data"]["code"] == "method-not-allowed"
