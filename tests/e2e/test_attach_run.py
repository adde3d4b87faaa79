"""`understudy run` beside an editor: its host runs the command, over its branches and buffers."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.command_line import SECONDS, Shell
from tests.e2e.folders import left_in_temporary, make_folder
from tests.e2e.lsp_client import Editor, connect, open_editor
from tests.support.programs import running_below
from tests.support.workspace import state_of

UNTRUSTED = {"trusted": False}
FILES = {"a.txt": "fine\n", "b.txt": "fine\n"}
EDIT = {"kind": "write", "path": "a.txt", "text": "of the branch\n"}
PATCH = "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-unsaved\n+patched\n"
SERVICE = (
    "import socket\n"
    "with socket.create_server(('127.0.0.1', 18642)) as server:\n"
    "    print('up', flush=True)\n"
    "    while True: server.accept()[0].sendall(b'served')\n"
)
CLIENT = (
    "import socket\n"
    "with socket.create_connection(('127.0.0.1', 18642), 30) as service:\n"
    "    print(service.recv(100).decode())\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "work", FILES)


@pytest.fixture
def shell(folder: Path, state: Path) -> Shell:
    return Shell(folder, state)


@pytest.fixture(autouse=True)
def untouched(folder: Path) -> object:
    before = state_of(folder)
    yield
    assert state_of(folder) == before


async def until(is_so: Callable[[], bool]) -> None:
    async def look() -> None:
        found = False
        while not found:
            found = await asyncio.to_thread(is_so)

    await asyncio.wait_for(look(), SECONDS)


def host_of(editor: Editor) -> int:
    process = editor.client.process
    assert process.pid is not None
    return process.pid


def kept(told: str) -> str:
    """The output in the file that a line of the receipt ends with."""
    return Path(told.rpartition(": ")[2]).read_text()


def kept_bytes(state: Path) -> int:
    """The size of the one output that is kept."""
    (log,) = state.rglob("runs/*.log")
    return log.stat().st_size


async def line_of(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout is not None
    return await asyncio.to_thread(process.stdout.readline)


async def test_a_branch_and_the_unsaved_text_are_seen(
    folder: Path, state: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the user's own wish, so without trust, and with the environment of the user's shell."""
    async with open_editor(folder, state, UNTRUSTED) as editor:
        branch = await editor.branch(EDIT)
        editor.open("b.txt", "unsaved\n", "plaintext")
        await editor.ask("understudy/branch/list")
        monkeypatch.setenv("OF_THE_SHELL", "here")
        monkeypatch.setenv("SOME_API_TOKEN", "hunter2")
        script = "cat a.txt b.txt; echo $OF_THE_SHELL[$SOME_API_TOKEN]; echo err >&2; exit 3"
        run = ("run", "--branch", branch, "--env", "OF_THE_SHELL", "--", "sh", "-c", script)
        done = await asyncio.to_thread(shell, *run)
        assert (done.code, done.out) == (3, "of the branch\nunsaved\nhere[]\n"), done.err
        lines = done.err.splitlines()
        assert lines[0] == "err"
        assert lines[1].startswith("understudy: exit 3; 33 bytes in 4 lines: ")
        assert sorted(kept(lines[1])) == sorted(done.out + "err\n")


async def test_a_patch_is_over_the_unsaved_text_and_leaves_no_branch(
    folder: Path, state: Path, shell: Shell, tmp_path: Path
) -> None:
    async with open_editor(folder, state) as editor:
        editor.open("b.txt", "unsaved\n", "plaintext")
        await editor.ask("understudy/branch/list")
        out = tmp_path / "out.diff"
        run = ("run", "-", "--format", "json", "--diff-out", out, "--", "sh", "-c",
               "cat b.txt; echo more >> a.txt; mkdir n; echo o > n/o")  # fmt: skip
        done = await asyncio.to_thread(lambda: shell(*run, stdin=PATCH))
        assert done.code == 0, done.err
        assert done.json["output"]["head"] == "patched\n"
        assert done.json["stage"]["kind"] == "overlay"
        assert [change["path"] for change in done.json["changed"]] == ["a.txt", "n/o"]
        assert "+more\n" in out.read_text()
        assert (await editor.ask("understudy/branch/list", {"archived": True}))["branches"] == []
        refused = await asyncio.to_thread(
            lambda: shell("run", "-", "--", "true", stdin=PATCH.replace("unsaved", "fine"))
        )
        assert (refused.code, "hunk-mismatch" in refused.err) == (125, True), refused.err


