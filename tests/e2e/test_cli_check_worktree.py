"""`understudy check` without a patch: the working tree against a revision, in every format."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command_line import SECONDS, Shell
from tests.e2e.contract import assert_check
from tests.e2e.folders import (
    DEMO_PATCH,
    UNDERSTUDY,
    child_environment,
    make_folder,
    toy_settings,
    write_user_settings,
)
from tests.support.repositories import GitRepository, git
from tests.support.servers import node, npm_packages
from tests.support.workspace import state_of

CLEAN, FINDINGS, BAD_INPUT, UNKNOWN, INTERRUPTED = 0, 1, 2, 3, 130
COMMAND = re.compile(r"::(error|warning|notice) ([^:]*)::(.*)$")


@pytest.fixture
def repository(demo: Path) -> GitRepository:
    made = GitRepository(demo)
    made.commit()
    return made


def test_the_same_answer_as_for_the_patch(shell: Shell, repository: GitRepository) -> None:
    """The patch in the working tree is the patch in a branch, seen from the other side."""
    asked = shell("check", DEMO_PATCH, "--format", "json").json
    git(shell.folder, "apply", DEMO_PATCH)
    before = state_of(shell.folder)
    done = shell("check", "--format", "json")
    assert done.code == FINDINGS
    assert done.err == "understudy: compared with HEAD\n"
    assert_check(done.json)
    for key in ("verdict", "introduced", "fixed", "remaining", "unjudged"):
        assert done.json[key] == asked[key], key
    assert state_of(shell.folder) == before


def test_nothing_differs(shell: Shell, repository: GitRepository) -> None:
    done = shell("check")
    assert done.code == CLEAN
    assert done.out.startswith("clean: 0 introduced ")


def test_deleted_and_renamed(shell: Shell, repository: GitRepository) -> None:
    """The importers are judged on both sides; what only moved has introduced nothing itself."""
    repository.git("mv", "invoices/tax.py", "invoices/taxes.py")
    done = shell("check", "--format", "json")
    assert done.code == FINDINGS
    found = {(item["path"], item["code"]) for item in done.json["introduced"]}
    assert found == {
        ("invoices/printing.py", "reportMissingImports"),
        ("invoices/totals.py", "reportMissingImports"),
    }
    assert done.json["fixed"] == []
    for name in ("printing", "totals"):
        path = shell.folder / f"invoices/{name}.py"
        path.write_text(path.read_text().replace("invoices.tax ", "invoices.taxes "))
    assert shell("check").code == CLEAN


def test_against_a_branch(shell: Shell, repository: GitRepository) -> None:
    repository.git("checkout", "-q", "-b", "topic")
    git(shell.folder, "apply", DEMO_PATCH)
    commit = repository.git("rev-parse", "HEAD").strip()
    repository.commit()
    assert shell("check").code == CLEAN, "HEAD has it too"
    done = shell("check", "--base", "main")
    assert done.code == FINDINGS
    assert done.err == (
        f"understudy: compared with {commit[:12]}, the merge base of main and HEAD\n"
    )


def test_a_root_below_the_repository(tmp_path: Path, demo: Path, state: Path) -> None:
    outer = GitRepository(tmp_path)
    outer.commit({".gitignore": "state/\n"})
    outer.git("apply", f"--directory={demo.name}", DEMO_PATCH)
    outside = make_folder(tmp_path / "elsewhere", {"broken.py": "x: int = 'no'\n"})
    done = Shell(tmp_path, state)("check", "--root", demo.name, "--format", "github")
    assert done.code == FINDINGS
    assert "broken" not in done.out
    files = {properties(line)["file"] for line in done.out.splitlines() if COMMAND.match(line)}
    assert files == {f"demo/invoices/{name}.py" for name in ("printing", "tax", "totals")}
    assert outside.is_dir()


def test_as_a_pre_commit_hook(shell: Shell, repository: GitRepository) -> None:
    """Git starts hooks with its own variables set, and holds the index's lock."""
    hook = shell.folder / ".git/hooks/pre-commit"
    hook.write_text('#!/bin/sh\nexec understudy check > "$OUT" 2>&1\n')
    hook.chmod(0o755)
    git(shell.folder, "apply", DEMO_PATCH)
    out = shell.folder.parent / "out"
    folder = shell.folder.parent / "bin"
    make_folder(folder, {"understudy": f'#!/bin/sh\nexec {" ".join(UNDERSTUDY)} "$@"\n'})
    (folder / "understudy").chmod(0o755)
    variables = child_environment(shell.state)
    variables |= {"PATH": f"{folder}{os.pathsep}{variables['PATH']}", "OUT": str(out)}
    done = subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qam", "m"],
        cwd=shell.folder, env=variables, capture_output=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == FINDINGS, (done, out.read_text())
    assert "findings: 3 introduced" in out.read_text()


