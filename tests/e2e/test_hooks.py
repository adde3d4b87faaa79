"""`understudy check --format hook --agent NAME`: what an agent is told of its turn, and when."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder, settings_text, toy_profile, write_user_settings
from tests.e2e.warm_hosts import Hosts
from tests.support.repositories import GitRepository

_MORE = "understudy_lint has them"
_NAMES = {"gemini": {"UserPromptSubmit": "BeforeAgent", "Stop": "AfterAgent"}}


class Agent:
    """Claude Code, or another, as its hooks are: each event is a process of its own."""

    def __init__(
        self, shell: Shell, session: str = "s1", name: str = "claude", *, hears: bool = False
    ) -> None:
        self._shell = shell
        self._words = ["--agent", f"{name}+compactions" if hears else name]
        self._session = session
        self._name = name

    def tell(self, event: str, *, cwd: Path | None = None, **more: Any) -> str:
        """What the model, or the user, is told."""
        event = _NAMES.get(self._name, {}).get(event, event)
        told = {
            "session_id": self._session,
            "cwd": str(cwd or self._shell.folder),
            "hook_event_name": event,
            **more,
        }
        done = self.send(json.dumps(told))
        if not done:
            return ""
        answer = json.loads(done)
        if "systemMessage" in answer:
            return f"to the user: {answer['systemMessage']}"
        if "reason" in answer:
            return answer["reason"]
        output = answer["hookSpecificOutput"]
        assert output["hookEventName"] == event
        return output["additionalContext"]

    def send(self, data: str | bytes) -> str:
        done = self._shell("check", "--format", "hook", *self._words, stdin=data)
        assert (done.code, done.err) == (0, "")
        return done.out

    def prompt(self, text: str = "do it") -> None:
        assert self.tell("UserPromptSubmit", prompt=text) == ""

    def edited(self, path: str | Path, **more: Any) -> str:
        return self.tell("PostToolUse", tool_input={"file_path": str(path)}, **more)

    def end(self, **more: Any) -> str:
        return self.tell("Stop", **more)


@pytest.fixture
def shell(tmp_path: Path, state: Path) -> Shell:
    """A repository whose user has broken a file and not committed that."""
    write_user_settings(state, settings_text({"toy": toy_profile("well_behaved")}))
    folder = make_folder(tmp_path / "work", {f"{name}.txt": "fine\n" for name in "abc"})
    GitRepository(folder).commit()
    (folder / "c.txt").write_text("BAD of the user's\n")
    return Shell(folder, state)


@pytest.fixture
def agent(shell: Shell, hosts: Hosts) -> Agent:
    del hosts
    return Agent(shell, hears=True)


def test_a_turn(shell: Shell, agent: Agent) -> None:
    a, b = shell.folder / "a.txt", shell.folder / "b.txt"
    agent.prompt()
    assert agent.edited(a) == "", "its edit has failed, so nothing has changed"
    a.write_text("BAD one\nBAD two\nBAD three\nBAD four\n")
    told = agent.edited(a).split("\n")
    assert len(told) == 3
    assert told[0].startswith("a.txt:1:1: error ")
    assert told[2] == "2 more in this file"
    a.write_text("BAD one\n")
    b.write_text("BAD by a shell command\n")
    assert agent.edited(a).startswith("a.txt:1:1: error ")
    told = agent.end()
    assert told.startswith("[understudy] findings: 2 introduced, ")
    assert "compared with the start of this turn\n" in told
    assert all(f"{name}.txt:1:1: error" in told for name in "ab")
    assert "c.txt" not in told, "the user's own work"
    assert len(told) <= 1000
    assert agent.end(stop_hook_active=True) == "", "the same is not told twice"
    a.write_text("mended\n")
    told = agent.end(stop_hook_active=True).split("\n")
    assert told[0].startswith("[understudy] findings: 1 introduced, ")
    assert told[1:] == [
        "as before: 1, told earlier in this turn (b.txt:1); understudy_lint has them"
    ]
    b.write_text("mended\n")
    assert agent.edited(b) == ""
    assert agent.end(stop_hook_active=True) == ""


def test_a_finding_is_told_once_while_the_agent_has_it(shell: Shell, agent: Agent) -> None:
    """What did not fit was not told; what moved is the same; a compaction takes all of it away."""
    a, b = shell.folder / "a.txt", shell.folder / "b.txt"
    others = {
        "deaf": Agent(shell, "s2", "gemini"),
        "hearing": Agent(shell, "s3", "codex", hears=True),
        "set up before": Agent(shell, "s4", "codex"),
        "of no session": Agent(shell, "", hears=True),
    }
    for one in (agent, *others.values()):
        one.prompt()
    a.write_text("".join(f"BAD {number}\n" for number in range(30)))
    first = [one.end() for one in (agent, *others.values())]
    assert len(set(first)) == 1
    assert len(first[0].encode()) <= 1100
    n_told = first[0].count(": error ")
    assert f"[{2 * (30 - n_told)} more lines: understudy_lint has them]" in first[0]
    a.write_text("fine\n" + a.read_text().replace("BAD 0\n", ""))
    b.write_text("BAD new\n")
    told = agent.end()
    assert told.startswith("[understudy] findings: 30 introduced, ")
    known = [f"a.txt:{line}" for line in range(2, 7)]
    places = f"({', '.join(known)}, {n_told - 6} more)"
    assert f"\nas before: {n_told - 1}, told earlier in this turn {places}; {_MORE}\n" in told
    assert "BAD 1\n" not in told
    assert f" BAD {n_told}" in told
    for name in ("deaf", "set up before", "of no session"):
        assert "as before" not in others[name].end(), "nobody would hear that it has forgotten"
    assert agent.end() == ""
    for one in (agent, others["hearing"]):
        one.tell("PreCompact")  # it names no transcript: nothing can be kept, but this is heard
        told = one.end()
        assert "as before" not in told
        assert "a.txt:2:1: error" in told
    assert agent.end() == ""
    assert "nothing was checked: bad-event" in agent.send("{")  # it may have told of a compaction
    assert agent.end() == told
    agent.prompt("and now something else")
    (shell.folder / "d.txt").write_text("BAD\n")
    assert "as before" not in agent.end(), "another turn"


def test_a_new_finding_on_a_line_like_one_that_was_mended_is_told(
    shell: Shell, agent: Agent
) -> None:
    a = shell.folder / "a.txt"
    agent.prompt()
    a.write_text("f\nBAD\nfine\ng\nfine\n")
    assert "a.txt:2:1: error" in agent.end()
    a.write_text("f\nfine\nfine\ng\nBAD\n")
    as_before = "as before: 1, told earlier in this turn (a.txt:5); understudy_lint has them"
    assert agent.end().split("\n")[1:] == [as_before]
    assert agent.end() == ""
    a.write_text("BAD\n" * 7 + "fine\n" * 7)
    assert agent.end().count(": error ") == 6
    a.write_text("fine\n" + "BAD\n" * 6 + "fine\n" * 6 + "BAD\n")
    assert "as before: 7, told earlier in this turn (a.txt:14, a.txt:2, " in agent.end()


def test_a_place_is_named_whole_and_what_is_not_named_is_told(shell: Shell, agent: Agent) -> None:
    """What is still where it was told of may go unnamed; what is elsewhere may be another one."""
    files = [shell.folder / f"{name * 140}.txt" for name in "xyz"]
    agent.prompt()
    for file in files:
        file.write_text("BAD\n")
    assert agent.end().count(": error ") == 3
    (shell.folder / "a.txt").write_text("BAD\n")
    x, y, z = (f"{file.name}:1" for file in files)
    told = agent.end()
    assert f"\nas before: 3, told earlier in this turn ({x}, {y}, 1 more); {_MORE}\n" in told
    assert z not in told
    for file in files:
        file.write_text("fine\nBAD\n")
    told = agent.end()
    x, y, z = (f"{file.name}:2" for file in files)
    assert f"\nas before: 3, told earlier in this turn ({x}, {y}, 1 more); {_MORE}\n" in told
    assert f"\nintroduced:\n  {z}:1: error" in told


def test_a_prompt_begins_a_turn_unless_it_is_what_we_said(shell: Shell, agent: Agent) -> None:
    a = shell.folder / "a.txt"
    agent.prompt()
    a.write_text("BAD\n")
    told = agent.end()
    for text in (told, f"<hook>{told}</hook>", ""):
        agent.prompt(text)  # the client goes on by itself
        a.write_text(a.read_text() + "BAD\n")
        told = agent.end()
        assert told.startswith("[understudy] findings: "), text
    helped = agent.tell("UserPromptSubmit", prompt="look for it", agent_id="a helper of its own")
    assert helped == ""
    assert agent.end() == "", "the same as it was told"
    a.write_text(a.read_text() + "BAD\n")
    assert "as before: " in agent.end()
    agent.prompt("something else")
    assert agent.end() == "", "what stood there before"


def test_what_an_agent_began_with_outlives_its_host(
    shell: Shell, agent: Agent, hosts: Hosts
) -> None:
    agent.prompt()
    (shell.folder / "a.txt").write_text("BAD\n")
    hosts.end()
    told = agent.end()
    assert "compared with the start of this turn\n" in told
    assert "a.txt:1:1: error" in told
    assert "c.txt" not in told
    hosts.end()
    assert agent.end() == ""


def test_a_turn_that_nobody_saw_begin_is_compared_with_head(shell: Shell, agent: Agent) -> None:
    (shell.folder / "a.txt").write_text("BAD\n")
    told = agent.end()
    assert "compared with HEAD" in told
    assert "a.txt:1:1: error" in told
    assert agent.end() == "", "from here on it is known"


def test_a_file_is_judged_in_its_own_repository(shell: Shell, agent: Agent, tmp_path: Path) -> None:
    GitRepository(shell.folder).commit()
    worktree = tmp_path / "tree"
    add = ["git", "worktree", "add", "-q", str(worktree)]
    subprocess.run(add, cwd=shell.folder, check=True, capture_output=True)
    inside = shell.folder / "inside"
    inside.mkdir()
    agent.prompt()
    (worktree / "a.txt").write_text("BAD\n")
    assert agent.edited(worktree / "a.txt", cwd=inside).startswith("a.txt:1:1: error ")
    told = agent.end(cwd=inside)
    assert told.startswith(f"in {worktree}:\n[understudy] findings: 1 introduced, ")
    (shell.folder / "b.txt").write_text("BAD\n")
    assert agent.edited("../b.txt", cwd=inside).startswith("b.txt:1:1: error ")
    told = agent.end(cwd=inside)
    assert told.startswith("[understudy] findings: 1 introduced, ")
    assert "b.txt:1:1: error" in told
    assert agent.end(cwd=worktree) == ""


def test_a_turn_in_two_folders(shell: Shell, agent: Agent, state: Path, tmp_path: Path) -> None:
    """Where one of them fails, the other's findings are told; a prompt is of both."""
    other = make_folder(tmp_path / "other", {"a.txt": "fine\n"})
    GitRepository(other).commit()
    agent.prompt()
    agent.edited(other / "a.txt")
    agent.end()  # from here on the other's turn is known
    (other / "a.txt").write_text("BAD\n")
    (shell.folder / "a.txt").write_text("BAD\n")
    settings = other / "understudy.toml"
    settings.write_text("nonsense")
    told = agent.end()
    assert told.startswith("[understudy] findings: 1 introduced, ")
    assert f"\nin {other}:\nunderstudy: nothing was checked: " in told
    settings.unlink()
    told = agent.end()
    assert told.startswith(f"in {other}:\n[understudy] findings: 1 introduced, ")
    assert "a.txt:1:1: error" in told
    agent.prompt("something else")
    (other / "b.txt").write_text("BAD\n")
    assert agent.edited(other / "b.txt").startswith("b.txt:1:1: error ")
    told = agent.end()
    assert "as before" not in told, "another turn"
    assert "1 introduced" in told


