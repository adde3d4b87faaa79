"""The editor's tools for language models, as the extension's manifest declares them.

    python tools/manifest_tools.py           print `contributes.languageModelTools`
    python tools/manifest_tools.py --write   put it into package.json

Names and what they take are the server's (`faces/calls/tools.py`); what people see stands here.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from understudy.faces.calls.tools import TOOLS, FaceTool

MANIFEST = Path(__file__).resolve().parent.parent / "package.json"
KEY = "languageModelTools"

_SHOWN: Mapping[str, Mapping[str, Any]] = {
    "understudy_lint": {
        "displayName": "Check Edits",
        "userDescription": "Judges edits on shadow copies with your language servers; "
        "your files stay as they are.",
        "icon": "$(checklist)",
        "tags": ["lint", "diagnostics", "verification"],
    },
    "understudy_run": {
        "displayName": "Run on a Private Copy",
        "userDescription": "Runs a command on a private copy of the folder that holds the AI's "
        "edits.",
        "icon": "$(play)",
        "tags": ["test", "build", "verification"],
        "when": "!understudy.cannotRun",
    },
    "understudy_context": {
        "displayName": "Look Things Up",
        "userDescription": "Kept outputs, differences, terminals and tools of other servers.",
        "icon": "$(search)",
        "tags": ["search", "terminal"],
    },
    "understudy_code": {
        "displayName": "Read Code",
        "userDescription": "Outlines and maps, what a change can reach, and what language "
        "servers know of a name.",
        "icon": "$(list-tree)",
        "tags": ["outline", "symbols", "dependents"],
    },
}
_ROOT = "the workspace folder, by its name or path; needed only where several are open"


def language_model_tools() -> list[dict[str, Any]]:
    """The value of `contributes.languageModelTools`."""
    return [_declared(tool) for tool in TOOLS]


def filled(manifest: dict[str, Any]) -> dict[str, Any]:
    """The manifest with the tools of now."""
    contributes = {**manifest["contributes"], KEY: language_model_tools()}
    return {**manifest, "contributes": contributes}


def _declared(tool: FaceTool) -> dict[str, Any]:
    schema = tool.schema
    properties = {**schema["properties"], "root": {**schema["properties"]["root"]}}
    properties["root"]["description"] = _ROOT
    shown = _SHOWN[tool.name]
    return {
        "name": tool.name,
        "toolReferenceName": tool.name.replace("_", "-"),
        **{key: shown[key] for key in ("displayName", "userDescription", "icon")},
        "canBeReferencedInPrompt": True,
        "modelDescription": tool.description.replace("\n\n", "\n"),
        "tags": ["understudy", *shown["tags"]],
        **{key: shown[key] for key in ("when",) if key in shown},
        "inputSchema": {**schema, "properties": properties},
    }


def main(arguments: list[str]) -> int:
    """Print or write; returns the exit code."""
    if arguments == ["--write"]:
        made = filled(json.loads(MANIFEST.read_text(encoding="utf-8")))
        text = json.dumps(made, indent=2, ensure_ascii=False) + "\n"
        MANIFEST.write_text(text, encoding="utf-8")
    elif not arguments:
        sys.stdout.write(json.dumps(language_model_tools(), indent=2) + "\n")
    else:
        sys.stderr.write(f"usage: {Path(__file__).name} [--write]\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
