"""A later process attaches to the host of a folder and gets the same face there."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import stat
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder, toy_profile
from tests.e2e.lsp_client import SECONDS, Editor, address_of, connect, open_editor, until
from tests.langserver.toybox import toys_in
from understudy.app.host.attach import Attached, attach_or_claim
from understudy.values.errors import Refused
from understudy.values.paths import Root

TOY = {"trusted": True, "settings": {"servers": {"toy": toy_profile("well_behaved")}}}
SLOW = {"trusted": True, "settings": {"servers": {"toy": toy_profile("never_answers")}}}
BAD_LINE = {"kind": "write", "path": "a.txt", "text": "BAD one\n"}
PATCH = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-fine\n+BAD patch\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "work", {"a.txt": "fine\n", "b.txt": "fine\n"})


@pytest.fixture
def shell(folder: Path, state: Path) -> Shell:
    return Shell(folder, state)


def place_of(state: Path) -> Path:
    """The file that says where the host listens."""
    (found,) = state.rglob("host.json")
    return found


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


async def leave(editor: Editor) -> None:
    assert await editor.shut_down() == 0
    editor.assert_discreet()


async def test_a_second_window_gets_the_same_host(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TOY) as host, connect(folder, state) as second:
        assert "result" in await second.initialize()
        branch = await host.branch(BAD_LINE, title="mine")
        (listed,) = (await second.ask("understudy/branch/list"))["branches"]
        assert (listed["branch"], listed["title"]) == (branch, "mine")
        assert (await host.check(branch))["verdict"] == "findings"
        n_servers = len(toys_in(folder))
        report = await second.check(branch)
        assert [f["message"] for f in report["introduced"]] == ["BAD one"]
        assert len(toys_in(folder)) == n_servers
        await second.branch()
        await host.recorder.wait_for(lambda m: m.get("method") == "understudy/branchesChanged")
        await leave(second)
        assert (await host.check(branch))["verdict"] == "findings"


async def test_a_host_that_says_nothing_is_called_so(
    folder: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is there, and stopped: to be told to use its editor would be no help."""
    monkeypatch.setenv("UNDERSTUDY_STATE_DIR", str(state / "understudy"))
    async with open_editor(folder, state) as editor:
        process = editor.client.process
        process.send_signal(signal.SIGSTOP)
        try:
            with monkeypatch.context() as limits:
                limits.setattr("understudy.app.host.attach.PATIENCE_SECONDS", 0.5)
                limits.setattr("understudy.app.host.attach.HELLO_SECONDS", 0.25)
                with pytest.raises(Refused) as refused:
                    await attach_or_claim(Root(folder), "command")
        finally:
            process.send_signal(signal.SIGCONT)
        assert refused.value.code == "host-running"
        assert refused.value.text == (
            f"process {process.pid}, this workspace's host, did not answer within 0.25 s, time and "
            "again: it or the machine is very busy, or it is stopped; ask again, or end it"
        )
        found = await attach_or_claim(Root(folder), "command")
        assert isinstance(found, Attached)
        await found.close()


async def test_two_windows_are_two_bases(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TOY) as host, connect(folder, state) as second:
        assert "result" in await second.initialize()
        branch = await host.branch({"kind": "write", "path": "b.txt", "text": "BAD b\n"})
        host.open("a.txt", "of the host\n", "plaintext")
        second.open("a.txt", "of the second\n", "plaintext")
        edit = {"kind": "replace", "path": "a.txt", "new": "BAD edit\n"}
        mine = await host.branch({**edit, "old": "of the host\n"})
        theirs = await second.branch({**edit, "old": "of the second\n"})
        refused = {"branch": branch, "edits": [{**edit, "old": "of the second\n"}]}
        assert "error" in await host.answer("understudy/branch/edit", refused)
        assert "-of the host" in await host.diff(mine)
        assert "-of the second" in await second.diff(theirs)
        reports = await asyncio.gather(host.check(mine), second.check(theirs), host.check(branch))
        assert [r["verdict"] for r in reports] == ["findings"] * 3
        assert {f["path"] for f in reports[2]["introduced"]} == {"b.txt"}
        second.close("a.txt")
        await leave(second)


