"""The copy kind: a fenced copy at its own path, what it leaves out, what commands changed."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.folders import make_folder
from tests.support.programs import Started, program
from tests.support.workspace import state_of
from understudy.stage.copy import landlock
from understudy.stage.copy.kind import CopyKind
from understudy.stage.copy.stage import CopyStage
from understudy.stage.model import MIB, Additions, Command, CommandEnd, StageLimits, StagePlan
from understudy.values.errors import BadInput, OutsideFailure, Refused, UnderstudyError

FILES = {
    "a.txt": "a\n",
    "sub/b.txt": "b\n",
    "node_modules/left/index.js": "left\n",
    "env/pyvenv.cfg": "home = x\n",
    "with space, comma:colon\\back\nline/ü.txt": "odd\n",
}


@asynccontextmanager
async def copied(
    tmp_path: Path, files: Mapping[str, str | bytes] = FILES, **plan: Any
) -> AsyncIterator[CopyStage]:
    """A stage over a folder of the test's, which must not be touched."""
    root = make_folder(tmp_path / "work", files) if files else tmp_path / "work"
    before = state_of(root)
    kind = CopyKind(tmp_path / "scratch")
    try:
        yield await kind.open(StagePlan(root, **plan))
    finally:
        await kind.close()
    assert state_of(root) == before
    assert list((tmp_path / "scratch").iterdir()) == []


async def said(stage: CopyStage, *argv: str, **command: Any) -> tuple[str, CommandEnd]:
    output = bytearray()
    ended = await stage.run(Command(argv, **command), output.extend)
    return output.decode("utf-8", "replace"), ended


async def shell(stage: CopyStage, script: str) -> str:
    text, ended = await said(stage, "sh", "-c", script)
    assert ended == CommandEnd(0), text
    return text


async def test_the_boundary_holds_here(tmp_path: Path) -> None:
    report = await CopyKind(tmp_path / "scratch").probe()
    assert report.ok == (landlock.abi() > 0), report
    assert report.ok or (report.step == "landlock" and report.fix)


async def test_no_file_of_the_copy_is_a_link_to_the_users(tmp_path: Path) -> None:
    async with copied(tmp_path, {"a.txt": "a\n", "sub/b.txt": "b\n"}) as stage:
        shown = await shell(stage, "stat -c %i a.txt sub/b.txt")
        theirs = {(tmp_path / "work" / name).stat().st_ino for name in ("a.txt", "sub/b.txt")}
        assert not theirs & set(map(int, shown.split()))


class Leaky(CopyKind):
    """Its copies have no fence."""

    async def _copy(self, plan: StagePlan) -> CopyStage:
        return await CopyKind(self._scratch, fenced=False)._copy(plan)


@pytest.mark.skipif(landlock.abi() < 1, reason="there is no fence to leave out")
async def test_a_fence_that_leaks_runs_nothing(tmp_path: Path) -> None:
    root = make_folder(tmp_path / "work", FILES)
    with pytest.raises(OutsideFailure) as caught:
        await Leaky(tmp_path / "scratch").open(StagePlan(root))
    assert caught.value.code == "stage-unavailable"
    assert "self-test" in caught.value.text
    assert "a file outside was written" in caught.value.text
    assert list((tmp_path / "scratch").iterdir()) == []


async def test_commands_see_the_folder_and_our_texts(tmp_path: Path) -> None:
    async with copied(tmp_path) as stage:
        assert stage.kind == "copy"
        assert stage.root != tmp_path / "work"
        await stage.write({"a.txt": b"A\n", "new/deep/c.txt": b"c", "sub/b.txt": None})
        listed = await shell(stage, "pwd; cat a.txt new/deep/c.txt; ls")
        assert listed.startswith(f"{stage.root}\nA\nc")
        assert "sub" not in listed.split()
        assert await stage.read("a.txt") == b"A\n"
        assert await stage.read("sub/b.txt") is None
        assert (await stage.changes()).items == ()
        assert await said(stage, "cat", "ü.txt", cwd="with space, comma:colon\\back\nline") == (
            "odd\n",
            CommandEnd(0),
        )


