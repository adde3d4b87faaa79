"""Puts every setting into the extension's manifest, package.json, from where it is defined.

    python -m tools.manifest           exit code 1 and a word if the manifest is not up to date
    python -m tools.manifest --write   bring it up to date

The server's settings come from `workspace/settings.py`, those of the editor's side from
`client-vscode/settings.json`. The version is the server's.

A setting that few people need is an entry of the table `understudy.advanced`. By the name that it
had at the top it is still read, and declared as deprecated: the editor shows it where it is set.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

from understudy import __version__
from understudy.faces.params.schema import schema_of
from understudy.values import toml
from understudy.workspace.settings import GUARDED, OWN_FILE, PERSONAL, Settings

ROOT = Path(__file__).resolve().parent.parent
MANIFEST = ROOT / "package.json"
OLD_NAMES = ROOT / "docs" / "reference" / "deprecated-names.toml"
EDITOR_SETTINGS = ROOT / "client-vscode" / "settings.json"
ADVANCED = "understudy.advanced"
GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Understudy": ("interpreter", "mcpServer"),
        "Checks": ("scope", "severity", "timeoutS", "maxFiles", "watch"),
        "Language Servers": ("python", "serverPath", "servers"),
        "Terminals": ("terminalRecording",),
        "Advanced": ("advanced",),
    }
)
"""The settings that the editor shows, in its order; docs/reference/surface.md has the same."""
MEANINGS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "scope": {
            "edited": "The edited files alone: fastest, and blind to what they break elsewhere.",
            "affected": "The edited files, and those that depend on them.",
            "workspace": "All files of the folder: slowest.",
        },
        "severity": {
            "error": "Errors alone; milder findings are listed and do not count.",
            "warning": "Errors and warnings.",
            "information": "Errors, warnings and what servers want to be known.",
            "hint": "Everything, suggestions of style too.",
        },
        "names": {
            "everywhere": "None that Windows takes for a device or for another file.",
            "here": "What git takes on this system.",
        },
    }
)
"""What the choices of a setting mean, as its list in the editor tells it."""
_GUARDED_SCOPE, _PERSONAL_SCOPE = "machine-overridable", "machine"


def filled(manifest: dict[str, Any]) -> dict[str, Any]:
    """The manifest with the settings and the version of now."""
    editor: dict[str, Any] = json.loads(EDITOR_SETTINGS.read_text(encoding="utf-8"))
    server = _servers()
    advanced = {name: server.pop(name) for name in _advanced_names()}
    own = {name: editor.pop(name) for name in [*editor] if name.startswith(f"{ADVANCED}.")}
    shown = {**editor, **server, ADVANCED: _table(advanced, own)}
    groups = [
        {
            "id": f"understudy.{title.split()[0].lower()}",
            "title": title,
            "order": order,
            "properties": {f"understudy.{name}": shown.pop(f"understudy.{name}") for name in names},
        }
        for order, (title, names) in enumerate(GROUPS.items(), 1)
    ]
    assert not shown, f"in no group: {', '.join(shown)}"
    old = toml.loads(OLD_NAMES.read_text(encoding="utf-8"))["editor setting"]
    groups[-1]["properties"] |= {
        name: _deprecated(name, entry) for name, entry in advanced.items() if name in old
    }
    settings = {name: entry for group in groups for name, entry in group["properties"].items()}
    made = json.loads(json.dumps({**manifest, "version": __version__}))
    made["contributes"]["configuration"] = groups
    made["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"] = sorted(
        name
        for name, entry in settings.items()
        if entry["scope"] in (_GUARDED_SCOPE, _PERSONAL_SCOPE)
    )
    return made


def text_of(manifest: dict[str, Any]) -> str:
    """As it stands in the file, and as npm writes it."""
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


def _servers() -> dict[str, Any]:
    """The server's settings; those that name programs are not taken from an untrusted workspace.

    What all workspaces share is the user's to say, never a workspace's.
    """
    made: dict[str, Any] = {}
    for name, entry in schema_of(Settings)["properties"].items():
        if name in OWN_FILE:
            continue
        doc = entry.pop("description")
        typed: dict[str, Any] = {}
        if "type" not in entry and "enum" not in entry:
            typed = {"type": "object", "default": {}}
        scope = _GUARDED_SCOPE if name in GUARDED else "resource"
        scope = _PERSONAL_SCOPE if name in PERSONAL else scope
        if "enum" in entry:
            typed["enumDescriptions"] = [MEANINGS[name][value] for value in entry["enum"]]
        made[_key(name)] = {
            **typed,
            **_plain({"default": None, **entry}),
            "scope": scope,
            "description": doc[0].upper() + doc[1:] + ".",
        }
    return made


def _advanced_names() -> list[str]:
    return [_key(item.name) for item in fields(Settings) if "advanced" in item.metadata]


def _table(entries: Mapping[str, Any], editors: Mapping[str, Any]) -> dict[str, Any]:
    """One setting that holds those; guarded as a whole, as some of them are."""
    own = (n.removeprefix("understudy.") for n, e in entries.items() if e["scope"] == "machine")
    users = " and ".join(f"`{name}`" for name in own)
    return {
        "type": "object",
        "default": {},
        "properties": {
            name.removeprefix("understudy."): {k: v for k, v in entry.items() if k != "scope"}
            for name, entry in entries.items()
        }
        | {name.removeprefix(f"{ADVANCED}."): entry for name, entry in editors.items()},
        "additionalProperties": False,
        "scope": _GUARDED_SCOPE,
        "markdownDescription": "What few people need: limits, how long things are kept, what runs "
        "see. An entry that a nearer layer has wins over the same one of your own settings; "
        f"{users} are taken from your own alone, as they are about all workspaces.",
    }


def _deprecated(name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    key = name.removeprefix("understudy.")
    return {**entry, "markdownDeprecationMessage": f"Now the entry `{key}` of `#{ADVANCED}#`."}


def _plain(entry: dict[str, Any]) -> dict[str, Any]:
    """60 instead of 60.0, as JSON does not tell them apart; no default where there is none."""
    default = entry["default"]
    if isinstance(default, float) and default.is_integer():
        return {**entry, "default": int(default)}
    return {k: v for k, v in entry.items() if k != "default"} if "type" not in entry else entry


def _key(name: str) -> str:
    return "understudy." + re.sub(r"_(\w)", lambda match: match[1].upper(), name)


def main(arguments: list[str]) -> int:
    """Write or compare; returns the exit code."""
    if arguments not in ([], ["--write"]):
        sys.stderr.write(f"usage: {Path(__file__).name} [--write]\n")
        return 2
    text = MANIFEST.read_text(encoding="utf-8")
    wanted = text_of(filled(json.loads(text)))
    if arguments and text != wanted:
        MANIFEST.write_text(wanted, encoding="utf-8")
    elif text != wanted:
        sys.stderr.write("package.json is not up to date: python -m tools.manifest --write\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
