"""The verb `ask`: one question about code, answered by the server that sees the snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from understudy.app.code.answer import CodeAnswer, CodePlace, CodeWish
from understudy.app.code.asking import CodeAsking, asking_of, params_at, why_of
from understudy.app.code.hits import (
    HitReader,
    Json,
    last_name,
    name_at,
    plain_text,
    signatures_of,
    tables,
)
from understudy.app.code.place import Placed, placed, text_of
from understudy.app.code.same import as_one
from understudy.app.code.users import MOST_LOOKS, Users, likely_users, may_use, users_at
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import OutsideFailure, Refused
from understudy.values.frozen import frozen
from understudy.workspace.live_base import LiveBase
from understudy.workspace.session import Session

_BYTES_A_HIT = 24
"""The least that a place takes of an answer's text: of more places than fit no owner is told."""

_PREPARE = "textDocument/prepareCallHierarchy"


async def ask(session: Session, live_base: LiveBase, wish: CodeWish) -> CodeAnswer:
    """Answer a question; what no server could say is `unknown` with its reason.

    Raises BadInput: `unknown-branch`, `unknown-server`, `no-such-file`, `outside-file`, ...; Moved.
    """
    base = await live_base.fresh()
    if wish.revision is not None:
        from understudy.workspace.revisions.sides import revision_sides  # noqa: PLC0415 - few ask

        sides = await revision_sides(session, wish.revision)
        found = await ask_about(session, await sides.before(base), wish)
        return replace(found, notes=(*found.notes, f"as of {sides.revision.text}"))
    if wish.branch is not None:
        return await ask_about(session, await session.branches.snapshot(wish.branch, base), wish)
    return await ask_about(session, Snapshot(base), wish)


async def ask_about(session: Session, snapshot: Snapshot, wish: CodeWish) -> CodeAnswer:
    """The same about a snapshot that is there."""
    answer = CodeAnswer(wish.question, wish.target, "answered")
    if wish.row.about == "words":
        from understudy.app.code.search import search  # noqa: PLC0415 - it asks no server at first

        return await search(session, snapshot, wish)
    if wish.row.about == "file":
        path, _ = text_of(session, snapshot, wish.target)
        return await _guarded(session, snapshot, wish, answer, path, None)
    found = await placed(session, snapshot, wish.target)
    if len(found.places) > 1:
        found = await as_one(session, snapshot, wish, found)
    if len(found.places) != 1:
        return _unplaced(answer, found)
    (place,) = found.places
    answer = replace(answer, place=place)
    return await _guarded(session, snapshot, wish, answer, place.path, place)


def _unplaced(answer: CodeAnswer, found: Placed) -> CodeAnswer:
    notes = found.notes
    if found.n_unread:
        notes = (*notes, f"{found.n_unread} more files have the word, and were not read")
    if found.places:
        return replace(answer, status="ambiguous", hits=found.places, notes=notes)
    return replace(answer, status="no-such-name", nearest=found.nearest, notes=notes)


async def _guarded(
    session: Session, snapshot: Snapshot, wish: CodeWish, answer: CodeAnswer, path: str,
    place: CodePlace | None,
) -> CodeAnswer:  # fmt: skip
    """The answer, or `unknown` with the reason why no server could give one."""
    asking: CodeAsking | None = None
    try:
        if place is not None and wish.question == "actions":
            from understudy.app.code.act import actions_at  # noqa: PLC0415 - few ask for it

            return await actions_at(session, snapshot, wish, answer, place)
        asking = asking_of(session, snapshot, wish, path)
        if place is None:
            found = await _symbols(asking, answer, path)
        else:
            found = await _answered(asking, wish, answer, place)
    except Refused:
        raise
    except OutsideFailure as failure:
        notes = () if asking is None else tuple(asking.notes)
        return replace(answer, status="unknown", why=why_of(failure), notes=notes)
    found = replace(
        found, server=asking.servers[0], unseen=(*asking.unseen, *sorted(snapshot.forgotten)),
        notes=(*found.notes, *asking.notes),
    )  # fmt: skip
    return await _with_owners(session, snapshot, wish, found)


async def _symbols(asking: CodeAsking, answer: CodeAnswer, path: str) -> CodeAnswer:
    params = {"textDocument": {"uri": asking.session.root.uri(path)}}
    found = await asking.ask("textDocument/documentSymbol", params, path)
    hits = HitReader(asking.session, asking.snapshot).symbols(found.result, path)
    return replace(answer, status="answered" if hits else "nothing", hits=hits)


async def _answered(
    asking: CodeAsking, wish: CodeWish, answer: CodeAnswer, place: CodePlace
) -> CodeAnswer:
    """The answer about one place."""
    reader = HitReader(asking.session, asking.snapshot)
    row, params = wish.row, params_at(asking.session, place)
    if row.name in ("hover", "signature"):
        text = await _text(asking, row.name, params, place)
        return replace(answer, status="answered" if text else "nothing", text=text)
    if row.of_users:
        return await _of_users(asking, wish, answer, place, reader)
    if row.name == "callees":
        items = tables((await asking.ask(_PREPARE, params, place.path)).result)
        hits = reader.callees(await _calls(asking, row.method, items, place.path), place.path)
    else:
        hits = reader.locations((await asking.ask(row.method, params, place.path)).result)
    return replace(answer, status="answered" if hits else "nothing", hits=hits)


