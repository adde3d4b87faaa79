"""What may be asked about kept branches: made, edited, rebased, looked through, listed, ended."""

from __future__ import annotations

from base64 import b64encode

from understudy.app.accept.folder import accept as accept_branch
from understudy.app.asks import MOST_CHARACTERS, without_secrets
from understudy.app.check.request import request_on_branch
from understudy.faces.answers.check import branch_json, conflict_json, left_json, summary_json
from understudy.faces.answers.sound_json import sound_text
from understudy.faces.calls.entry import Json, Side
from understudy.faces.calls.rehearsals import rehearsals_of
from understudy.faces.params import requests
from understudy.shadow.asks import Ask
from understudy.shadow.branch import Branch
from understudy.values.errors import BadInput
from understudy.workspace.branches.edit_fresh import edit_fresh
from understudy.workspace.branches.parts import Wanted
from understudy.workspace.branches.reports import BranchDiff
from understudy.workspace.progress import Audience


async def _branch_json(side: Side, branch: Branch) -> Json:
    return branch_json(branch, await side.host.session.overlaps.of(branch))


async def create(side: Side, params: requests.CreateBranch, _: Audience) -> Json:
    """Make a branch."""
    branch = await side.host.session.branches.create(_title(side, params.title))
    return await _branch_json(side, branch)


async def rename(side: Side, params: requests.RenameBranch, _: Audience) -> Json:
    """Give a branch another title."""
    branch = await side.host.session.branches.rename(params.branch, params.title)
    return await _branch_json(side, branch)


async def fork(side: Side, params: requests.ForkBranch, _: Audience) -> Json:
    """Make a branch with the edits of another one."""
    title = None if params.title is None else _title(side, params.title)
    return await _branch_json(side, await side.host.session.branches.fork(params.branch, title))


def _title(side: Side, words: str) -> str:
    """A title as it is kept: an agent's without secrets."""
    if side.asker == "user":
        return words
    return without_secrets(side.host.session, words[:MOST_CHARACTERS])


async def edit(side: Side, params: requests.EditBranch, _: Audience) -> Json:
    """Apply a batch of edits to a branch, whole or not at all."""
    branches = side.host.session.branches
    edited = await edit_fresh(branches, params.branch, params.edits, side.live_base, params.ifStamp)
    return {**await _branch_json(side, edited.branch), "changed": list(edited.changed)}


async def rebase(side: Side, params: requests.RebaseBranch, _: Audience) -> Json:
    """Merge what the user has changed meanwhile into a branch."""
    session = side.host.session
    for path, text in params.resolve.items():
        if not isinstance(text, str | None):
            raise BadInput("bad-params", "expected a text, or null", f"resolve.{path}")
    base = await side.live_base.fresh()
    report = await session.branches.rebase(params.branch, base, params.resolve, params.seen)
    return {
        **await _branch_json(side, report.branch),
        "merged": list(report.merged),
        "conflicts": [conflict_json(conflict) for conflict in report.conflicts],
    }


async def request(side: Side, params: requests.RequestOnBranch, _: Audience) -> Json:
    """Forward an LSP request to a server that sees a branch."""
    answer = await request_on_branch(
        side.host.session,
        params.branch,
        params.method,
        params.params,
        server=params.server,
        timeout_s=params.timeout,
        live_base=side.live_base,
    )
    return {
        "server": answer.server,
        "result": answer.result,
        "edited": list(answer.edited),
        "unseen": list(answer.unseen),
        "staged": answer.staged,
    }


async def list_all(side: Side, params: requests.ListBranches, _: Audience) -> Json:
    """The branches, oldest first."""
    session = side.host.session
    overlaps = await session.overlaps.look()
    listeners = side.host.listeners
    in_folder = await session.in_folder.known(lambda: bool(listeners))
    found = session.branches.summaries(params.archived)
    live = await rehearsals_of(side) if session.layout.rehearsals.is_dir() else {}
    return {
        "branches": [
            {
                **summary_json(one, overlaps.get(one.id, ()), in_folder=in_folder.get(one.id)),
                **({"rehearsal": live[one.id]} if one.id in live else {}),
            }
            for one in found
        ]
    }


async def diff(side: Side, params: requests.NameBranch, _: Audience) -> Json:
    """A branch's edits against the user's text; in base 64 too where JSON has not its bytes."""
    found = await diff_of(side, params.branch)
    answer: Json = {"diff": found.text, "conflicts": list(found.conflicts)}
    if asks := await open_asks(side, params.branch):
        answer["asks"] = [ask_json(one) for one in asks]
    if sound_text(found.text) != found.text:
        answer["base64"] = b64encode(found.text.encode("utf-8", "surrogateescape")).decode("ascii")
    return answer


async def open_asks(side: Side, branch: str) -> tuple[Ask, ...]:
    """What the user wants changed in a branch, with its lines there."""
    return await side.host.session.branches.asks(branch, await side.live_base.fresh())


def ask_json(one: Ask) -> Json:
    """An ask; lines are 0-based in the branch's text, the end exclusive."""
    return {
        "ask": one.number,
        "path": one.path,
        "start": one.start,
        "end": one.end,
        "text": one.text,
    }


async def diff_of(side: Side, branch: str) -> BranchDiff:
    """A branch's edits against the text of who asks."""
    return await side.host.session.branches.diff(branch, await side.live_base.fresh())


async def accept(side: Side, params: requests.AcceptFiles, _: Audience) -> Json:
    """Write a branch into the folder; refused where an editor has one of its files open."""
    session = side.host.session
    wanted = Wanted(tuple(session.root.relative(path) for path in params.paths))
    touched = {
        path
        for name, file in (await session.branches.get(params.branch)).files.items()
        if wanted.is_all or {name, file.origin} & {*wanted.paths}
        for path in (name, file.origin or name)
    }
    base = await session.bases.disk(touched)
    report = await accept_branch(session.branches, params.branch, base, wanted)
    return {
        "written": list(report.written),
        "deleted": list(report.deleted),
        "merged": list(report.merged),
        "left": left_json(report.left),
        "ended": params.branch not in {one.id for one in session.branches.all()},
    }


async def reopen(side: Side, params: requests.NameBranch, _: Audience) -> Json:
    """Bring a branch back from the archive."""
    return await _branch_json(side, await side.host.session.branches.restore(params.branch))


async def discard(side: Side, params: requests.NameBranch, _: Audience) -> Json:
    """Put a branch away."""
    await side.host.session.branches.discard(params.branch)
    return {"branch": params.branch}
