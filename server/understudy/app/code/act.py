"""The verbs `format_file`, `organize_imports` and `act`, and the question `actions`.

What servers offer to do to a file, or at a place; their edits become those of a branch.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from understudy.app.code.answer import CodeAnswer, CodePlace, CodeWish
from understudy.app.code.asking import params_at, servers_of, why_of
from understudy.app.code.place import placed, text_of
from understudy.app.code.refactor import Refactored, RefactorWish, landed, seen_of
from understudy.app.code.same import as_one
from understudy.shadow.base import Base
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, OutsideFailure, Refused
from understudy.values.findings import Finding
from understudy.values.stamps import Stamp
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import time_limit
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.session import Session
from understudy.workspace.sight.code_actions import CodeAction, FileActions, code_actions

Json = dict[str, Any]
_NOT_OFFERED = "not-offered"


async def format_file(session: Session, live_base: LiveBase, wish: RefactorWish) -> Refactored:
    """Lay a file out as the first of its servers does that knows how.

    Raises BadInput as `ask` does, and as editing a branch does, which then is as it was.
    """

    async def formatted(_: ServerChoice, file: FileActions) -> Sequence[Json]:
        return await file.formatted()

    return await _whole(session, live_base, wish, formatted)


async def organize_imports(session: Session, live_base: LiveBase, wish: RefactorWish) -> Refactored:
    """Sort a file's imports, as the first of its servers does that offers it; raises as above."""

    async def organized(_: ServerChoice, file: FileActions) -> Sequence[Json]:
        actions = await file.organizing()
        return await file.edits_of(actions[0]) if actions else ()

    return await _whole(session, live_base, wish, organized)


async def act(session: Session, live_base: LiveBase, wish: RefactorWish) -> Refactored:
    """Take the action at a place that has a title, or is the only one that begins so.

    Raises BadInput `no-such-action` with those that there are, and as above.
    """
    base = await live_base.fresh()
    seen = await seen_of(session, wish, base)
    snapshot, _ = seen
    found = await placed(session, snapshot, wish.target)
    if len(found.places) > 1:
        found = await as_one(session, snapshot, wish.question("actions"), found)
    if len(found.places) != 1:
        status = "ambiguous" if found.places else "no-such-name"
        return Refactored(wish, status, hits=found.places, nearest=found.nearest, notes=found.notes)
    (place,) = found.places
    titles: list[str] = []

    async def acted(choice: ServerChoice, file: FileActions) -> Sequence[Json]:
        actions = await _at(session, file, place)
        titles.extend(one.title for one in actions)
        meant = _meant(wish.named, actions)
        if meant is None:
            raise OutsideFailure(_NOT_OFFERED, "it offers no such action", choice.name)
        return await file.edits_of(meant)

    answer = Refactored(wish, "nothing", place=place)
    answer = await _done(session, base, seen, answer, place.path, acted)
    if answer.why is not None and answer.why.code == _NOT_OFFERED and titles:
        there = "; ".join(dict.fromkeys(titles))
        raise BadInput("no-such-action", f"no action is meant by this; there are: {there}", "to")
    return answer


async def actions_at(
    session: Session, snapshot: Snapshot, wish: CodeWish, answer: CodeAnswer, place: CodePlace
) -> CodeAnswer:
    """All that servers offer at a place, a line each: title, kind, server."""
    lines: list[str] = []

    async def listed(choice: ServerChoice, file: FileActions) -> Sequence[Json]:
        for one in await _at(session, file, place):
            kind = f" [{one.kind}]" if one.kind else ""
            lines.append(f"{one.title}{kind} ({choice.name})")
        raise OutsideFailure(_NOT_OFFERED, "the next one is asked, too", choice.name)

    asked = RefactorWish(wish.target, None, wish.branch, wish.server, wish.timeout_s)
    _, _, failure = await _first(session, snapshot, asked, place.path, listed)
    notes = answer.notes
    if failure is not None and failure.code != _NOT_OFFERED:
        if not lines:
            raise failure
        notes = (*notes, f"not all were asked: {why_of(failure).text}")
    text = "\n".join(dict.fromkeys(lines))
    return replace(answer, status="answered" if text else "nothing", text=text, notes=notes)


async def _whole(
    session: Session, live_base: LiveBase, wish: RefactorWish, work: _Work
) -> Refactored:
    base = await live_base.fresh()
    seen = await seen_of(session, wish, base)
    path, _ = text_of(session, seen[0], wish.target)
    return await _done(session, base, seen, Refactored(wish, "nothing"), path, work)


async def _done(
    session: Session, base: Base, seen: tuple[Snapshot, Stamp | None], answer: Refactored,
    path: str, work: _Work,
) -> Refactored:  # fmt: skip
    """What the first server's edits come to that has any, unless what was `seen` has moved."""
    wish, (snapshot, since) = answer.wish, seen
    try:
        server, edits, failure = await _first(session, snapshot, wish, path, work)
    except Refused:
        raise
    except OutsideFailure as error:
        return replace(answer, status="unknown", why=why_of(error))
    if failure is not None:
        return replace(answer, status="unknown", why=why_of(failure))
    answer = replace(answer, server=server)
    if not edits:
        return answer
    title = f"{work.__name__} {wish.to or path}"
    batch = [{"kind": "workspaceEdit", "edit": edit} for edit in edits]
    return await landed(session, base, since, answer, batch, title)


_Work = Callable[[ServerChoice, FileActions], Awaitable[Sequence[Json]]]


async def _first(
    session: Session, snapshot: Snapshot, wish: RefactorWish, path: str, work: _Work
) -> tuple[str, Sequence[Json], OutsideFailure | None]:
    """The first server that does the work, and its edits; else why none does.

    A reason why a server could not be asked comes before one of those that do not know how.
    """
    deadline = time.monotonic() + time_limit(wish.timeout_s, session.settings.timeout_s)
    failure: OutsideFailure | None = None
    for choice in servers_of(session, path, wish.server):
        try:
            async with code_actions(
                session, snapshot, choice, owner=wish.branch or "code", deadline=deadline
            ) as server:
                return choice.name, await work(choice, await server.about(path)), None
        except Refused:
            raise
        except OutsideFailure as error:
            if failure is None or failure.code == _NOT_OFFERED:
                failure = error
    return "", (), failure


async def _at(session: Session, file: FileActions, place: CodePlace) -> list[CodeAction]:
    """What is offered at a place, for what is found on its line as well."""
    at = place.range.start.line
    start = params_at(session, place)["position"]["character"]
    about = [raw for finding, raw in file.diagnostics if _touches(finding, at)]
    return await file.listed(about, [], _span(at, start))


def _touches(finding: Finding, line: int) -> bool:
    return finding.range.start.line <= line <= finding.range.end.line


def _meant(title: str, actions: Sequence[CodeAction]) -> CodeAction | None:
    """The action that a title means, if it is one."""
    exact = [one for one in actions if one.title == title]
    begin = [one for one in actions if one.title.lower().startswith(title.lower())]
    return exact[0] if exact else begin[0] if len(begin) == 1 else None


def _span(line: int, character: int) -> Json:
    place = {"line": line, "character": character}
    return {"start": place, "end": place}
