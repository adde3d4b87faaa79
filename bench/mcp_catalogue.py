"""Nine public MCP servers as a catalogue of files: its tokens beside those of their definitions,
the tokens of a scripted task with and without it, and what bringing it up to date writes.

The servers are real, and so are the calls; those that need a network or a browser are listed only.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.report import Figure, Setup, milliseconds
from tests.support.servers import environment, program, python_packages
from tests.support.tool_servers import ToolFolder, tool_folder
from understudy.context.canonical import canonical
from understudy.context.policy import tokens_of
from understudy.faces.calls.tools import TOOLS

_SENT = ("name", "description", "inputSchema")
"""What of a definition a model is sent: the least that harnesses send."""


async def run(setup: Setup) -> list[Figure]:
    """Three figures."""
    async with tool_folder(setup.folder, environment()) as work:
        work.define(**_servers(work.folder))
        _fill(work.folder)
        names = [state.name for state in await work.catalogue.states()]
        await work.allow(*names)
        began = time.perf_counter()
        states = await work.catalogue.sync()
        first = time.perf_counter() - began
        assert all(state.status == "ready" for state in states), states
        before = work.files()
        began = time.perf_counter()
        await work.catalogue.sync()
        again = time.perf_counter() - began
        n_written = sum(1 for file, mark in work.files().items() if before.get(file) != mark)
        definitions = _definitions(work)
        return [
            _static(work, definitions, len(names)),
            await _task(work, definitions),
            Figure(
                "mcp_catalogue", "files written by an unchanged sync", f"{n_written}",
                f"{len(before)} files; {milliseconds(again)}, at first {milliseconds(first)}",
                bar="0", ok=n_written == 0,
            ),
        ]  # fmt: skip


def _servers(folder: Path) -> Mapping[str, Any]:
    packages = {"PYTHONPATH": str(python_packages("mcp-servers-python"))}

    def node(name: str, *arguments: str, **more: object) -> dict[str, Any]:
        return {"command": str(program(name)), "args": list(arguments), **more}

    def python(module: str, *arguments: str) -> dict[str, Any]:
        return {"command": sys.executable, "args": ["-m", module, *arguments], "env": packages}

    memory = {"MEMORY_FILE_PATH": str(folder.parent / "memory.jsonl")}
    return {
        "filesystem": node("mcp-server-filesystem", str(folder)),
        "everything": node("mcp-server-everything"),
        "memory": node("mcp-server-memory", env=memory),
        "thinking": node("mcp-server-sequential-thinking"),
        "playwright": node("playwright-mcp", "--headless"),
        "chrome": node("chrome-devtools-mcp", "--headless"),
        "git": python("mcp_server_git"),
        "fetch": python("mcp_server_fetch"),
        "time": python("mcp_server_time", "--local-timezone", "UTC"),
    }


def _fill(folder: Path) -> None:
    """A repository with a file that is long enough to be kept out of a prompt."""
    (folder / "notes.txt").write_text("".join(f"note {n}: all is well\n" for n in range(1500)))
    git = shutil.which("git")
    assert git is not None
    for command in (
        ("init", "-q"),
        ("add", "notes.txt"),
        ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"),
    ):
        subprocess.run([git, *command], cwd=folder, check=True, timeout=60)


def _definitions(work: ToolFolder) -> Mapping[str, str]:
    """`SERVER/TOOL` -> its definition as a model is sent it."""
    found: dict[str, str] = {}
    for file in sorted(work.file("").glob("*/tools/*.json")):
        table = json.loads(file.read_bytes())
        text = canonical({key: table[key] for key in _SENT if key in table})
        found[f"{file.parent.parent.name}/{table['name']}"] = text
    return found


def _static(work: ToolFolder, definitions: Mapping[str, str], n_servers: int) -> Figure:
    names = tokens_of(work.file("INDEX.md").read_text())
    full = sum(tokens_of(text) for text in definitions.values())
    return Figure(
        "mcp_catalogue", f"static tokens, {n_servers} servers, {len(definitions)} tools",
        f"{names}", f"{full} of full definitions", names / full, "<= 0.03", names <= 0.03 * full,
    )  # fmt: skip


@dataclass
class _Prompts:
    """A prompt that grows; `total` adds up what all calls of the model have read."""

    size: int
    total: int = 0

    def step(self, *texts: str) -> None:
        """The model reads its prompt, and says and gets these."""
        self.total += self.size
        self.size += sum(tokens_of(text) for text in texts)


async def _task(work: ToolFolder, definitions: Mapping[str, str]) -> Figure:
    """The same twenty calls; with the catalogue, each tool's definition is read before its use."""
    own = tokens_of(canonical([{"description": t.description, "schema": t.schema} for t in TOOLS]))
    without = _Prompts(sum(tokens_of(text) for text in definitions.values()))
    with_files = _Prompts(own + tokens_of(work.file("INDEX.md").read_text()))
    known: set[str] = set()
    n_read = 0
    for tool, arguments in _steps(work.folder):
        if tool not in known:
            known.add(tool)
            n_read += 1
            path = f"mcp/{tool.replace('/', '/tools/')}.json"
            with_files.step(canonical({"action": "read", "path": path}), definitions[tool])
        answer = await work.call(tool, **arguments)
        assert answer.path is not None
        assert not answer.failed, answer.text
        exact = work.place.store.get(answer.path).decode()
        without.step(canonical({"tool": tool, **arguments}), exact)
        asked = canonical({"action": "call", "tool": tool, "arguments": arguments})
        with_files.step(asked, answer.text)
    return Figure(
        "mcp_catalogue", f"input tokens of a task of 20 calls ({n_read} definitions read)",
        f"{with_files.total}", f"{without.total} with all definitions and whole results",
        with_files.total / without.total,
        data={"with": with_files.total, "without": without.total, "own_tools": own},
    )  # fmt: skip


def _steps(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    notes, root = str(folder / "notes.txt"), str(folder)
    yield "time/get_current_time", {"timezone": "UTC"}
    yield "filesystem/list_directory", {"path": root}
    yield "filesystem/read_text_file", {"path": notes}
    yield "git/git_log", {"repo_path": root}
    yield "git/git_status", {"repo_path": root}
    for number in range(1, 4):
        thought = {"thought": f"step {number}", "thoughtNumber": number, "totalThoughts": 3}
        yield "thinking/sequentialthinking", {**thought, "nextThoughtNeeded": number < 3}
    for name in ("notes", "log", "clock"):
        entity = {"name": name, "entityType": "file", "observations": [f"{name} was seen"]}
        yield "memory/create_entities", {"entities": [entity]}
    yield "memory/search_nodes", {"query": "notes"}
    yield "memory/read_graph", {}
    yield "filesystem/write_file", {"path": str(folder / "out.txt"), "content": "done\n"}
    yield "filesystem/get_file_info", {"path": notes}
    yield "git/git_status", {"repo_path": root}
    yield "git/git_diff_unstaged", {"repo_path": root}
    yield "filesystem/read_text_file", {"path": notes, "tail": 5}
    yield "everything/echo", {"message": "nearly"}
    yield "time/get_current_time", {"timezone": "Europe/Berlin"}