def test_a_prompt_that_goes_on_begins_no_turn_in_another_folder(
    shell: Shell, agent: Agent, tmp_path: Path
) -> None:
    """It holds what was said last, which may be of one of the folders alone, or nothing at all."""
    other = make_folder(tmp_path / "other", dict.fromkeys(("a.txt", "b.txt"), "fine\n"))
    GitRepository(other).commit()
    agent.prompt()
    (other / "a.txt").write_text("BAD in the other\n")
    agent.edited(other / "a.txt")
    agent.prompt("")
    told = agent.end()
    assert told.startswith(f"in {other}:\n[understudy] findings: 1 introduced, ")
    (other / "a.txt").write_text("BAD anew\n")
    assert agent.end().startswith(f"in {other}:\n[understudy] findings: 1 introduced, ")
    (shell.folder / "a.txt").write_text("BAD\n")
    told = agent.end()
    assert told.startswith("[understudy] findings: 1 introduced, ")
    assert str(other) not in told
    agent.prompt(told)
    (other / "b.txt").write_text("BAD by a shell command\n")
    told = agent.end()
    assert told.startswith(f"in {other}:\n[understudy] findings: 2 introduced, "), told
    assert "\nas before: 1, told earlier in this turn (a.txt:1)" in told
    agent.prompt(f"<hook>{told}</hook>")
    (shell.folder / "b.txt").write_text("BAD\n")
    told = agent.end()
    assert told.startswith("[understudy] findings: 2 introduced, "), told
    assert "\nas before: 1, told earlier in this turn (a.txt:1)" in told
    (other / "understudy.toml").write_text("nonsense")
    assert "nothing was checked: " in agent.tell("UserPromptSubmit", prompt="something else")
    agent.prompt("it is asked once")


