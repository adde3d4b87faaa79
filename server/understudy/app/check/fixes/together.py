"""Which fixes can be tried together: those whose edits do not meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from understudy.app.check.fixes.offers import Offer

Json = dict[str, Any]
_Place = tuple[int, int]
_Span = tuple[_Place, _Place]


def text_edits(offer: Offer) -> dict[str, list[Json]] | None:
    """The text edits of a fix by document; None where it does more, or in several steps."""
    if len(offer.edits) != 1:
        return None
    edit = offer.edits[0]
    changes: object = edit.get("documentChanges")
    found: dict[str, list[Json]] = {}
    try:
        if changes is not None:
            for part in cast("list[Json]", changes):
                if "kind" in part:
                    return None
                found.setdefault(part["textDocument"]["uri"], []).extend(part["edits"])
        else:
            found = {uri: list(edits) for uri, edits in edit["changes"].items()}
        for edits in found.values():
            for one in edits:
                _span(one)
    except (KeyError, TypeError, AttributeError):
        return None  # who applies it says what is wrong with it
    return found


def without_meeting(offers: Sequence[Offer]) -> tuple[list[Offer], list[Offer]]:
    """The fixes that can be tried at once, the first one in any case, and those that have to wait.

    What cannot be laid out as text edits goes alone.
    """
    taken: dict[str, list[_Span]] = {}
    chosen: list[Offer] = []
    waiting: list[Offer] = []
    for offer in offers:
        edits = text_edits(offer)
        if edits is None and not chosen:
            return [offer], list(offers[1:])
        spans = {uri: [*map(_span, own)] for uri, own in (edits or {}).items()}
        if edits is None or _meets(spans, taken):
            waiting.append(offer)
            continue
        chosen.append(offer)
        for uri, own in spans.items():
            taken.setdefault(uri, []).extend(own)
    return chosen, waiting


def as_batch(offers: Sequence[Offer]) -> list[Json]:
    """The edits of fixes that do not meet, as one batch for a branch."""
    if len(offers) == 1:
        return [{"kind": "workspaceEdit", "edit": edit} for edit in offers[0].edits]
    changes: dict[str, list[Json]] = {}
    for offer in offers:
        for uri, edits in (text_edits(offer) or {}).items():
            changes.setdefault(uri, []).extend(edits)
    return [{"kind": "workspaceEdit", "edit": {"changes": changes}}]


def _span(edit: Mapping[str, Any]) -> _Span:
    start, end = edit["range"]["start"], edit["range"]["end"]
    return (start["line"], start["character"]), (end["line"], end["character"])


def _meets(spans: Mapping[str, list[_Span]], taken: Mapping[str, list[_Span]]) -> bool:
    return any(
        _meet(one, other)
        for uri, own in spans.items()
        for one in own
        for other in taken.get(uri, ())
    )


def _meet(one: _Span, other: _Span) -> bool:
    """Whether two edits overlap; insertions that touch another have no order of their own."""
    if one[0] == one[1] or other[0] == other[1]:
        return one[0] <= other[1] and other[0] <= one[1]
    return one[0] < other[1] and other[0] < one[1]