BAD = [
    (("--base", "nope"), "unknown-revision: nope: "),
    (("--base", "--upload-pack=x"), "unknown-revision: --upload-pack=x: "),
    (("--base", "HEAD", "-"), "conflicting-options: HEAD: "),
    (("--base", "HEAD", "--edits", "e.json"), "conflicting-options: HEAD: "),
    (("p.diff", "--edits", "e.json"), "conflicting-options: "),
]


@pytest.mark.parametrize(("arguments", "expected"), BAD)
def test_bad_input(
    shell: Shell, repository: GitRepository, arguments: tuple[str, ...], expected: str
) -> None:
    done = shell("check", *arguments)
    assert done.code == BAD_INPUT
    assert done.err.startswith(f"understudy: {expected}")


def test_no_repository(shell: Shell) -> None:
    done = shell("check", "--format", "json")
    assert done.code == BAD_INPUT
    assert done.json["error"]["code"] == "no-repository"


def properties(line: str) -> dict[str, str]:
    """The properties of a workflow command, unescaped as GitHub's runner does."""
    match = COMMAND.match(line)
    assert match is not None, line
    pairs = (pair.partition("=") for pair in match[2].split(","))
    return {key: unescaped(value) for key, _, value in pairs} | {
        "command": match[1],
        "message": unescaped(match[3]),
    }


def unescaped(text: str) -> str:
    for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, char)
    return text


def test_github(shell: Shell) -> None:
    done = shell("check", DEMO_PATCH, "--format", "github")
    assert done.code == FINDINGS
    *commands, hints, last = done.out.splitlines()
    assert hints == "and 1 hint (--format json lists them)"
    found = [properties(line) for line in commands]
    asked = shell("check", DEMO_PATCH, "--format", "json").json
    assert [
        (one["file"], int(one["line"]) - 1, one["command"], one["message"]) for one in found
    ] == [
        (item["path"], item["range"]["start"]["line"], item["severity"], item["message"])
        for item in asked["introduced"]
        if item["severity"] != "hint"
    ]
    assert found[0]["title"] == "reportCallIssue (basedpyright)"
    assert last.startswith("understudy: findings: 3 introduced at severity error or worse")


@pytest.fixture
def toy_shell(tmp_path: Path, state: Path) -> Shell:
    write_user_settings(state, toy_settings("well_behaved"))
    return Shell(make_folder(tmp_path / "work", {"a.txt": "fine\n"}), state)


def edits_file(shell: Shell, *edits: dict[str, str]) -> Path:
    path = shell.folder.parent / "edits.json"
    path.write_text(json.dumps(edits))
    return path


