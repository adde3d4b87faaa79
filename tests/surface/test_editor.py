"""The editor's doors: few commands in an empty palette, few settings shown, all on the page."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

import pytest

from tools.manifest import ADVANCED, GROUPS
from tools.public_names import deprecated_names
from understudy.workspace.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reference" / "surface.md").read_text(encoding="utf-8")
CONTRIBUTED = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["contributes"]
SETTINGS = {n: e for g in CONTRIBUTED["configuration"] for n, e in g["properties"].items()}
MOST_COMMANDS, MOST_SETTINGS = 10, 12
FOCUS = len(CONTRIBUTED["views"]["understudy"])
"""Commands that the editor adds by itself: Focus on ... View, for each view."""

FOLDER: Mapping[str, object] = {
    "workspaceFolderCount": 1,
    "resourceScheme": "file",
    "resourceLangId": "python",
}
"""The editor's context in a folder, with a file of it open."""
NO_BRANCHES: Mapping[str, Mapping[str, object]] = {
    "new": FOLDER,
    "watched": {**FOLDER, "understudy.isWatching": True},
    "nothing open": {"workspaceFolderCount": 1},
    "no folder": {"workspaceFolderCount": 0},
}


def holds(when: str, context: Mapping[str, object]) -> bool:
    """Whether a `when` clause of the manifest holds; raises on what it does not know."""
    return all(_part_holds(part.strip(), context) for part in when.split("&&"))


def _part_holds(part: str, context: Mapping[str, object]) -> bool:
    if match := re.fullmatch(r"([\w.]+) (==|!=|>) ([\w-]+)", part):
        key, sign, wanted = match.groups()
        value = context.get(key)
        if sign == ">":
            return isinstance(value, int) and value > int(wanted)
        return (str(value) == wanted) is (sign == "==")
    match = re.fullmatch(r"(!?)([\w.]+)", part)
    assert match, part
    return match[2] != "false" and bool(context.get(match[2])) is not bool(match[1])


def in_palette(context: Mapping[str, object]) -> list[str]:
    hidden = {
        entry["command"]
        for entry in CONTRIBUTED["menus"]["commandPalette"]
        if not holds(entry["when"], context)
    }
    return [e["title"] for e in CONTRIBUTED["commands"] if e["command"] not in hidden]


@pytest.mark.parametrize("context", NO_BRANCHES.values(), ids=NO_BRANCHES.keys())
def test_the_palette_of_a_folder_without_branches_is_short(context: Mapping[str, object]) -> None:
    assert len(in_palette(context)) + FOCUS <= MOST_COMMANDS


def test_the_page_names_them() -> None:
    rows = re.findall(r"^\| ([A-Z][^|`]+) \| [^|]* \|$", PAGE, re.MULTILINE)
    assert set(in_palette(FOLDER)) <= set(rows)


def test_every_command_is_in_the_palette_or_in_a_menu() -> None:
    everything = {**FOLDER, "terminalCount": 1, "understudy.hasBranches": True}
    others = (
        {**everything, "understudy.isWatching": True, "resourceLangId": "terminal-log"},
        {**everything, "understudy.isReviewing": True, "understudy.isRehearsing": True},
        {**everything, "understudy.needsPython": True, "resourceScheme": "understudy-outline"},
    )
    shown = {title for context in (everything, *others) for title in in_palette(context)}
    menus = CONTRIBUTED["menus"]
    placed = {e["command"] for m in menus if m != "commandPalette" for e in menus[m]}
    missing = {
        e["title"]
        for e in CONTRIBUTED["commands"]
        if e["title"] not in shown and e["command"] not in placed
    }
    assert not missing


def test_context_keys_of_ours_are_set_by_the_extension() -> None:
    text = json.dumps(CONTRIBUTED["menus"])
    sources = "".join(p.read_text() for p in (ROOT / "client-vscode" / "src").rglob("*.ts"))
    named = set(re.findall(r"understudy\.(?:is|has|needs)[A-Z]\w*", text))
    known = (
        *("hasBranches", "isRehearsing", "isWatching", "needsPython", "isReviewing"),
        *("isRecordingOthers", "isTerminalOff"),
    )
    assert named == {f"understudy.{key}" for key in known}
    assert all(f'"{key}"' in sources for key in named)


def shown_settings() -> dict[str, list[str]]:
    return {
        group["title"]: [
            name.removeprefix("understudy.")
            for name, entry in group["properties"].items()
            if "markdownDeprecationMessage" not in entry
        ]
        for group in CONTRIBUTED["configuration"]
    }


def test_few_settings_are_shown_in_groups_and_the_page_has_them() -> None:
    shown = shown_settings()
    assert sum(map(len, shown.values())) <= MOST_SETTINGS
    assert shown == {title: list(names) for title, names in GROUPS.items()}
    rows = dict(re.findall(r"^\| (\w[\w ]*) \| (`\w+`(?:, `\w+`)*) \|$", PAGE, re.MULTILINE))
    assert {title: re.findall(r"`(\w+)`", rows[title]) for title in shown} == shown


def test_every_entry_of_the_table_has_a_reason_on_the_page() -> None:
    reasons = {
        re.sub(r"_(\w)", lambda match: match[1].upper(), item.name): item.metadata["advanced"]
        for item in fields(Settings)
        if "advanced" in item.metadata
    }
    on_page = dict(re.findall(r"^\| `(\w+)` \| ([^`|].*) \|$", PAGE, re.MULTILINE))
    properties = SETTINGS[ADVANCED]["properties"].keys()
    assert properties - reasons.keys() == {"problems"}, "the editor's alone"
    assert "problems" in on_page
    assert {name: on_page.get(name) for name in properties & reasons.keys()} == reasons


def test_old_names_of_entries_are_declared_as_they_were() -> None:
    entries = SETTINGS[ADVANCED]["properties"]
    olds = {name.removeprefix("editor setting: understudy.") for name in deprecated_names()}
    assert {name for name in entries if f"understudy.{name}" in SETTINGS} == olds & entries.keys()
    assert len(olds & entries.keys()) > 10
    for name in olds & entries.keys():
        entry, old = entries[name], SETTINGS[f"understudy.{name}"]
        assert f"`{name}` of `#{ADVANCED}#`" in old["markdownDeprecationMessage"]
        assert {k: old[k] for k in entry} == entry
