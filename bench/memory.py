"""What the host's own process keeps in memory with 256 branches of three long files each."""

from __future__ import annotations

import random

import psutil

from bench.lsp_client import lsp_client
from bench.report import Figure, Setup
from tests.support.projects import project

SERVER = "ruff"
N_BRANCHES = 256
N_FILES = 3
N_LINES = 2000
N_CHECKED = 8
MAX_BYTES = 150 * 1024 * 1024


async def run(setup: Setup) -> list[Figure]:
    """Resident memory, and how many processes the host has started."""
    sample = project("python")
    root = sample.write(setup.folder / "project")
    texts = {f"long_{number}.py": _long_text(number) for number in range(N_FILES)}
    for name, text in texts.items():
        (root / name).write_text(text)
    async with lsp_client(root, setup.folder / "state") as client:
        process = psutil.Process(client.process.pid)
        at_start = process.memory_info().rss
        branches: list[str] = []
        for number in range(N_BRANCHES):
            branch = await client.branch(f"branch {number}")
            await client.edit(branch, [_edit(name, text, number) for name, text in texts.items()])
            branches.append(branch)
        for branch in branches[:: N_BRANCHES // N_CHECKED]:
            report = await client.check(branch, SERVER)
            assert report["verdict"] == "findings", report
        resident = process.memory_info().rss
        status = await client.request("understudy/status", {})
        children = [child.name() for child in process.children()]
    servers = status["servers"]
    return [
        Figure(
            "memory", f"{N_BRANCHES} branches x {N_FILES} files of {N_LINES} lines",
            f"{resident / 2**20:.0f} MB", f"{at_start / 2**20:.0f} MB without branches",
            resident / at_start,
            f"<= {MAX_BYTES / 2**20:.0f} MB",
            resident <= MAX_BYTES,
            {"rss": resident, "rss_at_start": at_start, "children": children},
        ),
        Figure(
            "memory", "language servers for all branches",
            f"{len(servers)}", f"{len(children)} child processes in all",
            bar="1",
            ok=len(servers) == 1,
            data={"servers": servers, "children": children},
        ),
    ]  # fmt: skip


def _long_text(seed: int) -> str:
    """A file of 2,000 lines that repeat little, as sources do."""
    chance = random.Random(seed)  # noqa: S311 - the same texts in every run
    words = ("amount", "branch", "counter", "delta", "entry", "factor", "group", "height")
    lines = [
        f"{chance.choice(words)}_{number} = {chance.randrange(10**6)} + {chance.random():.6f}"
        for number in range(N_LINES)
    ]
    return "\n".join(lines) + "\n"


def _edit(path: str, text: str, number: int) -> dict[str, str]:
    """Replace a line of the branch's own, by a use of a name that is not defined."""
    old = text.splitlines()[7 * number % N_LINES]
    new = f"{old} + undefined_in_branch_{number}"
    return (
        {"kind": "replace", "path": path, "old": f"\n{old}\n", "new": f"\n{new}\n"}
        if (7 * number % N_LINES)
        else {"kind": "replace", "path": path, "old": f"{old}\n", "new": f"{new}\n"}
    )
