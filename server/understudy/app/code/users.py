"""Uses of a name that no server may leave out: which files can have one, and whether it looked.

Servers read a folder as they please: some look only at what is open, some are still reading. So an
answer is held against the index of imports and the words of the texts.
"""

from __future__ import annotations

from collections.abc import Collection

from understudy.dependents.families import family_of
from understudy.shadow.snapshot import Snapshot
from understudy.workspace.session import Session

MOST_OPENED = 200
"""Files that are opened in a server for one question."""


async def may_use(
    session: Session,
    snapshot: Snapshot,
    words: Collection[str],
    declared: Collection[str],
    asked: str,
) -> frozenset[str]:
    """The files that can see a name and have one of the words for it in them.

    `declared` are the files that declare it, as the server says; where none of them is in the
    folder, any file of the family counts, and for C and C++ always: a prototype can be written
    anywhere.
    """
    family = family_of(asked)
    related = [path for path in snapshot.paths() if family_of(path) == family]
    if family not in (None, "native") and declared:
        seen = await session.bindings.dependents_of([snapshot], declared)
        related = [path for path in related if path in seen or path in declared]
    found = [await session.names.mentioning(snapshot, word, related) for word in sorted(words)]
    return frozenset(path for paths in found for path in paths)
