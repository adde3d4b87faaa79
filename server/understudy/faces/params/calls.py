"""What calls take: one class a call, checked strictly. Agents' ones are the schemas of MCP's tools.

The tables of docs/reference are made from these classes, and a test compares them.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal

from understudy.faces.params.requests import MOVED, CheckBranch, RunOnBranch, doc
from understudy.values.findings import Severity
from understudy.values.frozen import frozen
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


@frozen
class Lint:
    """Check edits and say what they would break; nothing is written.

    Servers judge the edited files and their dependents. Without any argument: what the folder's
    files introduce since this session began. `unknown` is never a pass.
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
    diff: str | None = field(default=None, metadata=doc("or a diff or `*** Begin Patch` block"))
    branch: str | None = field(
        default=None,
        metadata=doc("takes the edits, or is judged; else this session's own, with earlier ones"),
    )
    fresh: bool = field(default=False, metadata=doc("without earlier edits"))
    title: str | None = field(default=None, metadata=doc("what for"))
    candidates: tuple[str, ...] = field(
        default=(), metadata=doc("diffs or branches to rank instead")
    )
    revision: str | None = field(default=None, metadata=doc("compare with this git revision"))
    scope: Scope | None = field(default=None, metadata=doc("default affected"))
    severity: Severity | None = field(default=None, metadata=doc("default error"))
    fix: bool = field(default=False, metadata=doc("keep servers' fixes that help"))
    explain: bool = field(default=False, metadata=doc("say more"))
    servers: tuple[str, ...] = field(default=(), metadata=doc("only these"))
    timeout: float | None = field(default=None, metadata=doc("s (default 60)"))


@frozen
class Run:
    """Run a command in a private copy of the folder that holds a branch's edits.

    The output is kept; head and tail come back.
    """

    command: tuple[str, ...] = field(metadata=doc("program and arguments; no shell"))
    branch: str | None = field(
        default=None,
        metadata=doc("else this session's own, or the user's text"),
    )
    cwd: str = field(default=".", metadata=doc("relative to the root"))
    env: dict[str, str] = field(default_factory=dict[str, str], metadata=doc("variables"))
    network: Literal["none", "host"] = field(
        default="none",
        metadata=doc("host: the user's network, if allowed"),
    )
    timeout: float | None = field(default=None, metadata=doc("s (600, or 45 to be up)"))
    stage: str | None = field(
        default=None,
        metadata=doc("one copy for runs that name it; command [] ends its services"),
    )
    until: str | None = field(
        default=None,
        metadata=doc("a service, up once it prints this or :PORT listens"),
    )
    keep: bool = field(default=False, metadata=doc("keep build products"))
    adopt: bool = field(default=False, metadata=doc("its changes become the branch's"))


@frozen
class Rank:
    """The command line's ranking: `{"id", "edits"}`, `{"branch"}` or `{"id", "refused"}` each.

    `command` runs the tests, each time for at most `test_timeout` s; `environ` is as in `Execute`.
    """

    candidates: list[Any]
    scope: Scope | None = None
    severity: Severity | None = None
    servers: tuple[str, ...] = ()
    timeout: float | None = None
    command: tuple[str, ...] = ()
    test_timeout: float | None = None
    environ: dict[str, str] = field(default_factory=dict[str, str])
    by_user: bool = True


@frozen
class Reward:
    """Patches to score, a list of edits each; the rest as in `TaskTests` and `Rank`.

    `weights` are those of `Weights`, by name.
    """

    patches: list[Any]
    scope: Scope | None = None
    severity: Severity | None = None
    servers: tuple[str, ...] = ()
    timeout: float | None = None
    command: tuple[str, ...] = ()
    fail_to_pass: tuple[str, ...] = ()
    pass_to_pass: tuple[str, ...] = ()
    test_patch: list[Any] = field(default_factory=list[Any])
    test_timeout: float | None = None
    weights: dict[str, float] = field(default_factory=dict[str, float])
    environ: dict[str, str] = field(default_factory=dict[str, str])


CodeAction = Literal[
    "outline", "source", "map", "affected",
    "definition", "declaration", "type", "implementation", "references", "hover", "signature",
    "callers", "callees", "symbols", "search", "actions", "rename", "move", "act", "format",
    "imports",
]  # fmt: skip


