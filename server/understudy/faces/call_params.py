"""What calls take: one class a call, checked strictly. Agents' ones are the schemas of MCP's tools.

PROTOCOL.md's tables are made from these classes, and a test compares them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from understudy.app.settings import Scope
from understudy.values.findings import Severity


def _doc(text: str) -> dict[str, str]:
    return {"doc": text}


@dataclass(frozen=True)
class Lint:
    """Rehearse edits on shadow copies and say what they would break; nothing is written.

    Real language servers judge the edited files and those that depend on them, before and after.
    Without any argument it says what the files of the folder introduce since this session began:
    use that after editing files yourself. A verdict `unknown` is never a pass.
    """

    edits: list[Any] = field(
        default_factory=list[Any],
        metadata=_doc(
            'edits to rehearse, in order: {"kind":"write","path","text"}, '
            '{"kind":"replace","path","old","new"} (old must match once), '
            '{"kind":"delete","path"}, {"kind":"rename","path","to"}, {"kind":"diff","text"}; '
            "paths relative to the root"
        ),
    )
    diff: str | None = field(
        default=None, metadata=_doc("a unified or git diff, or a `*** Begin Patch` block, instead")
    )
    branch: str | None = field(
        default=None,
        metadata=_doc(
            "the branch that takes the edits, or is judged as it is; with edits, null is this "
            "session's own, whose earlier edits are kept"
        ),
    )
    fresh: bool = field(
        default=False, metadata=_doc("begin a new branch: forget this session's earlier edits")
    )
    revision: str | None = field(
        default=None, metadata=_doc("compare with this git revision instead, such as HEAD")
    )
    scope: Scope | None = field(
        default=None, metadata=_doc("edited, affected (default) or workspace")
    )
    severity: Severity | None = field(
        default=None, metadata=_doc("the mildest finding that counts (default error)")
    )
    servers: tuple[str, ...] = field(default=(), metadata=_doc("ask only these servers"))
    timeout: float | None = field(default=None, metadata=_doc("time limit in s (default 60)"))


@dataclass(frozen=True)
class Run:
    """Run a command in a private copy of the folder that holds a branch's edits.

    The user's folder is untouched. The whole output is kept in a file; what comes back is its
    receipt with head and tail. The folder must be trusted by the user.
    """

    command: tuple[str, ...] = field(metadata=_doc("the program and its arguments; no shell"))
    branch: str | None = field(
        default=None,
        metadata=_doc("the branch to show; null: this session's own, or the folder as it is"),
    )
    cwd: str = field(default=".", metadata=_doc("where to run it, relative to the root"))
    env: dict[str, str] = field(
        default_factory=dict[str, str], metadata=_doc("variables put over a scrubbed environment")
    )
    network: Literal["none", "host"] = field(
        default="none", metadata=_doc("none: a private loopback at most; host: the user's network")
    )
    timeout: float | None = field(default=None, metadata=_doc("time limit in s (default 600)"))
    keep: bool = field(
        default=False, metadata=_doc("keep build products for the branch's next run with keep")
    )
    adopt: bool = field(
        default=False, metadata=_doc("make what the command changed edits of the branch")
    )


@dataclass(frozen=True)
class Context:
    """Look things up instead of loading them whole.

    `read`, `tail` and `grep` show parts of a kept output (the path that its receipt names);
    `outline` shows what a source file declares, `source` its text or one symbol's, `map` the
    declarations that a folder refers to most, `diff` a branch's edits.
    """

    action: Literal["read", "tail", "grep", "outline", "source", "map", "diff"] = field(
        metadata=_doc("what to do")
    )
    path: str | None = field(
        default=None, metadata=_doc("the kept output, source file or folder that is meant")
    )
    lines: tuple[int, ...] = field(
        default=(), metadata=_doc("first and last line, from 1 (read, outline, source)")
    )
    count: int | None = field(
        default=None, metadata=_doc("how many lines (tail: 40) or matches (grep: 40) to show")
    )
    pattern: str | None = field(default=None, metadata=_doc("a regular expression (grep)"))
    symbol: str | None = field(
        default=None, metadata=_doc("only this one, as Class.method (outline, source)")
    )
    branch: str | None = field(
        default=None,
        metadata=_doc("the branch whose text is meant; null: this session's own, or the folder"),
    )
    budget: int | None = field(
        default=None, metadata=_doc("tokens of 4 bytes, at most 1900 (outline, source, map)")
    )


@dataclass(frozen=True)
class Check:
    """The command line's check, over the host's session."""

    edits: list[Any]
    worktree: bool
    revision: str
    scope: Scope | None
    severity: Severity | None
    servers: tuple[str, ...]
    timeout: float | None
    strict: bool
    format: Literal["text", "json"]


@dataclass(frozen=True)
class Branches:
    """List the branches."""

    archived: bool = False


@dataclass(frozen=True)
class Branch:
    """Name a branch."""

    branch: str