async def test_what_is_not_kept_apart_is_said(tmp_path: Path) -> None:
    async with copied(tmp_path) as stage:
        notes = " ".join(stage.isolation.notes)
        assert stage.isolation.files
        assert not stage.isolation.processes
        assert "links to the user's own, read-only: env/, node_modules/" in notes
        assert "modes, times and attributes of the user's own files elsewhere can be" in notes
        assert "names of hidden files can be listed, their sizes and times seen" in notes
        assert (stage.root / "node_modules").is_symlink()
    async with copied(tmp_path, network="host") as stage:
        assert not stage.isolation.network


async def test_nothing_outside_is_written(tmp_path: Path) -> None:
    victim = tmp_path / "victim.txt"
    victim.write_text("as it was")
    async with copied(tmp_path) as stage:
        tries = [
            f"echo x >> {victim}",
            f"echo x > {tmp_path}/new",
            f"rm {victim}",
            "echo x > ../x",
            "echo x > node_modules/left/index.js",
            f"ln -s {tmp_path} esc && echo x > esc/victim.txt",
            f"ln {victim} linked",
            f"mv {victim} taken",
        ]
        for attempt in tries:
            _, ended = await said(stage, "sh", "-c", attempt)
            assert ended.status != 0, attempt
        with pytest.raises(Refused) as caught:
            await stage.write({"esc/victim.txt": b"x"})
        assert caught.value.code == "symlink"
    assert victim.read_text() == "as it was"
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", "", "a//b", "."])
async def test_our_own_writes_stay_inside(tmp_path: Path, path: str) -> None:
    async with copied(tmp_path) as stage:
        with pytest.raises(BadInput) as caught:
            await stage.write({path: b"x"})
        assert caught.value.code == "outside-root"


_REACH = """
import socket, sys
for family, kind, address in [
    (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", int(sys.argv[1]))),
    (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", int(sys.argv[1]))),
    (socket.AF_UNIX, socket.SOCK_STREAM, sys.argv[2]),
]:
    try:
        with socket.socket(family, kind) as connection:
            connection.connect(address)
            connection.send(b"x")
        print("out", family.name, kind.name)
    except OSError:
        pass
"""


async def test_nothing_is_reached_over_the_network(tmp_path: Path) -> None:
    heard = asyncio.Event()
    path = str(tmp_path / "socket")
    servers = [
        await asyncio.start_server(lambda *_: heard.set(), "127.0.0.1", 0),
        await asyncio.start_unix_server(lambda *_: heard.set(), path),
    ]
    port = servers[0].sockets[0].getsockname()[1]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
        datagrams.bind(("127.0.0.1", port))
        datagrams.setblocking(False)
        async with copied(tmp_path) as stage:
            assert stage.isolation.network
            text, ended = await said(stage, sys.executable, "-c", _REACH, str(port), path)
            assert (text, ended.status) == ("", 0)
        with pytest.raises(BlockingIOError):
            datagrams.recv(1)
    assert not heard.is_set()
    for server in servers:
        server.close()


async def test_changes_by_content(tmp_path: Path) -> None:
    async with copied(tmp_path) as stage:
        await stage.write({"ours.txt": b"ours", "sub/b.txt": b"B\n"})
        await shell(
            stage,
            "echo more >> a.txt; echo ours2 > ours.txt; touch sub/b.txt; mkdir d; echo new > d/e;"
            "ln -s a.txt link; cp sub/b.txt copy; chmod +x copy; printf 'B\\n' > sub/b.txt",
        )
        found = {c.path: (c.kind, c.type, c.executable) for c in (await stage.changes()).items}
        assert found == {
            "a.txt": ("modified", "file", False),
            "copy": ("added", "file", True),
            "d/e": ("added", "file", False),
            "link": ("added", "symlink", False),
            "ours.txt": ("modified", "file", False),
        }
        await shell(stage, "rm a.txt ours.txt link; mv copy a.txt; rm -r d")
        found = {c.path: c.kind for c in (await stage.changes()).items}
        assert found == {"a.txt": "modified", "ours.txt": "deleted"}


