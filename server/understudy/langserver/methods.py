"""The protocol's method names and error numbers, each written once."""

from __future__ import annotations

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
