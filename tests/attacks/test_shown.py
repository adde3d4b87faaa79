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
from tests.e2e.folders import make_folder, settings_text, toy_profile, write_user_settings
from tests.e2e.lsp_client import open_editor

HOSTILE_NAME = "x\x1b[2K\u202e\n::error::forged ##[error]\n.txt"
PAYLOAD = f"first\nlast {ALL} BAD\r\n{LEGITIMATE}\n"


def _patch(name: str) -> str:
    return f"--- /dev/null\n+++ b/{name}.txt\n@@ -0,0 +1 @@\n+BAD {ALL}\n"


FILES: dict[str, str | bytes] = {
    "a.txt": "first\nlast\n",
    HOSTILE_NAME: "text\n",
    "bytes.txt": b" is no text\ncaf\xe9\n",
    f"m{HOSTILE_NAME}.py": f"def f(a='{ALL}'):\n    return 1\n\n\ndef g():\n    return f()\n",
    "kept.txt": f"kept {ALL} output\n",
    "n.py": "def n():\n    pass\n",
    "edits.json": json.dumps(
        [{"kind": "write", "path": path, "text": PAYLOAD} for path in ("a.txt", HOSTILE_NAME)]
    ),
    ".agents/skills/s/SKILL.md": "---\nname: s\ndescription: >\n  does\n  it\n---\nbody\n",
    ".mcp.json": json.dumps(
        {"mcpServers": {HOSTILE_NAME: {"command": HOSTILE_NAME}}}, ensure_ascii=False
    ),
    "candidates.jsonl": "".join(
        json.dumps({"id": f"{HOSTILE_NAME}{name}", "patch": _patch(name)}) + "\n" for name in "pq"
    ),
    "rows.jsonl": json.dumps(
        {
            "instance_id": HOSTILE_NAME,
            "repo": HOSTILE_NAME,
            "base_commit": "a" * 40,
            "model_patch": _patch("p"),
        }
    ),
    "mirrors.json": json.dumps({HOSTILE_NAME: f"/nowhere/{HOSTILE_NAME}"}),
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
    place = asyncio.run(_left_by_an_agent(make_folder(above / "work\x1b[2K\u202e", FILES)))
    assert in_pipe(place, "context", "put", "kept.txt").code == 0
    return place


async def _left_by_an_agent(folder: Path) -> Place:
    state = folder.parent / "state"
    away = {**toy_profile("well_behaved"), "command": ["not-there"], "files": {"*.zz": "zz"},
            "install": f"get it {HOSTILE_NAME}", "group": "away"}  # fmt: skip
    toys = {name: toy_profile(name) for name in ("forges_lines", "well_behaved")}
    write_user_settings(state, settings_text({**toys, "away": away}))
    agents = (
        f"[hal]\ntitle = {json.dumps(HOSTILE_NAME)}\n[[hal.files]]\npath = '.hal/mcp.json'\n"
        "form = 'json'\nentries = [{ at = ['servers', 'understudy'], value = {} }]\n"
    )
    (state / "config" / "understudy" / "agents.toml").write_text(agents)
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


FORGES = ("--server", "forges_lines")
COMMANDS = (
    ("Tidy up", "branches", "list"),
    ("Tidy up", "branches", "list", "--format", "json"),
    ("evil.example", "branches", "diff", "b1"),
    ("evil.example", "branches", "diff", "b1", "--format", "json"),
    ("unknown-branch", "branches", "diff", HOSTILE_NAME),
    ("forged", "check", "--edits", "edits.json"),
    ("forged", "check", "--edits", "edits.json", "--format", "json"),
    ("forged", "check", "--edits", "edits.json", "--format", "sarif"),
    ("forged", "check", "--edits", "edits.json", "--format", "github"),
    ("fix: Fix ", "check", "--edits", "edits.json", "--explain", *FORGES),
    ("fix: Fix ", "check", "--edits", "edits.json", "--fix", *FORGES),
    ("evil.example", "check", "--edits", "edits.json", "--fix", "--diff-out", "-", *FORGES),
    ("an answer is proven", "check", "--edits", "edits.json", "--trace", "/dev/stdout", *FORGES),
    ("no-such-file", "check", "--edits", f"{HOSTILE_NAME}.json"),
    ("No such option", "check", f"--{HOSTILE_NAME}"),
    ("No such command", HOSTILE_NAME),
    ("def f(a='", "outline", f"m{HOSTILE_NAME}.py", "n.py", HOSTILE_NAME),
    ("no-such-file", "outline", "n.py", f"{HOSTILE_NAME}.py"),
    ("evil.example", "map"),
    ("evil.example", "map", "--format", "json"),
    ("evil.example", "code", "outline", f"m{HOSTILE_NAME}.py"),
    ("evil.example", "code", "outline", f"m{HOSTILE_NAME}.py", "--full"),
    ("evil.example", "code", "map", "--branch", "b1"),
    ("forged", "code", "search", "f"),
    ("2 in 1 file (basedpyright)", "code", "references", "f"),
    ("function f", "code", "symbols", f"m{HOSTILE_NAME}.py"),
    ("no such name", "code", "references", HOSTILE_NAME),
    ("2 edited", "code", "affected", "--edits", "edits.json"),
    ("forged", "rank", "--jsonl", "candidates.jsonl"),
    ("forged", "rank", "--jsonl", "candidates.jsonl", "--format", "markdown"),
    ("forged", "rank", "--jsonl", "candidates.jsonl", "--format", "json"),
    ("no-such-file", "rank", f"{HOSTILE_NAME}.diff"),
    ("get it ", "servers", "list", "--all"),
    ("get it ", "servers", "show", "away"),
    ("unknown-server", "servers", "show", HOSTILE_NAME),
    ("cannot be judged", "batch", "rows.jsonl", "-o", "judged.jsonl"),
    ("no-mirror", "batch", "rows.jsonl", "-o", "none.jsonl", "--mirrors", "mirrors.json"),
    ("hal ", "setup", "--list"),
    ("--- ", "setup", "claude", "--dry-run"),
    ("unknown-agent", "setup", HOSTILE_NAME, "--dry-run"),
    ("now trusted", "trust"),
    ("work", "trust", "--list"),
    ("state folder", "doctor"),
    ("return f()", "context", "put", f"m{HOSTILE_NAME}.py"),
    ("forged", "context", "get", HOSTILE_NAME),
    ("bad-log-name", "context", "log", HOSTILE_NAME),
    ("kept ", "context", "search", "--grep", "output"),
    ("does it", "context", "skills", "--trust"),
    ("a server's name has", "context", "mcp", "list"),
    ("no terminals", "terminals", "list"),
    ("unknown-terminal", "terminals", "read", HOSTILE_NAME),
    ("forged", "run", "--diff-out", "out.diff", "--", "touch", HOSTILE_NAME + "2"),
    ("unknown-branch", "run", "--branch", HOSTILE_NAME, "--", "true"),
    ("command-not-found", "rehearse", "--", HOSTILE_NAME),
)
"""What is to be seen behind or beside the hostile text, and the command that shows it."""


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: re.sub(r"\W+", "-", " ".join(row[1:])))
def test_no_command_hands_it_to_a_terminal(place: Place, row: tuple[str, ...]) -> None:
    seen, *command = row
    told = on_terminal(place, *(place.branch if word == "b1" else word for word in command))
    assert seen in told.text
    assert HOSTILE_NAME not in command or "forged" in told.text
    _assert_harmless(told.text)


def test_what_a_rehearsed_program_names_and_writes_is_shown(place: Place) -> None:
    wrote = on_terminal(
        place, "rehearse", "--", "sh", "-c", 'cp edits.json "$0"', HOSTILE_NAME + "3"
    )
    assert wrote.code == 0
    (branch,) = re.findall(r"(b\d+) holds 1 file", wrote.text)
    for command in (("list",), ("diff", branch)):
        told = on_terminal(place, "branches", *command)
        assert "forged ##[error]" in told.text.replace("\\x23", "#")
        _assert_harmless(told.text)
    _assert_harmless(wrote.text)


def _assert_harmless(text: str) -> None:
    assert "Traceback" not in text
    assert steering(text) == []
    assert not any(re.match(r"\s*::error::forged", line) for line in text.split("\n"))


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
