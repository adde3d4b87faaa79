"""What calls take: one class a call, checked strictly. Agents' ones are the schemas of MCP's tools.

The tables of docs/reference are made from these classes, and a test compares them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from understudy.faces.params.requests import MOVED, CheckBranch, RunOnBranch, doc
from understudy.values.findings import Severity
from understudy.workspace.settings import Scope

_EDIT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "kind": {"type": "string", "enum": ["write", "replace", "delete", "rename", "diff"]},
        **{name: {"type": "string"} for name in ("path", "text", "old", "new", "to")},
    },
    "required": ["kind"],
}
"""What endpoints need to be told; which field goes with which kind stands in the description."""


@dataclass(frozen=True)
class Lint:
    """Check edits on shadow copies and say what they would break; nothing is written.

    Real language servers judge the edited files and their dependents, before and after. Without any
    argument: what the folder's files introduce since this session began; use that after editing
    files yourself. `unknown` is never a pass.
    """

    edits: list[Any] | None = field(
        default=None,
        metadata=doc(
            'in order: {"kind":"write","path","text"}, '
            '{"kind":"replace","path","old","new"} (old must match once), '
            '{"kind":"delete","path"}, {"kind":"rename","path","to"}, {"kind":"diff","text"}; '
            "paths from the root"
        )
        | {"items": _EDIT},
    )
    diff: str | None = field(
        default=None, metadata=doc("a unified or git diff, or a `*** Begin Patch` block, instead")
    )
    branch: str | None = field(
        default=None,
        metadata=doc(
            "takes the edits, or is judged; else, with edits, this session's own, which keeps "
            "earlier ones"
        ),
    )
    fresh: bool = field(default=False, metadata=doc("begin a new branch, without earlier edits"))
    revision: str | None = field(
        default=None, metadata=doc("compare with a git revision, such as HEAD")
    )
    scope: Scope | None = field(default=None, metadata=doc("default affected"))
    severity: Severity | None = field(
        default=None, metadata=doc("mildest that counts (default error)")
    )
    fix: bool = field(default=False, metadata=doc("keep servers' fixes that help, as edits"))
    explain: bool = field(default=False, metadata=doc("say more of each"))
    servers: tuple[str, ...] = field(default=(), metadata=doc("only these"))
    timeout: float | None = field(default=None, metadata=doc("in s (default 60)"))


@dataclass(frozen=True)
class Run:
    """Run a command in a private copy of the folder that holds a branch's edits.

    The user's folder is untouched. The whole output is kept in a file; what comes back is its
    receipt with head and tail. The folder must be trusted by the user.
    """

    command: tuple[str, ...] = field(metadata=doc("the program and its arguments; no shell"))
    branch: str | None = field(
        default=None,
        metadata=doc("the branch to show; else this session's own, or the folder as it is"),
    )
    cwd: str = field(default=".", metadata=doc("where to run it, relative to the root"))
    env: dict[str, str] = field(
        default_factory=dict[str, str], metadata=doc("variables put over a scrubbed environment")
    )
    network: Literal["none", "host"] = field(
        default="none",
        metadata=doc(
            "none: a private loopback at most; host: the user's network, where the user allows it"
        ),
    )
    timeout: float | None = field(default=None, metadata=doc("time limit in s (default 600)"))
    keep: bool = field(
        default=False, metadata=doc("keep build products for the branch's next run with keep")
    )
    adopt: bool = field(
        default=False, metadata=doc("make what the command changed edits of the branch")
    )


CodeAction = Literal["outline", "source", "map", "affected"]


@dataclass(frozen=True)
class Code:
    """Read code by its structure; no language server is asked.

    `outline` shows what a file declares, `source` its text or one symbol's, `map` the declarations
    that a folder refers to most, `affected` the files that a change can reach, and by which names.
    """

    action: CodeAction = field(metadata=doc("what to do"))
    path: str | None = field(default=None, metadata=doc("the file, or the folder (map)"))
    lines: tuple[int, ...] = field(
        default=(), metadata=doc("first and last, from 1 (outline, source)")
    )
    symbol: str | None = field(
        default=None, metadata=doc("only this one: Class.method (outline, source)")
    )
    diff: str | None = field(
        default=None, metadata=doc("a patch; else the branch, or what has changed (affected)")
    )
    tests: bool = field(default=False, metadata=doc("only tests (affected)"))
    budget: int | None = field(default=None, metadata=doc("tokens, at most 1900"))
    branch: str | None = field(default=None, metadata=doc("else this session's own"))


_MOVED: frozenset[str] = frozenset(("outline", "source", "map"))


@dataclass(frozen=True)
class Context:
    """Look things up part by part, and call the tools of other servers.

    `read`, `tail` and `grep` show a kept output (the path that its receipt names); `search` ranks
    all that is kept, tools and skills included, by the words of `pattern` (user/ is kept for every
    workspace); `diff` shows a branch's edits. `call` calls a tool of the user's other MCP servers:
    `read` mcp/INDEX.md for names, mcp/SERVER/tools/TOOL.json for what one takes. `terminals` lists
    the user's terminals as files to read: the active one and the last command that failed are
    marked; `wait` waits until a line of one matches `pattern`, or its command has ended.
    """

    action: Literal[
        "read", "tail", "grep", "search", "diff", "terminals", "wait", "call",
        "outline", "source", "map",
    ] = field(
        metadata=doc("what to do") | {"moved_values": _MOVED}
    )  # fmt: skip
    path: str | None = field(default=None, metadata=doc("the kept output that is meant"))
    lines: tuple[int, ...] = field(default=(), metadata=doc("first and last line, from 1 (read)"))
    column: int = field(
        default=1, metadata=doc("of one line alone: begin at this character (read)")
    )
    count: int | None = field(
        default=None, metadata=doc("how many lines (tail: 40) or matches (grep: 40) to show")
    )
    pattern: str | None = field(
        default=None, metadata=doc("a regular expression (grep, wait), or words (search)")
    )
    tool: str | None = field(default=None, metadata=doc("SERVER/TOOL (call)"))
    arguments: dict[str, Any] = field(
        default_factory=dict[str, Any], metadata=doc("what the tool takes (call)")
    )
    timeout: float | None = field(
        default=None, metadata=doc("time limit in s (call: 120, wait: 60)")
    )
    branch: str | None = field(default=None, metadata=doc("of the diff; else this session's own"))
    symbol: str | None = field(default=None, metadata=MOVED)
    budget: int | None = field(default=None, metadata=MOVED)


@dataclass(frozen=True)
class BeginParams:
    """Wait until the checkpoint that this caller began with is set.

    `renewed`: the session is older than this checkpoint, and its answers have to say so.
    """

    renewed: bool = False


@dataclass(frozen=True)
class Check(CheckBranch):
    """The command line's check: also of edits that no branch keeps, and as the text it prints."""

    edits: list[Any] | None = None
    format: Literal["text", "json", "hook"] = "text"


@dataclass(frozen=True)
class Execute(RunOnBranch):
    """The command line's run, over the host's branches and the user's unsaved text.

    `edits` need no branch: they go with the run, or are a new one where it adopts. `environ` is the
    caller's, of which a stage gets what may pass; `kind` is the stage's; `patch_file` is an
    absolute path.
    """

    edits: list[Any] = field(default_factory=list[Any])
    home: tuple[str, ...] = ()
    environ: dict[str, str] = field(default_factory=dict[str, str])
    kind: Literal["overlay", "copy"] | None = None
    patch_file: str | None = None
    unfenced: bool = False
