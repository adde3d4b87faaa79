"""What a client of MCP is told besides answers, and why long work has failed."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder, settings_text, toy_profile, write_user_settings
from tests.e2e.mcp_agent import open_agent
from understudy.faces.answers.agent_text import MAX_BYTES

ICON = Path(__file__).parents[2] / "client-vscode" / "media" / "icon.svg"
NOISE = "seq 1 30000"


@pytest.fixture
def folder(tmp_path: Path, state: Path) -> Path:
    write_user_settings(state, settings_text({"toy": toy_profile("well_behaved")}))
    return make_folder(tmp_path / "work", {"a.txt": "fine\n"})


@pytest.mark.parametrize("sdk", [1, 2])
async def test_what_clients_are_told_and_asked(folder: Path, state: Path, sdk: int) -> None:
    edits = [{"kind": "write", "path": "a.txt", "text": "BAD one\n"}]
    async with open_agent(state, sdk=sdk, cwd=folder) as agent:
        assert "findings" in await agent.call("understudy_lint", edits=edits)
        assert agent.progress == []
        agent.wants_progress = True
        more = [{"kind": "write", "path": "a.txt", "text": "BAD two\n"}]
        assert "findings" in await agent.call("understudy_lint", edits=more)
        numbers = [message["progress"] for message in agent.progress]
        assert numbers
        assert numbers == list(range(1, len(numbers) + 1))
        assert all(message["text"] for message in agent.progress)
        assert agent.hello["server"]["title"] == "Understudy"
        (icon,) = agent.hello["server"]["icons"]
        assert b64decode(icon["src"].partition("base64,")[2]) == ICON.read_bytes()
        assert "understudy_lint without arguments" in agent.hello["prompts"]["check"]
        refusal = await agent.refusal("understudy_run", command=["true"])
        assert refusal.startswith("untrusted"), "though its client agrees for its user"


@pytest.mark.parametrize(
    ("script", "line"),
    [
        (f"{NOISE}; echo 'x.c:3:1: error: boom'; {NOISE}; exit 3", "30001| x.c:3:1: error: boom"),
        (f"{NOISE}; echo 'FAILED a.py::test_b'; {NOISE}; exit 1", "30001| FAILED a.py::test_b"),
        ("yes x | head -c 20000000; echo; echo 'E   boom: 1'; exit 1", "E   boom: 1"),
        ("head -c 9000 /dev/zero; echo; echo 'error: boom'; exit 1", "error: boom"),
    ],
)  # fmt: skip
async def test_a_runs_answer_says_why_it_failed(
    folder: Path, state: Path, script: str, line: str
) -> None:
    assert (await asyncio.to_thread(Shell(folder, state), "trust")).code == 0
    async with open_agent(state, cwd=folder) as agent:
        text = await agent.call("understudy_run", command=["sh", "-c", script])
        assert text.startswith(f"exit {script.rpartition(' ')[2]}; ")
        assert line in text
        assert "lines left out]" in text or "bytes left out]" in text
        assert len(text.encode()) <= MAX_BYTES
