"""What the commands of `understudy context` read: files, events, policies, places."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from understudy.values.errors import BadInput
from understudy.values.paths import Root

if TYPE_CHECKING:
    from understudy.app.context.record import Recorded
    from understudy.context.policy import Policy
    from understudy.context.skill_index import SkillIndex
    from understudy.workspace.context_place import ContextPlace
    from understudy.workspace.settings import Settings
    from understudy.workspace.workers import Workers

_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


def input_bytes(name: str) -> bytes:
    """A file's bytes, `-` being standard input; raises BadInput `unreadable`."""
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise BadInput("unreadable", f"cannot be read: {error.strerror}", name) from error


def input_events(name: str) -> list[object]:
    """One JSON value a line; raises BadInput `bad-event` naming the line."""
    found: list[object] = []
    for number, line in enumerate(input_bytes(name).split(b"\n"), 1):
        if line.strip():
            try:
                found.append(json.loads(line))
            except (ValueError, RecursionError) as error:
                raise BadInput("bad-event", f"not JSON: {error}", f"line {number}") from error
    return found


def json_option(text: str | None, where: str) -> object:
    """The JSON of an option, an empty table without one; raises BadInput `bad-policy`."""
    try:
        return {} if text is None else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput("bad-policy", f"not JSON: {error}", where) from error


def policy_option(text: str | None) -> Policy:
    """The policy of an option, the defaults where it is silent."""
    from understudy.workspace.agents.models import policy_for

    return policy_for(json_option(text, "--policy"), "--policy")


def lines_option(text: str | None) -> tuple[int, int] | None:
    """FIRST-LAST, or one line; raises BadInput `bad-range`."""
    if text is None:
        return None
    match = _RANGE.fullmatch(text)
    if match is None:
        raise BadInput("bad-range", "write FIRST-LAST, lines counted from 1, as 120-180", "--lines")
    return int(match[1]), int(match[2] or match[1])


def place_of(root: Path) -> ContextPlace:
    """The context folder of a workspace."""
    from understudy.workspace.context_place import ContextPlace

    return ContextPlace.of_workspace(root)


def settings_of(folder: Path) -> Settings:
    """The settings of a folder, as a host without an editor has them."""
    from understudy.disk.trust import is_trusted
    from understudy.workspace import settings

    root = Root.open(folder)
    return settings.load(root, trusted=is_trusted(root))


def skills_of(folder: Path, client: str | None, *, strict: bool, trust: bool) -> SkillIndex:
    """The skills of a folder and the user; the folder's own if it is trusted."""
    from understudy.app.context.skills import index_skills
    from understudy.disk.trust import is_trusted

    root = Root.open(folder)
    return index_skills(root, trusted=trust or is_trusted(root), client=client, strict=strict)


async def recorded(root: Path, name: str, raw: list[object], policy: Policy) -> Recorded:
    """Append events to a log; long attached texts are outlined before."""
    from understudy.app.context.outlines import has_long_texts, outlines_of
    from understudy.app.context.record import record

    outlines: dict[str, str] = {}
    if has_long_texts(raw, policy):
        from understudy.workspace.outlines.outliner import Outliner

        async with own_workers() as workers:
            outlines = await outlines_of(Root.open(root), Outliner(workers), raw, policy)
    return record(place_of(root), name, raw, policy, outlines)


@asynccontextmanager
async def own_workers() -> AsyncGenerator[Workers, None]:
    """Worker processes for one command."""
    from understudy.workspace.workers import Workers

    workers = Workers()
    try:
        yield workers
    finally:
        await workers.close()
