"""`check --trace` and `doctor --report`: how it was judged, and what is handed to others of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import (
    UNDERSTUDY,
    child_environment,
    make_folder,
    settings_text,
    toy_profile,
    write_user_settings,
)
from tests.e2e.mcp_agent import open_agent
from tests.support.terminals import OnPty
from tests.support.workspace import state_of

EDIT = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n-one\n+BAD plain\n+two\n"
SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"


@pytest.fixture
def toys(tmp_path: Path, state: Path) -> Shell:
    """A shell in a folder with one server that answers, and one that is not there."""
    folder = make_folder(tmp_path / "folder", {"a.txt": "one\n", "b.txt": "b\n"})
    missing = {**toy_profile("well_behaved"), "command": ["not-there"], "install": f"get {SECRET}"}
    profiles = {"toy": toy_profile("well_behaved"), "gone": {**missing, "group": "gone"}}
    write_user_settings(state, "timeout_s = 50.0\n" + settings_text(profiles))
    return Shell(folder, state)


@pytest.mark.parametrize("without_host", [(), ("--no-host",)])
def test_how_a_check_was_judged(toys: Shell, without_host: tuple[str, ...]) -> None:
    before = state_of(toys.folder)
    place = toys.folder.parent / "trace.json"
    done = toys("check", "-", "--trace", place, *without_host, stdin=EDIT)
    assert done.code == 1, done.err
    assert "trace" not in done.out
    trace = json.loads(place.read_text())
    assert trace["subject"] == "edits"
    assert trace["edited"] == ["a.txt"]
    assert f"[stamp {trace['stamp']}]" in done.out
    servers = {one["name"]: one for one in trace["servers"]}
    assert servers["toy"]["command"]
    assert not servers["gone"]["command"]
    old, new = [one for one in trace["answers"] if one["server"] == "toy"]
    assert (old["side"], old["from"], old["bytes"], old["findings"]) == ("before", "disk", 4, [])
    assert (new["side"], new["from"], new["bytes"]) == ("after", "branch", 14)
    assert [one["line"] for one in new["findings"]] == [1]
    assert new["showing"]["generation"] == 1
    assert {one["reason"]["code"] for one in trace["answers"] if one["server"] == "gone"} == {
        "not-installed"
    }
    place = place.with_suffix(".txt")
    done = toys("check", "-", "--trace", place, *without_host, stdin=EDIT)
    text = place.read_text()
    assert text.startswith(f"{trace['verdict']} of edits in ")
    assert "  an answer is proven (rule pull) as it was asked after it had the text" in text
    assert re.search(
        r"  a\.txt after: 14 bytes of the branch, \w{12}, version \d+ to process", text
    )
    assert "    a.txt:1:1: error" in text
    assert state_of(toys.folder) == before


def test_a_trace_names_no_log_that_went_with_the_check(toys: Shell, state: Path) -> None:
    profiles = {"toy": toy_profile("well_behaved"), "bad": toy_profile("exits_at_once")}
    write_user_settings(state, settings_text(profiles))
    place = toys.folder.parent / "trace.json"
    assert toys("check", "-", "--trace", place, "--no-host", stdin=EDIT).code == 1
    answers = json.loads(place.read_text())["answers"]
    reasons = [one["reason"]["text"] for one in answers if one["server"] == "bad"]
    assert {text.rpartition("; ")[2] for text in reasons} == {"its last words: no licence"}


def test_a_trace_that_cannot_be_written_is_said_before_anything_is_asked(toys: Shell) -> None:
    done = toys("check", "-", "--trace", "nowhere/trace.txt", stdin=EDIT)
    assert (done.code, done.out) == (4, "")
    assert done.err.startswith("understudy: cannot-write: nowhere/trace.txt")


async def test_a_report_is_shown_and_written_when_that_is_agreed_to(
    toys: Shell, state: Path
) -> None:
    place = toys.folder.parent / "report.txt"
    async with open_agent(state, cwd=toys.folder) as agent:
        await agent.call("understudy_lint", diff=EDIT)
        assert toys("check", "-", stdin=EDIT).code == 1
        done = toys("doctor", "--report", place)
        assert done.code == 1  # `gone` is a problem here
        assert done.out.endswith("secrets are taken out)\nnothing is written; --yes does it\n")
        assert not place.exists()
        assert SECRET not in done.out
        assert "PROBLEM gone" in done.out
        assert "timeout_s = 50.0" in done.out
        assert re.search(r"^findings of edits in ", done.out, re.MULTILINE)
        assert re.search(r"^findings of b\d+ in ", done.out, re.MULTILINE)
        assert "a.txt after: 14 bytes of the branch" in done.out
    done = toys("doctor", "--report", place, "--yes")
    assert done.out.endswith(f"written to {place}\n")
    assert place.read_text() in done.out
    assert "[REDACTED:" in place.read_text()
    place.unlink()
    command = [*UNDERSTUDY, "doctor", "--report", str(place)]
    terminal = OnPty(command, toys.folder, child_environment(toys.state))
    terminal.wait_for(b"Write this to")
    terminal.type("y\n")
    terminal.finish()
    assert place.exists()


def test_options_of_a_report_that_cannot_be_used(toys: Shell) -> None:
    for wrong in (("--yes",), ("--report", "r.txt", "--format", "json")):
        assert toys("doctor", *wrong).code == 2
