"""What a hook of an agent is told: the forms of each client, and whatever else may come."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from understudy.values.errors import BadInput
from understudy.workspace.agents.catalogue import agent_named, agent_names
from understudy.workspace.agents.events import MAX_EVENT_BYTES, filled, read_event
from understudy.workspace.agents.folders import folder_of

PATCH = "*** Begin Patch\n*** Update File: a/b.py\n*** Move to: c.py\n*** Add File: d e.py\n+x\n"
EDITS: dict[str, dict[str, Any]] = {
    "claude": {
        "session_id": "s", "cwd": "/w", "hook_event_name": "PostToolUse", "tool_name": "Edit",
        "tool_input": {"file_path": "/w/a.py"}, "tool_response": {"filePath": "/w/a.py"},
    },
    "gemini": {
        "session_id": "s", "cwd": "/w", "hook_event_name": "AfterTool", "tool_name": "replace",
        "tool_input": {"file_path": "/w/a.py"}, "tool_response": {"llmContent": "done"},
    },
    "qwen": {
        "session_id": "s", "cwd": "/w", "hook_event_name": "PostToolUse", "tool_name": "edit",
        "tool_input": {"file_path": "/w/a.py"},
    },
    "copilot": {
        "session_id": "s", "cwd": "/w", "hook_event_name": "PostToolUse", "tool_name": "Edit",
        "tool_input": {"path": "/w/a.py"}, "tool_result": {"result_type": "success"},
    },
    "opencode": {
        "session": "s", "cwd": "/w", "event": "tool.execute.after", "args": {"filePath": "/w/a.py"},
    },
}  # fmt: skip
"""As each client sent it, when it was driven by a scripted model, without what we do not read."""


@pytest.mark.parametrize("agent", EDITS)
def test_the_form_of_each_client(agent: str) -> None:
    event = read_event(agent_named(agent), json.dumps(EDITS[agent]).encode())
    assert (event.moment, event.session) == ("edit", "s")
    assert (event.folder, event.paths, event.prompt) == (Path("/w"), ("/w/a.py",), None)


def test_a_patch_names_every_file() -> None:
    told = {"hook_event_name": "PostToolUse", "tool_input": {"command": PATCH}}
    event = read_event(agent_named("codex"), json.dumps(told).encode())
    assert event.paths == ("a/b.py", "c.py", "d e.py")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b"[" * 100_000,
        b'{"a": "' + b"x" * MAX_EVENT_BYTES + b'"}',
    ],
)
def test_what_is_no_event_is_named(data: bytes) -> None:
    with pytest.raises(BadInput) as caught:
        read_event(agent_named("claude"), data)
    assert (caught.value.code, caught.value.where) == ("bad-event", "claude")


@pytest.mark.parametrize("agent", [name for name in agent_names() if agent_named(name).hook])
@pytest.mark.parametrize(
    "told",
    [
        {},
        {"hook_event_name": "SomethingNew", "event": "new", "tool_input": 1},
        {"hook_event_name": 7, "session_id": [], "cwd": {}, "prompt": None, "tool_input": []},
        {"hook_event_name": "PostToolUse", "tool_input": {"file_path": ["a"], "command": 1}},
        {"cwd": "/a\0b", "workspace_roots": [], "tool_input": {"file_path": "a\0b"}},
    ],
)
def test_another_versions_form_is_no_event_of_ours(agent: str, told: dict[str, Any]) -> None:
    event = read_event(agent_named(agent), json.dumps(told).encode())
    assert event.paths == ()
    assert event.folder is None
    assert event.session


def test_answers_are_filled_in() -> None:
    hook = agent_named("claude").hook
    assert hook is not None
    text = 'a "text" with {event}\nand lines'
    answer = filled(hook.edit, text, "PostToolUse")
    body = {"hookEventName": "PostToolUse", "additionalContext": text}
    assert answer == {"hookSpecificOutput": body}


def test_a_file_belongs_to_its_own_repository(tmp_path: Path) -> None:
    claude = agent_named("claude")
    top, other = tmp_path / "top", tmp_path / "other"
    worktree, submodule = top / ".claude" / "worktrees" / "w", top / "sub"
    for folder in (top, worktree, submodule, other, top / "package" / "src"):
        folder.mkdir(parents=True)
    (top / ".git").mkdir()
    for folder in (worktree, submodule):
        (folder / ".git").write_text("gitdir: elsewhere\n")
    found = {
        place: folder_of(place, claude, top)
        for place in (
            top / "a.py", top / "package" / "src" / "b.py", worktree / "a.py", submodule,
            other / "a.py", tmp_path / "nowhere" / "a.py",
        )
    }  # fmt: skip
    assert list(found.values()) == [top, top, worktree, submodule, None, None]
    (top / "package" / ".mcp.json").write_text("{}")
    assert folder_of(top / "package" / "src" / "b.py", claude, top) == top / "package"
    assert folder_of(other / "a.py", claude, other) == other, "no repository, but opened"
    (other / "link.py").symlink_to(top / "a.py")
    assert folder_of(other / "link.py", claude, other) == top


def test_a_repository_above_where_git_stops_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude, place = agent_named("claude"), tmp_path / "below" / "a.py"
    place.parent.mkdir()
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", "")
    assert folder_of(place, claude, tmp_path / "elsewhere") == tmp_path.resolve()
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    assert folder_of(place, claude, tmp_path / "elsewhere") is None
