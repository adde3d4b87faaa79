"""A scripted agent in a branch: a real program behind `understudy rehearse`, told what to write."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.e2e.folders import UNDERSTUDY, child_environment

DEADLINE_S = 300.0
WAYS = ("in place", "by rename", "mapped", "appended to itself")
_AGENT = """
import json, mmap, os, sys, time

def write(path, number, text, way):
    with open(path) as file:
        lines = file.read().splitlines(keepends=True)
    if len(lines) <= number:
        return False
    lines[number] = text
    if way == "mapped":
        with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
            start = sum(map(len, lines[:number]))
            if len(mapped) != sum(map(len, lines)):
                return False
            mapped[start:start + len(text)] = text.encode()
        return True
    beside = path + "~" if way == "by rename" else path
    with open(beside, "w") as file:
        half = len(lines) // 2 if way == "appended to itself" else 0
        file.write("".join(lines[:half]))
        file.flush()
        file.write("".join(lines[half:]))
    if beside != path:
        os.replace(beside, path)
    return True

for line in sys.stdin:
    try:
        done = write(*json.loads(line))
    except FileNotFoundError:
        done = False
    print(json.dumps({"done": done, "at": time.time()}), flush=True)
"""
"""Sets a line of a file, in one of the ways in which programs write; says when it has."""


class Rehearsed:
    """One such agent; `process` is that of `understudy rehearse`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, folder: Path, state: Path, *options: str) -> Rehearsed:
        """Have it begin, in a new branch unless `options` name one."""
        agent = (sys.executable, "-I", "-c", _AGENT)
        return cls(await _begun((*UNDERSTUDY, "rehearse", *options, "--", *agent), folder, state))

    async def write(self, path: str, line: int, text: str, way: str) -> float | None:
        """Have it set a line, counted from 0; when it had (s since 1970), None where it could not.

        Raises ConnectionError where it has ended.
        """
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([path, line, text, way]).encode() + b"\n")
        await self.process.stdin.drain()
        said = await asyncio.wait_for(self.process.stdout.readline(), DEADLINE_S)
        if not said:
            raise ConnectionResetError
        told: Mapping[str, Any] = json.loads(said)
        return told["at"] if told["done"] else None

    async def end(self) -> None:
        """Close its input, at which it ends."""
        assert self.process.stdin is not None
        with suppress(ConnectionError):
            self.process.stdin.close()
        await asyncio.wait_for(self.process.wait(), DEADLINE_S)


async def started(command: tuple[str, ...], folder: Path, state: Path) -> float:
    """Seconds until a command that prints at once has printed; it is ended then."""
    began = time.perf_counter()
    process = await _begun(command, folder, state)
    assert process.stdout is not None
    assert process.stdin is not None
    said = await asyncio.wait_for(process.stdout.read(1), DEADLINE_S)
    elapsed = time.perf_counter() - began
    assert said, "it has printed nothing"
    process.stdin.close()
    await asyncio.wait_for(process.wait(), DEADLINE_S)
    return elapsed


async def _begun(command: tuple[str, ...], folder: Path, state: Path) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env=child_environment(state),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
