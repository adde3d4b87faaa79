"""The verb `run`: what a command sees, what the receipt says, what stays untouched."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.runs import (
    FILES,
    branch_with,
    kinds,
    run_session,
    shell,
    sleepers,
    type_into,
    whole,
    write,
)
from understudy.app.run.run import RunOptions, run
from understudy.stage.model import StageLimits
from understudy.values.errors import BadInput, Conflict, OutsideFailure, Refused, UnderstudyError
from understudy.values.texts import Text
from understudy.workspace.session import Session

PROGRAMS = Path(sys.executable).parent


@pytest.fixture
async def session(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Session]:
    async with run_session(tmp_path, changed="user_writes" in request.fixturenames) as opened:
        yield opened


@pytest.fixture
def user_writes() -> None:
    """The test itself changes the folder, as the user."""


WAIT = 'trap go=on USR1; echo up; until [ "$go" ]; do :; done'
"""Once it has said so, a command waits for `wake`."""


def wake(session: Session) -> None:
    for pid in sleepers(session):
        os.kill(pid, signal.SIGUSR1)


async def test_the_branch_and_the_unsaved_buffers_are_seen(session: Session) -> None:
    type_into(session, "b.txt", "typed\n")
    branch = await branch_with(
        session,
        write("a.py", "edited\n"),
        write("new/d.txt", "new\n"),
        {"kind": "rename", "path": "sub/c.txt", "to": "sub/e.txt"},
    )
    receipt = await shell(session, "pwd; cat a.py b.txt new/d.txt; ls sub", branch)
    assert receipt.kind == "overlay"
    assert whole(receipt) == f"{session.root.path}\nedited\ntyped\nnew\ne.txt\n"
    assert receipt.ended.status == 0
    assert kinds(receipt) == {}
    assert not receipt.base_moved
    assert whole(await shell(session, "cat a.py b.txt")) == FILES["a.py"] + "typed\n"


async def test_output_is_live_whole_and_private(session: Session) -> None:
    heard: list[tuple[str, bytes]] = []
    receipt = await shell(
        session, "echo out; echo err >&2; printf '\\377\\000'", live=lambda *p: heard.append(p)
    )
    streams = {name: b"".join(d for s, d in heard if s == name) for name in ("stdout", "stderr")}
    assert streams == {"stdout": b"out\n\xff\x00", "stderr": b"err\n"}
    data = receipt.output.path.read_bytes()
    assert sorted(data) == sorted(b"out\nerr\n\xff\x00")
    assert receipt.output.size == 10
    assert receipt.output.lines == len(data.splitlines())
    assert receipt.output.path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("script", "status"), [("exit 3", 3), ("kill -SEGV $$", -11), ("true", 0), ("exit 127", 127)]
)
async def test_how_it_ended(session: Session, script: str, status: int) -> None:
    assert (await shell(session, script)).ended.status == status


async def test_changes_are_those_of_the_command(session: Session) -> None:
    branch = await branch_with(session, write("a.py", "edited\n"), write("mine.txt", "m\n"))
    receipt = await shell(
        session,
        "echo x >> b.txt; rm mine.txt; echo n > n.txt; touch a.py; mkdir -p __pycache__ out;"
        "echo p > __pycache__/p.pyc; echo 1 > out/CACHEDIR.TAG; echo 2 > out/big; mkdir .git;"
        "echo i > .git/index",
        branch,
    )
    assert kinds(receipt) == {"b.txt": "modified", "mine.txt": "deleted", "n.txt": "added"}
    assert receipt.changes.products == {".git/": 1, "__pycache__/": 1, "out/": 2}


async def test_a_patch_makes_the_same_of_a_copy(session: Session, tmp_path: Path) -> None:
    branch = await branch_with(session, write("a.py", "edited\n"))
    receipt = await shell(
        session,
        "echo x >> b.txt; echo y > 'n ew.txt'; rm sub/c.txt; printf '\\000\\377' > bin;"
        "echo z >> a.py; chmod +x b.txt; sha256sum a.py b.txt 'n ew.txt' bin",
        branch,
        patch="beside",
    )
    assert receipt.patch_file == receipt.output.path.with_suffix(".patch")
    assert receipt.patch is not None
    assert receipt.patch.left_out == ()
    copy = tmp_path / "copy"
    for path, text in {**FILES, "a.py": "edited\n"}.items():
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        (copy / path).write_text(text)
    script = f"git apply {receipt.patch_file} && sha256sum a.py b.txt 'n ew.txt' bin"
    again = await asyncio.create_subprocess_exec(
        "sh", "-c", script, cwd=copy, stdout=asyncio.subprocess.PIPE
    )
    assert (await again.communicate())[0].decode() == whole(receipt)
    assert not (copy / "sub").exists() or not list((copy / "sub").iterdir())
    assert os.access(copy / "b.txt", os.X_OK)


async def test_a_formatter_is_adopted(session: Session) -> None:
    branch = await branch_with(session, write("a.py", "x  =  {  'a':1 }\n"))
    options = RunOptions((str(PROGRAMS / "ruff"), "format", "--no-cache", "a.py"), adopt=True)
    receipt = await run(session, branch, options)
    assert receipt.ended.status == 0, whole(receipt)
    assert receipt.adopted is not None
    assert receipt.adopted.paths == ("a.py",)
    assert receipt.adopted.refused == ()
    base = await session.fresh_base()
    snapshot = await session.branches.snapshot(branch, base)
    assert snapshot.read("a.py") == Text('x = {"a": 1}\n')
    assert whole(await shell(session, "cat a.py", branch)) == 'x = {"a": 1}\n'


async def test_what_a_branch_cannot_hold_is_named(session: Session) -> None:
    branch = await branch_with(session, write("a.py", "edited\n"))
    receipt = await shell(
        session,
        "printf 'a\\000' > bin; ln -s b.txt link; rm sub/c.txt; echo more > b.txt",
        branch,
        adopt=True,
    )
    assert receipt.adopted is not None
    assert receipt.adopted.paths == ("b.txt", "sub/c.txt")
    refused = {one.path: one for one in receipt.adopted.refused}
    why = {path: one.reason for path, one in refused.items()}
    assert why == {"bin": "not-text", "link": "unsupported"}
    kept = refused["bin"].file
    assert kept is not None
    assert kept.read_bytes() == b"a\0"


async def test_a_branch_that_was_edited_meanwhile_is_left_alone_and_another_adopts(
    session: Session,
) -> None:
    branch = await branch_with(session, write("a.py", "edited\n"))
    edit = session.branches.edit(branch, [write("b.txt", "mine\n")], session.base)
    edits: list[asyncio.Future[Any]] = []

    def ready(*_: object) -> None:
        edits.append(asyncio.ensure_future(edit))
        edits[0].add_done_callback(lambda _: wake(session))

    script = f"echo theirs > b.txt; {WAIT}"
    receipt = await shell(session, script, branch, live=ready, adopt=True)
    await edits[0]
    assert receipt.adopted is not None
    assert receipt.adopted.branch != branch
    assert (receipt.adopted.paths, receipt.adopted.refused) == (("b.txt",), ())
    for one, text in ((branch, "mine\n"), (receipt.adopted.branch, "theirs\n")):
        snapshot = await session.branches.snapshot(one, session.base)
        assert snapshot.read("b.txt") == Text(text)


async def test_a_change_of_the_folder_meanwhile(session: Session, user_writes: None) -> None:
    def user(*_: object) -> None:
        (session.root.path / "b.txt").write_text("the user's\n")
        (session.root.path / "data.bin").write_bytes(b"\0")

    receipt = await shell(session, "echo ready", live=user)
    assert receipt.base_moved
    assert receipt.moved == ("b.txt", "data.bin")
    again = await shell(session, "cat b.txt")
    assert (again.base_moved, whole(again)) == (False, "the user's\n")
    assert again.stamp != receipt.stamp


async def test_typing_meanwhile(session: Session) -> None:
    receipt = await shell(
        session, "echo ready", live=lambda *_: type_into(session, "a.py", "typed\n")
    )
    assert receipt.moved == ("a.py",)


async def test_the_same_question_has_the_same_stamp(session: Session) -> None:
    branch = await branch_with(session, write("a.py", "edited\n"))
    one, two = await shell(session, "true", branch), await shell(session, "true", branch)
    assert one.stamp == two.stamp
    others = [
        await shell(session, "false", branch),
        await shell(session, "true"),
        await shell(session, "true", branch, env={"X": "1"}),
        await shell(session, "true", branch, network="host"),
    ]
    assert len({one.stamp, *(other.stamp for other in others)}) == 5


async def test_a_conflict_is_refused(session: Session, user_writes: None) -> None:
    branch = await branch_with(session, write("b.txt", "one\nBRANCH\nthree\n"))
    (session.root.path / "b.txt").write_text("one\nUSER\nthree\n")
    with pytest.raises(Conflict) as caught:
        await shell(session, "true", branch)
    assert (caught.value.code, caught.value.where) == ("conflict", "b.txt")


async def test_agents_run_nothing_in_an_untrusted_folder(session: Session) -> None:
    session.trusted = False
    with pytest.raises(Refused) as caught:
        await shell(session, "true")
    assert caught.value.code == "untrusted"
    assert "understudy trust" in caught.value.text
    assert (await shell(session, "true", by_user=True)).ended.status == 0


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"argv": ()}, "no-command"),
        ({"argv": ("",)}, "no-command"),
        ({"argv": ("a\0b",)}, "no-command"),
        ({"argv": ("nosuch",)}, "command-not-found"),
        ({"argv": ("./b.txt",)}, "command-not-executable"),
        ({"argv": ("true",), "cwd": "nowhere"}, "no-such-folder"),
        ({"argv": ("true",), "cwd": "b.txt"}, "no-such-folder"),
        ({"argv": ("true",), "cwd": "../x"}, "outside-root"),
        ({"argv": ("true",), "seconds": 0.0}, "bad-timeout"),
        ({"argv": ("true",), "adopt": True}, "no-branch"),
        ({"argv": ("true",), "shared": ""}, "bad-stage-name"),
        ({"argv": ("true",), "shared": "x", "keep": True}, "bad-stage-name"),
        ({"argv": ("true",), "patch": Path("/nowhere/at/all")}, "cannot-write"),
        ({"argv": ("true",), "kind": "memory"}, "cannot-run"),
    ],
)
async def test_what_cannot_be_run(session: Session, options: dict[str, Any], code: str) -> None:
    with pytest.raises(UnderstudyError) as caught:
        await run(session, None, RunOptions(**options))
    assert caught.value.code == code
    assert not list(session.layout.runs.glob("*")), "an output without a run"


async def test_an_unknown_branch(session: Session) -> None:
    with pytest.raises(BadInput) as caught:
        await shell(session, "true", "b99")
    assert caught.value.code == "unknown-branch"


async def test_the_time_limit_ends_the_whole_tree(session: Session) -> None:
    receipt = await shell(session, "trap '' TERM; (setsid sleep 1000 &) ; sleep 1000", seconds=0.5)
    assert receipt.ended.limit == "time"
    assert receipt.ended.status < 0
    assert sleepers(session) == []


async def test_cancelling_ends_the_whole_tree(session: Session) -> None:
    heard = asyncio.Event()
    running = asyncio.ensure_future(
        shell(session, "(setsid sleep 1000 &) ; echo up; sleep 1000", live=lambda *_: heard.set())
    )
    await asyncio.wait_for(heard.wait(), 60)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert sleepers(session) == []


async def test_a_listener_that_fails_ends_the_command(session: Session) -> None:
    def gone(*_: object) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        await shell(session, "while echo x; do :; done", live=gone)
    assert sleepers(session) == []


async def test_a_flood_is_capped_and_counted(session: Session) -> None:
    size = 400 * 1024 * 1024
    before = psutil.Process().memory_info().rss
    receipt = await shell(session, f"echo first; head -c {size} /dev/zero; echo last")
    assert receipt.ended.status == 0
    output = receipt.output
    assert output.size == size + len(b"first\nlast\n")
    kept = output.path.stat().st_size
    assert output.left_out == output.size - 256 * 1024 * 1024
    assert kept < 257 * 1024 * 1024
    assert output.head.startswith(b"first\n")
    assert output.tail.endswith(b"last\n")
    assert psutil.Process().memory_info().rss - before < 100 * 1024 * 1024


async def test_a_full_stage_is_not_the_users_disk(session: Session) -> None:
    receipt = await shell(session, "cat /dev/zero > big", limits=StageLimits(disk=16 * 1024 * 1024))
    assert receipt.ended.status != 0
    assert receipt.ended.disk_full or receipt.ended.limit == "disk"


async def test_two_runs_of_one_branch_at_once(session: Session) -> None:
    branch = await branch_with(session, write("a.py", "edited\n"))
    ready: list[bytes] = []

    def heard(_: str, data: bytes) -> None:
        ready.append(data)
        if len(ready) == 2:
            wake(session)

    scripts = [f"echo {n} > b.txt; {WAIT}; cat a.py b.txt" for n in (1, 2)]
    runs = (shell(session, script, branch, live=heard) for script in scripts)
    one, two = await asyncio.gather(*runs)
    assert (whole(one), whole(two)) == ("up\nedited\n1\n", "up\nedited\n2\n")
    assert one.output.path != two.output.path


async def test_closing_the_session_ends_its_runs(session: Session) -> None:
    heard = asyncio.Event()
    running = asyncio.ensure_future(
        shell(session, "echo up; sleep 1000", live=lambda *_: heard.set())
    )
    await asyncio.wait_for(heard.wait(), 60)
    await session.close()
    done, _ = await asyncio.wait([running], timeout=60)
    assert done
    error = running.exception()
    assert error is None or isinstance(error, OutsideFailure), error
    assert sleepers(session) == []


@pytest.mark.usefixtures("user_writes")
async def test_a_patch_that_is_wanted_in_the_folder(session: Session) -> None:
    """It is ours, and no move of the user's."""
    patch = session.root.path / "own.diff"
    receipt = await run(session, None, RunOptions(("rm", "b.txt"), patch=patch))
    assert (receipt.moved, receipt.patch_file) == ((), patch)
    assert b"deleted file" in patch.read_bytes()


async def test_products_of_the_base_are_kept(session: Session) -> None:
    """Also when those of branches that are gone are removed."""
    branch = await branch_with(session, write("a.py", "edited\n"))
    await shell(session, "mkdir build; echo branch > build/o", branch, keep=True)
    await shell(session, "mkdir build; echo base > build/o", keep=True)
    receipt = await shell(session, "cat build/o", keep=True)
    assert receipt.output.head == b"base\n"
    await session.branches.discard(branch)
    await shell(session, "true", keep=True)
    assert [path.name for path in session.layout.products.iterdir()] == ["base"]
