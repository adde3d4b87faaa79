"""Child processes: drained, measured, ended with all they started."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.langserver.toybox import SECONDS, ended_in
from tests.langserver.worlds import TaskOwner
from understudy.process.launch import Child, launch
from understudy.process.priority import NICENESS, SESSION_NICENESS, Priority
from understudy.process.run import run
from understudy.process.stderr_log import StderrLog
from understudy.process.tree import resident_bytes
from understudy.values.errors import OutsideFailure


async def python(tmp_path: Path, owner: TaskOwner, code: str) -> Child:
    return await launch(
        [sys.executable, "-S", "-c", code],
        cwd=tmp_path,
        env={"UNDERSTUDY_TEST": "handed in"},
        log=tmp_path / "logs" / "child.log",
        spawn=owner.spawn,
    )


async def test_a_child_gets_our_environment_and_the_given(tmp_path: Path) -> None:
    owner = TaskOwner()
    code = "import os; print(os.environ['UNDERSTUDY_TEST'], os.environ['PATH'], flush=True)"
    child = await python(tmp_path, owner, code)
    line = (await child.stdout.readline()).decode().strip()
    assert await child.wait(SECONDS) == 0
    await child.stop(1)
    await owner.close()
    assert line == f"handed in {os.environ['PATH']}"


STUBBORN = """
import os, signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
code = "import time; time.sleep(3600)"
subprocess.Popen([sys.executable, "-c", code])
subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
print("ready", flush=True)
sys.stdin.read()
os.wait()
"""


DEAF = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(3600)
"""

OWNER = """
import asyncio, os, signal, sys
from pathlib import Path
from understudy.process.keeper import KEEPER
from understudy.process.launch import launch

async def main():
    folder, code = Path(sys.argv[1]), sys.argv[2]
    def spawn(job, name): return asyncio.get_running_loop().create_task(job)
    command = [sys.executable, "-S", "-c", code]
    async def start():
        child = await launch(command, cwd=folder, env={}, log=folder / "log", spawn=spawn)
        await child.stdout.readline()
        return child
    ended, kept = await start(), await start()
    await ended.stop(0)
    if sys.argv[3] == "without a keeper":
        os.kill(KEEPER.pid, signal.SIGKILL)
        os.waitpid(KEEPER.pid, 0)
        kept = await start()
    print(kept.pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.skipif(os.name == "nt", reason="groups of processes are POSIX's")
@pytest.mark.parametrize("case", ["with a keeper", "without a keeper"])
def test_what_we_started_goes_when_we_are_killed(tmp_path: Path, case: str) -> None:
    command = [sys.executable, "-c", OWNER, str(tmp_path), DEAF, case]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        left = psutil.Process(int(owner.stdout.readline()))
        owner.kill()
    left.wait(SECONDS)
    assert ended_in(tmp_path)


async def test_stop_ends_the_whole_tree(tmp_path: Path) -> None:
    owner = TaskOwner()
    child = await python(tmp_path, owner, STUBBORN)
    assert await child.stdout.readline() == b"ready\n"
    assert len(psutil.Process(child.pid).children(recursive=True)) == 2
    assert resident_bytes(child.pid) > 1_000_000
    await child.stop(0.1)
    await owner.close()
    assert child.exit_status == -9
    assert ended_in(tmp_path)
    assert resident_bytes(child.pid) == 0


async def test_an_exit_is_noticed_although_a_grandchild_keeps_the_pipes(tmp_path: Path) -> None:
    owner = TaskOwner()
    code = (
        "import subprocess, sys; "
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(3600)'])"
    )
    child = await python(tmp_path, owner, code)
    assert await child.wait(SECONDS) == 0
    await child.stop(0.1)
    await owner.close()
    assert ended_in(tmp_path)


async def test_what_cannot_be_started(tmp_path: Path) -> None:
    log = tmp_path / "log"
    plain = tmp_path / "plain"
    plain.write_text("no program")
    for command, code in (("/nothing/here", "not-installed"), (str(plain), "cannot-start")):
        with pytest.raises(OutsideFailure) as caught:
            await launch([command], cwd=tmp_path, env={}, log=log, spawn=TaskOwner().spawn)
        assert (caught.value.code, caught.value.where) == (code, command)


SAYS_ITS_PRIORITY = """
import os, subprocess, sys
sys.stdin.readline()
print(os.getpriority(os.PRIO_PROCESS, 0), flush=True)
show = "import os; print(os.getpriority(os.PRIO_PROCESS, 0))"
subprocess.run([sys.executable, "-S", "-c", show])
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no niceness there")
async def test_a_child_and_what_it_starts_yield_to_the_user(tmp_path: Path) -> None:
    owner = TaskOwner()
    child = await python(tmp_path, owner, SAYS_ITS_PRIORITY)
    Priority(child.pid).lower()
    child.stdin.write(b"go\n")
    lines = [await child.stdout.readline() for _ in range(2)]
    await child.stop(1)
    await owner.close()
    assert [int(line) for line in lines] == [max(NICENESS, os.getpriority(os.PRIO_PROCESS, 0))] * 2


OWN_AUTOGROUP = Path("/proc/self/autogroup")


