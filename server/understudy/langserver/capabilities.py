"""What we tell a server that we can do."""

from __future__ import annotations

import os
from typing import Any

from understudy.langserver.spec import ServerSpec
from understudy.values.paths import uri_of

_SYMBOL_KINDS = list(range(1, 27))
_ACTION_KINDS = [
    "quickfix",
    "refactor",
    "refactor.extract",
    "refactor.inline",
    "refactor.rewrite",
    "source",
    "source.organizeImports",
    "source.fixAll",
]


def initialize_params(spec: ServerSpec, client_version: str) -> dict[str, Any]:
    """The parameters of `initialize`."""
    uri = uri_of(spec.root.path)
    return {
        # A server looks now and then whether this process still lives; on a stage there is none of
        # that number, and it would take its own end from it.
        "processId": os.getpid() if spec.staged is None else None,
        "clientInfo": {"name": "understudy", "version": client_version},
        "locale": "en",
        "rootPath": str(spec.root.path),
        "rootUri": uri,
        "workspaceFolders": [{"uri": uri, "name": spec.root.path.name}],
        "initializationOptions": spec.initialization_options or None,
        "capabilities": capabilities(pushes=spec.profile.rule in ("version", "reopen", "canary")),
    }


def capabilities(*, pushes: bool) -> dict[str, Any]:
    """Our capabilities; pushed diagnostics are wanted only where they are the evidence.

    A server that is asked anyway would compute everything twice.
    """
    text_document: dict[str, Any] = {
        "synchronization": {"didSave": True},
        "diagnostic": {"dynamicRegistration": True, "relatedDocumentSupport": False},
        **_REQUESTS,
    }
    if pushes:
        text_document["publishDiagnostics"] = {
            "versionSupport": True,
            "relatedInformation": True,
            "tagSupport": {"valueSet": [1, 2]},
            "codeDescriptionSupport": True,
        }
        del text_document["diagnostic"]
    return {
        "general": {"positionEncodings": ["utf-32", "utf-16", "utf-8"]},
        "window": {"workDoneProgress": True},
        "workspace": _WORKSPACE,
        "textDocument": text_document,
    }


_WORKSPACE: dict[str, Any] = {
    "applyEdit": True,
    "workspaceEdit": {
        "documentChanges": True,
        "resourceOperations": ["create", "rename", "delete"],
        "failureHandling": "abort",
    },
    "configuration": True,
    "workspaceFolders": True,
    "didChangeConfiguration": {"dynamicRegistration": True},
    "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
    "diagnostics": {"refreshSupport": True},
    "symbol": {"symbolKind": {"valueSet": _SYMBOL_KINDS}},
    "executeCommand": {"dynamicRegistration": True},
    "fileOperations": {"willRename": True},
}

_REQUESTS: dict[str, Any] = {
    "hover": {"contentFormat": ["markdown", "plaintext"]},
    "definition": {"linkSupport": True},
    "declaration": {"linkSupport": True},
    "typeDefinition": {"linkSupport": True},
    "implementation": {"linkSupport": True},
    "references": {},
    "documentHighlight": {},
    "documentSymbol": {
        "hierarchicalDocumentSymbolSupport": True,
        "symbolKind": {"valueSet": _SYMBOL_KINDS},
    },
    "completion": {
        "completionItem": {"snippetSupport": False, "documentationFormat": ["plaintext"]},
        "contextSupport": True,
    },
    "signatureHelp": {"signatureInformation": {"documentationFormat": ["plaintext"]}},
    "rename": {"prepareSupport": True},
    "callHierarchy": {},
    "codeAction": {
        "codeActionLiteralSupport": {"codeActionKind": {"valueSet": _ACTION_KINDS}},
        "dataSupport": True,
        "resolveSupport": {"properties": ["edit"]},
    },
    "formatting": {},
    "rangeFormatting": {},
}
