"""The verb `search`: ranked words, or every line with a text, in all of the context folder."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from understudy.context.skill_index import SkillIndex
from understudy.disk.store.grep import grep_store
from understudy.disk.store.search_index import KINDS, Hit, search
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.workspace.context_place import ContextPlace
from understudy.workspace.workers import Workers

SECONDS = 30.0
"""Limit for looking through everything for a pattern."""


@frozen
class SearchQuestion:
    """What to look for: words, ranked; or with `grep` a text, with `regex` a pattern."""

    text: str
    grep: bool = False
    regex: bool = False
    kinds: Sequence[str] = KINDS
    limit: int = 20

    def __post_init__(self) -> None:
        """Raise BadInput `bad-params` for kinds and limits that do not exist."""
        for kind in self.kinds:
            if kind not in KINDS:
                raise BadInput("bad-params", f"kinds are {', '.join(KINDS)}", kind)
        if not 1 <= self.limit <= 1000:
            raise BadInput("bad-params", "from 1 to 1000", "limit")


@frozen
class SearchAnswer:
    """Hits, best first (ranked) or by path and line; `matched` lines in all where that is known.

    `cut` files are indexed in part, `unread` ones not at all.
    """

    hits: tuple[Hit, ...]
    matched: int | None
    cut: int
    unread: int


async def search_context(
    place: ContextPlace, workers: Workers, skills: SkillIndex, question: SearchQuestion
) -> SearchAnswer:
    """Look in both stores, the histories, the tools and the skills.

    Raises BadInput `empty-question`, `bad-pattern`; OutsideFailure `search-failed`,
    `work-too-long`.
    """
    files = [Path(skill.file) for skill in skills.skills]
    if question.grep or question.regex:
        done = await workers.run_elsewhere(
            grep_store, place.stores, files, question.text, question.regex,
            question.kinds, question.limit, seconds=SECONDS,
        )  # fmt: skip
        return SearchAnswer(done.hits, done.matched, 0, done.unread)
    found = await asyncio.to_thread(
        search, place.stores, files, question.text, question.kinds, question.limit
    )
    return SearchAnswer(found.hits, None, found.cut, found.unread)
