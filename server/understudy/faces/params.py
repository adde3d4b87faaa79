"""What the custom LSP requests take: one class a request, checked strictly, documented here.

PROTOCOL.md's tables are made from these classes, and a test compares them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from understudy.app.settings import Scope
from understudy.values.findings import Severity


def _doc(text: str) -> dict[str, str]:
    return {"doc": text}


@dataclass(frozen=True)
class Nothing:
    """No parameters."""


@dataclass(frozen=True)
class CreateBranch:
    """Make a branch over the base as it is now."""

    title: str = field(default="", metadata=_doc("shown to the user; free text"))


@dataclass(frozen=True)
class EditBranch:
    """Apply a batch of edits, in order, whole or not at all."""

    branch: str = field(metadata=_doc("the branch's id"))
    edits: list[Any] = field(metadata=_doc("the edits, see Edits below"))
    ifStamp: str | None = field(  # noqa: N815 - the wire's own spelling
        default=None, metadata=_doc("apply only if the branch's stamp is this one")
    )


@dataclass(frozen=True)
class CheckBranch:
    """Compare two snapshots on real language servers and give a verdict on the difference."""

    branch: str | None = field(
        default=None, metadata=_doc("the branch after; null: the base itself, with a checkpoint")
    )
    before: str | None = field(
        default=None, metadata=_doc("a checkpoint's id; null: the base as it is now")
    )
    scope: Scope | None = field(default=None, metadata=_doc("edited, affected or workspace"))
    severity: Severity | None = field(
        default=None, metadata=_doc("the mildest finding that counts for the verdict")
    )
    servers: tuple[str, ...] = field(default=(), metadata=_doc("ask only these servers"))
    timeout: float | None = field(default=None, metadata=_doc("time limit in s"))
    strict: bool = field(default=False, metadata=_doc("an unjudged file makes it unknown"))
    workDoneToken: str | int | None = field(  # noqa: N815 - the protocol's spelling
        default=None, metadata=_doc("where to report progress")
    )


@dataclass(frozen=True)
class NameBranch:
    """Name one branch."""

    branch: str = field(metadata=_doc("the branch's id"))


@dataclass(frozen=True)
class RebaseBranch:
    """Merge what the user has changed meanwhile into the branch."""

    branch: str = field(metadata=_doc("the branch's id"))
    resolve: dict[str, Any] = field(
        default_factory=dict[str, Any],
        metadata=_doc("conflicting path -> the text that settles it; null deletes the file"),
    )


@dataclass(frozen=True)
class ListBranches:
    """List the branches of this folder."""

    archived: bool = field(default=False, metadata=_doc("the archived ones too"))


@dataclass(frozen=True)
class RequestOnBranch:
    """Forward an LSP request to a language server that sees the branch."""

    branch: str = field(metadata=_doc("the branch's id"))
    method: str = field(metadata=_doc("one of the allowed methods below"))
    params: dict[str, Any] = field(metadata=_doc("its params, as the LSP has them"))
    server: str | None = field(default=None, metadata=_doc("the server; null: the types group's"))
    timeout: float | None = field(default=None, metadata=_doc("time limit in s"))


@dataclass(frozen=True)
class SetCheckpoint:
    """Pin the base, to compare with later; or drop a checkpoint."""

    title: str = field(default="", metadata=_doc("shown to the user; free text"))
    drop: str | None = field(default=None, metadata=_doc("the id of a checkpoint to drop instead"))
