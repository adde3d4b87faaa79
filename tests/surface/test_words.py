"""What everybody reads uses seven words; those of the inside belong to the reference."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from understudy.faces.cli.main import COMMANDS, PANELS, command_line

ROOT = Path(__file__).resolve().parents[2]
INSIDE = ("base", "stamp", "stage", "lease", "receipt", "tier", "kit", "proof")
FARTHER_INSIDE = (
    "generation", "snapshot", "checkpoint", "unattributed", "unjudged", "out of reach", "onlooker",
    "blast radius", "freshness rule", "face", "verb", "journal", "grade",
)  # fmt: skip
"""Words of the glossary that name parts of the inside, and that no page for everybody needs."""
WORDS = ("branch", "check", "clean", "findings", "unknown", "run", "accept")
FORBIDDEN = re.compile(
    rf"\b(?:(?:{'|'.join((*INSIDE, *FARTHER_INSIDE))})(?:s|d|ed)?)\b", re.IGNORECASE
)
NAME = re.compile(r"--[a-z-]+(?:[ =]\S+)?|```.*?```|`[^`]*`|\$\w+|[\w.-]*/[\w./$-]+", re.DOTALL)
"""Options, commands and paths: these are names, and stay."""


def texts_of(command: Any, name: str) -> Iterator[tuple[str, str]]:
    """Where a help text stands, and what it says, of a command and those below."""
    yield name, command.help or ""
    for parameter in command.params:
        said = f"{getattr(parameter, 'help', None) or ''} {parameter.metavar or ''}"
        yield f"{name} {parameter.opts[0]}", said
    for below in getattr(command, "commands", {}).values():
        yield from texts_of(below, f"{name} {below.name}")


def documents() -> Iterator[tuple[str, str]]:
    walkthrough = sorted((ROOT / "client-vscode" / "media" / "walkthrough").glob("*.md"))
    pages = sorted(
        page for room in ("tutorial", "how-to") for page in (ROOT / "docs" / room).glob("*.md")
    )
    for path in (ROOT / "README.md", ROOT / "client-vscode" / "README.md", *walkthrough, *pages):
        yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
    contributed = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["contributes"]
    for key in ("walkthroughs", "viewsWelcome"):
        yield f"package.json {key}", json.dumps(contributed[key], ensure_ascii=False)
    yield "the help", "\n".join(door.help for doors in PANELS.values() for door in doors.values())


HELP = dict(texts_of(get_command(command_line(COMMANDS)), "understudy"))
DOCUMENTS = dict(documents())


@pytest.mark.parametrize("text", HELP.values(), ids=HELP.keys())
def test_a_help_text_has_no_word_of_the_inside(text: str) -> None:
    assert not FORBIDDEN.findall(NAME.sub(" ", text))


@pytest.mark.parametrize("text", DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_a_page_for_everybody_has_no_word_of_the_inside(text: str) -> None:
    assert not FORBIDDEN.findall(NAME.sub(" ", text))


def test_words_are_found() -> None:
    assert FORBIDDEN.findall("The base is staged, with a receipt; onlookers") == [
        *("base", "staged", "receipt", "onlookers"),
    ]
    assert not FORBIDDEN.findall(NAME.sub(" ", "`understudy check --base main`, basedpyright"))


def test_both_lists_are_the_glossarys() -> None:
    page = (ROOT / "docs" / "reference" / "glossary.md").read_text(encoding="utf-8")
    daily, inside = page.split("## For the reference", 1)
    assert tuple(re.findall(r"^\| (\w+) \|", daily, re.MULTILINE))[1:] == WORDS
    assert {*INSIDE, *FARTHER_INSIDE} <= set(re.findall(r"^\| ([\w ]+) \|", inside, re.MULTILINE))


def test_the_page_has_both_lists() -> None:
    page = (ROOT / "docs" / "reference" / "surface.md").read_text(encoding="utf-8")
    assert ", ".join(WORDS) in page
    assert ", ".join(INSIDE) in page
