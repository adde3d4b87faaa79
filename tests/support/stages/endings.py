"""How commands start and end, and what is left of them: nothing."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.stages.field import (
    FAST,
    PATIENCE_S,
    Field,
    processes_with,
    python,
    refused,
    run,
    sh,
    until,
)
from understudy.stage.model import Command, StageLimits

DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    for number in range(3):
        os.close(number)
    if os.fork() == 0:
        time.sleep(1000)
    os._exit(0)
os.wait()
print("started")
"""
ECHO = """
import sys
for line in sys.stdin.buffer:
    sys.stdout.buffer.write(line.upper())
    sys.stdout.buffer.flush()
print("done", file=sys.stderr)
"""


async def commands_that_cannot_start(field: Field) -> None:
    async with field.stage() as stage:
        await refused(run(stage, "no-such-command"), "command-not-found")
        await refused(run(stage, "./no-such-file"), "command-not-found")
        await refused(run(stage, "./README"), "command-not-executable")
        await refused(run(stage, "./folder"), "command-not-executable")
        await refused(run(stage, ""), "no-command")
        await refused(run(stage), "no-command")
        await refused(run(stage, "sh", "a\0b"), "bad-command")
        await refused(run(stage, "sh", "\ud800"), "bad-command")
        await refused(run(stage, "sh", env={"A=B": "x"}), "bad-command")
        await refused(run(stage, "sh", "-c", "pwd", cwd="../outside"), "outside-root")
        await refused(run(stage, "sh", "-c", "pwd", cwd="missing"), "no-such-folder")
        said = await run(stage, "sh", "-c", "pwd; exit 3", cwd="folder")
        assert (said.text, said.ended.status) == (f"{field.project}/folder\n", 3)
        await sh(stage, "chmod +x run.sh; echo 'echo no shebang' > run.sh")
        assert (await run(stage, "./run.sh")).text == "no shebang\n"
        assert (await sh(stage, "kill -SEGV $$")).ended.status == -signal.SIGSEGV


async def long_arguments_and_environments(field: Field) -> None:
    async with field.stage() as stage:
        argument, variable = "a" * 120_000, "v" * 120_000
        said = await sh(stage, 'echo "${#1} ${#BIG}"', argument, env={"BIG": variable})
        assert said.text == "120000 120000\n", said.text[:100]
        await refused(sh(stage, "true", "a" * 20_000_000), "cannot-start")


async def output_of_any_size(field: Field) -> None:
    """Both streams come whole, in order, while the command runs."""
    async with field.stage() as stage:
        out, err = bytearray(), bytearray()
        first = asyncio.Event()

        def take(data: bytes) -> None:
            out.extend(data)
            first.set()

        script = "echo first; read line < go || sleep 0; head -c 30000000 /dev/zero; echo bad >&2"
        await sh(stage, "mkfifo go")
        running = asyncio.create_task(
            stage.run(Command(("sh", "-c", script), limits=FAST), take, err.extend)
        )
        await asyncio.wait_for(first.wait(), PATIENCE_S)
        assert bytes(out) == b"first\n"
        await sh(stage, "echo go > go")
        ended = await running
        assert (ended.status, len(out), bytes(err)) == (0, 30_000_006, b"bad\n")


async def somebody_holds_the_output(field: Field) -> None:
    """What a command leaves running might have said more, whether it is ended with it or not."""
    daemon = DAEMON.replace("os.close(number)", "pass")
    async with field.stage() as stage:
        said = await python(stage, daemon)
        assert (said.text, said.ended.output_cut) == ("started\n", True)
        said = await python(stage, DAEMON)
        assert (said.text, said.ended.output_cut) == ("started\n", False), "it closed them"
        said = await python(stage, daemon)
        assert (said.text, said.ended.output_cut) == ("started\n", True)


async def a_program_with_pipes(field: Field) -> None:
    async with field.stage() as stage:
        log = field.home / "echo.log"
        command = Command((sys.executable, "-I", "-S", "-c", ECHO))
        program = await stage.start(command, log=log, spawn=field.spawn)
        program.stdin.write(b"hello\n")
        await program.stdin.drain()
        assert await asyncio.wait_for(program.stdout.readline(), PATIENCE_S) == b"HELLO\n"
        assert (
            Path(f"/proc/{program.pid}/cmdline")
            .read_bytes()
            .startswith(os.fsencode(sys.executable))
        )
        assert program.exit_status is None
        program.stdin.write_eof()
        assert await program.wait(PATIENCE_S) == 0
        await program.stop(1)
        assert log.read_text() == "done\n"
        assert program.log.last_line == "done"
        program = await stage.start(Command(("sleep", "1000")), log=log, spawn=field.spawn)
        await program.stop(5)
        assert program.exit_status == -signal.SIGTERM
    await refused(stage.run(command, print), "stage-lost")
    await refused(stage.write({"a": b""}), "stage-lost")
    await refused(stage.changes(), "stage-lost")


async def cancellation(field: Field) -> None:
    """An event or the cancellation of the call ends the whole tree; the stage goes on."""
    mark = f"{field.project}/cancel-mark"
    script = "trap '' TERM; (sleep 1000; : \"$1\") & echo up; while :; do sleep 1; done"
    async with field.stage() as stage:
        stop = asyncio.Event()
        up = asyncio.Event()
        command = Command(("sh", "-c", script, "sh", mark), limits=StageLimits())
        running = asyncio.create_task(stage.run(command, lambda _: up.set(), cancelled=stop))
        await asyncio.wait_for(up.wait(), PATIENCE_S)
        stop.set()
        assert (await running).status == -signal.SIGKILL
        up.clear()
        running = asyncio.create_task(stage.run(command, lambda _: up.set()))
        await asyncio.wait_for(up.wait(), PATIENCE_S)
        running.cancel()
        await asyncio.wait([running])
        await until(lambda: not processes_with(mark), "the end of all of them")
        assert (await sh(stage, "echo on")).text == "on\n"


async def daemons(field: Field) -> None:
    """A daemon of a shared stage lives as long as the stage, however it has hidden itself."""
    mark = f"{field.project}/daemon-mark"
    async with field.stage() as stage:
        assert (await sh(stage, "true")).ended.status == 0
        said = await python(stage, DAEMON, mark)
        assert said.text == "started\n", said
        assert len(processes_with(mark)) == 1
    await until(lambda: not processes_with(mark), "the end of the daemon")


async def the_helper_dies(field: Field) -> None:
    """A killed zygote takes its stages with it; the next stage gets a new one."""
    async with field.stage() as stage:
        said = bytearray()
        command = Command(("sh", "-c", "echo up; sleep 1000"))
        running = asyncio.create_task(stage.run(command, said.extend))
        await until(lambda: bool(said), "the first word of the command")
        helper = field.kind.helper_pid
        assert helper is not None
        os.kill(helper, signal.SIGKILL)
        assert (await running).limit == "stage"
        await refused(sh(stage, "true"), "stage-lost")
    async with field.stage() as stage:
        assert (await sh(stage, "echo back")).text == "back\n"


SCENARIOS: tuple[Callable[[Field], Any], ...] = (
    commands_that_cannot_start,
    long_arguments_and_environments,
    output_of_any_size,
    somebody_holds_the_output,
    a_program_with_pipes,
    cancellation,
    daemons,
    the_helper_dies,
)