async def _text(asking: CodeAsking, name: str, params: dict[str, Any], place: CodePlace) -> str:
    """What a server says in words; a name that is not called there has a signature, too."""
    if name == "signature":
        try:
            found = await asking.ask("textDocument/signatureHelp", params, place.path)
        except OutsideFailure as failure:
            if failure.code != "not-offered":
                raise
        else:
            text = signatures_of(found.result)
            if text:
                return text
    found = await asking.ask("textDocument/hover", params, place.path)
    return plain_text(found.result)


async def _of_users(
    asking: CodeAsking, wish: CodeWish, answer: CodeAnswer, place: CodePlace, reader: HitReader
) -> CodeAnswer:
    """A question about all files: those that can see the name are opened to the server first.

    So nothing depends on how far it has read the folder, nor on whether it reads it at all. What
    the place is of need not be asked where the answer shows that it has the name that is there.
    """
    items: list[Json] = []
    if wish.question == "callers":
        found = await asking.ask(_PREPARE, params_at(asking.session, place), place.path)
        items = tables(found.result)
        if not items:
            return replace(answer, status="nothing")
    question = _UsersQuestion(asking, wish, place, items, reader)
    hits: tuple[CodePlace, ...] = ()
    opened: set[str] | None = None
    likely = await _likely(asking, wish, place)
    if likely is not None:
        hits, opened = await _users_of(question, likely)
        can = await _by_that_name(question, likely, hits)
        if can is not None:
            return _about_users(answer, hits, can, opened)
    users = await users_at(asking, place, reader)
    if opened is None or not opened.issuperset(users.opened):
        hits, opened = await _users_of(question, users)
    return _about_users(answer, hits, users.can, opened)


def _about_users(
    answer: CodeAnswer, hits: tuple[CodePlace, ...], can: frozenset[str], opened: set[str]
) -> CodeAnswer:
    passed_over = (can - {hit.path for hit in hits}) & opened
    return replace(
        answer,
        status="answered" if hits else "nothing",
        hits=hits,
        mentions=tuple(sorted(passed_over)) if answer.question == "references" else (),
        unopened=len(can - opened),
    )


@frozen
class _UsersQuestion:
    """Who is asked about all uses, and how: `items` are the functions at the place, for calls."""

    asking: CodeAsking
    wish: CodeWish
    place: CodePlace
    items: Sequence[Json]
    reader: HitReader

    async def hits(self, beside: Sequence[str]) -> tuple[CodePlace, ...]:
        """What the server says while these files are open."""
        asking, row, path = self.asking, self.wish.row, self.place.path
        if row.name == "callers":
            return self.reader.callers(await _calls(asking, row.method, self.items, path, beside))
        params = params_at(asking.session, self.place)
        if row.name == "references":
            params = {**params, "context": {"includeDeclaration": True}}
        return self.reader.locations((await asking.ask(row.method, params, path, beside)).result)


async def _likely(asking: CodeAsking, wish: CodeWish, place: CodePlace) -> Users | None:
    """The files to be open as far as that is known without asking what the place is of."""
    if wish.question == "implementation":  # whose answer does not tell by which name it found it
        declared = await asking.session.names.declared(asking.snapshot, place.path)
        at = place.range.start
        if (at.line, at.column) not in {(one.line, one.column) for one in declared}:
            return None
    return await likely_users(asking, place)


async def _by_that_name(
    question: _UsersQuestion, likely: Users, hits: Sequence[CodePlace]
) -> frozenset[str] | None:
    """The files that can use what the place is of; None where it may go by another name as well.

    Files that use it by no other name have its word, and were open.
    """
    name, asking = question.place.name, question.asking
    if question.wish.question == "implementation":
        return likely.can
    if question.wish.question == "callers":
        called = {last_name(str(item.get("name", ""))) for item in question.items}
        return likely.can if called == {name} else None
    if {name_at(hit) for hit in hits} - {""} != {name}:
        return None
    paths = {hit.path for hit in hits}
    if likely.can <= paths:
        return likely.can
    session, snapshot = asking.session, asking.snapshot
    # One of them declares it, if any file of the folder does, and the others depend on that one.
    declared = {path for path in paths if snapshot.exists(path)}
    return await may_use(session, snapshot, {name}, declared, question.place.path)


async def _users_of(
    question: _UsersQuestion, users: Users
) -> tuple[tuple[CodePlace, ...], set[str]]:
    """The hits, and the files that were open; asked again while those lead to others."""
    opened = set(users.opened)
    hits: tuple[CodePlace, ...] = ()
    for _ in range(MOST_LOOKS if users.only_open else 1):
        hits = await question.hits(sorted(opened))
        missing = {hit.path for hit in hits if hit.inside} - opened - {question.place.path}
        if not missing:
            break
        opened |= missing
    return hits, opened


async def _calls(
    asking: CodeAsking, method: str, items: Sequence[Json], path: str, beside: Sequence[str] = ()
) -> list[Json]:
    """The calls of each function."""
    calls: list[Json] = []
    for item in items:
        calls += tables((await asking.ask(method, {"item": item}, path, beside)).result)
    return calls


async def _with_owners(
    session: Session, snapshot: Snapshot, wish: CodeWish, answer: CodeAnswer
) -> CodeAnswer:
    """The places with the symbols around them, as many as will be read."""
    n_read = wish.budget * 4 // _BYTES_A_HIT
    hits: list[CodePlace] = []
    for hit in answer.hits:
        if hit.inside and hit.owner is None and len(hits) < n_read:
            at = hit.range.start
            owner = await session.names.owner(snapshot, hit.path, at.line, at.column)
            hits.append(replace(hit, owner=owner))
        else:
            hits.append(hit)
    return replace(answer, hits=tuple(hits))
