"""What the verbs answer, but for verdicts. Times are s since 1970, sizes in bytes."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Literal

from understudy.values.frozen import frozen

Json = Mapping[str, Any]


class Diff(str):
    """A git-style diff against the user's text: a `str` that also has its `conflicts`.

    A path in `conflicts` does not fit the user's text of now; its part is against the text that it
    was edited over. Bytes that are no UTF-8 are lone surrogates, as in `os.fsdecode`.
    """

    conflicts: tuple[str, ...]

    def __new__(cls, text: str, conflicts: tuple[str, ...] = ()) -> Diff:
        """A diff of this text."""
        made = super().__new__(cls, text)
        made.conflicts = conflicts
        return made


@frozen
class BranchInfo:
    """A branch in a list; `files` counts what it touches, `ended` says how it went out of use.

    `called` is its title, else the file that it changes most.
    """

    id: str
    title: str
    created: float
    used: float
    revision: int
    files: int
    archived: float | None
    ended: Literal["expired", "discarded", "accepted"] | None
    called: str = ""


@frozen
class Edited:
    """A batch that was taken: the paths that it changed, and the branch's stamp after it."""

    changed: tuple[str, ...]
    stamp: str
    revision: int


@frozen
class MergeConflict:
    """A path that both sides have changed: the text it was edited over, the branch's, the user's.

    None where there is no such file.
    """

    path: str
    reason: str
    base: str | None
    ours: str | None
    theirs: str | None


@frozen
class Rebased:
    """What a rebase has merged, and what it could not; `rebase(resolve=...)` settles that."""

    merged: tuple[str, ...]
    conflicts: tuple[MergeConflict, ...]


@frozen
class Accepted:
    """What an accept wrote into the folder and deleted there; `merged` had changed meanwhile.

    `left` stays in the branch, as it was not named and has the user's tools run something: path ->
    what it runs, and when.
    """

    written: tuple[str, ...]
    deleted: tuple[str, ...]
    merged: tuple[str, ...]
    left: Mapping[str, str]


@frozen
class Output:
    """A command's output, stdout and stderr as they came: whole in a file, its ends here.

    `redacted` counts secrets that were taken out of the file.
    """

    path: Path
    size: int
    lines: int
    left_out: int
    redacted: int
    head: str
    tail: str

    def read(self) -> str:
        """The whole, from its file; raises OSError where that was tidied away."""
        return self.path.read_text("utf-8", "replace")


@frozen
class Change:
    """A path that a command changed on its stage."""

    path: str
    kind: Literal["added", "modified", "deleted"]
    type: str
    size: int | None


@frozen
class RunResult:
    """What came of a command on a private copy of the folder.

    `status` is its exit code as a shell has it; `limit` names the limit that ended it. `patch` is
    what it changed as a git diff, where it was asked for; `adopted` are the paths that became edits
    of the branch. `text` says all of it in lines, `json` has the rest (docs/reference/run.md).
    """

    status: int
    signal: str | None
    limit: str | None
    output: Output
    changed: tuple[Change, ...]
    patch: str | None
    adopted: tuple[str, ...]
    stamp: str
    base_moved: bool
    elapsed_ms: float
    text: str
    json: Json = field(repr=False, compare=False)


@frozen
class Checkpoint:
    """The user's text, pinned at a moment; lives as long as the host.

    Files that were not pinned can be compared while they stay as they are.
    """

    id: str
    title: str
    pinned: int
    not_pinned: int


@frozen
class AffectedFile:
    """A file that a change can reach; an edited one has distance 0.

    `names` are those by which it takes what has changed, `via` the files on the way to it.
    """

    path: str
    distance: int
    names: tuple[str, ...]
    via: tuple[str, ...]


@frozen
class Outline:
    """What a file declares, or its text; `complete` says that nothing is left out."""

    path: str
    text: str
    sha: str
    language: str | None
    lines: int
    size: int
    form: str
    complete: bool


