"""The protocol's method names and error numbers, each written once."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

INITIALIZE = "initialize"
INITIALIZED = "initialized"
SHUTDOWN = "shutdown"
EXIT = "exit"
CANCEL_REQUEST = "$/cancelRequest"
PROGRESS = "$/progress"

DID_OPEN = "textDocument/didOpen"
DID_CHANGE = "textDocument/didChange"
DID_CLOSE = "textDocument/didClose"
DIAGNOSTIC = "textDocument/diagnostic"
CODE_ACTION = "textDocument/codeAction"
PUBLISH_DIAGNOSTICS = "textDocument/publishDiagnostics"

CONFIGURATION = "workspace/configuration"
DID_CHANGE_CONFIGURATION = "workspace/didChangeConfiguration"
DID_CHANGE_WATCHED_FILES = "workspace/didChangeWatchedFiles"
WORKSPACE_FOLDERS = "workspace/workspaceFolders"
EXECUTE_COMMAND = "workspace/executeCommand"
APPLY_EDIT = "workspace/applyEdit"

REGISTER_CAPABILITY = "client/registerCapability"
UNREGISTER_CAPABILITY = "client/unregisterCapability"
LOG_MESSAGE = "window/logMessage"
SHOW_MESSAGE = "window/showMessage"

VSCODE_CONTENT = "vscode/content"
"""The VS Code JSON server asks its client for the text of a schema."""

ESLINT_STATUS = "eslint/status"
"""Tells after each validation how it went: 1 is well."""

CONTENT_MODIFIED = -32801
SERVER_CANCELLED = -32802
REQUEST_FAILED = -32803

_BY_NAME = (
    *("codeAction", "completion", "declaration", "definition", "documentHighlight"),
    *("documentSymbol", "foldingRange", "hover", "implementation", "inlayHint", "references"),
    *("rename", "selectionRange", "signatureHelp", "typeDefinition"),
)
_CALLS = ("callHierarchyProvider",)
PROVIDERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **{f"textDocument/{name}": (f"{name}Provider",) for name in _BY_NAME},
        "textDocument/formatting": ("documentFormattingProvider",),
        "textDocument/rangeFormatting": ("documentRangeFormattingProvider",),
        "textDocument/prepareRename": ("renameProvider", "prepareProvider"),
        "textDocument/prepareCallHierarchy": _CALLS,
        "callHierarchy/incomingCalls": _CALLS,
        "callHierarchy/outgoingCalls": _CALLS,
        "workspace/symbol": ("workspaceSymbolProvider",),
        "workspace/willRenameFiles": ("workspace", "fileOperations", "willRename"),
    }
)
"""Where a server's capabilities say that it knows a method; of others they say nothing."""
