"""What is offered to the client: all that any server may know, as servers start with the branch.

What no server of a file knows is answered with null.
"""

from __future__ import annotations

from typing import Any

from understudy.faces.answers.hunks import CHOICES
from understudy.values.version import __version__

APPLY = "understudy.apply"
"""The command that does in the branch what a code action or a command of a server would."""


def initialize_result(*, pulls: bool, decides: bool) -> dict[str, Any]:
    """The answer to `initialize`; `pulls`: the client asks for diagnostics itself; `decides`: it
    may say what becomes of the branch's changes."""
    offered: dict[str, Any] = {
        "positionEncoding": "utf-16",
        "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": False}},
        "hoverProvider": True,
        "definitionProvider": True,
        "declarationProvider": True,
        "typeDefinitionProvider": True,
        "implementationProvider": True,
        "referencesProvider": True,
        "documentSymbolProvider": True,
        "workspaceSymbolProvider": True,
        "documentHighlightProvider": True,
        "completionProvider": {
            "resolveProvider": True,
            "triggerCharacters": [".", ":", ">", '"', "'", "/", "@", "<"],
        },
        "signatureHelpProvider": {"triggerCharacters": ["(", ","], "retriggerCharacters": [")"]},
        "codeActionProvider": True,
        "renameProvider": {"prepareProvider": True},
        "documentFormattingProvider": True,
        "documentRangeFormattingProvider": True,
        "callHierarchyProvider": True,
        "foldingRangeProvider": True,
        "selectionRangeProvider": True,
        "inlayHintProvider": True,
        "codeLensProvider": {"resolveProvider": False},
        "executeCommandProvider": {"commands": [APPLY, *(CHOICES if decides else ())]},
    }
    if pulls:
        offered["diagnosticProvider"] = {
            "identifier": "understudy",
            "interFileDependencies": True,
            "workspaceDiagnostics": False,
        }
    return {
        "capabilities": offered,
        "serverInfo": {"name": "understudy", "version": __version__},
    }