async def test_a_window_that_closes_takes_its_documents_along(
    folder: Path, state: Path, shell: Shell
) -> None:
    async with open_editor(folder, state, TOY) as host:
        async with connect(folder, state) as second:
            assert "result" in await second.initialize()
            second.open("a.txt", "unsaved\n", "plaintext")
            await second.ask("understudy/branch/list")
            assert await asyncio.to_thread(
                lambda: "-unsaved" not in shell("check", "-", stdin=PATCH).err
            )
            await leave(second)
        done = await asyncio.to_thread(shell, "check", "-", stdin=PATCH)
        assert (done.code, "BAD patch" in done.out) == (1, True)
        assert (await host.ask("understudy/branch/list"))["branches"] == []


async def test_a_check_sees_unsaved_text_and_leaves_no_branch(
    folder: Path, state: Path, shell: Shell
) -> None:
    patch = PATCH.replace("-fine", "-unsaved")
    assert shell("check", "-", stdin=patch).code == 2
    async with open_editor(folder, state, TOY) as host:
        host.open("a.txt", "unsaved\n", "plaintext")
        await host.ask("understudy/branch/list")
        done = await asyncio.to_thread(shell, "check", "-", "--format", "json", stdin=patch)
        assert done.code == 1, done.err
        assert [f["message"] for f in done.json["introduced"]] == ["BAD patch"]
        said = await asyncio.to_thread(shell, "check", "-", "--format", "hook", stdin=patch)
        assert "BAD patch" in said.json["additionalContext"]
        refused = await asyncio.to_thread(shell, "check", "-", stdin=PATCH)
        assert refused.code == 2
        assert "understudy: " in refused.err
        assert (await host.ask("understudy/branch/list", {"archived": True}))["branches"] == []


async def test_branches_beside_an_editor(folder: Path, state: Path, shell: Shell) -> None:
    async with open_editor(folder, state, TOY) as host:
        branch = await host.branch(BAD_LINE, title="for the shell")
        assert "for the shell" in (await asyncio.to_thread(shell, "branches", "list")).out
        assert "+BAD one" in (await asyncio.to_thread(shell, "branches", "diff", branch)).out
        host.open("a.txt", "typed\n", "plaintext")
        await host.ask("understudy/branch/list")
        refused = await asyncio.to_thread(shell, "branches", "accept", branch)
        assert refused.code == 2
        assert "unsaved-buffers" in refused.err
        host.close("a.txt")
        await host.ask("understudy/branch/list")
        done = await asyncio.to_thread(shell, "branches", "accept", branch)
        assert (done.code, done.out) == (0, "wrote a.txt\n"), done.err
        assert (folder / "a.txt").read_text() == "BAD one\n"
        gone = await asyncio.to_thread(shell, "branches", "discard", branch)
        assert gone.code == 2
        assert "unknown-branch" in gone.err


async def test_the_host_that_ends_is_told_and_followed(folder: Path, state: Path) -> None:
    async with connect(folder, state) as host:
        assert "result" in await host.initialize(SLOW)
        async with connect(folder, state) as second:
            assert "result" in await second.initialize()
            branch = await second.branch(BAD_LINE)
            request, answer = second.pending("understudy/branch/check", {"branch": branch})
            await until(host, lambda server: server["state"] == "busy")
            host.client.process.kill()
            error = (await answer())["error"]
            assert error["data"]["code"] == "host-ended"
            assert await asyncio.wait_for(second.client.process.wait(), SECONDS) == 1
            assert b"host-ended" in second.client.stderr
    async with open_editor(folder, state, TOY) as later:
        (listed,) = (await later.ask("understudy/branch/list"))["branches"]
        assert listed["branch"] == branch
        assert request


