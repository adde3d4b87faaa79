"""A rehearsal beside an editor: seen there, sent what it breaks, and stopped from there."""

from __future__ import annotations

import asyncio
import shlex
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command_line import SECONDS, Shell
from tests.e2e.folders import UNDERSTUDY, make_folder, toy_profile
from tests.e2e.lsp_client import Editor, open_editor
from tests.e2e.rehearsals import Living
from understudy.workspace.agents.catalogue import agent_named

TOYS = {"toy": toy_profile("well_behaved")}
USER = {"trusted": True, "user": True, "settings": {"servers": TOYS}}
LIVING = """\
echo mine > mine.txt; echo up
until test -e saved.txt; do sleep 0.1; done
echo more > more.txt; exec sleep 1000
"""
CHECK = f"{shlex.join(UNDERSTUDY)} check"


async def listed(editor: Editor) -> list[dict[str, Any]]:
    return (await editor.ask("understudy/branch/list"))["branches"]


async def told_change(editor: Editor, begun: int) -> None:
    """Return when the editor has been told that branches have changed, after so many messages."""

    def is_told() -> bool:
        later = editor.recorder.unasked()[begun:]
        return any(one["method"] == "understudy/branchesChanged" for one in later)

    async def look() -> None:
        while not is_told():
            await editor.ask("understudy/status")

    await asyncio.wait_for(look(), SECONDS)


async def test_seen_sent_and_stopped(tmp_path: Path, state: Path) -> None:
    folder = make_folder(tmp_path / "work", {"a.txt": "fine\n", "b.txt": "fine\n"})
    shell = Shell(folder, state)
    async with open_editor(folder, state, USER) as editor:
        none = await editor.branch(title="nobody lives here")
        refused = await editor.refusal("understudy/rehearsal/stop", {"branch": none})
        assert refused["data"]["code"] == "no-rehearsal"
        refused = await editor.refusal("understudy/rehearsal/stop", {"branch": "../b1"})
        assert refused["data"]["code"] == "unknown-branch"
        begun = len(editor.recorder.unasked())
        living = await asyncio.to_thread(Living, shell, "--name", "the shell")
        await asyncio.to_thread(living.do, "true")
        await told_change(editor, begun)
        (one,) = [one for one in await listed(editor) if "rehearsal" in one]
        branch = one["branch"]
        assert (one["title"], one["rehearsal"]["pid"]) == ("the shell", living.process.pid)

        at = {"branch": branch, "path": "a.txt"}
        refused = await editor.refusal("understudy/branch/sendConflict", at)
        assert refused["data"]["code"] == "branch-in-use", "what lives there edits files"
        nothing = await editor.ask("understudy/branch/sendFindings", {"branch": branch})
        assert (nothing["verdict"], nothing["asks"]) == ("clean", [])
        told = await asyncio.to_thread(living.do, f"printf 'BAD\\nfine\\n' > a.txt; {CHECK}")
        assert not told.startswith("The user")
        sent = await editor.ask("understudy/branch/sendFindings", {"branch": branch})
        (ask,) = sent["asks"]
        assert (ask["path"], ask["start"], ask["end"]) == ("a.txt", 0, 1)
        assert ask["text"].startswith("your edits introduce: ")
        again = await editor.ask("understudy/branch/sendFindings", {"branch": branch})
        assert (again["asks"], again["open"]) == ([], 1)
        await editor.ask("understudy/branch/ask", {"branch": none, "path": "a.txt"})
        as_json = await asyncio.to_thread(living.do, f"{CHECK} --format json")
        assert as_json.startswith("{"), "what a program reads is as always"
        told = await asyncio.to_thread(living.do, CHECK)
        assert told.startswith("The user has looked at your edits and asks for changes")
        assert f"{branch}: a.txt:1: your edits introduce: " in told
        assert none not in told, "other branches' wishes are not its own"
        told = await asyncio.to_thread(
            living.do, f"{CHECK}; {shlex.join(UNDERSTUDY)} branches list 2>&1"
        )
        assert not told.startswith("The user"), "it is told once"
        await asyncio.to_thread(living.do, "echo fine > a.txt")

        begun = len(editor.recorder.unasked())
        stopped = await editor.ask("understudy/rehearsal/stop", {"branch": branch})
        assert stopped == {"stopped": [branch]}
        status = await asyncio.to_thread(living.process.wait, SECONDS)  # its input is still open
        _, said = living.process.communicate()
        assert (status, b"holds 0 files" in said) == (128 + 15, True), said
        await told_change(editor, begun)
        (kept,) = [one for one in await listed(editor) if one["branch"] == branch]
        assert "rehearsal" not in kept


async def test_one_of_several_is_stopped(tmp_path: Path, state: Path) -> None:
    """The others live on, see what their user saves, and end with their terminal's interrupt."""
    folder = make_folder(tmp_path / "work", {"a.txt": "fine\n"})
    command = ("rehearse", "--agents", "3", "--name", "try", "--", "sh", "-c", LIVING)
    async with open_editor(folder, state, USER) as editor:
        process = await asyncio.to_thread(Shell(folder, state).start, *command)
        assert process.stdout is not None
        up = [await asyncio.to_thread(process.stdout.readline) for _ in range(3)]
        assert sorted(up) == [b"b1| up\n", b"b2| up\n", b"b3| up\n"]
        stopped = await editor.ask("understudy/rehearsal/stop", {"branch": "b2"})
        assert stopped == {"stopped": ["b2"]}

        async def until(files: dict[str, int], living: list[str]) -> None:
            """Return when each branch has so many files, and these are lived in."""
            while True:
                found = await listed(editor)
                at_work = [one["branch"] for one in found if "rehearsal" in one]
                if ({o["branch"]: o["files"] for o in found}, sorted(at_work)) == (files, living):
                    return

        await asyncio.wait_for(until({"b1": 1, "b2": 1, "b3": 1}, ["b1", "b3"]), SECONDS)
        again = await editor.refusal("understudy/rehearsal/stop", {"branch": "b2"})
        assert again["data"]["code"] == "no-rehearsal"
        (folder / "saved.txt").write_text("by the user\n")
        await asyncio.wait_for(until({"b1": 2, "b2": 1, "b3": 2}, ["b1", "b3"]), SECONDS)
        process.send_signal(signal.SIGINT)
        _, said = await asyncio.to_thread(process.communicate, None, SECONDS)
    assert process.returncode == 128 + signal.SIGINT, said
    ended = {1: [signal.SIGINT], 2: [signal.SIGTERM, signal.SIGKILL], 3: [signal.SIGINT]}
    for number, by in ended.items():  # one that does not get to end in its time is killed
        words = [f"b{number} ({number} of 3) has ended with {128 + one}\n" for one in by]
        assert any(one in said.decode() for one in words), said


async def test_the_agents_of_this_machine(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_folder(tmp_path / "work", {"a.txt": "fine\n"})
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("claude", "toy-agent", "not-known"):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    users = state / "config" / "understudy" / "agents.toml"
    users.parent.mkdir(parents=True)
    users.write_text('[toy]\ntitle = "Toy"\nbinary = "toy-agent"\nfiles = []\n')
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    async with open_editor(folder, state, USER) as editor:
        told = await editor.ask("understudy/rehearsal/agents")
        assert told["why"] is None
        found = {one["name"]: one for one in told["agents"]}
        title = agent_named("claude").title
        expected = {"name": "claude", "title": title, "preset": True}
        assert found["claude"] == {**expected, "program": str(programs / "claude")}
        assert (found["toy"]["title"], found["toy"]["preset"]) == ("Toy", False)
        assert "codex" not in found
