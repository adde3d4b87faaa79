"""What agents read of a terminal's log: each part with the facts on how whole it is."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.folders import make_folder
from tests.e2e.mcp_agent import open_agent
from tests.support.recorded_shells import RecordedTerminal


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
