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
    settings_text,
    toy_profile,
    toy_settings,
    write_user_settings,
)
from tests.e2e.lsp_client import Editor, open_editor
from tests.e2e.mcp_agent import open_agent
from tests.langserver.toybox import TOYS, ended_in

FINDINGS, UNKNOWN = 1, 3
LATE = frozenset({"timeout", "starting"})
HALF_LATE = LATE | {"base-unknown"}
"""Judged after the edit, but not before it."""
RIGHT = "right"
LATE_S, ENOUGH_S = 1.5, 60.0
"""A check's time limit: for a toy that never answers, and for one that does so, or ends."""

BUSY = re.compile(r"; the machine was busy: [^;\n]*(; in [\d.]+ s [^;\n]*)?")
"""What a late answer adds on a busy machine: the figures of then."""

EXPECTED: dict[str, tuple[str, frozenset[str] | str]] = {
    # toy: the rule it is judged by, and the reasons why nothing is proven, or that it is right
    "answers_error": ("pull", frozenset({"unproven"})),
    "answers_null": ("pull", frozenset({"unproven"})),
    "answers_unchanged": ("pull", frozenset({"unproven"})),
    "asks_settings": ("pull", LATE),
    "asks_unknown": ("pull", RIGHT),
    "cancels_forever": ("pull", LATE),
    "cancels_twice": ("pull", RIGHT),
    "computes": ("pull", LATE),
    "dies_halfway": ("pull", RIGHT),
    "duplicate_answers": ("pull", RIGHT),
    "empty_first": ("version", RIGHT),
    "exits_at_once": ("pull", frozenset({"crashed"})),
    "floods_stderr": ("pull", RIGHT),
    "ignores_the_end": ("pull", HALF_LATE),
    "invalid_json": ("pull", frozenset({"crashed"})),
    "leaves_children": ("pull", frozenset({"crashed"})),
    "looks_at_disk": ("pull", RIGHT),
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
    "writes_on_command": ("pull", RIGHT),
    "wrong_id": ("pull", LATE),
    "wrong_version": ("version", LATE),
}
BAD, GOOD = "fine\nBAD one\n", "fine, too\n"


def write(path: str, text: str) -> dict[str, str]:
    return {"kind": "write", "path": path, "text": text}


def test_every_toy_is_here() -> None:
    servers = {path.stem for path in TOYS.glob("*.py") if not path.stem.startswith("mcp_")}
    others = {"wire", "layers", "small_spool", "forges_lines", "loads_late", "mends", "traps"}
    others |= {"plays", "misbehaves"}  # of tests/attacks, and of the soak
    assert servers - others == set(EXPECTED)


@pytest.fixture
def shell(tmp_path: Path, state: Path) -> Shell:
    """A shell beside `edits.json`, which puts an error into the one file of the folder."""
    (tmp_path / "edits.json").write_text(json.dumps([write("a.txt", BAD)]), encoding="utf-8")
    return Shell(make_folder(tmp_path / "work", {"a.txt": "fine\n"}), state)


def seconds_for(toy: str) -> str:
    return str(LATE_S if set(EXPECTED[toy][1]) >= LATE else ENOUGH_S)


@pytest.mark.parametrize("toy", EXPECTED)
def test_on_the_command_line(shell: Shell, toy: str) -> None:
    rule, expected = EXPECTED[toy]
    write_user_settings(shell.state, toy_settings(toy, rule=rule))
    done = shell("check", "--edits", "../edits.json", "--timeout", seconds_for(toy))
    lines = done.out.split("\n")
    if expected == RIGHT:
        assert done.code == FINDINGS, done
        assert lines[0] == "introduced:"
        assert lines[1] == f"  a.txt:2:1: error BAD one ({toy})"
    else:
        assert done.code == UNKNOWN, done
        reasons = re.findall(r"^  a\.txt: ([a-z-]+): ", done.out, re.MULTILINE)
        assert len(reasons) == 1
        assert set(reasons) <= set(expected)
        assert lines[-2].startswith("unknown: 0 introduced")
    assert left_in_temporary(shell.state) == []
    assert ended_in(shell.folder)


