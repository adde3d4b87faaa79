"""Tools of other MCP servers as files: right whatever the servers do, and nothing without leave."""

from __future__ import annotations

import asyncio
import json
import sys
import sysconfig
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from tests.langserver.toybox import ended_in
from tests.support.tool_servers import SECONDS, BarePython, HttpToy, ToolFolder, tool_folder, toy
from understudy.values.errors import BadInput, OutsideFailure, Refused
from understudy.workspace.tools import catalogue as mcp_catalogue


@pytest.fixture
async def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ToolFolder]:
    monkeypatch.setattr(mcp_catalogue, "LIST_SECONDS", SECONDS)
    async with tool_folder(tmp_path) as made:
        yield made
    assert ended_in(made.folder)


@pytest.fixture
def http(tmp_path: Path) -> Iterator[HttpToy]:
    server = HttpToy(tmp_path)
    yield server
    server.end()


async def test_a_folder_a_server_and_a_file_a_tool(work: ToolFolder) -> None:
    work.define(good=toy("well_behaved"))
    state = await work.synced("good")
    assert (state.status, state.tools, state.hint) == ("ready", 7, "")
    assert work.status("good")["status"] == "ready"
    text = work.file("good/tools/say.json").read_text()
    assert json.loads(text) == {
        "name": "say",
        "description": "say does it. " * 20,
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
    }
    assert text.startswith('{"description":')
    assert work.file("good/tools/a%2Fb.json").is_file()
    index = work.file("INDEX.md").read_text()
    assert "good: a/b fail image long say wait where\n" in index
    assert "does it" not in index
    assert work.file("good").stat().st_mode & 0o777 == 0o700
    assert work.file("good/STATUS.json").stat().st_mode & 0o777 == 0o600


async def test_an_unchanged_list_writes_nothing(work: ToolFolder, tmp_path: Path) -> None:
    work.define(good=toy("well_behaved"), off=toy("well_behaved"))
    await work.synced("good")
    before, changes = work.files(), work.n_changes
    await work.catalogue.sync(["good"])
    assert (work.files(), work.n_changes) == (before, changes)
    async with tool_folder(tmp_path) as again:  # another host, later
        assert (await again.catalogue.sync(["good"]))[0].status == "ready"
        assert again.files() == before


async def test_nothing_is_started_without_leave(work: ToolFolder, tmp_path: Path) -> None:
    mark = tmp_path / "started"
    touch = {"command": "touch", "args": [str(mark)]}
    work.define(it=touch)
    assert (await work.state("it")).status == "disabled"
    await work.catalogue.sync()
    with pytest.raises(Refused) as refused:
        await work.call("it/x")
    assert refused.value.code == "disabled"
    await work.allow("it")
    work.trusted = False
    assert (await work.state("it")).status == "needs-trust"
    await work.catalogue.sync()
    with pytest.raises(Refused, match="understudy trust"):
        await work.call("it/x")
    assert not mark.exists()
    work.trusted = True
    work.define(it={**touch, "env": {"MORE": "1"}})  # another definition is another program
    await work.catalogue.sync()
    assert "has changed since" in (await work.state("it")).hint
    assert not mark.exists()
    await work.allow("it")
    await work.catalogue.sync()
    assert mark.exists()


async def test_leave_can_be_withdrawn(work: ToolFolder) -> None:
    work.define(good=toy("well_behaved"))
    await work.synced("good")
    pid = int((await work.call("good/where")).text.split("\n")[1].split()[0])
    await work.catalogue.allow(["good"], withdraw=True)
    assert not psutil.pid_exists(pid)
    assert (await work.state("good")).status == "disabled"
    assert work.file("INDEX.md").read_text() == ""
    with pytest.raises(Refused):
        await work.call("good/say")
    work.define()
    await work.catalogue.states()
    assert not work.file("good").exists()
    with pytest.raises(BadInput) as unknown:
        await work.catalogue.allow(["good"], withdraw=False)
    assert unknown.value.code == "unknown-server"


