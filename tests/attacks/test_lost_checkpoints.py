"""What an agent began with is gone: the answer says so, it is not clean of what it cannot see."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.folders import make_folder, settings_text, toy_profile, write_user_settings
from tests.e2e.lsp_client import connect, open_editor
from tests.e2e.mcp_agent import Agent, open_agent
from understudy.faces.calls.tools import BEGINS_NOW
from understudy.faces.lsp.chats import MAX_SESSIONS

TOYS = {"toy": toy_profile("well_behaved")}
TRUSTED = {"trusted": True, "settings": {"servers": TOYS}}
FINE = {"kind": "write", "path": "b.txt", "text": "also fine\n"}


@pytest.fixture
def folder(tmp_path: Path, state: Path) -> Path:
    write_user_settings(state, settings_text(TOYS))
    return make_folder(tmp_path / "work", {"a.txt": "fine\n", "b.txt": "fine\n"})


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


async def until_answered(agent: Agent, **arguments: object) -> str:
    """The answer of the next host; the end of the former may come through as an error first."""
    while (answer := await agent.answer("understudy_lint", dict(arguments)))["failed"]:
        assert answer["text"].startswith("host-ended"), answer
    return answer["text"]


@pytest.mark.parametrize("comes_back_with", [{}, {"edits": [FINE]}, {"branch": "b1"}])
async def test_the_host_was_restarted(
    folder: Path, state: Path, tmp_path: Path, comes_back_with: dict[str, object]
) -> None:
    async with connect(folder, state) as editor:
        assert "result" in await editor.initialize(TRUSTED)
        async with open_agent(state, "--root", str(folder), cwd=tmp_path) as agent:
            await agent.call("understudy_lint", edits=[FINE])
            (folder / "a.txt").write_text("BAD by the agent itself\n")
            editor.client.process.kill()
            await editor.client.process.wait()
            text = await until_answered(agent, **comes_back_with)
            if comes_back_with:
                text = await agent.call("understudy_lint")
            assert text == BEGINS_NOW
            said = await agent.call("understudy_lint")
            assert "compared with this session's second checkpoint" in said
            (folder / "b.txt").write_text("BAD later\n")
            assert (await agent.call("understudy_lint")).startswith("findings: 1 introduced")


async def test_an_editor_came_back_with_a_chat_that_it_knows(folder: Path, state: Path) -> None:
    async def text_of(resume: str | None, **arguments: object) -> str:
        params = {"tool": "understudy_lint", "input": arguments, "session": "s", "resume": resume}
        return (await editor.ask("understudy/tool", params))["text"]

    (folder / "a.txt").write_text("BAD before the restart\n")
    async with open_editor(folder, state, TRUSTED) as editor:
        branch = await editor.branch(FINE, title="the chat's")
        await text_of(branch, edits=[FINE])
        assert await text_of(branch) == BEGINS_NOW
        assert "second checkpoint" in await text_of(branch)


async def test_a_chat_was_forgotten_for_others(folder: Path, state: Path) -> None:
    async def text_of(session: str, **arguments: object) -> str:
        params = {"tool": "understudy_lint", "input": arguments, "session": session}
        return (await editor.ask("understudy/tool", params))["text"]

    async with open_editor(folder, state, TRUSTED) as editor:
        await text_of("first", edits=[FINE])
        (folder / "a.txt").write_text("BAD by the first chat\n")
        for number in range(MAX_SESSIONS):
            await text_of(f"other {number}", branch="b1")
        await text_of("first", edits=[FINE])
        assert await text_of("first") == BEGINS_NOW