async def test_links_lead_into_the_copy(tmp_path: Path) -> None:
    root = make_folder(tmp_path / "work", {"a.txt": "a", "deep/b.txt": "b"})
    outside = make_folder(tmp_path / "outside", {"o.txt": "o"})
    (root / "absolute").symlink_to(root / "a.txt")
    (root / "deep" / "relative").symlink_to("../a.txt")
    (root / "round").symlink_to("../work/a.txt")
    (root / "out").symlink_to("../outside/o.txt")
    os.mkfifo(root / "pipe")
    async with copied(tmp_path, {}, added=Additions((outside,))) as stage:
        await stage.write({"a.txt": b"new"})
        text = await shell(stage, "cat absolute deep/relative round out")
        assert text == "newnewnewo"
        assert any("pipe" in note for note in stage.isolation.notes)
    assert (outside / "o.txt").read_text() == "o"


async def test_links_of_the_users_own_are_followed_inside(tmp_path: Path) -> None:
    root = make_folder(tmp_path / "work", {"folder/inner.txt": "inner", "a.txt": "a"})
    (root / "alias").symlink_to("folder")
    (root / "other.txt").symlink_to("a.txt")
    (root / "out.txt").symlink_to("/etc/hostname")
    async with copied(tmp_path, {}) as stage:
        await stage.write({"alias/inner.txt": b"through", "other.txt": b"too"})
        assert await stage.read("folder/inner.txt") == await stage.read("alias/inner.txt")
        assert await shell(stage, "cat alias/inner.txt a.txt") == "throughtoo"
        assert (await stage.changes()).items == ()
        assert await stage.read("out.txt") is None
        with pytest.raises(Refused):
            await stage.write({"out.txt": b"x"})


async def test_modes_and_times_are_kept(tmp_path: Path) -> None:
    root = make_folder(tmp_path / "work", {"run.sh": "#!/bin/sh\necho ran\n", "old.txt": "old"})
    (root / "run.sh").chmod(0o755)
    os.utime(root / "old.txt", (1_000_000, 1_000_000))
    async with copied(tmp_path, {}) as stage:
        assert await shell(stage, "./run.sh; stat -c %Y old.txt") == "ran\n1000000\n"
        await stage.write({"run.sh": b"#!/bin/sh\necho ours\n", "old.txt": b"x"}, {"old.txt": 77})
        assert await shell(stage, "./run.sh; stat -c %Y old.txt") == "ours\n77\n"


async def test_limits(tmp_path: Path) -> None:
    started = Started()
    async with copied(tmp_path) as stage:
        eats = "x = bytearray(200 * 1024 * 1024)\nimport time\ntime.sleep(60)"
        _, ended = await said(
            stage, sys.executable, "-c", eats, limits=StageLimits(memory=100 * MIB, processes=None)
        )
        assert ended.limit == "memory"
        bomb = (
            "import os, time\nfor _ in range(200):\n  os.fork() or time.sleep(60)\ntime.sleep(60)"
        )
        _, ended = await said(stage, sys.executable, "-c", bomb, limits=StageLimits(processes=20))
        # Where the kernel itself refuses to fork, the command fails of its own.
        assert ended.limit == "processes" or ended.status != 0
        _, ended = await said(
            stage, "sh", "-c", "trap '' TERM; sleep 60", limits=StageLimits(wall=0.3)
        )
        assert ended.limit == "time"
        assert ended.status < 0
        _, ended = await said(
            stage, "sh", "-c", "head -c 3000000 /dev/zero > big", limits=StageLimits(disk=MIB)
        )
        assert ended.status != 0
        assert (stage.root / "big").stat().st_size <= MIB
    assert started.running() == {}