def test_github_escapes(toy_shell: Shell) -> None:
    """Neither a message nor a file name can start a command of its own or end a property."""
    name = "100%,a::b.txt"
    (toy_shell.folder / "understudy.toml").write_text('names = "here"\n')
    edits = edits_file(
        toy_shell,
        {"kind": "write", "path": name, "text": "BAD %0A::error::x \x1b[1m\n"},
        {"kind": "write", "path": "##[error]y.bin", "text": "x"},
    )
    done = toy_shell("check", "--trust", "--edits", edits, "--format", "github")
    assert done.code == FINDINGS
    first, second, last = done.out.splitlines()
    assert properties(first)["file"] == name
    assert properties(first)["message"] == "BAD %0A::error::x \\x1b[1m"
    assert second.startswith("not judged")
    assert "##[" not in second
    assert last.startswith("understudy: findings: ")


def test_unknown_is_never_quiet(toy_shell: Shell) -> None:
    edits = edits_file(toy_shell, {"kind": "write", "path": "notes.md", "text": "x"})
    done = toy_shell("check", "--trust", "--edits", edits, "--format", "github")
    assert done.code == UNKNOWN
    found = [properties(line) for line in done.out.splitlines() if COMMAND.match(line)]
    assert {one["command"] for one in found} == {"warning"}
    assert found[0]["file"] == "notes.md"
    assert "no-server" in found[0]["message"]
    assert "which is not clean" in found[-1]["message"]
    run = sarif(toy_shell("check", "--edits", edits, "--format", "sarif").out)
    assert run["results"] == []
    assert run["properties"]["verdict"] == "unknown"
    (invocation,) = run["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, UNKNOWN)
    first = invocation["toolExecutionNotifications"][0]
    assert (first["descriptor"]["id"], first["level"]) == ("no-server", "error")


def schema_mistakes(text: str) -> list[str]:
    """What the official schema has against a log."""
    script = Path(__file__).parent.parent / "support" / "sarif_schema.mjs"
    done = subprocess.run(
        [node(), script, npm_packages("sarif-schema")],
        input=text, capture_output=True, text=True, timeout=SECONDS, check=True,
    )  # fmt: skip
    return done.stdout.splitlines()


def test_the_schema_sees_a_mistake() -> None:
    log = {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": 1}}}]}
    assert schema_mistakes(json.dumps(log)) == [
        '.runs[0].tool.driver.name should be string {"type":"string"}'
    ]


def sarif(text: str) -> dict[str, Any]:
    """The one run of a log that keeps to the standard."""
    assert schema_mistakes(text) == []
    log = json.loads(text)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result.get("baselineState") in ("new", "absent", None)
        (location,) = result["locations"]
        region = location["physicalLocation"]["region"]
        assert all(isinstance(number, int) and number >= 1 for number in region.values())
    return run


def test_sarif(shell: Shell, repository: GitRepository) -> None:
    git(shell.folder, "apply", DEMO_PATCH)
    repository.commit()
    git(shell.folder, "apply", "-R", DEMO_PATCH)
    run = sarif(shell("check", "--format", "sarif").out)
    assert {result["baselineState"] for result in run["results"]} == {"absent"}
    assert run["invocations"][0]["executionSuccessful"] is True
    repository.git("checkout", "-q", ".")
    run = sarif(shell("check", "--base", "HEAD~1", "--format", "sarif").out)
    assert [
        (result["ruleId"], result["locations"][0]["physicalLocation"]["region"]["startLine"])
        for result in run["results"]
        if result["baselineState"] == "new" and result["level"] == "error"
    ] == [
        ("basedpyright/reportCallIssue", 17),
        ("basedpyright/reportReturnType", 26),
        ("basedpyright/reportCallIssue", 22),
    ]


def test_sarif_addresses(toy_shell: Shell) -> None:
    names = {"with space.txt": "with%20space.txt", "r\u00e4t#1?.txt": "r%C3%A4t%231%3F.txt"}
    edits = [
        {"kind": "write", "path": name, "text": "\u00e4\u00e4 BAD \U0001f600\n"} for name in names
    ]
    done = toy_shell("check", "--edits", edits_file(toy_shell, *edits), "--format", "sarif")
    run = sarif(done.out)
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    assert {place["artifactLocation"]["uri"] for place in places} == set(names.values())
