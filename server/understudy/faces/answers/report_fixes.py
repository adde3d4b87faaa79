"""What became of servers' fixes, as text."""

from __future__ import annotations

from collections.abc import Iterator

from understudy.findings.lines import finding_line
from understudy.values.printable import printable
from understudy.workspace.branches.checked import FixAccount, Mended

_MOST_LISTED = 100
_ENDS = {
    "time": "the time was up before all was tried",
    "limit": "the most rounds were done before all was tried",
    "no-gain": "another round gained nothing",
}


def mended_lines(mended: Mended, n_unattributed: int) -> Iterator[str]:
    """The fixes that were kept, then the others and why; what is left out is counted."""
    kept = [one for one in mended.fixes if one.kept]
    left = [one for one in mended.fixes if not one.kept]
    if kept:
        yield "mended:"
        yield from _listed(kept)
    if left:
        yield "not mended:"
        yield from _listed(left)
    if mended.without_fix:
        n = mended.without_fix
        yield f"no fix is offered for {n} finding{'s' if n > 1 else ''}"
    if n_unattributed:
        n = f"{n_unattributed} finding{'s' if n_unattributed > 1 else ''}"
        yield f"no fix was tried for {n} of which nobody knows whether they were there before"
    if mended.ended in _ENDS:
        yield f"mending ended: {_ENDS[mended.ended]}"


def _listed(accounts: list[FixAccount]) -> Iterator[str]:
    for one in accounts[:_MOST_LISTED]:
        yield f"  {finding_line(one.finding)}"
        text = ": ".join(filter(None, (one.title.strip(), one.why))) or "no title"
        yield printable(f"    fix: {' | '.join(text.split(chr(10)))}")
    if len(accounts) > _MOST_LISTED:
        yield f"  and {len(accounts) - _MOST_LISTED} more (--format json lists them)"
