"""The life of a session over stdio: what is offered, how it begins, and how it ends."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.folders import make_folder, toy_profile
from tests.e2e.lsp_client import SECONDS, connect, open_editor, until
from tests.langserver.toybox import ended_in, toys_in
from understudy.process.priority import NICENESS
from understudy.values.version import WIRE

TOY = {"trusted": True, "settings": {"servers": {"toy": toy_profile("well_behaved")}}}
OPTIONS_CHANGED = "understudy/optionsChanged"
BAD_LINE = {"kind": "write", "path": "a.txt", "text": "BAD one\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "work", {"a.txt": "fine\n"})


async def test_no_language_feature_is_offered(folder: Path, state: Path) -> None:
    async with connect(folder, state) as editor:
        result = (await editor.initialize())["result"]
        assert result["serverInfo"]["name"] == "understudy"
        offered = {key for key, value in result["capabilities"].items() if value}
        # Document sync is how buffers reach us; the others say how, and offer nothing.
        assert offered <= {
            "textDocumentSync",
            "positionEncoding",
            "workspace",
            "executeCommandProvider",
            "experimental",
        }
        assert result["capabilities"]["experimental"] == {"understudy": {"wire": WIRE}}
        sync = result["capabilities"]["textDocumentSync"]
        assert sync["openClose"] is True
        assert sync["change"] == 2
        assert not sync.get("save")
        commands = result["capabilities"].get("executeCommandProvider", {"commands": []})
        assert commands["commands"] == []
        assert await editor.shut_down() == 0
        editor.assert_discreet()


async def test_the_end_takes_the_language_servers_along(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TOY) as editor:
        branch = await editor.branch(BAD_LINE)
        assert (await editor.check(branch))["verdict"] == "findings"
        assert toys_in(folder)
        assert await editor.shut_down() == 0
        assert ended_in(folder)


async def test_a_client_that_goes_away_ends_the_session(folder: Path, state: Path) -> None:
    async with connect(folder, state) as editor:
        await editor.initialize(TOY)
        branch = await editor.branch(BAD_LINE)
        await editor.check(branch)
        stdin = editor.client.process.stdin
        assert stdin is not None
        stdin.close()
        await asyncio.wait_for(editor.client.process.wait(), SECONDS)
        assert ended_in(folder)
        editor.assert_discreet()


async def test_a_server_that_died_is_no_slow_one(folder: Path, state: Path) -> None:
    """Whoever drives a server is told of its end at once, and what it said last."""
    async with connect(folder, state) as editor:
        await editor.initialize()
        _, response = editor.pending("understudy/doctor")
        editor.client.process.kill()
        for asked in (response(SECONDS), editor.raw({"id": "x", "method": "shutdown"})):
            with pytest.raises(AssertionError, match=r"the server has ended \(status -9\)"):
                await asked


async def test_branches_outlive_the_host(folder: Path, state: Path) -> None:
    async with open_editor(folder, state) as editor:
        assert await editor.branch()
    async with open_editor(folder, state) as later:
        assert (await later.ask("understudy/branch/list"))["branches"] != []


async def test_a_root_that_does_not_exist(tmp_path: Path, state: Path) -> None:
    async with connect(tmp_path / "nowhere", state) as editor:
        error = (await editor.initialize())["error"]
        assert error["data"]["code"] == "no-such-root"
        assert error["data"]["where"] == str(tmp_path / "nowhere")


async def test_a_root_that_is_a_file(folder: Path, state: Path) -> None:
    async with connect(folder / "a.txt", state) as editor:
        assert (await editor.initialize())["error"]["data"]["code"] == "no-such-root"


async def test_no_folder_at_all(folder: Path, state: Path) -> None:
    params = {"processId": None, "rootUri": None, "capabilities": {}}
    async with connect(folder, state) as editor:
        response = await editor.raw({"id": "i", "method": "initialize", "params": params})
        assert response["error"]["data"]["code"] == "no-such-root"


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"trusted": "yes"}, "initializationOptions"),
        ({"colour": "blue"}, "initializationOptions"),
        ({"settings": {"timeoutS": -1}}, "editor"),
        ({"settings": {"nothing": 1}}, "editor: nothing"),
        ({"settings": {"servers": {"x": {"group": 1}}}}, "servers.x.group"),
    ],
)
async def test_options_that_cannot_be_used(
    folder: Path, state: Path, options: dict[str, Any], where: str
) -> None:
    async with connect(folder, state) as editor:
        error = (await editor.initialize(options))["error"]
        assert error["data"]["code"] == "bad-setting"
        assert where in error["message"]


async def test_a_workspace_file_that_names_programs(folder: Path, state: Path) -> None:
    (folder / "understudy.toml").write_text('server_path = ["bin"]\n')
    for options, refused in (({"trusted": False}, True), ({}, True), ({"trusted": True}, False)):
        async with connect(folder, state) as editor:
            response = await editor.initialize(options)
            assert ("error" in response) == refused
            if refused:
                assert response["error"]["data"]["code"] == "untrusted"
                assert response["error"]["data"]["where"] == "understudy.toml"


async def test_requests_before_initialize(folder: Path, state: Path) -> None:
    async with connect(folder, state) as editor:
        for method, params in (("understudy/status", {}), ("understudy/branch/create", {})):
            error = await editor.refusal(method, params)
            assert error["data"]["code"] == "not-initialized"
        editor.open("a.txt", "text")
        assert "result" in await editor.initialize()
        assert await editor.shut_down() == 0


async def test_state_is_private(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TOY) as editor:
        await editor.check(await editor.branch(BAD_LINE))
        modes: dict[Path, int] = {}
        for path in (state / "understudy").rglob("*"):
            with suppress(FileNotFoundError):  # a file that was in the place of another meanwhile
                modes[path] = path.lstat().st_mode & 0o777
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if not path.is_dir()} == {0o600}
    names = {path.name for path in modes}
    assert {"journal.sqlite", "host.lock", "logs"} <= names


@pytest.mark.parametrize(
    ("message", "code", "text"),
    [
        ({"method": "understudy/branch/dance", "params": {}}, -32601, "understudy/branch/dance"),
        ({"method": "textDocument/hover", "params": {"x": 1}}, -32602, "textDocument/hover"),
        ({"method": "textDocument/completion", "params": None}, -32602, "textDocument/completion"),
    ],
)
async def test_what_is_no_request_of_ours(
    folder: Path, state: Path, message: dict[str, Any], code: int, text: str
) -> None:
    async with open_editor(folder, state) as editor:
        response = await editor.raw({"id": "x", **message})
        assert response["error"]["code"] == code
        assert text in response["error"]["message"]
        assert (await editor.ask("understudy/status"))["branches"] == 0


async def test_malformed_notifications_change_nothing(folder: Path, state: Path) -> None:
    async with open_editor(folder, state) as editor:
        for method in ("didOpen", "didChange", "didClose"):
            for params in ({}, {"textDocument": 3}, [1], "x"):
                editor.send({"method": f"textDocument/{method}", "params": params})
        editor.send({"method": "$/cancelRequest", "params": {"id": "never sent"}})
        editor.send({"method": "$/unheard", "params": [1]})
        assert (await editor.ask("understudy/status"))["generation"] == 0


async def test_status_names_what_runs(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TOY) as editor:
        assert (await editor.ask("understudy/status"))["servers"] == []
        await editor.check(await editor.branch(BAD_LINE))
        status = await editor.ask("understudy/status")
        assert status["root"] == str(editor.root)
        assert status["trusted"] is True
        assert status["branches"] == 1
        (server,) = status["servers"]
        assert (server["name"], server["state"], server["generation"]) == ("toy", "idle", 1)
        assert server["pid"] in toys_in(folder)


@pytest.mark.skipif(os.name == "nt", reason="there is no niceness there")
async def test_language_servers_yield_to_the_editor(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TOY) as editor:
        await editor.check(await editor.branch(BAD_LINE))
        (server,) = (await editor.ask("understudy/status"))["servers"]
        ours, theirs = (
            os.getpriority(os.PRIO_PROCESS, pid)
            for pid in (editor.client.process.pid, server["pid"])
        )
        assert theirs == max(NICENESS, ours)
        assert ours == os.getpriority(os.PRIO_PROCESS, 0)


async def test_the_editors_settings_reach_us_and_the_servers(folder: Path, state: Path) -> None:
    profile = toy_profile("asks_settings")
    settings = {"understudy": {"severity": "warning"}, "toy": {"strict": True}}
    options = {"settings": {"servers": {"toy": profile}}}
    async with open_editor(folder, state, options, settings) as editor:
        branch = await editor.branch(BAD_LINE)
        assert (await editor.check(branch))["verdict"] == "findings"
        editor.client.set_configuration({"toy": {"strict": False}})
        editor.send({"method": "workspace/didChangeConfiguration", "params": {"settings": None}})
        late = await editor.check(await editor.branch(BAD_LINE), timeout=1.5)
        assert late["verdict"] == "unknown", "the toy judges with its own settings only"


async def test_an_editor_that_never_says_its_settings(folder: Path, state: Path) -> None:
    async with connect(folder, state) as editor:
        del editor.client.protocol.fm.features["workspace/configuration"]
        await editor.initialize(TOY, {})
        assert (await editor.check(await editor.branch(BAD_LINE)))["verdict"] == "findings"
        assert await editor.shut_down() == 0


async def test_trust_is_granted_and_taken_without_a_restart(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, {**TOY, "trusted": False}) as editor:
        branch = await editor.branch(BAD_LINE)
        for trusted in (True, False):
            editor.send({"method": OPTIONS_CHANGED, "params": {**TOY, "trusted": trusted}})
            assert (await editor.ask("understudy/status"))["trusted"] is trusted
        editor.send({"method": OPTIONS_CHANGED, "params": {"trusted": True, "settings": {}}})
        checked = await editor.check(branch)  # the server went with the settings
        assert checked["files"][0]["reason"]["code"] == "no-server"


async def test_options_that_are_wrong_change_nothing(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TOY) as editor:
        for wrong in ({"trusted": "yes"}, {"settings": {"scope": 1}, "trusted": False}, [1], 3):
            editor.send({"method": OPTIONS_CHANGED, "params": wrong})
        assert (await editor.ask("understudy/status"))["trusted"] is True
        assert (await editor.check(await editor.branch(BAD_LINE)))["verdict"] == "findings"
        assert b"the editor's options are not used" in editor.client.stderr


async def test_a_client_that_goes_in_the_midst_of_the_end_does_not_stop_it(
    folder: Path, state: Path
) -> None:
    stubborn = {"trusted": True, "settings": {"servers": {"toy": toy_profile("ignores_the_end")}}}
    async with connect(folder, state) as editor:
        await editor.initialize(stubborn)
        branch = await editor.branch(BAD_LINE)
        editor.pending("understudy/branch/check", {"branch": branch})
        await until(editor, lambda server: server["pid"] is not None)
        editor.send({"id": "end", "method": "shutdown"})
        stdin = editor.client.process.stdin
        assert stdin is not None
        stdin.close()
        assert await editor.client.finish() == 0
        assert ended_in(folder)
        assert b"CancelledError" not in editor.client.stderr, editor.client.stderr.decode()