async def test_what_is_adopted_is_the_editors(folder: Path, state: Path, shell: Shell) -> None:
    async with open_editor(folder, state) as editor:
        run = ("run", "--adopt", "--", "sh", "-c", "echo made > made.txt")
        done = await asyncio.to_thread(shell, *run)
        assert done.code == 0, done.err
        (listed,) = (await editor.ask("understudy/branch/list"))["branches"]
        assert "+made" in await editor.diff(listed["branch"])
        failed = await asyncio.to_thread(shell, "run", "--adopt", "--", "nosuch")
        assert (failed.code, "command-not-found" in failed.err) == (127, True)
        assert len((await editor.ask("understudy/branch/list"))["branches"]) == 1


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["--branch", "b99", "--", "true"], 125, "unknown-branch"),
        (["--cwd", "nowhere", "--", "true"], 125, "no-such-folder"),
        (["--diff-out", "/no/such/file", "--", "true"], 125, "cannot-write"),
        (["--share", "a\nb", "--", "true"], 125, "bad-stage-name"),
        (["--", "./a.txt"], 126, "command-not-executable"),
    ],
)
async def test_errors_are_the_same_there(
    folder: Path, state: Path, shell: Shell, arguments: list[str], code: int, error: str
) -> None:
    alone = await asyncio.to_thread(shell, "run", *arguments)
    async with open_editor(folder, state):
        beside = await asyncio.to_thread(shell, "run", *arguments)
    assert (beside.code, beside.out, beside.err) == (alone.code, alone.out, alone.err)
    assert (alone.code, f"understudy: {error}: " in alone.err) == (code, True), alone.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
async def test_output_is_live_and_an_interrupt_ends_the_whole_tree(
    folder: Path, state: Path, shell: Shell, number: int
) -> None:
    async with open_editor(folder, state) as editor:
        script = "trap '' TERM INT; (setsid sleep 1000 &); echo up; sleep 1000"
        process = shell.start("run", "--", "sh", "-c", script)
        assert await line_of(process) == b"up\n"
        host = host_of(editor)
        await until(lambda: list(running_below(host).values()).count("sleep") == 2)
        process.send_signal(number)
        _, err = await asyncio.to_thread(process.communicate)
        await until(lambda: "sleep" not in running_below(host).values())
        if number != signal.SIGKILL:
            assert process.returncode == 130
            told = err.decode().splitlines()
            assert told[-1] == "understudy: interrupted"
            assert kept(told[-2]) == "up\n"


async def test_a_reader_that_rests_holds_the_command_back(
    folder: Path, state: Path, shell: Shell
) -> None:
    """And not the host: what nobody reads stays with the command; what it wrote all arrives."""
    async with open_editor(folder, state) as editor:
        run = ("run", "--timeout", "3", "--", "sh", "-c", "echo up; exec cat /dev/zero")
        process = shell.start(*run)
        assert await line_of(process) == b"up\n"
        process.send_signal(signal.SIGSTOP)
        await until(lambda: not {"sh", "cat"} & {*running_below(host_of(editor)).values()})
        held = kept_bytes(state)
        process.send_signal(signal.SIGCONT)
        assert process.stdout is not None
        out = await asyncio.to_thread(process.stdout.read)  # also what a line's end was read with
        _, err = await asyncio.to_thread(process.communicate)
        assert b"at the limit of time" in err
        assert len(out) + len(b"up\n") == kept_bytes(state)
        assert held < 128 * 1024 * 1024


async def test_nobody_reads_the_output(folder: Path, state: Path, shell: Shell) -> None:
    async with open_editor(folder, state) as editor:
        process = shell.start("run", "--", "sh", "-c", "while echo line; do :; done")
        assert process.stdout is not None
        assert await line_of(process) == b"line\n"
        process.stdout.close()
        assert await asyncio.to_thread(process.wait, SECONDS) == 141
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()
        process.stderr.close()
        await until(lambda: "sh" not in running_below(host_of(editor)).values())


async def test_a_host_that_dies_is_told_and_nothing_is_run_twice(
    folder: Path, state: Path, shell: Shell
) -> None:
    async with connect(folder, state) as editor:
        assert "result" in await editor.initialize()
        process = shell.start("run", "--", "sh", "-c", "echo up; sleep 1000")
        assert await line_of(process) == b"up\n"
        editor.client.process.kill()
        out, err = await asyncio.to_thread(process.communicate)
        assert (process.returncode, out) == (125, b"")
        assert b"host-ended" in err


@pytest.mark.parametrize("beside", [True, False])
async def test_runs_share_a_stage(folder: Path, state: Path, shell: Shell, beside: bool) -> None:
    """With an editor's host, or with the first run as the host of the second."""

    async def both() -> None:
        up = shell.start("run", "--share", "web", "--", sys.executable, "-c", SERVICE)
        assert await line_of(up) == b"up\n"
        run = ("run", "--share", "web", "--", sys.executable, "-c", CLIENT)
        done = await asyncio.to_thread(shell, *run)
        up.send_signal(signal.SIGTERM)
        await asyncio.to_thread(up.communicate)
        assert (done.code, done.out) == (0, "served\n"), done.err

    if beside:
        async with open_editor(folder, state):
            await both()
    else:
        await both()
    assert left_in_temporary(state) == []