async def test_what_a_command_leaves_running_is_ended(tmp_path: Path) -> None:
    started = Started()
    async with copied(tmp_path) as stage:
        pid = int(await shell(stage, "(setsid sleep 1000 >/dev/null 2>&1 & echo $!)"))
        assert program(pid) != "sleep"
        cancelled = asyncio.Event()
        output = bytearray()

        def take(data: bytes) -> None:
            output.extend(data)
            cancelled.set()

        script = "trap '' TERM; sh -c 'setsid sleep 1000' & echo here; wait; sleep 1000"
        await stage.run(Command(("sh", "-c", script)), take, cancelled=cancelled)
        assert output == b"here\n"
    assert started.running() == {}


async def test_secrets_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = make_folder(tmp_path / "home", {".ssh/id": "hunter2", ".nvm/nvm.sh": "open"})
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("MY_TOKEN", "hunter2")
    async with copied(tmp_path) as stage:
        script = f"cat ~/.nvm/nvm.sh ~/.ssh/id {home}/.ssh/id; echo [$MY_TOKEN]"
        text, ended = await said(stage, "sh", "-c", script)
        assert "hunter2" not in text
        assert "open" in text
        assert text.endswith("[]\n")
        assert ended.status == 0


@pytest.mark.parametrize(
    ("argv", "code"), [(("nosuch",), "command-not-found"), (("./a.txt",), "command-not-executable")]
)
async def test_commands_that_cannot_be_executed(
    tmp_path: Path, argv: tuple[str, ...], code: str
) -> None:
    async with copied(tmp_path) as stage:
        with pytest.raises(OutsideFailure) as caught:
            await stage.run(Command(argv), lambda _: None)
        assert (caught.value.code, caught.value.where) == (code, argv[0])


async def test_a_closed_stage(tmp_path: Path) -> None:
    async with copied(tmp_path) as stage:
        await stage.close()
        for use in (stage.changes(), stage.read("a.txt"), stage.write({})):
            with pytest.raises(UnderstudyError) as caught:
                await use
            assert caught.value.code == "stage-lost"


async def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    kind = CopyKind(tmp_path / "scratch")
    with pytest.raises(BadInput) as caught:
        await kind.open(StagePlan(tmp_path / "none"))
    assert caught.value.code == "no-such-root"


async def test_without_a_fence_nothing_leads_to_the_users_files(tmp_path: Path) -> None:
    root = make_folder(tmp_path / "work", FILES)
    kind = CopyKind(tmp_path / "scratch", fenced=False)
    stage = await kind.open(StagePlan(root))
    try:
        assert not stage.isolation.files
        assert "there is no fence" in stage.isolation.notes
        assert not (stage.root / "node_modules").exists()
        assert any(
            note.startswith("left out: env/, node_modules/") for note in stage.isolation.notes
        )
        assert await shell(stage, "cat a.txt") == "a\n"
        assert stat.S_IMODE(stage.root.parent.stat().st_mode) == 0o700
    finally:
        await kind.close()


async def test_copies_of_the_dead_are_removed(tmp_path: Path) -> None:
    """A copy whose owner was killed is gone once the next one is made."""
    root = make_folder(tmp_path / "work", FILES)
    program = (
        "import asyncio, os, signal, sys\n"
        "from pathlib import Path\n"
        "from understudy.stage.copy.kind import CopyKind\n"
        "from understudy.stage.model import StagePlan\n"
        "async def main():\n"
        "    await CopyKind(Path(sys.argv[1])).open(StagePlan(Path(sys.argv[2])))\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(main())\n"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, str(tmp_path / "scratch"), str(root)
    )
    assert await asyncio.wait_for(process.wait(), 60) == -9
    assert len(list((tmp_path / "scratch").iterdir())) == 1
    async with copied(tmp_path, {}):
        assert len(list((tmp_path / "scratch").iterdir())) == 1
