"""Real agents whose conversation is compacted: what left the prompt is found again in one call.

Each prints forty facts by its own shell tool, is compacted by itself, and its model then knows but
the summary, which has none of them, and our one line.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.agents.clients import CLIENTS, drive, is_heavy, understudy
from tests.agents.model import Call, Filling, Json, Scripted, Step
from tests.support.repositories import GitRepository

pytestmark = pytest.mark.ring
FACTS = {f"shelf-{number}": f"holds-{number * 7919 % 10007}-boxes" for number in range(40)}
SCRIPT = """\
import sys
first = int(sys.argv[1])
for number in range(first, min(first + 20, 40)):
    print(f"shelf-{number} {'holds'}-{number * 7919 % 10007}-boxes")
for line in range(250 if first >= 40 else 0):
    print(f"aisle {first}.{line}: nothing of interest stands here, and nobody asks for it")
print("password = " + "q7Xv92LmPz4Rt8Wk")
"""
FULL = 190_000
NAMES = ("claude", "codex", "opencode", "copilot", "qwen")
TRIED = [name for name in NAMES if not is_heavy(name) or "UNDERSTUDY_HEAVY_AGENTS" in os.environ]
TOLD = re.compile(r"\[understudy\] The conversation was compacted\.[^\"]*? is in (\S+), \d+ lines")
SUMMARY = "<state_snapshot><summary>Shelves were counted.</summary></state_snapshot>"


@pytest.mark.parametrize("name", TRIED)
def test_what_a_compaction_dropped_is_found_in_one_call(
    name: str, tmp_path: Path, environ: dict[str, str]
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "facts.py").write_text(SCRIPT)
    (folder / "a.txt").write_text("old\n")
    GitRepository(folder).commit()
    subprocess.run(
        [understudy(environ), "setup", name, "--write"],
        cwd=folder, env=environ, check=True, capture_output=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    client = CLIENTS[name]

    told: list[str] = []

    def searches(requests: list[Json]) -> Step:
        told.append(json.dumps(requests[-1]))
        found = TOLD.search(told[0])
        return [search(found[1], key) for key in FACTS] if found else "Nothing was told."

    def search(path: str, key: str) -> Call:
        if name == "opencode":  # with its shell, a whole check would follow each
            return "grep", {"pattern": f"{key} ", "path": str(Path(path).parent)}
        return client.run(f"grep -n '{key} ' {path}")

    steps: list[Scripted] = [[client.run(f"python3 facts.py {at}")] for at in range(0, 100, 20)]
    steps.append(Filling([client.run("echo and on")], FULL))
    if name in ("copilot", "qwen"):  # no answer is read then: they are told with what comes next
        steps.append([client.edit(folder / "a.txt", "old", "new")])
    steps += [searches, "It is done."]
    model, printed = drive(name, folder, environ, steps, summary=Filling(SUMMARY, FULL))
    assert len(model.requests) == len(steps), printed
    assert TOLD.search(told[0]), told[0][-3000:]
    assert not [value for value in FACTS.values() if value in told[0]]
    read = json.dumps(model.requests[-1])
    found = [value for key, value in FACTS.items() if re.search(rf"{key} {value}", read)]
    assert len(found) >= 0.95 * len(FACTS)
    (copy,) = (tmp_path / "state" / "understudy").glob(f"workspaces/*/context/history/{name}/*.md")
    text = copy.read_text()
    assert "q7Xv92LmPz4Rt8Wk" not in text
    assert "[REDACTED:" in text
