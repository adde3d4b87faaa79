"""The verb `pack`: decide what leaves, write that down, and make the prompt of the log."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from understudy.context.events import Event, History, Left
from understudy.context.offload import OffloadPlan, plan_offload
from understudy.context.pack import Pack, pack
from understudy.context.policy import Policy
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.frozen import frozen
from understudy.workspace.context_place import ContextPlace, seconds_now


@frozen
class PackedPrompt:
    """The prompt, what was decided for it, and why something stayed that should have left."""

    pack: Pack
    plan: OffloadPlan
    failures: tuple[OutsideFailure, ...]


def pack_log(place: ContextPlace, name: str, policy: Policy, at: int | None = None) -> PackedPrompt:
    """The prompt for a model call now, or at a time in s since 1970.

    Old inputs and outputs leave by the policy: their files are written, then the decision is an
    event of the log, so that every later prompt agrees. A full disk leaves them where they are.
    Raises what `HistoryLog.read` and `append` raise.
    """
    log = place.log(name)
    history = log.read()
    failures: list[OutsideFailure] = []
    now = seconds_now() if at is None else at
    plan = plan_offload(history, policy, now, _place_of(place))
    if plan.items:
        try:
            log.append(lambda current: _decided(place, current, plan, now, failures), now)
        except OutsideFailure as failure:
            if failure.code != "state-unwritable":
                raise
            failures.append(failure)
        history = log.read()
    return PackedPrompt(pack(history, policy), plan, tuple(failures))


def pack_upto(place: ContextPlace, name: str, policy: Policy, seq: int) -> Pack:
    """The prompt as it was when `seq` was the log's last event; nothing is decided."""
    history = place.log(name).read()
    if not 1 <= seq <= len(history.events):
        raise BadInput("bad-params", f"the log has {len(history.events)} events", "upto")
    return pack(history.upto(seq), policy)


def _decided(
    place: ContextPlace,
    current: History,
    plan: OffloadPlan,
    now: int,
    failures: list[OutsideFailure],
) -> Sequence[Event]:
    """Write the files of a plan; the event names only those that are on disk."""
    gone = {item.seq for event in current.events for item in event.items}
    written: list[Left] = []
    for item in plan.items:
        event = current.events[item.seq - 1]
        if item.seq in gone:
            continue  # another process has decided the same
        try:
            if not event.ref and not (event.kind == "result" and event.path):
                data = event.text.encode("utf-8", "surrogatepass")
                place.store.put(data, _label(event))
        except OutsideFailure as failure:
            failures.append(failure)
            break
        written.append(item)
    return [Event(0, "offload", now, mode=plan.rule, items=tuple(written))] if written else []


def _place_of(place: ContextPlace):  # noqa: ANN202 - the type is `offload.Place`
    def where(event: Event, data: bytes) -> tuple[str, str]:
        sha256 = hashlib.sha256(data).hexdigest()
        return place.store.path_of(data, sha256, _label(event)), sha256

    return where


def _label(event: Event) -> str:
    return f"{event.tool}-input" if event.kind == "call" else event.tool