@frozen
class Code:
    """Read code by structure, and ask language servers.

    `outline` is what a file declares, `source` its text or one symbol's, `map` what a folder
    refers to most, `affected` what a change reaches, `search` names with these letters. Others
    are about `symbol`; from `rename` on they edit the branch and say the verdict.
    """

    action: CodeAction = field(metadata=doc("what to do"))
    path: str | None = field(default=None, metadata=doc("a file, or a folder (map)"))
    lines: tuple[int, ...] = field(default=(), metadata=doc("first and last, from 1"))
    symbol: str | None = field(
        default=None, metadata=doc("a name as Class.method, or PATH:LINE:COLUMN")
    )
    to: str | None = field(default=None, metadata=doc("new name, path; title (act)"))
    revision: str | None = field(default=None, metadata=doc("as of this git revision"))
    diff: str | None = field(
        default=None, metadata=doc("a patch; else the branch or what changed (affected)")
    )
    tests: bool = field(default=False, metadata=doc("only tests (affected)"))
    budget: int | None = field(default=None, metadata=doc("tokens, at most 1900"))
    branch: str | None = field(default=None, metadata=doc("else this session's own"))


_MOVED: frozenset[str] = frozenset(("outline", "source", "map"))


@frozen
class Context:
    """Look things up; call the tools of other servers.

    `read`, `tail` and `grep` show a kept output (its receipt's path); `search` ranks all that
    is kept by the words of `pattern`; `diff` shows a branch's edits. `note` keeps a fact
    (`pattern`) on `lines` of `path`, `notes` lists all and what is stale. `call` calls a tool of
    the user's other MCP servers: `read` mcp/INDEX.md, mcp/SERVER/tools/TOOL.json for what one
    takes. `terminals` lists the user's terminals, the active one and the last failed
    command marked; `wait` waits for a line that matches `pattern`, or its end.
    """

    action: Literal[
        "read", "tail", "grep", "search", "diff", "note", "notes", "terminals", "wait", "call",
        "outline", "source", "map",
    ] = field(
        metadata=doc("what to do") | {"moved_values": _MOVED}
    )  # fmt: skip
    path: str | None = field(default=None, metadata=doc("the kept output"))
    lines: tuple[int, ...] = field(default=(), metadata=doc("first and last, from 1"))
    column: int = field(default=1, metadata=doc("from this character of one line (read)"))
    count: int | None = field(default=None, metadata=doc("lines (tail), matches (grep), else 40"))
    pattern: str | None = field(
        default=None, metadata=doc("a regular expression (grep, wait), or words (search)")
    )
    tool: str | None = field(default=None, metadata=doc("SERVER/TOOL (call)"))
    arguments: dict[str, Any] = field(
        default_factory=dict[str, Any], metadata=doc("what the tool takes (call)")
    )
    timeout: float | None = field(default=None, metadata=doc("s (call: 120, wait: 60)"))
    branch: str | None = field(default=None, metadata=doc("of the diff; else this session's own"))
    symbol: str | None = field(default=None, metadata=MOVED)
    budget: int | None = field(default=None, metadata=MOVED)


@frozen
class BeginParams:
    """Wait until the checkpoint that this caller began with is set.

    `renewed`: the session is older than this checkpoint, and its answers have to say so.
    """

    renewed: bool = False


@frozen
class ReadText:
    """A file's text as the user, or a branch, has it."""

    path: str
    branch: str | None = None


@frozen
class Report(CheckBranch):
    """A check, also of edits that no branch keeps, whose columns are counted in code points."""

    edits: list[Any] | None = None
    trace: bool = False


@frozen
class Check(Report):
    """The command line's check: as the text that it prints."""

    format: Literal["text", "json", "hook"] = "text"


@frozen
class TellTurn:
    """An event of an agent's hooks: a turn begins, a file was edited, the turn ends.

    `memory` is another word once the agent's conversation was compacted; None where nobody would
    hear of that.
    """

    session: str
    moment: Literal["prompt", "edit", "end"]
    path: str | None = None
    prompt: str | None = None
    memory: str | None = None


@frozen
class Execute(RunOnBranch):
    """The command line's run, over the host's branches and the user's unsaved text.

    `by_user`: its user has named the command, and so needs no trust (law 7).
    `hosts` are reached besides where the network is `none`.
    `edits` need no branch: they go with the run, or are a new one where it adopts. `environ` is the
    caller's, of which a stage gets what may pass; `kind` is the stage's; `patch_file` is an
    absolute path.
    """

    edits: list[Any] = field(default_factory=list[Any])
    home: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    environ: dict[str, str] = field(default_factory=dict[str, str])
    kind: Literal["overlay", "copy"] | None = None
    patch_file: str | None = None
    unfenced: bool = False
    by_user: bool = True


@frozen
class Rehearse:
    """A rehearsal of the command line begins: in a kept branch, or (None) a new one."""

    branch: str | None = None
    title: str = ""
