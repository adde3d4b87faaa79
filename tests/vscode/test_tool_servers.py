"""The workspace's MCP servers: the user allows one in the editor, and is told what it needs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.tool_servers import BarePython, HttpToy
from tests.vscode.conftest import TRUSTED
from tests.vscode.workbench import Window


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> BarePython:
    """What runs the server: the extension brings all that it needs, but no MCP SDK."""
    return BarePython(tmp_path_factory.mktemp("python") / "bare")


@pytest.fixture(scope="module")
def settings(bare: BarePython) -> Mapping[str, Any]:
    return {**TRUSTED, "understudy.interpreter": str(bare.program)}


@pytest.fixture
def http(tmp_path: Path) -> Iterator[HttpToy]:
    toy = HttpToy(tmp_path)
    yield toy
    toy.end()


def test_the_user_allows_a_server_and_hears_what_it_needs(
    window: Window, folder: Path, http: HttpToy, bare: BarePython
) -> None:
    http.answer_with(401)
    servers = {"mcpServers": {"web": {"type": "http", "url": http.url}}}
    (folder / ".mcp.json").write_text(json.dumps(servers))
    window.choose("Understudy: MCP Servers for Agents…")
    page = window.page
    page.locator(".quick-input-list .monaco-list-row", has_text="web").click()
    dialog = page.locator(".monaco-dialog-box")
    expect(dialog).to_contain_text(http.url)
    dialog.get_by_text("Allow", exact=True).click()
    notice = window.notification("The MCP server 'web' does not work")
    expect(notice).to_contain_text("the Python that runs Understudy has no MCP SDK 2")
    expect(notice).to_contain_text(f'the fix: {bare.program} -m pip install "mcp>=2')
    bare.install()
    notice.get_by_role("button", name="Ask Again").click()
    again = window.notification("The MCP server 'web' needs re-authentication")
    expect(again).to_contain_text("it answers 401")
