"""The zoo through the faces: whatever a server does, nobody is told `clean` without evidence."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.contract import assert_check
from tests.e2e.folders import (
    left_in_temporary,
    make_folder,
    toy_profile,
    toy_settings,
    write_user_settings,
)
from tests.e2e.lsp_client import Editor, open_editor
from tests.langserver.toybox import TOYS, running_in

FINDINGS, UNKNOWN = 1, 3
LATE = frozenset({"timeout", "starting"})
RIGHT = "right"
SECONDS = "1.5"
"""A check's time limit: enough for a toy that answers at all."""

EXPECTED: dict[str, tuple[str, frozenset[str] | str]] = {
    # toy: the rule it is judged by, and the reasons why nothing is proven, or that it is right
    "answers_error": ("pull", frozenset({"unproven"})),
    "answers_null": ("pull", frozenset({"unproven"})),
    "answers_unchanged": ("pull", frozenset({"unproven"})),
    "asks_settings": ("pull", LATE),
    "asks_unknown": ("pull", RIGHT),
    "cancels_forever": ("pull", LATE),
    "cancels_twice": ("pull", RIGHT),
    "dies_halfway": ("pull", RIGHT),
    "duplicate_answers": ("pull", RIGHT),
    "empty_first": ("version", RIGHT),
    "exits_at_once": ("pull", frozenset({"crashed"})),
    "floods_stderr": ("pull", RIGHT),
    "ignores_the_end": ("pull", RIGHT),
    "invalid_json": ("pull", frozenset({"crashed"})),
    "leaves_children": ("pull", frozenset({"crashed"})),
    "malformed_items": ("pull", frozenset({"unproven"})),
    "never_answers": ("pull", LATE),
    "never_initializes": ("pull", LATE),
    "never_registers": ("pull", LATE),
    "no_length": ("pull", frozenset({"crashed"})),
    "oversized": ("pull", frozenset({"crashed"})),
    "prints_garbage": ("pull", frozenset({"crashed"})),
    "registers_late": ("pull", RIGHT),
    "reports_progress": ("pull", RIGHT),
    "slow": ("pull", RIGHT),
    "stale_first": ("version", LATE),
    "stale_push": ("version", LATE),
    "stops_reading": ("pull", LATE),
    "unversioned": ("version", LATE),
    "well_behaved": ("pull", RIGHT),
    "wrong_id": ("pull", LATE),
    "wrong_version": ("version", LATE),
}
EDITS = [
    {"kind": "write", "path": "bad.txt", "text": "fine\nBAD one\n"},
    {"kind": "write", "path": "good.txt", "text": "fine, too\n"},
]
FILES: dict[str, str | bytes] = {"bad.txt": "fine\n", "good.txt": "fine\n"}


def test_every_toy_is_here() -> None:
    assert {path.stem for path in TOYS.glob("*.py")} - {"wire"} == set(EXPECTED)


@pytest.mark.parametrize("toy", EXPECTED)
def test_on_the_command_line(tmp_path: Path, state: Path, toy: str) -> None:
    rule, expected = EXPECTED[toy]
    shell = Shell(make_folder(tmp_path / "work", FILES), state)
    write_user_settings(state, toy_settings(toy, rule=rule))
    edits = tmp_path / "edits.json"
    edits.write_text(json.dumps(EDITS), encoding="utf-8")
    seconds = SECONDS if expected is LATE else "20"
    done = shell("check", "--edits", edits, "--timeout", seconds)
    lines = done.out.split("\n")
    if expected == RIGHT:
        assert done.code == FINDINGS, done
        assert f"  bad.txt:2:1: error BAD one ({toy})" in lines
        assert not any(line.startswith("  good.txt") for line in lines)
    else:
        assert done.code == UNKNOWN, done
        reasons = dict(re.findall(r"^  (\w+\.txt): ([a-z-]+): ", done.out, re.MULTILINE))
        assert reasons.keys() == {"bad.txt", "good.txt"}
        assert set(reasons.values()) <= expected
        assert lines[-2].startswith("unknown: 0 introduced")
    assert left_in_temporary(state) == []
    assert running_in(tmp_path) == []


@pytest.mark.parametrize("toy", ["exits_at_once", "invalid_json", "never_initializes"])
def test_the_reason_is_the_same_text_in_every_run(tmp_path: Path, state: Path, toy: str) -> None:
    shell = Shell(make_folder(tmp_path / "work", FILES), state)
    write_user_settings(state, toy_settings(toy))
    edits = tmp_path / "edits.json"
    edits.write_text(json.dumps(EDITS), encoding="utf-8")
    runs = [shell("check", "--edits", edits, "--timeout", SECONDS) for _ in range(2)]
    assert runs[0].out == runs[1].out


async def test_over_lsp(tmp_path: Path, state: Path) -> None:
    """All toys in one session at once, each with files of its own, so that none waits for another."""
    files = {f"{toy}/{name}": text for toy in EXPECTED for name, text in FILES.items()}
    folder = make_folder(tmp_path / "work", files)
    profiles = {
        toy: toy_profile(toy, rule, files=f"{toy}/*.txt") for toy, (rule, _) in EXPECTED.items()
    }
    async with open_editor(folder, state, {"settings": {"servers": profiles}}) as editor:
        wrong: list[str] = []
        few = asyncio.Semaphore(8)
        await asyncio.gather(*(judge(editor, few, toy, wrong) for toy in EXPECTED))
        assert not wrong, "\n".join(wrong)


async def judge(editor: Editor, few: asyncio.Semaphore, toy: str, wrong: list[str]) -> None:
    _, expected = EXPECTED[toy]
    edits = [{**edit, "path": f"{toy}/{edit['path']}"} for edit in EDITS]
    async with few:
        branch = await editor.branch(*edits)
        report = await editor.check(branch, timeout=2.5 if expected is LATE else 20)
    assert_check(report)
    if expected == RIGHT:
        found = [(item["path"], item["message"]) for item in report["introduced"]]
        if report["verdict"] != "findings" or found != [(f"{toy}/bad.txt", "BAD one")]:
            wrong.append(f"{toy}: {report['verdict']} {found}")
    else:
        codes = {file["reason"] and file["reason"]["code"] for file in report["files"]}
        if report["verdict"] != "unknown" or not codes <= expected or report["introduced"]:
            wrong.append(f"{toy}: {report['verdict']} {codes}")