async def test_what_is_said_while_the_host_goes_is_answered(folder: Path, state: Path) -> None:
    """Also what stands behind a long text that the host has not taken yet."""
    async with connect(folder, state) as host, connect(folder, state) as attached:
        assert "result" in await host.initialize(SLOW)
        assert "result" in await attached.initialize(SLOW)
        host.client.process.send_signal(signal.SIGSTOP)
        attached.open("a.txt", "long\n" * 1_000_000)
        for number in range(3):
            asked = {"method": "understudy/branch/list", "params": {}}
            attached.send({"id": f"q{number}", **asked})
        host.client.process.kill()
        await host.client.process.wait()
        for number in range(3):
            answer = await attached.recorder.wait_for(lambda m, n=number: m.get("id") == f"q{n}")
            assert answer["error"]["data"]["code"] == "host-ended"
        assert await attached.client.finish() == 1


@pytest.mark.ring
async def test_a_host_that_dies_is_told_to_all_who_ask_it(
    folder: Path, state: Path, shell: Shell
) -> None:
    """Who needs what it keeps fails by name; who can do without says that it does."""
    (folder / "a.py").write_text("def told():\n    return 1\n")
    patch = "--- a/a.py\n+++ b/a.py\n@@ -2 +2 @@\n-    return 1\n+    return 2\n"
    (folder / "a.diff").write_text(patch)
    async with connect(folder, state) as host:
        assert "result" in await host.initialize(TOY)
        branch = await host.branch(BAD_LINE)
        commands = (
            ("code", "outline", "a.py", "--branch", branch),
            ("code", "map", "--branch", branch),
            ("code", "affected", "a.diff"),
            ("branches", "diff", branch),
            ("branches", "discard", branch),
            ("code", "search", "told"),
        )
        asking = await dies_when_asked(host, state, shell, commands)
        ended = [await asyncio.to_thread(one.communicate, timeout=SECONDS) for one in asking]
    *failed, (process, (out, err)) = zip(asking, ended, strict=True)
    assert (process.returncode, b"a.py:1: def told()" in out) == (0, True), (out, err)
    assert b"understudy: done without the folder's host: the host has ended" in err
    for process, (out, err) in failed:
        assert (process.returncode, out) == (4, b""), err
        assert err.startswith(b"understudy: host-ended: "), err
        assert b"Traceback" not in err
    assert shell("branches", "list").out.startswith(f"{branch}  1 file")


def moved_door(state: Path) -> tuple[Path, Path]:
    """Where callers look for the host's socket, and where it stands now."""
    door = Path(address_of(state)["socket"])
    return door, door.rename(door.with_name("behind"))