@pytest.mark.parametrize(
    ("server", "status", "hint", "tools"),
    [
        (toy("exits", env={"KEY": "s3cret-t0ken"}), "failed", "status 3", 0),
        (toy("no_list"), "failed", "no list", 0),
        (toy("prints"), "ready", "", 2),
        (toy("many"), "ready", "", 500),
        (toy("pages_for_ever"), "ready", "more than 100 pages; the rest is left out", 100),
        (toy("pages_for_ever", "circle"), "ready", "in a circle; the rest is left out", 2),
        ({"command": "no-such-program-of-ours"}, "failed", "cannot be started", 0),
        ({"command": "true", "cwd": "no/such/folder"}, "failed", "cannot be started", 0),
        ({"url": "http://127.0.0.1:9/mcp"}, "failed", "", 0),
    ],
)
async def test_what_servers_do(
    work: ToolFolder, server: dict[str, object], status: str, hint: str, tools: int
) -> None:
    work.define(it=server)
    state = await work.synced("it")
    assert (state.status, state.tools) == (status, tools)
    assert hint in state.hint
    assert "s3cret-t0ken" not in json.dumps([state.hint, work.status("it")])
    assert work.status("it")["status"] == status
    assert len(list(work.file("it").glob("tools/*.json"))) == tools


async def test_a_server_that_has_listed_nothing_is_in_the_index(work: ToolFolder) -> None:
    work.define(gone={"command": "no-such-program-of-ours"}, off=toy("well_behaved"))
    await work.synced("gone")
    index = work.file("INDEX.md").read_text().splitlines()
    assert index[1:] == ["gone: no tools known; see mcp/gone/STATUS.json"]
    status = work.place.store.get("mcp/gone/STATUS.json").decode()
    assert "cannot be started" in status, status


