"""The verb `ask`: one question about code, answered by the server that sees the snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from understudy.app.code.answer import CodeAnswer, CodeWish, Hit
from understudy.app.code.asking import Asking, asking_of, params_at, why_of
from understudy.app.code.hits import HitReader, plain_text, signatures_of, tables
from understudy.app.code.place import Placed, placed, text_of
from understudy.app.code.same import as_one
from understudy.app.code.users import MOST_LOOKS, users_at
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import OutsideFailure, Refused
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
    notes = ()
    if found.n_unread:
        notes = (f"{found.n_unread} more files have the word, and were not read",)
    if found.places:
        return replace(answer, status="ambiguous", hits=found.places, notes=notes)
    return replace(answer, status="no-such-name", nearest=found.nearest, notes=notes)


async def _guarded(
    session: Session, snapshot: Snapshot, wish: CodeWish, answer: CodeAnswer, path: str,
    place: Hit | None,
) -> CodeAnswer:  # fmt: skip
    """The answer, or `unknown` with the reason why no server could give one."""
    asking: Asking | None = None
    try:
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


async def _symbols(asking: Asking, answer: CodeAnswer, path: str) -> CodeAnswer:
    params = {"textDocument": {"uri": asking.session.root.uri(path)}}
    found = await asking.ask("textDocument/documentSymbol", params, path)
    hits = HitReader(asking.session, asking.snapshot).symbols(found.result, path)
    return replace(answer, status="answered" if hits else "nothing", hits=hits)


async def _answered(asking: Asking, wish: CodeWish, answer: CodeAnswer, place: Hit) -> CodeAnswer:
    """The answer about one place."""
    reader = HitReader(asking.session, asking.snapshot)
    row, params = wish.row, params_at(asking, place)
    if row.name in ("hover", "signature"):
        text = await _text(asking, row.name, params, place)
        return replace(answer, status="answered" if text else "nothing", text=text)
    if row.of_users:
        return await _of_users(asking, wish, answer, place, reader)
    if row.name == "callees":
        found = await _calls(asking, row.method, params, place, ())
        hits = reader.callees(found, place.path)
    else:
        hits = reader.locations((await asking.ask(row.method, params, place.path)).result)
    return replace(answer, status="answered" if hits else "nothing", hits=hits)


async def _text(asking: Asking, name: str, params: dict[str, Any], place: Hit) -> str:
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
    asking: Asking, wish: CodeWish, answer: CodeAnswer, place: Hit, reader: HitReader
) -> CodeAnswer:
    """A question about all files: those that can see the name are opened to the server first.

    So nothing depends on how far it has read the folder, nor on whether it reads it at all.
    """
    params = params_at(asking, place)
    users = await users_at(asking, place, reader)
    opened = set(users.opened)
    hits: tuple[Hit, ...] = ()
    for _ in range(MOST_LOOKS if users.only_open else 1):
        hits = await _users(asking, wish, params, place, reader, sorted(opened))
        missing = {hit.path for hit in hits if hit.inside} - opened - {place.path}
        if not missing:
            break
        opened |= missing
    passed_over = (
        users.can - {hit.path for hit in hits} if wish.question == "references" else set[str]()
    )
    return replace(
        answer,
        status="answered" if hits else "nothing",
        hits=hits,
        mentions=tuple(sorted(passed_over & opened)),
        unopened=len(users.can - opened),
    )


async def _users(
    asking: Asking, wish: CodeWish, params: dict[str, Any], place: Hit, reader: HitReader,
    beside: Sequence[str],
) -> tuple[Hit, ...]:  # fmt: skip
    method = wish.row.method
    if wish.row.name == "callers":
        return reader.callers(await _calls(asking, method, params, place, beside))
    if wish.row.name == "references":
        params = {**params, "context": {"includeDeclaration": True}}
    return reader.locations((await asking.ask(method, params, place.path, beside)).result)


async def _calls(
    asking: Asking, method: str, params: dict[str, Any], place: Hit, beside: Sequence[str]
) -> list[Any]:
    """The calls of each function that stands at the place."""
    prepared = (await asking.ask(_PREPARE, params, place.path, beside)).result
    calls: list[Any] = []
    for item in tables(prepared):
        calls += tables((await asking.ask(method, {"item": item}, place.path, beside)).result)
    return calls


async def _with_owners(
    session: Session, snapshot: Snapshot, wish: CodeWish, answer: CodeAnswer
) -> CodeAnswer:
    """The places with the symbols around them, as many as will be read."""
    n_read = wish.budget * 4 // _BYTES_A_HIT
    hits: list[Hit] = []
    for hit in answer.hits:
        if hit.inside and hit.owner is None and len(hits) < n_read:
            at = hit.range.start
            owner = await session.names.owner(snapshot, hit.path, at.line, at.column)
            hits.append(replace(hit, owner=owner))
        else:
            hits.append(hit)
    return replace(answer, hits=tuple(hits))
