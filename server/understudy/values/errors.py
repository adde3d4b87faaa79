"""The one tree of errors; every face shows `code`, `text` and `where` of it.

UnderstudyError
├── BadInput          what the caller gave cannot be used; nothing was changed (exit code 2)
│   └── Refused       the caller may not do this here: a trust, lock or ownership rule
├── Conflict          two sides changed the same lines; both are kept (exit code 1 or 2)
└── OutsideFailure    something outside us failed: a language server, the disk (exit code 4)
    └── NotPutBack    and an accept could not be taken back; the next start tries it again
"""

from __future__ import annotations

_LONGEST_PLACE = 4500
"""Characters of a place that an error shows: a path, and which edit it is of."""


class UnderstudyError(Exception):
    """Base of all our errors: a stable `code`, a sentence `text`, and `where` it happened."""

    def __init__(self, code: str, text: str, where: str | None = None) -> None:
        if where is not None and len(where) > _LONGEST_PLACE:  # it is what the caller gave
            where = f"{where[:_LONGEST_PLACE]}... ({len(where)} characters)"
        super().__init__(text if where is None else f"{where}: {text}")
        self.code = code
        self.text = text
        self.where = where

    def __reduce__(self) -> tuple[type[UnderstudyError], tuple[str, str, str | None]]:
        """Let the error cross to and from a worker process."""
        return type(self), (self.code, self.text, self.where)


class BadInput(UnderstudyError):
    """The caller's input cannot be used; the state is as it was."""


class Refused(BadInput):
    """The input is well-formed, but not allowed here (trust, lock, ownership)."""


class Conflict(UnderstudyError):
    """Two sides changed the same lines; nothing was overwritten."""


class OutsideFailure(UnderstudyError):
    """Something outside our control failed: a language server, the disk, a missing program."""


class NotPutBack(OutsideFailure):
    """An accept could be neither finished nor taken back whole; the next start tries it again."""


HOW_TO_TRUST = (
    "the user can trust it, in VS Code by `Workspaces: Manage Workspace Trust` (there the "
    "editor's word decides), elsewhere by `understudy trust`"
)
"""Ends a sentence about a folder that is not trusted."""
