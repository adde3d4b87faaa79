"""`understudy check --fix` and the `fix` of an agent's tool: what is handed over, and where."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.contract import assert_check
from tests.e2e.folders import make_folder, settings_text, toy_profile, write_user_settings
from tests.e2e.mcp_agent import open_agent
from tests.support.workspace import state_of

BAD = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,3 @@\n-one\n+BAD plain\n+two\n+BAD hopeless\n"
GOOD = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+BAD plain\n"
MENDED = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+good\n"


def branch_of(text: str) -> str:
    found = re.search(r"^branch (b\d+) holds", text, re.MULTILINE)
    assert found is not None, text
    return found[1]


@pytest.fixture
def toys(tmp_path: Path, state: Path) -> Shell:
    """A shell in a folder whose only server is the toy that mends."""
    folder = make_folder(tmp_path / "folder", {"a.txt": "one\n", "b.txt": "b\n"})
    write_user_settings(state, settings_text({"toy": toy_profile("mends")}))
    return Shell(folder, state)


@pytest.mark.parametrize("without_host", [(), ("--no-host",)])
def test_the_patch_comes_alone_on_standard_output(toys: Shell, without_host: tuple[str]) -> None:
    before = state_of(toys.folder)
    done = toys("check", "-", "--fix", "--diff-out", "-", *without_host, stdin=GOOD)
    assert (done.code, done.out) == (0, MENDED)
    assert "clean: 0 introduced" in done.err
    assert "    fix: plain\n" in done.err
    assert state_of(toys.folder) == before


def test_what_is_left_of_a_patch(toys: Shell) -> None:
    done = toys("check", "-", "--fix", "--format", "json", stdin=BAD)
    assert done.code == 1
    assert_check(done.json)
    mended = done.json["mended"]
    assert [(one["title"], one["kept"], one["why"]) for one in mended["fixes"]] == [
        ("plain", True, None)
    ]
    assert (mended["without_fix"], mended["ended"]) == (1, "done")
    assert "+good\n" in mended["patch"]


def test_the_whole_is_mended_away(toys: Shell) -> None:
    """A fix that undoes the edit leaves an empty patch."""
    (toys.folder / "a.txt").write_text("good\n")
    patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-good\n+BAD plain\n"
    done = toys("check", "-", "--fix", "--diff-out", "-", stdin=patch)
    assert (done.code, done.out) == (0, "")


def test_the_working_tree_is_mended_by_a_patch_that_applies(toys: Shell) -> None:
    def git(*arguments: str, stdin: str = "") -> None:
        own = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        subprocess.run(["git", *own, *arguments], cwd=toys.folder, input=stdin.encode(), check=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "first")
    (toys.folder / "a.txt").write_text("BAD plain\n")
    place = toys.folder.parent / "mended.patch"
    done = toys("check", "--fix", "--diff-out", place)
    assert done.code == 0
    assert (toys.folder / "a.txt").read_text() == "BAD plain\n"
    git("apply", "-", stdin=place.read_text())
    assert (toys.folder / "a.txt").read_text() == "good\n"
    assert toys("check").code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("--only", "E1"),
        ("--until-clean",),
        ("--unsafe",),
        ("--diff-out", "-"),
        ("--fix", "--diff-out", "nowhere/out.patch"),
    ],
)
def test_options_that_cannot_be_used(toys: Shell, arguments: tuple[str, ...]) -> None:
    before = state_of(toys.folder)
    done = toys("check", "-", *arguments, stdin=GOOD)
    assert done.code == (4 if "--fix" in arguments else 2)
    assert done.out == ""
    assert "cannot-write" in done.err or "go with --fix" in done.err
    assert state_of(toys.folder) == before


def test_an_empty_code_is_refused(toys: Shell) -> None:
    done = toys("check", "-", "--fix", "--only", "E1", "--only", "", stdin=GOOD)
    told = "understudy: bad-params: only: name the code of a finding; this one is empty\n"
    assert (done.code, done.out, done.err) == (2, "", told)


def test_what_nobody_could_attribute_is_not_tried(toys: Shell, state: Path) -> None:
    unproven = {**toy_profile("mends"), "files": {"*.txt": "plaintext", "*.md": "markdown"}}
    write_user_settings(state, settings_text({"toy": unproven}))  # its silence says nothing
    done = toys("check", "-", "--fix", stdin=BAD)
    told = "no fix was tried for 2 findings of which nobody knows whether they were there before"
    assert told in done.out.splitlines()
    assert (done.code, ", 0 mended, " in done.out) == (3, True)


def test_a_kept_branch_takes_its_fixes(toys: Shell) -> None:
    assert toys("check", "--branch", "b7", "--fix").code == 2
    assert "conflicting-options" in toys("check", "-", "--branch", "b1", stdin=GOOD).err
    assert "conflicting-options" in toys("check", "--branch", "b1", "--no-host").err


@pytest.mark.parametrize("without_host", [(), ("--no-host",)])
def test_explained_findings(toys: Shell, without_host: tuple[str, ...]) -> None:
    done = toys("check", "-", "--explain", "--format", "json", *without_host, stdin=BAD)
    assert done.code == 1
    assert_check(done.json)
    told = [(one["finding"], one["fixes"]) for one in done.json["explanations"]]
    assert told == [(0, [{"title": "plain", "helps": True, "leaves": None}]), (1, [])]
    done = toys("check", "-", "--explain", *without_host, stdin=BAD)
    assert "    fix: plain (tried: it helps)\n" in done.out
    done = toys("check", "-", "--fix", "--explain", "--format", "json", *without_host, stdin=BAD)
    assert_check(done.json)
    assert [one["finding"] for one in done.json["explanations"]] == [0]


def test_a_server_that_cannot_be_asked_about_its_finding(toys: Shell) -> None:
    patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+BAD unasked\n"
    done = toys("check", "-", "--explain", "--format", "json", stdin=patch)
    assert_check(done.json)
    (told,) = done.json["explanations"]
    assert (done.code, told["declared"]) == (1, None)
    assert told["unknown"].startswith("it closed its output")  # and where its log is, if it stays
    done = toys("check", "-", "--explain", "--no-host", stdin=patch)
    assert "    its server was not asked: it closed its output" in done.out
    assert "log: " not in done.out, "that one is gone"


async def test_an_agent_asks_for_fixes(toys: Shell, state: Path) -> None:
    async with open_agent(state, cwd=toys.folder) as agent:
        edit = {"kind": "write", "path": "a.txt", "text": "BAD plain\n"}
        text = await agent.call("understudy_lint", edits=[edit], explain=True)
        assert "fix: plain (tried: it helps)" in text
        text = await agent.call("understudy_lint", edits=[edit], fix=True)
        assert text.startswith("clean: 0 introduced")
        assert "fix: plain" in text
        diff = await agent.call("understudy_context", action="diff", branch=branch_of(text))
        assert "+good" in diff
        (toys.folder / "b.txt").write_text("BAD plain\n")
        text = await agent.call("understudy_lint", fix=True, fresh=True)
        assert "holds the edits with these fixes" in text
        diff = await agent.call("understudy_context", action="diff", branch=branch_of(text))
        assert "-BAD plain\n+good" in diff
        assert (toys.folder / "b.txt").read_text() == "BAD plain\n"
        done = toys("check", "--branch", branch_of(text), "--format", "json")
        assert json.loads(done.out)["verdict"] == "clean"
