"""The command line's doors: four panels, and old names that work as before but are not listed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder
from understudy.faces.cli.main import COMMANDS, PANELS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "surface.md"

RENAMED = [
    (["outline"], ["code", "outline"], ["shapes.py"]),
    (["outline"], ["code", "outline"], ["shapes.py", "--symbol", "Shape.area", "--full"]),
    (["outline"], ["code", "outline"], ["shapes.py", "--format", "json"]),
    (["outline"], ["code", "outline"], ["missing.py"]),
    (["map"], ["code", "map"], []),
    (["map"], ["code", "map"], ["app", "--format", "json"]),
    (["map"], ["code", "map"], ["missing"]),
    (["record"], ["terminals", "record"], ["--", "sh", "-c", "echo heard; exit 3"]),
    (["record"], ["terminals", "record"], ["--", "no-such-command"]),
    (["record"], ["terminals", "record"], ["--unheard-of"]),
    (["context", "mcp"], ["tools"], ["list"]),
    (["context", "mcp"], ["tools"], ["list", "--format", "json"]),
    (["context", "mcp"], ["tools"], ["sync", "nobody"]),
    (["context", "mcp"], ["tools"], ["allow", "nobody"]),
    (["context", "mcp"], ["tools"], ["call", "nobody/tool", "{}"]),
    (["context", "mcp"], ["tools"], ["call", "nobody/tool", "no json"]),
]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    files: dict[str, str | bytes] = {
        "shapes.py": "class Shape:\n    def area(self) -> float:\n        return 1.0\n",
        "app/main.py": "from shapes import Shape\n\n\ndef run() -> None:\n    Shape().area()\n",
    }
    return Shell(make_folder(tmp_path / "work", files), tmp_path / "state")


def listed(text: str) -> dict[str, list[str]]:
    """Heading -> commands, as a help lists them."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if re.fullmatch(r"\w[\w ]*:", line):
            found[line[:-1]] = []
        elif found and re.match(r"  \w", line):
            found[list(found)[-1]].append(line.split()[0])
    return found


def test_the_help_has_the_panels_and_nothing_else(shell: Shell) -> None:
    panels = listed(shell("--help").out)
    assert "Options" in panels
    del panels["Options"]
    assert panels == {
        "Begin": ["setup", "doctor", "trust"],
        "Every day": ["check", "run", "rank", "branches", "rehearse"],
        "Read": ["code", "terminals"],
        "Build with it": ["lsp", "mcp", "batch", "context", "tools", "servers"],
    }
    assert panels == {panel: list(doors) for panel, doors in PANELS.items()}


def test_no_line_of_the_help_is_cut_off(shell: Shell) -> None:
    assert "..." not in shell("--help").out.replace("[ARGS]...", "")


def test_the_page_has_the_same_panels() -> None:
    rows = re.findall(
        r"^\| (\w[\w ]*) \| (`.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    there = {
        panel: re.findall(r"`(\w+)`", re.sub(r"\[.*?\]|\(.*?\)", "", text)) for panel, text in rows
    }
    assert {panel: there.get(panel) for panel in PANELS} == {
        panel: list(doors) for panel, doors in PANELS.items()
    }


@pytest.mark.parametrize(("old", "new", "rest"), RENAMED, ids=lambda words: " ".join(words))
def test_an_old_name_works_as_the_new_one(
    shell: Shell, old: list[str], new: list[str], rest: list[str]
) -> None:
    was, now = shell(*old, *rest), shell(*new, *rest)
    assert was.code == now.code
    assert was.out == now.out
    assert was.err.replace(" ".join(old), " ".join(new)) == now.err


@pytest.mark.parametrize(("old", "new"), {(tuple(old), tuple(new)) for old, new, _ in RENAMED})
def test_an_old_name_has_a_help_of_its_own_that_no_help_lists(
    shell: Shell, old: tuple[str, ...], new: tuple[str, ...]
) -> None:
    was, now = shell(*old, "--help"), shell(*new, "--help")
    assert was.code == now.code == 0
    assert was.out.split("\n", 1)[1] == now.out.split("\n", 1)[1]
    above = listed(shell(*old[:-1], "--help").out)
    assert all(old[-1] not in commands for commands in above.values())


def test_every_command_of_a_panel_and_every_old_name_is_there() -> None:
    doors = {name for panel in PANELS.values() for name in panel}
    assert COMMANDS.keys() - doors == {"outline", "map", "record"}