@pytest.mark.parametrize("toy", ["exits_at_once", "invalid_json", "never_initializes"])
def test_the_reason_is_the_same_text_in_every_run(shell: Shell, toy: str) -> None:
    write_user_settings(shell.state, toy_settings(toy))
    command = ("check", "--edits", "../edits.json", "--timeout", seconds_for(toy))
    first, second = (BUSY.sub("", shell(*command).out) for _ in range(2))
    assert first == second


async def test_over_lsp(tmp_path: Path, state: Path) -> None:
    """All toys in one session, each with a file of its own, so that none waits for another."""
    folder = make_folder(tmp_path / "work", {f"{toy}.txt": "fine\n" for toy in EXPECTED})
    profiles = {
        toy: toy_profile(toy, rule, files=f"{toy}.txt") for toy, (rule, _) in EXPECTED.items()
    }
    async with open_editor(folder, state, {"settings": {"servers": profiles}}) as editor:
        few = asyncio.Semaphore(8)
        judged = [judge(editor, few, toy, text) for toy in EXPECTED for text in (BAD, GOOD)]
        wrong = [mistake for mistake in await asyncio.gather(*judged) if mistake]
        assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("late", "seconds"), [(False, ENOUGH_S), (True, LATE_S)])
async def test_over_mcp(tmp_path: Path, state: Path, late: bool, seconds: float) -> None:
    """All that prove nothing in one call; each file is named with its reason."""
    silent = {
        toy: toy_profile(toy, rule, files=f"{toy}.txt")
        for toy, (rule, expected) in EXPECTED.items()
        if expected != RIGHT and (set(expected) >= LATE) == late
    }
    write_user_settings(state, settings_text(silent))
    folder = make_folder(tmp_path / "work", {f"{toy}.txt": "fine\n" for toy in silent})
    async with open_agent(state, cwd=folder) as agent:
        edits = [write(f"{toy}.txt", BAD) for toy in silent]
        text = await agent.call("understudy_lint", edits=edits, timeout=seconds)
    assert text.startswith("UNKNOWN - NOT VERIFIED")
    # The agent kills whoever does not end in 2 s, and some of the toys end for nobody.
    assert ended_in(folder)
    assert not re.search(r"\bclean\b", text)
    reasons = dict(re.findall(r"^  (\w+)\.txt: ([a-z-]+): ", text, re.MULTILINE))
    wrong = {toy: reasons.get(toy) for toy in silent if reasons.get(toy) not in EXPECTED[toy][1]}
    assert wrong == {}, text


async def judge(editor: Editor, few: asyncio.Semaphore, toy: str, text: str) -> str | None:
    """What is wrong with a verdict on a toy's own file with this text; None if nothing is."""
    _, expected = EXPECTED[toy]
    async with few:
        branch = await editor.branch(write(f"{toy}.txt", text))
        report = await editor.check(branch, timeout=float(seconds_for(toy)))
    assert_check(report)
    found = [item["message"] for item in report["introduced"]]
    (file,) = report["files"]
    reason = file["reason"]["code"] if file["reason"] else None
    if expected == RIGHT:
        right = ("findings", ["BAD one"]) if text == BAD else ("clean", [])
        agrees = (report["verdict"], found) == right
    elif expected == HALF_LATE and text == GOOD and report["verdict"] == "clean":
        # A new process had its one answer for this text: its own proof has to be there, no less.
        proofs = [(one["verdict"], one["rule"], one["reason"]) for one in file["servers"]]
        agrees = not found and proofs == [("clean", "pull", None)]
    else:
        agrees = report["verdict"] == "unknown" and reason in expected and not found
    return None if agrees else f"{toy}: {report['verdict']} {reason} {found} for {text!r}"
