"""Proof of life: a server that has found nothing yet must object to what nobody can let pass.

Where the user's configuration, a missing library or a failure has silenced it, its empty answers
come as freshly as true ones. So before its first one counts it is shown the judged file with lines
at its end that break any text of the language, and asked again.

The lines are those of its profile or of its proof. The servers that come with us have none: a file
that their configuration leaves out on purpose (ruff's `exclude`) would be told as their failure.
"""

from __future__ import annotations

import asyncio

from understudy.langserver.connection import Dead
from understudy.langserver.diagnostics import Proof
from understudy.langserver.freshness import RULES
from understudy.langserver.server import Server
from understudy.shadow.snapshot import Snapshot

_DIGEST = "understudy objection"
_LONGEST_S = 10.0


async def objects(server: Server, snapshot: Snapshot, path: str, deadline: float) -> str | None:
    """Why the server counts as silent, None if it objects; `path` was just asked about.

    Rule `canary` needs no question: each of its answers has an objection in it. Nor is there one
    for a language of which no lines are known.
    """
    profile = server.spec.profile
    lines = profile.objections.get(profile.language_of(path) or "", "")
    text = snapshot.read(path)
    if profile.rule == "canary" or not lines or text is None:
        server.has_spoken = True
        return None
    shown = server.documents.shown(path)
    until = min(deadline, asyncio.get_running_loop().time() + _LONGEST_S)
    server.documents.replace(path, f"{text.sendable}\n{lines}\n", _DIGEST)
    try:
        outcome = await RULES[profile.rule](server, snapshot, path, until)
    except asyncio.TimeoutError:
        return f"{profile.name} did not answer about a text that it must object to"
    except Dead as end:
        return server.explain(str(end))
    finally:
        if server.dead is None:
            server.documents.replace(path, text.sendable, shown.digest)
    if not isinstance(outcome, Proof):
        return f"{profile.name} did not answer about a text that it must object to: {outcome.text}"
    server.has_spoken = bool(outcome.diagnostics)
    if server.has_spoken:
        return None
    return (
        f"{profile.name} has found nothing here yet, not even in a text that it must object to: "
        "its configuration may leave this file out, or silence it"
    )