@frozen
class FolderMap:
    """The declarations that a folder refers to most; `shown` of `declarations` are in `text`."""

    text: str
    stamp: str
    files: int
    declarations: int
    shown: int


@frozen
class ServerState:
    """A language server of the host."""

    name: str
    state: str
    json: Json = field(repr=False, compare=False)


@frozen
class Status:
    """How the folder's host is doing; `version` is its Understudy's, `wire` of its requests."""

    version: str
    wire: int
    root: Path
    trusted: bool
    branches: int
    servers: tuple[ServerState, ...]


def diff_of(told: Json) -> Diff:
    """The diff of a host's answer."""
    exact = told.get("base64")
    text = told["diff"] if exact is None else b64decode(exact).decode("utf-8", "surrogateescape")
    return Diff(text, tuple(told["conflicts"]))


def branch_info_of(told: Json) -> BranchInfo:
    """A branch in a host's list."""
    return BranchInfo(
        told["branch"], told["title"], told["created"], told["used"], told["revision"],
        told["files"], told["archived"], told["ended"], told["called"],
    )  # fmt: skip


def edited_of(told: Json) -> Edited:
    """A host's acknowledgement of a batch."""
    return Edited(tuple(told["changed"]), told["stamp"], told["revision"])


def rebased_of(told: Json) -> Rebased:
    """A host's report of a rebase."""
    conflicts = tuple(
        MergeConflict(one["path"], one["reason"], one["base"], one["ours"], one["theirs"])
        for one in told["conflicts"]
    )
    return Rebased(tuple(told["merged"]), conflicts)


def accepted_of(told: Json) -> Accepted:
    """A host's report of an accept."""
    left = {one["path"]: one["runs"] for one in told["left"]}
    return Accepted(tuple(told["written"]), tuple(told["deleted"]), tuple(told["merged"]), left)


def run_result_of(told: Json, patch: str | None) -> RunResult:
    """What a host says of a run."""
    receipt, output = told["receipt"], told["receipt"]["output"]
    adopted = receipt["adopted"]
    return RunResult(
        status=told["exit"],
        signal=receipt["signal"],
        limit=receipt["limit"],
        output=Output(
            Path(output["path"]), output["bytes"], output["lines"], output["left_out"],
            output["redacted"], output["head"], output["tail"],
        ),
        changed=tuple(
            Change(one["path"], one["kind"], one["type"], one["bytes"])
            for one in receipt["changed"]
        ),
        patch=patch,
        adopted=() if adopted is None else tuple(adopted["files"]),
        stamp=receipt["stamp"],
        base_moved=receipt["base_moved"],
        elapsed_ms=receipt["elapsed_ms"],
        text=told["text"],
        json=receipt,
    )  # fmt: skip


def checkpoint_of(told: Json) -> Checkpoint:
    """A checkpoint that a host has made."""
    return Checkpoint(told["checkpoint"], told["title"], told["pinned"], told["notPinned"])


def affected_of(told: Json) -> tuple[AffectedFile, ...]:
    """A host's list of files that a change can reach."""
    return tuple(
        AffectedFile(one["path"], one["distance"], tuple(one["names"]), tuple(one["via"]))
        for one in told["files"]
    )


def outline_of(told: Json) -> Outline:
    """A host's outline."""
    return Outline(
        told["path"], told["text"], told["sha"], told["language"], told["lines"], told["bytes"],
        told["form"], told["complete"],
    )  # fmt: skip


def folder_map_of(told: Json) -> FolderMap:
    """A host's map."""
    return FolderMap(
        told["text"], told["stamp"], told["files"], told["declarations"], told["shown"]
    )


def status_of(told: Json) -> Status:
    """A host's word on itself."""
    servers = tuple(ServerState(one["name"], one["state"], one) for one in told["servers"])
    return Status(
        told["version"],
        told["wire"],
        Path(told["root"]),
        told["trusted"],
        told["branches"],
        servers,
    )
