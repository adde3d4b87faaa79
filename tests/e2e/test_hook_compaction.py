"""What hooks do when an agent compacts its conversation, each event a process of its own."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.support.repositories import GitRepository
from tests.support.transcripts import write
from understudy.workspace.agents.touched import memory_of, note_compaction


@pytest.fixture
def shell(tmp_path: Path, state: Path) -> Shell:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("fine\n")
    GitRepository(folder).commit()
    return Shell(folder, state, {"HOME": str(tmp_path / "home")})


def tell(shell: Shell, agent: str, event: str, path: Path, **more: object) -> tuple[str, str]:
    told = {
        "session_id": "s1", "cwd": str(shell.folder), "hook_event_name": event,
        "transcript_path": str(path), **more,
    }  # fmt: skip
    done = shell("check", "--format", "hook", "--agent", agent, stdin=json.dumps(told))
    assert done.code == 0
    return done.out, done.err


def test_an_agent_is_told_where_its_conversation_is(shell: Shell, tmp_path: Path) -> None:
    path = write(tmp_path / "home", "claude", shell.folder)
    assert tell(shell, "claude", "PreCompact", path, trigger="auto") == ("", "")
    (copy,) = shell.state.rglob("history/claude/s1.md")
    assert "third-out" in copy.read_text()
    assert tell(shell, "claude", "SessionStart", path, source="startup") == ("", "")
    out, err = tell(shell, "claude", "SessionStart", path, source="compact")
    assert err == ""
    output = json.loads(out)["hookSpecificOutput"]
    assert output["hookEventName"] == "SessionStart"
    assert f" is in {copy}, " in output["additionalContext"]
    found = shell("context", "search", "third", "out", "--kind", "history")
    assert "history/claude/s1.md:" in found.out
    read = shell("context", "log", "latest", "--agent", "claude")
    assert "    third-out\n" in read.out
    counted = shell("context", "log", "s1", "--agent", "claude", "--format", "json")
    assert json.loads(counted.out)["events"] == copy.read_text().count("\n## ")
    wrong = shell("context", "log", "latest", "--agent", "claude", "--append", "-")
    assert (wrong.code, "conflicting-options" in wrong.err) == (2, True)


def test_one_that_cannot_be_told_then_is_told_with_what_comes_next(
    shell: Shell, tmp_path: Path
) -> None:
    path = write(tmp_path / "home", "copilot", shell.folder)
    assert tell(shell, "copilot", "PreCompact", path) == ("", "")
    settings = shell.folder / "understudy.toml"
    settings.write_text("no settings")
    out, err = tell(shell, "copilot", "PostToolUse", path, tool_input={"path": "a.txt"})
    assert "s1.md" not in out
    assert "nothing was checked" in out + err, "what goes wrong takes nothing with it"
    settings.unlink()
    out, _ = tell(shell, "copilot", "PostToolUse", path, tool_input={"path": "/elsewhere"})
    assert "s1.md" in json.loads(out)["additionalContext"]
    assert tell(shell, "copilot", "PostToolUse", path, tool_input={"path": "/elsewhere"})[0] == ""


def test_the_copy_is_made_though_the_note_cannot_be(shell: Shell, tmp_path: Path) -> None:
    path = write(tmp_path / "home", "claude", shell.folder)
    name = hashlib.sha256(b"s1").hexdigest()[:16]
    in_the_way = (
        shell.state / "understudy" / "turns" / f"{name}.memory" / "x"
    )  # a folder is not unlinked
    in_the_way.mkdir(parents=True)
    assert tell(shell, "claude", "PreCompact", path) == ("", "")
    (copy,) = shell.state.rglob("history/claude/s1.md")
    out, _ = tell(shell, "claude", "SessionStart", path, source="compact")
    told = json.loads(out)["hookSpecificOutput"]["additionalContext"].split("\n")
    assert str(copy) in told[0]
    assert told[-1].startswith("[understudy] `as before` may count what was dropped: state-")


def test_a_memory_that_was_lost_is_never_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_STATE_DIR", str(tmp_path / "state"))
    seen = {memory_of("s1"), memory_of("s2")}
    assert memory_of("s1") in seen
    note_compaction("s1")
    seen.add(memory_of("s1"))
    folder = tmp_path / "state" / "turns"
    for one in folder.iterdir():
        os.utime(one, (1, 1))
    (folder / "gone.json").symlink_to("nowhere")  # as one that another has renamed
    assert memory_of("s3") is not None
    seen |= {memory_of("s1"), memory_of("s2"), memory_of("s3")}
    assert len(seen) == 6


@pytest.mark.parametrize("what", ["another folder", "elsewhere", "none", "a list"])
def test_what_cannot_be_kept_is_told_to_the_user_alone(
    what: str, shell: Shell, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    path = write(tmp_path / "home", "claude", other)
    if what == "elsewhere":
        path = shell.folder / "a.txt"
    more = {"transcript_path": {"none": None, "a list": ["x"]}.get(what, str(path))}
    out, _ = tell(shell, "claude", "PreCompact", path, **more)
    assert json.loads(out)["systemMessage"].startswith(
        "understudy: nothing was kept: bad-transcript"
    )
    assert not list(shell.state.rglob("history/*/*.md"))