def test_two_agents_in_one_folder(shell: Shell, agent: Agent) -> None:
    other = Agent(shell, "s2")
    agent.prompt()
    (shell.folder / "a.txt").write_text("BAD\n")
    other.prompt()
    (shell.folder / "b.txt").write_text("BAD\n")
    assert "a.txt" in agent.end()
    told = other.end()
    assert "b.txt" in told
    assert "a.txt" not in told


def test_renamed_deleted_and_binary_files(shell: Shell, agent: Agent) -> None:
    folder = shell.folder
    agent.prompt()
    (folder / "a.txt").rename(folder / "d.txt")
    (folder / "b.txt").write_bytes(bytes(range(256)))
    assert agent.edited(folder / "a.txt") == ""
    assert agent.edited(folder / "b.txt") == ""
    assert agent.edited(folder) == ""
    assert agent.edited("/nowhere/at/all.txt") == ""
    (folder / "d.txt").write_text("BAD\n")
    assert agent.edited(folder / "d.txt").startswith("d.txt:1:1: error ")


def test_a_folder_that_is_no_repository(shell: Shell, agent: Agent, tmp_path: Path) -> None:
    plain = make_folder(tmp_path / "plain", {"a.txt": "fine\n"})
    assert agent.tell("UserPromptSubmit", cwd=plain, prompt="x") == ""
    (plain / "a.txt").write_text("BAD\n")
    assert "a.txt:1:1: error" in agent.end(cwd=plain)
    other = Agent(shell, "s3")
    assert other.edited(plain / "a.txt", cwd=plain) == ""
    assert other.end(cwd=plain).startswith("[understudy] UNKNOWN - NOT VERIFIED: nobody has seen")


