"""What agents read of a terminal's log: each part with the facts on how whole it is."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.e2e.folders import make_folder
from tests.e2e.mcp_agent import open_agent
from tests.support.recorded_shells import RecordedTerminal
from understudy.terminal.log.rotation import files as log_files

SERVER = """
for first, n_lines in ((0, 25_000), (25_000, 105_000)):
    for n in range(first, n_lines):
        print(f"request {n} took {n % 97} ms, item {n * 7919 % 100_003}")
    print(f"served {n_lines}", flush=True)
    input()
"""


async def test_every_part_has_its_grade(tmp_path: Path, state: Path) -> None:
    folder = make_folder(tmp_path / "work", {"a.py": "x = 1\n"})
    script = "echo why it failed; exit 4"
    environment = {"UNDERSTUDY_STATE_DIR": str(state / "understudy")}
    RecordedTerminal(["--", "sh", "-c", script], folder, environment).finish()
    async with open_agent(state, cwd=folder) as agent:
        for asked in (
            {"action": "tail", "count": 2},
            {"action": "read", "lines": [12, 12]},
            {"action": "grep", "pattern": "^why"},
        ):
            text = await agent.call("understudy_context", path="terminals/1.txt", **asked)
            head, facts, *lines = text.splitlines()
            assert head.startswith("terminals/1.txt: ")
            assert facts.startswith("terminals/1.txt  1  closed, exit 4, full, complete, ")
            assert "12: why it failed" in lines
        index = await agent.call("understudy_context", action="read", path="terminals/1.cmds.jsonl")
        assert ", exit 4, full, complete, " in index.splitlines()[1]
        other = await agent.refusal("understudy_context", action="read", path="terminals/focus")
        assert other.startswith("no-such-file")


@pytest.mark.ring
async def test_a_servers_long_log_is_one_file_for_an_agent(tmp_path: Path, state: Path) -> None:
    """Scaled down from 1 GB: it goes on in new files while it is searched, and part makes room."""
    folder = make_folder(tmp_path / "work", {"understudy.toml": "terminal_record_mb = 4\n"})
    environment = {"UNDERSTUDY_STATE_DIR": str(state / "understudy")}
    server = RecordedTerminal(["--", sys.executable, "-c", SERVER], folder, environment)
    async with open_agent(state, cwd=folder) as agent:
        n_lines = 0
        for first, n_more in ((0, 25_000), (25_000, 80_000)):
            n_lines += n_more
            server.wait_for(f"served {n_lines}\r\n".encode())
            waited = await agent.call(
                "understudy_context", action="wait", path="terminals/1.txt",
                pattern=f"^served {n_lines}$", timeout=600,
            )  # fmt: skip
            assert f"served {n_lines}" in waited
            for number in (first + n_more - 9000, n_lines - 1):
                found = await agent.call(
                    "understudy_context", action="grep", path="terminals/1.txt",
                    pattern=f"^request {number} ",
                )  # fmt: skip
                assert "; 1 match, 1 shown" in found
                assert line_of(number) in found
            server.type("\r")
        server.finish()
        kept, gaps = kept_in(state)
        assert kept[0] == 0
        assert kept[-1] == n_lines - 1
        assert len(gaps) == 1
        assert len(kept) > 30_000


def line_of(number: int) -> str:
    return f"request {number} took {number % 97} ms, item {number * 7919 % 100_003}"


def kept_in(state: Path) -> tuple[list[int], list[tuple[int, int]]]:
    """The numbers of the lines that are kept, each to the byte; where some are missing."""
    (folder,) = (state / "understudy").glob("workspaces/*/terminals")
    files = log_files(folder / "1.txt")
    lines = [line for path in files for line in path.read_text().splitlines()]
    served = [line for line in lines if line.startswith("request ")]
    numbers = [int(line.split()[1]) for line in served]
    assert all(line == line_of(number) for line, number in zip(served, numbers, strict=True))
    assert sum(path.stat().st_size for path in files) < 5_000_000
    return numbers, [(a, b) for a, b in pairwise(numbers) if b != a + 1]
