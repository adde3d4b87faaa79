"""CPU time of an agent's usual commands in a rehearsal, beside the very same elsewhere.

Elsewhere is the folder itself, which the bar is about, a git worktree, and fuse-overlayfs, where
the time of its server counts. Each place is warm, and they take turns; the first run in each is
told apart. CPU time is that of the whole tree of processes, user and system. `--edits` is the
number of runs.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path

from bench import cpu_workloads
from bench.cpu_workloads import DEADLINE_S, MEASURED, Workload
from bench.report import Figure, Setup, spread
from bench.stages import overlay
from tests.support.repositories import GitRepository
from understudy.stage.model import Command, StageLimits, StagePlan
from understudy.stage.overlay.kind import OverlayKind

MOUNT_S = 10
WORKLOADS: tuple[tuple[Callable[[Path], Workload], float], ...] = (
    (cpu_workloads.rg, 1.5),
    (cpu_workloads.git_status, 2),
    (lambda folder: cpu_workloads.cargo(folder, "build"), 1.05),
    (cpu_workloads.npm_test, 1.05),
    (cpu_workloads.tsc, 1.05),
    (cpu_workloads.pytest, 1.05),
)
"""With the most that it may take on a stage, as a ratio to the folder itself."""
_IGNORED = "target\n__pycache__\n.pytest_cache\n"
_MEMORY_DISK = Path("/dev/shm")  # noqa: S108 - what a stage's own /tmp is
Run = Callable[[Mapping[str, str]], Awaitable[float]]
"""Puts these texts into a place, and says how much CPU time (s) the command then takes there."""


async def run(setup: Setup) -> list[Figure]:
    """One figure a workload."""
    figures: list[Figure] = []
    async with overlay(setup.folder / "scratch") as kind:
        for make, bar in WORKLOADS:
            workload = await asyncio.to_thread(make, setup.folder)
            (workload.folder / ".gitignore").write_text(_IGNORED)
            await asyncio.to_thread(GitRepository(workload.folder).commit)
            figures.append(await _compare(kind, workload, bar, setup))
            setup.say(f"rehearse_cpu: {workload.name}: {figures[-1].ratio:.2f}")
    return figures


async def _compare(kind: OverlayKind, workload: Workload, bar: float, setup: Setup) -> Figure:
    async with AsyncExitStack() as stack:
        elsewhere = setup.folder / f"{workload.folder.name}-worktree"
        await asyncio.to_thread(
            GitRepository(workload.folder).git, "worktree", "add", "-q", "--detach", elsewhere
        )
        places: dict[str, Run] = {
            "outside": _in_folder(workload, workload.folder),
            "inside": await stack.enter_async_context(_rehearsed(kind, workload, setup.folder)),
            "worktree": _in_folder(workload, elsewhere),
        }
        why = ""
        try:
            fuse = stack.enter_context(_fuse(workload, setup.folder))
        except OSError as error:
            why = str(error)
        else:
            places["fuse-overlayfs"] = fuse
        first = {name: await run(workload.edit(0)) for name, run in places.items()}
        found: dict[str, list[float]] = {name: [] for name in places}
        for number in range(1, setup.n_edits + 1):
            for name, run in places.items():
                found[name].append(await run(workload.edit(number)))
    ratios = {
        name: statistics.median(a / b for a, b in zip(taken, found["outside"], strict=True))
        for name, taken in found.items()
    }
    others = [
        f"{name} {ratios[name]:.2f}" for name in ("worktree", "fuse-overlayfs") if name in ratios
    ]
    reference = f"{statistics.median(found['outside']):.2f} s outside; {', '.join(others)}"
    if why:
        reference += f"; fuse-overlayfs not to be had: {why}"
    return Figure(
        "rehearse_cpu", workload.name, f"{statistics.median(found['inside']):.2f} s",
        reference, ratios["inside"], f"<= {bar}", ratios["inside"] <= bar,
        {
            **{f"{name}_s": spread(taken) for name, taken in found.items()},
            "ratios": ratios, "first_s": first,
        },
    )  # fmt: skip


@asynccontextmanager
async def _rehearsed(kind: OverlayKind, workload: Workload, folder: Path) -> AsyncIterator[Run]:
    """A stage that lives, as a rehearsal's does: on disk, with a git folder of its own."""
    keep = folder / f"{workload.folder.name}-layer"
    keep.mkdir()
    limits = StageLimits(wall=DEADLINE_S, disk=None)
    plan = StagePlan(
        workload.folder, limits=limits, visible=workload.tools, keep=keep, own_git=True, live=True
    )
    stage = await kind.open(plan)

    async def run(texts: Mapping[str, str]) -> float:
        await stage.write({path: text.encode() for path, text in texts.items()})
        output, errors = bytearray(), bytearray()
        command = Command((sys.executable, "-c", MEASURED, *workload.argv))
        await stage.run(command, output.extend, errors.extend)
        return _seconds(bytes(output), errors.decode("utf-8", "replace"))

    try:
        yield run
    finally:
        await stage.close()


