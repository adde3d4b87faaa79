"""What others wrote cannot steer a terminal, hide from its user, or forge a line of ours."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.attacks.hostile_texts import (
    ALL,
    HIDING,
    LEGITIMATE,
    in_pipe,
    on_terminal,
    steering,
)
from tests.e2e.folders import make_folder, toy_settings, write_user_settings
from tests.e2e.lsp_client import open_editor

HOSTILE_NAME = "x\x1b[2K\u202e\n::error::forged ##[error]\n.txt"
PAYLOAD = f"first\nlast {ALL} BAD\r\n{LEGITIMATE}\n"
FILES: dict[str, str | bytes] = {
    "a.txt": "first\nlast\n",
    HOSTILE_NAME: "text\n",
    "bytes.txt": b" is no text\ncaf\xe9\n",
    f"m{HOSTILE_NAME}.py": f"def f(a='{ALL}'):\n    return 1\n\n\ndef g():\n    return f()\n",
    "n.py": "def n():\n    pass\n",
    "edits.json": json.dumps(
        [{"kind": "write", "path": path, "text": PAYLOAD} for path in ("a.txt", HOSTILE_NAME)]
    ),
    ".agents/skills/s/SKILL.md": "---\nname: s\ndescription: >\n  does\n  it\n---\nbody\n",
    ".mcp.json": json.dumps({"mcpServers": {HOSTILE_NAME: {"command": HOSTILE_NAME}}}),
}
EDITS = (
    {"kind": "write", "path": "a.txt", "text": PAYLOAD},
    {"kind": "write", "path": HOSTILE_NAME, "text": PAYLOAD},
    {"kind": "replace", "path": "bytes.txt", "old": " is no text", "new": " is text"},
    *(
        {"kind": "write", "path": f"{number}.md", "text": f"first {text} last\n"}
        for number, text in enumerate(HIDING.values())
    ),
)


@dataclass(frozen=True)
class Place:
    """A folder, our state for it, and a branch that an agent left in it."""

    folder: Path
    state: Path
    branch: str


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """What an agent left: a patch that hides parts of itself on a terminal."""
    above = tmp_path_factory.mktemp("shown")
    return asyncio.run(_left_by_an_agent(make_folder(above / "work\x1b[2K\u202e", FILES)))


async def _left_by_an_agent(folder: Path) -> Place:
    state = folder.parent / "state"
    write_user_settings(state, toy_settings("forges_lines", "well_behaved"))
    async with open_editor(folder, state) as editor:
        return Place(folder, state, await editor.branch(*EDITS, title="Tidy up"))


def test_a_diff_on_a_terminal_shows_all_of_it(place: Place) -> None:
    told = on_terminal(place, "branches", "diff", place.branch)
    assert told.code == 0
    assert steering(told.text) == []
    for number, attack in enumerate(HIDING):
        shown = told.text.partition(f"+++ b/{number}.md\n")[2].split("\n")[1]
        assert re.fullmatch(r"\+first .*\\[xuU][0-9a-f]{2}.* last", shown), attack
    assert f"+{LEGITIMATE}\n" in told.text


def test_a_diff_in_a_pipe_is_what_is_accepted(tmp_path: Path) -> None:
    place = asyncio.run(_left_by_an_agent(make_folder(tmp_path / "work", FILES)))
    copy = make_folder(tmp_path / "copy", FILES)
    told = in_pipe(place, "branches", "diff", place.branch)
    assert (told.code, told.errors) == (0, "")
    applied = subprocess.run(
        ["git", "apply", "--whitespace=nowarn"], cwd=copy, check=False, timeout=60,
        input=told.text.encode("utf-8", "surrogateescape"), capture_output=True,
    )  # fmt: skip
    assert applied.returncode == 0, applied.stderr
    assert in_pipe(place, "branches", "accept", place.branch).code == 0
    assert _texts(copy) == _texts(place.folder)
    assert (place.folder / "a.txt").read_bytes() == PAYLOAD.encode()


def _texts(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


COMMANDS = (
    ("branches", "list"),
    ("branches", "list", "--format", "json"),
    ("branches", "diff", "b1", "--format", "json"),
    ("branches", "diff", HOSTILE_NAME),
    ("check", "--edits", "edits.json"),
    ("check", "--edits", "edits.json", "--format", "json"),
    ("check", "--edits", "edits.json", "--format", "sarif"),
    ("check", "--edits", "edits.json", "--format", "github"),
    ("check", "--edits", f"{HOSTILE_NAME}.json"),
    ("check", f"--{HOSTILE_NAME}"),
    (HOSTILE_NAME,),
    ("outline", f"m{HOSTILE_NAME}.py", "n.py", HOSTILE_NAME),
    ("outline", "n.py", f"{HOSTILE_NAME}.py"),
    ("map",),
    ("map", "--format", "json"),
    ("trust",),
    ("trust", "--list"),
    ("doctor",),
    ("context", "put", f"m{HOSTILE_NAME}.py"),
    ("context", "get", HOSTILE_NAME),
    ("context", "log", HOSTILE_NAME),
    ("context", "search", "--grep", "first"),
    ("context", "skills", "--trust"),
    ("context", "mcp", "list"),
    ("terminals", "list"),
    ("terminals", "read", HOSTILE_NAME),
    ("run", "--diff-out", "out.diff", "--", "touch", HOSTILE_NAME + "2"),
    ("run", "--branch", HOSTILE_NAME, "--", "true"),
)


@pytest.mark.parametrize(
    "command", COMMANDS, ids=lambda command: re.sub(r"\W+", "-", " ".join(command))
)
def test_no_command_hands_it_to_a_terminal(place: Place, command: tuple[str, ...]) -> None:
    told = on_terminal(place, *(place.branch if word == "b1" else word for word in command))
    assert "Traceback" not in told.text
    assert steering(told.text) == []
    assert not any(re.match(r"\s*::error::forged", line) for line in told.text.split("\n"))


def test_stored_outputs_are_exact_in_a_pipe_and_shown_on_a_terminal(place: Place) -> None:
    stored = in_pipe(place, "context", "put", "a.txt", "--format", "json")
    assert stored.code == 0
    data = ALL.encode() + b"\xff\x9b"
    receipt = in_pipe(place, "context", "put", "-", "--format", "json", stdin=data)
    path = json.loads(receipt.text)["path"]
    exact = in_pipe(place, "context", "get", path)
    assert exact.text.encode("utf-8", "surrogateescape") == data
    told = on_terminal(place, "context", "get", path)
    assert steering(told.text) == []
    assert "\\xff\\x9b" in told.text


def test_a_checks_reports_cannot_be_forged(place: Place) -> None:
    for form in ("text", "github"):
        told = in_pipe(place, "check", "--edits", "edits.json", "--format", form)
        assert told.code == 1, told.errors
        assert steering(told.text) == []
        for line in (*told.text.split("\n"), *told.errors.split("\n")):
            command = re.match(r"\s*::(\S+)", line)
            assert command is None or ("file=" in line and form == "github"), line
            assert "##[" not in line or line.startswith("::"), line
        assert not re.search(r"^\s*::error file=a\.py", told.text, re.M)


def test_json_says_the_same_in_escapes(place: Place) -> None:
    told = in_pipe(place, "branches", "diff", place.branch, "--format", "json")
    assert steering(told.text) == []
    assert "##[" not in told.text
    exact = in_pipe(place, "branches", "diff", place.branch)
    body = json.loads(told.text)
    assert body["diff"] == re.sub("[\ud800-\udfff]", "\ufffd", exact.text)


def test_links_of_a_sarif_message_are_no_links(place: Place) -> None:
    text = "BAD [click](https://evil.example) [a[0]](1) x[0] (y)\n"
    edits = place.state / "edits.json"
    edits.write_text(json.dumps([{"kind": "write", "path": "a.txt", "text": text}]))
    command = ("check", "--edits", edits, "--server", "well_behaved", "--format", "sarif")
    told = in_pipe(place, *command)
    (result,) = json.loads(told.text)["runs"][0]["results"]
    shown = r"BAD \[click\](https://evil.example) \[a\[0\]\](1) x\[0\] (y)"
    assert result["message"]["text"] == shown


def test_what_a_command_on_a_stage_prints_is_its_own(place: Place) -> None:
    red = "\x1b[31mred\x1b[0m"
    told = on_terminal(place, "run", "--", "printf", red)
    assert red in told.text