def test_our_own_trouble_is_the_users_and_no_finding(shell: Shell, agent: Agent) -> None:
    agent.prompt()
    (shell.folder / "understudy.toml").write_text("nonsense")
    assert agent.end().startswith("to the user: understudy: nothing was checked: ")
    for data in ("", "{", "[]", b"\xff\xfe"):
        assert "bad-event" in json.loads(agent.send(data))["systemMessage"]
    assert agent.tell("SomethingNew") == ""


def test_options_that_make_no_sense(shell: Shell) -> None:
    done = shell("check", "--format", "hook", "--agent", "hal", stdin="{}")
    assert (done.code, "unknown-agent" in done.err) == (2, True)
    done = shell("check", "--agent", "claude", stdin="{}")
    assert (done.code, "conflicting-options" in done.err) == (2, True)
    done = shell("check", "--format", "hook", "--agent", "claude+prompts", stdin="{}")
    assert (done.code, "unknown-agent" in done.err) == (2, True)


def test_without_a_host_it_is_compared_with_head(shell: Shell) -> None:
    agent = Agent(shell)
    agent.prompt()
    (shell.folder / "a.txt").write_text("BAD\n")
    assert agent.edited(shell.folder / "a.txt").startswith("a.txt:1:1: error ")
    told = agent.end()
    assert "compared with HEAD" in told
    assert "a.txt:1:1: error" in told
