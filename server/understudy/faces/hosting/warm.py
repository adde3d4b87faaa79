"""Finding a host that is warm, for a check: the folder's own, or one that an earlier check left.

The folder's own host comes first; beside it there is room for a few that serve other terms. Where
none serves this caller's, one is left behind if there is room for it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from understudy.app.host.attach import attach
from understudy.app.host.terms import Terms, terms_of_caller
from understudy.disk.host_address import read_address
from understudy.disk.layout import Layout, workspace_layout
from understudy.faces.hosting.coming import give_up_early
from understudy.faces.hosting.link import Json, ask_branch, ask_running_host
from understudy.faces.inside.place import refuse_trust_inside, way_out
from understudy.values.errors import BadInput, Refused
from understudy.values.paths import Root

if TYPE_CHECKING:
    from understudy.workspace.progress import Audience

Run = Callable[[Callable[[], Coroutine[Any, Any, Any]]], Any]


def ask_warm_host(
    run: Run, root: Root, name: str, params: Json, audience: Audience, *, trusts: bool
) -> Json | None:
    """The answer of a host under this caller's terms; None where there is none, nor may be one.

    `run` runs to its end what it is given: the process is forked in between. A caller that trusts
    the folder for this call alone never asks, nor becomes, the folder's own host.
    Raises what the host raises, and Refused as `attach`.
    """
    try:
        return _answer_of_host(run, root, name, params, audience, trusts=trusts)
    finally:
        give_up_early()


def _answer_of_host(
    run: Run, root: Root, name: str, params: Json, audience: Audience, *, trusts: bool
) -> Json | None:
    way = way_out()
    if way is not None:
        refuse_trust_inside(trusts=trusts)
        return run(partial(ask_branch, way, root, name, params, audience))
    try:
        own = workspace_layout(root)
    except BadInput:
        return None  # whoever goes on without a host says what is wrong
    terms = terms_of_caller(trusts=trusts)
    beside = own.all_beside()
    room: Layout | None = None
    for place in beside if trusts else (own, *beside):
        address = read_address(place)
        if address is not None and address.terms != terms.digest and place is not own:
            continue
        try:
            answer = address and run(
                partial(ask_running_host, place, name, params, audience, terms)
            )
        except Refused as refusal:
            if refusal.code != "other-terms":
                raise
            continue
        if answer is not None:
            return answer
        room = room or place  # none has been there, or it was killed
    from understudy.faces.hosting.leaving import may_leave  # noqa: PLC0415 - most find a host

    if not may_leave(root, trusts=trusts):
        return None
    if room is None:
        run(lambda: _make_room(beside, terms))
        return None
    if not _is_left(run, root, room, terms):
        return None
    return run(partial(ask_running_host, room, name, params, audience, terms, patient=True))


def _is_left(run: Run, root: Root, place: Layout, terms: Terms) -> bool:
    """Leave a host; whether it, or one that another caller leaves in this moment, can be asked."""
    from understudy.faces.hosting.leaving import leave_by_fork, leave_by_program  # noqa: PLC0415 - as above

    if sys.platform != "win32":
        leave_by_fork(root, place, terms)
        return True
    if place == workspace_layout(root):  # it starts meanwhile: the next check finds it
        run(lambda: leave_by_program(root))
    return False


async def _make_room(beside: Sequence[Layout], terms: Terms) -> None:
    """Have that of them which was asked last the longest ago end, for the next caller like us."""

    def asked(place: Layout) -> float:
        try:
            return place.host.stat().st_mtime
        except OSError:
            return 0.0

    await attach(min(beside, key=asked), "command", terms=terms, makes_way=True)