async def test_a_python_without_the_sdk(
    work: ToolFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is named with the line that mends it; then its packages are found beside bundled ones."""
    bare = BarePython(tmp_path / "bare")
    work.define(good=toy("well_behaved"))
    installed = sysconfig.get_path("purelib")
    monkeypatch.setattr(sys, "executable", str(bare.program))
    monkeypatch.setattr(sys, "path", [part for part in sys.path if part != installed])
    state = await work.synced("good")
    why = "has no MCP SDK 2 (No module named 'mcp'); the fix:"
    assert state.status == "failed"
    assert f'{why} {bare.program} -m pip install "mcp>=2' in state.hint
    with pytest.raises(OutsideFailure) as missing:
        await work.call("good/say")
    assert missing.value.code == "mcp-missing"
    bare.install()
    assert (await work.synced("good")).status == "ready"


@pytest.mark.parametrize(
    ("entry", "status", "hint"),
    [
        ({"command": "x", "args": ["${input:key}"]}, "needs-input", "${input:key}"),
        ({"command": "x", "env": {"A": "${env:NOT_SET_HERE}"}}, "needs-input", "NOT_SET_HERE"),
        ({"url": "https://x/${NOT_SET_HERE}"}, "needs-input", "NOT_SET_HERE"),
        ({"command": "${command:pick}"}, "needs-input", "only the editor"),
        ({"command": "x", "envFile": "none.env"}, "needs-input", "none.env"),
        ({"args": ["x"]}, "failed", "'command' is missing"),
        ({"command": "x", "args": "y"}, "failed", "`args`"),
        ({"command": "x", "env": {"A": True}}, "failed", "`env.A`"),
        ({"command": "x", "env": []}, "failed", "`env`"),
        ({"command": 5}, "failed", "'command'"),
        ({"type": "sse", "url": "http://x"}, "failed", "'sse'"),
        ({"url": "file:///etc/passwd"}, "failed", "http://"),
        ({"url": "http://x", "headers": {"A": None}}, "failed", "`headers`"),
        ("text", "failed", "expected an object"),
        ({"command": "understudy", "args": ["mcp"]}, "disabled", "Understudy itself"),
        ({"command": "x", "disabled": True}, "disabled", "switched off"),
    ],
)
async def test_what_keeps_a_server_from_being_started(
    work: ToolFolder, entry: object, status: str, hint: str
) -> None:
    work.define(it=entry)
    await work.allow("it")
    state = await work.state("it")
    assert (state.status, work.status("it")["status"]) == (status, status)
    assert hint in state.hint
    with pytest.raises(Refused) as refused:
        await work.call("it/tool")
    assert refused.value.code == status


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", ".mcp.json: "),
        ("[]", "expected a JSON object"),
        ('{"servers": []}', "`servers` must be an object"),
        ("[" * 100_000, ".mcp.json: "),
        ('{"servers": {"\\ud800": {"command": "x"}, "a\\nb": {"command": "x"}}}', ""),
    ],
)
async def test_bad_files_are_named(work: ToolFolder, text: str, problem: str) -> None:
    (work.folder / ".mcp.json").write_text(text)
    states = await work.catalogue.states()
    assert all(state.status == "failed" for state in states)
    assert problem in "".join(work.catalogue.problems)
    assert bool(problem) == bool(work.catalogue.problems)


async def test_both_files_and_comments(work: ToolFolder) -> None:
    work.define(one=toy("prints"), two=toy("prints"))
    (work.folder / ".vscode").mkdir()
    (work.folder / ".vscode/mcp.json").write_text(
        '{// the editor\'s\n "servers": {"two": {"command": "other"}, "three": {"url": "http://x",}}}'
    )
    found = {state.name: state.origin for state in await work.catalogue.states()}
    vscode = ".vscode/mcp.json"
    assert found == {"one": ".mcp.json", "two": vscode, "three": vscode}
    assert work.catalogue.problems == (".mcp.json: 'two' is defined otherwise in .vscode/mcp.json",)


async def test_placeholders(tmp_path: Path) -> None:
    async with tool_folder(tmp_path, {"TOY_VALUE": "from outside"}) as work:
        args = ("${workspaceFolderBasename}", "${env:TOY_VALUE}", "${UNSET:-usual}")
        (work.folder / "toy.env").write_text('# values\nexport TOY="from a file"\n')
        work.define(it=toy("well_behaved", *args, envFile="toy.env", cwd="${workspaceFolder}"))
        await work.synced("it")
        text = (await work.call("it/where")).text
        assert f"{work.folder} ['work', 'from outside', 'usual'] from a file" in text


async def test_names_are_no_paths(work: ToolFolder, tmp_path: Path) -> None:
    work.define(**{"../../up": toy("bad_schemas"), "Good": toy("prints"), "good": toy("prints")})
    await work.allow("../../up", "Good", "good")
    states = {state.name: state for state in await work.catalogue.sync()}
    bad = states["../../up"]
    assert (bad.status, bad.tools, len(bad.problems)) == ("ready", 2, 8)
    assert "tool 2" not in "".join(bad.problems)
    names = {file.name.lower() for file in work.file("").iterdir() if file.is_dir()}
    assert len(names) == 3
    (outside,) = named_outside(tmp_path)
    assert work.file("") in outside.parents
    found = json.loads(outside.read_bytes())
    assert found["name"] == "../../../../outside"
    assert "../../../../outside" in work.file("INDEX.md").read_text()


async def test_a_bad_server_delays_no_other(
    work: ToolFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_catalogue, "LIST_SECONDS", 3600.0)
    work.define(hangs=toy("hangs"), good=toy("well_behaved"))
    await work.allow("hangs", "good")
    keeping = asyncio.create_task(work.catalogue.keep())
    await work.until(lambda: work.tools.status("good") is not None and is_ready(work, "good"))
    assert (await work.state("hangs")).status == "starting"
    assert work.status("hangs")["status"] == "starting"
    assert "hi" in (await work.call("good/say", text="hi")).text
    keeping.cancel()


async def test_a_silent_server_has_its_time(
    work: ToolFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    work.define(hangs=toy("hangs"), good=toy("well_behaved"))
    await work.synced("good")  # the process that talks to servers has started
    await work.catalogue.allow(["good"], withdraw=True)
    monkeypatch.setattr(mcp_catalogue, "LIST_SECONDS", 4.0)
    state = await work.synced("hangs")
    assert (state.status, state.hint) == ("failed", "no answer within 4 s")
    assert ended_in(work.folder)


@pytest.mark.parametrize("status", [401, 403])
async def test_an_expired_login_keeps_the_tools(
    work: ToolFolder, http: HttpToy, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_TOKEN", "tok-123456")
    work.define(it={"url": http.url, "headers": {"Authorization": "Bearer ${env:TOY_TOKEN}"}})
    assert (await work.synced("it")).tools == 2
    assert set(http.authorizations) == {"Bearer tok-123456"}
    http.answer_with(status)
    with pytest.raises(OutsideFailure) as failure:
        await work.call("it/say", text="x")
    assert failure.value.code == "needs-auth"
    assert f"it answers {status}: the user must sign in again" in failure.value.text
    state = await work.state("it")
    assert (state.status, state.tools) == ("needs-auth", 2)
    assert "it: fail say" in work.file("INDEX.md").read_text()
    (await work.catalogue.sync(["it"]))
    assert (await work.state("it")).status == "needs-auth"
    http.answer_with(200)
    assert (await work.catalogue.sync(["it"]))[0].status == "ready"
    changes = [(change.was, change.status) for change in work.tools.changes()]
    assert changes == [("", "ready"), ("ready", "needs-auth"), ("needs-auth", "ready")]


@pytest.mark.parametrize("status", [404, 500])
async def test_other_statuses_are_failures(work: ToolFolder, http: HttpToy, status: int) -> None:
    http.answer_with(status)
    work.define(it={"type": "http", "url": http.url})
    state = await work.synced("it")
    assert (state.status, state.hint) == ("failed", f"it answers {status}")


async def test_a_failing_server_is_asked_less_and_less(
    work: ToolFolder, http: HttpToy, monkeypatch: pytest.MonkeyPatch
) -> None:
    http.answer_with(401)
    work.define(it={"url": http.url})
    now = 1000.0
    clock = SimpleNamespace(monotonic=lambda: now, time=time.time)
    monkeypatch.setattr(mcp_catalogue, "time", clock)
    await work.allow("it")
    pauses: list[float] = []
    for _ in range(9):
        await work.catalogue.sync(["it"])
        pauses.append(work.catalogue._due("it") - now)
    assert pauses[:3] == [300.0, 600.0, 1200.0]
    assert pauses[-1] == 6 * 3600.0
    n_asked = len(http.authorizations)
    keeping = asyncio.create_task(work.catalogue.keep())
    await work.catalogue.states()
    await asyncio.sleep(0)
    keeping.cancel()
    assert len(http.authorizations) == n_asked


async def test_a_list_that_changes(work: ToolFolder, tmp_path: Path) -> None:
    names = tmp_path / "names"
    names.write_text("one two")
    work.define(it=toy("changes", names))
    await work.allow("it")
    keeping = asyncio.create_task(work.catalogue.keep())
    await work.until(lambda: is_ready(work, "it"))
    await work.call("it/one", text="two three")
    await work.until(lambda: work.tools.tools("it") == ("three", "two"))
    await work.until(lambda: len(work.tools.changes()) == 2)
    change = work.tools.changes()[-1]
    assert (change.added, change.removed) == (("three",), ("one",))
    assert not work.file("it/tools/one.json").exists()
    keeping.cancel()


def is_ready(work: ToolFolder, server: str) -> bool:
    found = work.tools.status(server)
    return found is not None and found.get("status") == "ready"


def named_outside(folder: Path) -> list[Path]:
    return list(folder.rglob("*outside*"))
