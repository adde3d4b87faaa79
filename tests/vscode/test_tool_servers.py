"""The workspace's MCP servers: the user allows one in the editor, and is told what it needs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.tool_servers import HttpToy
from tests.vscode.workbench import Window


@pytest.fixture
def http(tmp_path: Path) -> Iterator[HttpToy]:
    toy = HttpToy(tmp_path)
    yield toy
    toy.end()


def test_the_user_allows_a_server_and_hears_what_it_needs(
    window: Window, folder: Path, http: HttpToy
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
    notice = page.locator(".notifications-toasts", has_text="The MCP server 'web'")
    expect(notice).to_be_visible(timeout=60_000)
    print(notice.inner_text())
