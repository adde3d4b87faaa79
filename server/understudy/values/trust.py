"""How a user comes to trust a folder, in the words of every face."""

from __future__ import annotations

HOW_TO_TRUST = (
    "the user can trust it, in VS Code by `Workspaces: Manage Workspace Trust` (there the "
    "editor's word decides), elsewhere by `understudy trust`"
)
"""Ends a sentence about a folder that is not trusted."""
