"""Puts every setting into the extension's manifest, package.json, from where it is defined.

    python -m tools.manifest           exit code 1 and a word if the manifest is not up to date
    python -m tools.manifest --write   bring it up to date

The server's settings come from `app/settings.py`, those of the editor's side from
`client-vscode/settings.json`. The version is the server's.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from understudy import __version__
from understudy.app.settings import GUARDED, PERSONAL, Settings
from understudy.faces.json_schema import schema_of

ROOT = Path(__file__).resolve().parent.parent
MANIFEST = ROOT / "package.json"
EDITOR_SETTINGS = ROOT / "client-vscode" / "settings.json"
_RESTRICTED_SCOPES = ("machine-overridable", "machine")


def filled(manifest: dict[str, Any]) -> dict[str, Any]:
    """The manifest with the settings and the version of now."""
    editor: dict[str, Any] = json.loads(EDITOR_SETTINGS.read_text(encoding="utf-8"))
    groups = [
        {"id": "understudy", "title": "Understudy", "order": 1, "properties": _sorted(editor)},
        {"id": "understudy.server", "title": "Checks", "order": 2, "properties": _servers()},
    ]
    settings = {name: entry for group in groups for name, entry in group["properties"].items()}
    restricted = [n for n, entry in settings.items() if entry["scope"] in _RESTRICTED_SCOPES]
    made = json.loads(json.dumps({**manifest, "version": __version__}))
    made["contributes"]["configuration"] = groups
    made["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"] = sorted(restricted)
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
        doc = entry.pop("description")
        typed = (
            {"type": "object", "default": {}} if "type" not in entry and "enum" not in entry else {}
        )
        scope = "machine-overridable" if name in GUARDED else "resource"
        scope = "machine" if name in PERSONAL else scope
        made[f"understudy.{_camel(name)}"] = {
            **typed,
            **_plain({"default": None, **entry}),
            "scope": scope,
            "description": doc[0].upper() + doc[1:] + ".",
        }
    return _sorted(made)


def _plain(entry: dict[str, Any]) -> dict[str, Any]:
    """60 instead of 60.0, as JSON does not tell them apart; no default where there is none."""
    default = entry["default"]
    if isinstance(default, float) and default.is_integer():
        return {**entry, "default": int(default)}
    return {k: v for k, v in entry.items() if k != "default"} if "type" not in entry else entry


def _sorted(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: settings[name] for name in sorted(settings)}


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


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