async def dies_when_asked(
    host: Editor, state: Path, shell: Shell, commands: Sequence[tuple[str, ...]]
) -> list[subprocess.Popen[bytes]]:
    """Start these; the host lets all of them in, and is killed once each has begun its question."""
    door, behind = moved_door(state)
    waiting: list[asyncio.StreamWriter] = []
    all_have_asked = asyncio.Event()

    async def let_in(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host_reader, host_writer = await asyncio.open_unix_connection(behind)
        host_writer.write(await reader.readline())
        writer.write(await host_reader.readline())
        if await reader.read(1):
            waiting.extend((writer, host_writer))
        if len(waiting) == 2 * len(commands):
            all_have_asked.set()

    before = await asyncio.start_unix_server(let_in, door)
    asking = [shell.start(*command) for command in commands]
    try:
        await asyncio.wait_for(all_have_asked.wait(), SECONDS)
    finally:
        host.client.process.kill()
        await host.client.process.wait()
        before.close()  # nobody is let in any more, as where a host was killed
        for writer in waiting:
            writer.close()
    return asking


async def test_a_client_that_dies_in_a_call_frees_its_leases(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, SLOW) as host:
        branch = await host.branch(BAD_LINE)
        async with connect(folder, state) as second:
            assert "result" in await second.initialize()
            second.pending("understudy/branch/check", {"branch": branch, "timeout": 600})
            await until(host, lambda server: server["state"] == "busy")
            other = await host.branch(BAD_LINE)
            request, _ = host.pending("understudy/branch/check", {"branch": other, "timeout": 600})
            await until(host, lambda server: server["n_waiting"] == 1)
            second.client.process.kill()
            await second.client.process.wait()
            await until(host, lambda server: server["n_waiting"] == 0)
            host.cancel(request)


async def test_what_a_crash_has_left_is_no_host(folder: Path, state: Path, shell: Shell) -> None:
    async with connect(folder, state) as host:
        assert "result" in await host.initialize(TOY)
        address = place_of(state)
        host.client.process.kill()
        await host.client.process.wait()
    assert address.exists()
    assert shell("branches", "list").out == "no branches\n"
    assert "BAD" not in shell("check", "-", stdin=PATCH).err
    async with open_editor(folder, state, TOY):
        assert json.loads(address.read_text())["token"]
    assert not address.exists()


@pytest.mark.parametrize(
    ("hello", "code"),
    [
        ({"token": "wrong"}, "wrong-token"),
        ({"token": None}, "wrong-token"),
        ({"version": "0.0.1"}, "host-version"),
        ({"face": "browser"}, "bad-hello"),
    ],
)
async def test_a_door_that_stays_shut(
    folder: Path, state: Path, hello: dict[str, str], code: str
) -> None:
    async with open_editor(folder, state, TOY) as host:
        address = address_of(state)
        told = {"token": address["token"], "version": address["version"], "face": "lsp", **hello}
        reader, writer = await asyncio.open_unix_connection(address["socket"])
        writer.write(json.dumps(told).encode() + b"\n")
        answer = json.loads(await asyncio.wait_for(reader.readline(), SECONDS))
        assert answer["error"]["code"] == code
        assert await asyncio.wait_for(reader.read(), SECONDS) == b""
        writer.close()
        await host.ask("understudy/branch/list")


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\n\r\n", b"[]\n", b"x" * 2_000_000])
async def test_noise_at_the_door(folder: Path, state: Path, said: bytes) -> None:
    async with open_editor(folder, state, TOY) as host:
        address = address_of(state)
        with socket.socket(socket.AF_UNIX) as visitor:
            visitor.connect(address["socket"])
            visitor.settimeout(SECONDS)
            try:
                await asyncio.to_thread(visitor.sendall, said)
                visitor.shutdown(socket.SHUT_WR)
                while await asyncio.to_thread(visitor.recv, 4096):
                    pass
            except ConnectionError:
                pass  # it does not listen to all of that
        assert await host.branch()


async def test_the_door_is_private(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TOY):
        place = Path(address_of(state)["socket"])
        modes = {one: mode_of(one) for one in (place_of(state), place, place.parent)}
        assert [*modes.values()] == [0o600, 0o600, 0o700]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
async def test_another_user_is_not_let_in(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TOY):
        address = address_of(state)
        for place in (Path(address["socket"]), *Path(address["socket"]).parents[:-1]):
            if not place.stat().st_mode & stat.S_ISVTX:  # never the machine's /tmp
                place.chmod(0o777)
        # The user alone decides: it is refused before it has said a word.
        script = (
            "import os, socket, sys; os.setuid(65534); s = socket.socket(socket.AF_UNIX); "
            "s.connect(sys.argv[1]); s.settimeout(60); print(s.recv(4096).decode())"
        )
        process = await asyncio.create_subprocess_exec(
            "python3", "-c", script, address["socket"], stdout=asyncio.subprocess.PIPE
        )
        out, _ = await process.communicate()
        assert json.loads(out)["error"]["code"] == "foreign-user"


async def test_a_state_folder_with_a_very_long_path(folder: Path, tmp_path: Path) -> None:
    state = tmp_path / ("x" * 90) / ("y" * 90)
    async with open_editor(folder, state, TOY) as host, connect(folder, state) as second:
        assert "result" in await second.initialize()
        branch = await host.branch(BAD_LINE)
        assert (await second.check(branch))["verdict"] == "findings"
        place = Path(address_of(state)["socket"])
        assert mode_of(place.parent) == 0o700
        await leave(second)
    assert not place.parent.exists()
