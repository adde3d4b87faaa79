"""The verb `get`: read, tail or grep a file of the workspace's or the user's store, verified."""

from __future__ import annotations

import asyncio

from understudy.context.excerpt import Excerpt, ExcerptPart, excerpt
from understudy.workspace.context_place import ContextPlace
from understudy.workspace.workers import Workers

SECONDS = 20.0
"""Limit for one excerpt: a regular expression may take for ever."""


async def get_part(place: ContextPlace, workers: Workers, path: str, part: ExcerptPart) -> Excerpt:
    """A part of a stored text, numbered lines within a budget of bytes.

    Raises what `ContextStore.get` and `excerpt` raise; OutsideFailure `work-too-long`.
    """
    data = await asyncio.to_thread(place.holder(path).get, path)
    return await workers.run_elsewhere(excerpt, data, part, seconds=SECONDS)
