"""A workspace with toy MCP servers, and its catalogue as a host puts it together."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from understudy.app.context.call_tool import ToolAnswer, call_tool
from understudy.disk.layout import Layout
from understudy.disk.store.tool_folder import McpFolder
from understudy.values.paths import Root
from understudy.workspace.context_place import ContextPlace
from understudy.workspace.tasks import Tasks
from understudy.workspace.tools.catalogue import ServerState, ToolCatalogue
from understudy.workspace.tools.servers import ServerFiles

TOYS = Path(__file__).parent.parent / "toys"
SECONDS = 300.0
"""For starts, too: the process that talks to servers loads for a second on a quiet machine."""


def toy(name: str, *arguments: str | Path, **more: Any) -> dict[str, Any]:
    """A server's definition that starts a toy."""
    words = ["-S", str(TOYS / f"mcp_{name}.py"), *map(str, arguments)]
    return {"command": sys.executable, "args": words, **more}


class ToolFolder:
    """A folder that defines servers, the state beside it, and the catalogue over both."""

    def __init__(self, folder: Path, environ: Mapping[str, str] | None = None) -> None:
        self.folder = folder / "work"
        self.folder.mkdir(exist_ok=True)
        self.layout = Layout(folder / "state").create()
        self.trusted = True
        self.n_changes = 0
        self.tasks = Tasks()
        self.place = ContextPlace(self.layout.context, folder / "user")
        files = ServerFiles(
            Root.open(self.folder), self.layout, environ or os.environ, lambda: self.trusted
        )
        self.tools = McpFolder(self.layout.context)
        self.catalogue = ToolCatalogue(files, self.tools, self.layout, self.tasks, self._changed)

    def _changed(self) -> None:
        self.n_changes += 1

    def define(self, file: str = ".mcp.json", **servers: object) -> None:
        """Write a configuration file."""
        target = self.folder / file
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")

    async def allow(self, *names: str) -> None:
        await self.catalogue.allow(names, withdraw=False)

    async def state(self, name: str) -> ServerState:
        return {state.name: state for state in await self.catalogue.states()}[name]

    async def synced(self, name: str) -> ServerState:
        """Allow a server and list its tools."""
        await self.allow(name)
        (state,) = await self.catalogue.sync([name])
        return state

    async def call(self, tool: str, seconds: float = SECONDS, **arguments: object) -> ToolAnswer:
        return await call_tool(self.catalogue, self.place, tool, arguments, seconds)

    def file(self, path: str) -> Path:
        return self.layout.context / "mcp" / path

    def status(self, server: str) -> dict[str, Any]:
        return json.loads(self.file(f"{server}/STATUS.json").read_bytes())

    def files(self) -> dict[str, tuple[int, int]]:
        """Every file of the state: what would differ had anything been written."""
        found = (file for file in self.layout.folder.rglob("*") if file.is_file())
        return {
            str(file): (file.stat().st_ino, file.stat().st_mtime_ns)
            for file in found
            if file.parent != self.layout.logs
        }

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait for a condition, within a limit."""

        async def wait() -> None:
            found = False
            while not found:
                await asyncio.sleep(0)
                found = is_so()

        await asyncio.wait_for(wait(), SECONDS)


@asynccontextmanager
async def tool_folder(
    folder: Path, environ: Mapping[str, str] | None = None
) -> AsyncIterator[ToolFolder]:
    """A workspace whose servers and tasks end with the context."""
    made = ToolFolder(folder, environ)
    try:
        yield made
    finally:
        await made.catalogue.close()
        await made.tasks.close()


class HttpToy:
    """A toy over HTTP on the loopback; `status` is what it answers."""

    def __init__(self, folder: Path) -> None:
        self._status, self._asked = folder / "status", folder / "asked"
        self._asked.write_text("")
        self.answer_with(200)
        self.process = subprocess.Popen(
            [sys.executable, "-S", str(TOYS / "mcp_http.py"), str(self._status), str(self._asked)],
            stdout=subprocess.PIPE,
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().decode().strip()

    def answer_with(self, status: int) -> None:
        new = self._status.with_suffix(".new")
        new.write_text(str(status))
        new.replace(self._status)

    @property
    def authorizations(self) -> list[str]:
        """The header of each request so far."""
        return self._asked.read_text().splitlines()

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


class BarePython:
    """A Python without any packages, in an environment of its own."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, symlinks=True)
        self.program = folder / "bin" / "python"
        (self._packages,) = (folder / "lib").glob("python*/site-packages")

    def install(self) -> None:
        """Give it the packages that the tests run on; the MCP SDK is one of them."""
        for package in Path(sysconfig.get_path("purelib")).iterdir():
            (self._packages / package.name).symlink_to(package)