def _in_folder(workload: Workload, root: Path, served: Callable[[], float] = lambda: 0.0) -> Run:
    """In a folder of the machine, its temporary files in memory; `served` is counted, too (s)."""

    def measured(texts: Mapping[str, str]) -> float:
        for path, text in texts.items():
            (root / path).write_text(text)
        before = served()
        with tempfile.TemporaryDirectory(dir=_MEMORY_DISK) as temporary:
            done = subprocess.run(
                [sys.executable, "-c", MEASURED, *workload.argv],
                cwd=root,
                env={**os.environ, "TMPDIR": temporary},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=DEADLINE_S,
                check=False,
            )
        seconds = _seconds(done.stdout, done.stderr.decode("utf-8", "replace"))
        return seconds + served() - before

    async def run(texts: Mapping[str, str]) -> float:
        return await asyncio.to_thread(measured, texts)

    return run


@contextmanager
def _fuse(workload: Workload, folder: Path) -> Iterator[Run]:
    """On fuse-overlayfs over the folder; raises OSError, with the reason, where there is none."""
    program = shutil.which("fuse-overlayfs")
    if program is None:
        raise FileNotFoundError("it is not installed (Debian: fuse-overlayfs)")
    place = folder / f"{workload.folder.name}-fuse"
    upper, work, mount = (place / name for name in ("upper", "work", "mount"))
    for one in (upper, work, mount):
        one.mkdir(parents=True)
    options = f"lowerdir={workload.folder},upperdir={upper},workdir={work}"
    server = subprocess.Popen(
        [program, "-f", "-o", options, str(mount)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        with _mounted(server, mount):
            yield _in_folder(workload, mount, lambda: _used(server.pid))
    finally:
        server.terminate()
        try:
            server.wait(MOUNT_S)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait(MOUNT_S)


@contextmanager
def _mounted(server: subprocess.Popen[bytes], mount: Path) -> Iterator[None]:
    """While it is there; it says so by nothing but the mount."""
    deadline = time.monotonic() + MOUNT_S
    while not mount.is_mount():
        if server.poll() is not None:
            assert server.stderr is not None
            said = server.stderr.read().decode("utf-8", "replace").strip()
            raise OSError(said or f"it ended with {server.returncode}")
        if time.monotonic() > deadline:
            raise TimeoutError(f"not mounted within {MOUNT_S} s")
        time.sleep(0.02)
    try:
        yield
    finally:
        subprocess.run(["/bin/umount", str(mount)], check=True, timeout=MOUNT_S)


def _used(pid: int) -> float:
    """CPU time of a process by now (s)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _seconds(output: bytes, errors: str) -> float:
    measured = json.loads(output.splitlines()[-1]) if output else {"code": None}
    assert measured["code"] == 0, errors
    return measured["seconds"]