def own_autogroup() -> str:
    """This session's group of processes and its niceness; empty for the machine's first session."""
    return OWN_AUTOGROUP.read_text()


@pytest.mark.skipif(not OWN_AUTOGROUP.exists(), reason="this kernel has no automatic groups")
async def test_a_childs_session_yields_to_others(tmp_path: Path) -> None:
    owner = TaskOwner()
    ours = own_autogroup()
    code = "import sys; [print(open('/proc/self/autogroup').read(), end='', flush=True) "
    child = await python(tmp_path, owner, code + "for _ in sys.stdin]")
    Priority(child.pid).lower()
    # Linux may take such a change a little later; the loop meanwhile does what is due.
    deadline = asyncio.get_running_loop().time() + SECONDS
    shown = b""
    while not shown.endswith(b" nice %d\n" % SESSION_NICENESS):
        assert asyncio.get_running_loop().time() < deadline, shown
        child.stdin.write(b"show\n")
        shown = await child.stdout.readline()
    await child.stop(1)
    await owner.close()
    assert own_autogroup() == ours


def shares_by_session() -> bool:
    """Whether sessions share the cores here; False, too, where control groups might do it."""
    enabled = Path("/proc/sys/kernel/sched_autogroup_enabled")
    if not enabled.exists() or enabled.read_text().strip() != "1":
        return False
    groups = Path("/proc/self/cgroup").read_text().split()
    dealt = [group for group in groups if "cpu" in group.split(":")[1].split(",")]
    unified = Path("/sys/fs/cgroup").rglob("cpu.weight")
    return all(group.endswith(":/") for group in dealt) and not any(unified)


def test_the_log_keeps_the_newest_and_counts_the_rest(tmp_path: Path) -> None:
    log = StderrLog(tmp_path / "logs" / "x.log", cap=100)
    written = b"".join(b"line %04d\n" % i for i in range(40))
    for start in range(0, len(written), 70):
        log.write(written[start : start + 70])
    log.close()
    older = (tmp_path / "logs" / "x.log.1").read_bytes()
    newer = (tmp_path / "logs" / "x.log").read_bytes()
    kept = b"".join(
        line for line in (older + newer).splitlines(keepends=True) if not line.startswith(b"[")
    )
    assert written.endswith(kept)
    assert log.last_line == "line 0039"
    assert b"bytes of older output dropped]" in newer
    assert log.dropped > 0


async def test_run_returns_what_was_said(tmp_path: Path) -> None:
    code = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    done = await run([sys.executable, "-S", "-c", code], cwd=tmp_path, seconds=SECONDS)
    assert (done.status, done.stdout, done.stderr, done.dropped) == (3, b"out\n", b"err\n", 0)


async def test_run_caps_what_it_keeps(tmp_path: Path) -> None:
    code = "print('x' * 100000, end='')"
    done = await run([sys.executable, "-S", "-c", code], cwd=tmp_path, seconds=SECONDS, cap=10)
    assert (done.stdout, done.dropped) == (b"x" * 10, 99990)


async def test_run_does_not_wait_for_a_grandchild(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys; print('done'); "
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(3600)'])"
    )
    done = await run([sys.executable, "-S", "-c", code], cwd=tmp_path, seconds=60)
    assert (done.status, done.stdout) == (0, b"done\n")
    assert ended_in(tmp_path)


async def test_run_kills_the_group_at_the_deadline(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys, time; "
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(3600)']); "
        "time.sleep(3600)"
    )
    done = await asyncio.wait_for(
        run([sys.executable, "-S", "-c", code], cwd=tmp_path, seconds=0.5), 5
    )
    assert done.status is None
    assert ended_in(tmp_path)


async def test_a_command_is_given_input_and_both_pipes_may_be_full(tmp_path: Path) -> None:
    code = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
    data = os.urandom(3 * 1024 * 1024)
    command = [sys.executable, "-S", "-c", code]
    done = await run(command, cwd=tmp_path, seconds=60, cap=len(data), stdin=data)
    assert (done.status, done.stdout == data, done.dropped, done.whole) == (0, True, 0, True)


async def test_a_command_may_leave_its_input_unread(tmp_path: Path) -> None:
    command = [sys.executable, "-S", "-c", "print('enough')"]
    done = await run(command, cwd=tmp_path, seconds=60, stdin=b"x" * 3 * 1024 * 1024)
    assert (done.status, done.stdout) == (0, b"enough\n")


async def test_a_variable_is_taken_away(tmp_path: Path) -> None:
    command = [sys.executable, "-S", "-c", "import os; print('PATH' in os.environ)"]
    done = await run(command, cwd=tmp_path, seconds=60, env={"PATH": None})
    assert done.stdout == b"False\n"


async def test_an_output_that_something_holds_open_is_not_whole(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys\n"
        "rest = 'import time; time.sleep(3600)'\n"
        "subprocess.Popen([sys.executable, '-S', '-c', rest])\n"
    )
    done = await run([sys.executable, "-S", "-c", code], cwd=tmp_path, seconds=60)
    assert (done.status, done.whole) == (0, False)
    assert ended_in(tmp_path)
