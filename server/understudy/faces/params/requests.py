"""What the custom LSP requests take: one class a request, checked strictly, documented here.

The tables of docs/reference are made from these classes, and a test compares them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any, Literal

from understudy.values.findings import Severity
from understudy.values.frozen import frozen
from understudy.workspace.settings import Scope

MOVED: Mapping[str, Any] = MappingProxyType({"doc": "moved", "moved": True})
"""The metadata of a field that is still taken, but now has its place elsewhere: nobody is told."""


def doc(text: str) -> dict[str, str]:
    """The sentence about a field, as its metadata."""
    return {"doc": text}


@frozen
class Nothing:
    """No parameters."""


@frozen
class CreateBranch:
    """Make a branch over the base as it is now."""

    title: str = field(default="", metadata=doc("shown to the user; free text"))


@frozen
class RenameBranch:
    """Give a branch another title."""

    branch: str = field(metadata=doc("the branch's id"))
    title: str = field(metadata=doc("shown to the user; free text, empty: none"))


@frozen
class ForkBranch:
    """Make another branch with the edits that a branch has now."""

    branch: str = field(metadata=doc("the branch's id"))
    title: str | None = field(default=None, metadata=doc("of the new one; null: the branch's own"))


@frozen
class EditBranch:
    """Apply a batch of edits, in order, whole or not at all."""

    branch: str = field(metadata=doc("the branch's id"))
    edits: list[Any] = field(metadata=doc("the edits, see Edits below"))
    ifStamp: str | None = field(  # noqa: N815 - the protocol's own spelling
        default=None, metadata=doc("apply only if the branch's stamp is this one")
    )


@frozen
class TwoSnapshots:
    """Which snapshots are compared: the fields of every request that compares two."""

    branch: str | None = field(
        default=None,
        metadata=doc("the branch after; null: the base itself, with a checkpoint or revision"),
    )
    before: str | None = field(
        default=None, metadata=doc("a checkpoint's id; null: the base as it is now")
    )
    revision: str | None = field(
        default=None, metadata=doc("a git revision instead; a branch means its merge base")
    )


@frozen
class Mending:
    """What is to be mended before the verdict: the fields of every request that can."""

    fix: bool = field(
        default=False,
        metadata=doc(
            "try the servers' own fixes for what is introduced, and keep those that help; of a "
            "branch they become its edits"
        ),
    )
    only: tuple[str, ...] = field(default=(), metadata=doc("mend only findings with these codes"))
    untilClean: bool = field(  # noqa: N815 - the protocol's own spelling
        default=False, metadata=doc("begin again with what is left, until nothing gains any more")
    )
    unsafe: bool = field(
        default=False, metadata=doc("try fixes, too, that their servers do not vouch for")
    )


@frozen
class CheckBranch(Mending, TwoSnapshots):
    """Compare two snapshots on real language servers and give a verdict on the difference."""

    scope: Scope | None = field(default=None, metadata=doc("edited, affected or workspace"))
    severity: Severity | None = field(
        default=None, metadata=doc("the mildest finding that counts for the verdict")
    )
    servers: tuple[str, ...] = field(default=(), metadata=doc("ask only these servers"))
    timeout: float | None = field(default=None, metadata=doc("time limit in s"))
    strict: bool = field(default=False, metadata=doc("an unjudged file makes it unknown"))
    explain: bool = field(
        default=False,
        metadata=doc("say what servers know of each introduced finding, and try their fixes"),
    )
    workDoneToken: str | int | None = field(  # noqa: N815 - the protocol's spelling
        default=None, metadata=doc("where to report progress")
    )
    partialResultToken: str | int | None = field(  # noqa: N815 - the protocol's spelling
        default=None, metadata=doc("where to send what the files nearest to the edit bring")
    )


@frozen
class TraceChecks:
    """Say how the last checks have judged: who was asked, shown what, and said what."""

    branch: str | None = field(
        default=None, metadata=doc("only the last one of this branch; null: the latest of all")
    )


@frozen
class RunOnBranch:
    """Run a command on a stage that shows a branch, and answer with its receipt."""

    command: tuple[str, ...] = field(metadata=doc("the program and its arguments; no shell"))
    branch: str | None = field(default=None, metadata=doc("the branch's id; null: the base"))
    cwd: str = field(default=".", metadata=doc("where to run it, relative to the root"))
    env: dict[str, str] = field(
        default_factory=dict[str, str], metadata=doc("variables put over a scrubbed environment")
    )
    network: Literal["none", "host"] = field(
        default="none", metadata=doc("none: a private loopback at most; host: the user's network")
    )
    timeout: float | None = field(default=None, metadata=doc("time limit in s; null: 600"))
    memory: int | None = field(
        default=None, metadata=doc("most memory in MiB; null: three quarters of the machine's")
    )
    processes: int | None = field(default=None, metadata=doc("most processes; null: 4096"))
    disk: int | None = field(default=None, metadata=doc("most that is written, in MiB; null: 2048"))
    stage: str | None = field(
        default=None, metadata=doc("shares one stage with runs of this branch that name the same")
    )
    keep: bool = field(
        default=False, metadata=doc("keep build products for the branch's next run with keep")
    )
    patch: bool = field(default=False, metadata=doc("write what it changed as a git diff"))
    adopt: bool = field(default=False, metadata=doc("make what it changed edits of the branch"))
    partialResultToken: str | int | None = field(  # noqa: N815 - the protocol's spelling
        default=None, metadata=doc("where to send the output as it comes")
    )


@frozen
class NameBranch:
    """Name one branch."""

    branch: str = field(metadata=doc("the branch's id"))


@frozen
class AcceptFiles(NameBranch):
    """Write edits of a branch into the folder."""

    paths: tuple[str, ...] = field(
        default=(), metadata=doc("whole files; without any, all but those that run something")
    )


@frozen
class ShowFile:
    """Give the texts of one file that a branch changes."""

    branch: str = field(metadata=doc("the branch's id"))
    path: str = field(metadata=doc("the file, relative to the root"))


@frozen
class AcceptBranch:
    """Take edits of a branch into the documents of the editor that asks."""

    branch: str = field(metadata=doc("the branch's id"))
    paths: tuple[str, ...] = field(
        default=(),
        metadata=doc(
            "whole files; without paths and hunks, everything but files that run something, see "
            "docs/reference/triggers.md"
        ),
    )
    hunks: dict[str, tuple[str, ...]] = field(
        default_factory=dict[str, tuple[str, ...]],
        metadata=doc("path -> ids of single hunks, from `understudy/branch/files`"),
    )
    confirmed: bool = field(
        default=False,
        metadata=doc("the user has agreed to the files that are created, deleted and renamed"),
    )
    ifStamp: str | None = field(  # noqa: N815 - the protocol's own spelling
        default=None, metadata=doc("accept only if the branch's stamp is this one")
    )
    timeout: float | None = field(
        default=None, metadata=doc("s to wait for the editor's answer; null: 30")
    )


@frozen
class RejectEdits:
    """Drop edits from a branch."""

    branch: str = field(metadata=doc("the branch's id"))
    paths: tuple[str, ...] = field(default=(), metadata=doc("whole files"))
    hunks: dict[str, tuple[str, ...]] = field(
        default_factory=dict[str, tuple[str, ...]], metadata=doc("path -> ids of single hunks")
    )
    ifStamp: str | None = field(  # noqa: N815 - the protocol's own spelling
        default=None, metadata=doc("reject only if the branch's stamp is this one")
    )


@frozen
class RebaseBranch:
    """Merge what the user has changed meanwhile into the branch."""

    branch: str = field(metadata=doc("the branch's id"))
    resolve: dict[str, Any] = field(
        default_factory=dict[str, Any],
        metadata=doc("conflicting path -> the text that settles it; null deletes the file"),
    )
    seen: dict[str, str] = field(
        default_factory=dict[str, str],
        metadata=doc("path -> `seen` of its conflict: settled only while both sides are so"),
    )


@frozen
class ListBranches:
    """List the branches of this folder."""

    archived: bool = field(default=False, metadata=doc("the archived ones too"))


@frozen
class RequestOnBranch:
    """Forward an LSP request to a language server that sees the branch."""

    branch: str = field(metadata=doc("the branch's id"))
    method: str = field(metadata=doc("one of the allowed methods below"))
    params: dict[str, Any] = field(metadata=doc("its params, as the LSP has them"))
    server: str | None = field(default=None, metadata=doc("the server; null: the types group's"))
    timeout: float | None = field(default=None, metadata=doc("time limit in s"))


@frozen
class ListAffected(TwoSnapshots):
    """Say which files a change can reach, by which names and over which files; asks no server."""

    edits: list[Any] | None = field(
        default=None, metadata=doc("edits that no branch keeps, instead of all of these")
    )
    tests: bool = field(default=False, metadata=doc("only tests, all that can run the change"))
    workDoneToken: str | int | None = field(  # noqa: N815 - the protocol's spelling
        default=None, metadata=doc("where to report progress")
    )


@frozen
class SetCheckpoint:
    """Pin the base, to compare with later; or drop a checkpoint."""

    title: str = field(default="", metadata=doc("shown to the user; free text"))
    drop: str | None = field(default=None, metadata=doc("the id of a checkpoint to drop instead"))


@frozen
class Examine:
    """Look at everything that a check needs here; each language server is really asked once."""


@frozen
class WatchEdits:
    """Say what edits since a checkpoint introduce, again and again."""

    action: Literal["look", "start", "restart", "stop"] = field(
        default="look",
        metadata=doc("start: unless it runs already; restart: since now, or another checkpoint"),
    )
    checkpoint: str | None = field(default=None, metadata=doc("a checkpoint's id; null: now"))


@frozen
class CallTool:
    """Call one of the tools of agents on behalf of a chat in the editor."""

    tool: str = field(metadata=doc("the tool's name, see MCP below"))
    input: dict[str, Any] = field(
        default_factory=dict[str, Any], metadata=doc("what the tool takes, without `root`")
    )
    session: str = field(
        default="",
        metadata=doc("names the chat: calls of one name share a checkpoint and a branch"),
    )
    resume: str | None = field(
        default=None,
        metadata=doc("the branch that the session had, where this server was started anew since"),
    )


@frozen
class OutlineFile:
    """Show what a file declares, within a budget of tokens; or its text."""

    path: str = field(metadata=doc("the file, relative to the root"))
    branch: str | None = field(
        default=None, metadata=doc("the branch whose text is meant; null: the user's own")
    )
    form: Literal["outline", "read", "full"] = field(
        default="outline",
        metadata=doc(
            "`read`: the text, but the outline above 3,000 lines or 100 KB; `full`: the text, of "
            "the symbol or range if one is given"
        ),
    )
    symbol: str | None = field(default=None, metadata=doc("only this one, as `Class.method`"))
    range: tuple[int, ...] | None = field(
        default=None, metadata=doc("only these lines: first and last, counted from 1")
    )
    budget: int | None = field(default=None, metadata=doc("tokens of 4 bytes; null: 8000"))
    docs: bool = field(default=False, metadata=doc("with the first line of each comment"))
    ifSha: str | None = field(  # noqa: N815 - the protocol's own spelling
        default=None, metadata=doc("refuse unless the text's SHA-256 begins like this")
    )


@frozen
class MapFolder:
    """Show the declarations of a folder that its files refer to most."""

    folder: str | None = field(default=None, metadata=doc("the folder; null: the root"))
    branch: str | None = field(
        default=None, metadata=doc("the branch whose edits count; null: the user's own text")
    )
    budget: int | None = field(default=None, metadata=doc("tokens of 4 bytes; null: 4096"))
    task: tuple[str, ...] = field(
        default=(), metadata=doc("files of the task: what they mention comes first")
    )
    workDoneToken: str | int | None = field(  # noqa: N815 - the protocol's spelling
        default=None, metadata=doc("where to report progress")
    )
