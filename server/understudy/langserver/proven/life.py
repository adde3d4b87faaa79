"""Proof of life: a server that has found nothing yet must object to what nobody can let pass.

Where the user's configuration, a missing library or a failure has silenced it, its empty answers
come as freshly as true ones. So before its first one in a folder counts it is shown the judged file
with lines at its end that break any text of the language, and asked again.

A file may be left out on purpose (ruff's `exclude`): then the server objects in another one, and
its silence about this one is what the user wants. The lines are those of its profile or of a proof.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from understudy.disk.voices import Voices
from understudy.langserver.connection import Dead
from understudy.langserver.diagnostics import Proof
from understudy.langserver.folder_follower import NeedsRestart
from understudy.langserver.freshness import RULES
from understudy.langserver.server import Server
from understudy.langserver.spec import ServerSpec
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.stamps import Stamp, stamp_of
from understudy.values.verdicts import Answer, Reason

_DIGEST = "understudy objection"
_LONGEST_S = 10.0
_OTHERS = 3
_PLAIN = frozenset("*?[")


async def alive(
    server: Server, voices: Voices, snapshot: Snapshot, answers: list[Answer], deadline: float
) -> list[Answer]:
    """The answers; empty ones of a server that objects to nothing prove nothing."""
    if server.has_spoken:
        return answers
    found = [answer.path for answer in answers if answer.findings]
    silent = [answer.path for answer in answers if answer.findings == ()]
    if not found and not silent:
        return answers
    # The last one asked: of rule `reopen`, it is the one that was opened anew.
    path = (found or silent)[-1]
    voice = voice_of(server.spec, snapshot, path)
    server.has_spoken = bool(found) or voices.has_heard(voice)
    why = None if server.has_spoken else await objects(server, snapshot, path, deadline)
    if why is None:
        voices.note(voice)
        return answers
    reason = Reason("silent", why)
    return [
        answer if answer.findings != () else replace(answer, findings=None, reason=reason)
        for answer in answers
    ]


async def objects(server: Server, snapshot: Snapshot, path: str, deadline: float) -> str | None:
    """Why the server counts as silent, None if it objects; `path` was just asked about.

    Rule `canary` needs no question: each of its answers has an objection in it. Nor is there one
    for a language of which no lines are known.
    """
    profile = server.spec.profile
    lines = profile.objections.get(profile.language_of(path) or "", "")
    if profile.rule == "canary" or not lines or snapshot.read(path) is None:
        server.has_spoken = True
        return None
    until = min(deadline, asyncio.get_running_loop().time() + _LONGEST_S)
    why = await _answered(server, snapshot, path, lines, until)
    if why is not None or server.has_spoken:
        return why
    with suppress(BadInput, OutsideFailure, NeedsRestart, asyncio.TimeoutError, Dead):
        for other in _others(server, snapshot, path):
            if not await server.documents.show(snapshot, [other], until):
                await _answered(server, snapshot, other, lines, until)
            if server.has_spoken:
                return None
    return (
        f"{profile.name} has found nothing here yet, not even in a text that it must object to: "
        "its configuration may leave this file out, or silence it"
    )


async def _answered(
    server: Server, snapshot: Snapshot, path: str, lines: str, until: float
) -> str | None:
    """Ask about a file that is shown, with these lines; why there was no answer, if there was none.

    Notes whether it has spoken.
    """
    name, text = server.spec.profile.name, snapshot.read(path)
    assert text is not None
    shown = server.documents.shown(path)
    digest = f"{_DIGEST} {shown.digest}"
    server.documents.replace(path, f"{text.sendable}\n{lines}\n", digest)
    try:
        outcome = await RULES[server.spec.profile.rule](server, snapshot, path, until)
    except asyncio.TimeoutError:
        return f"{name} did not answer about a text that it must object to"
    except Dead as end:
        return server.explain(str(end))
    finally:
        if server.dead is None:
            server.documents.replace(path, text.sendable, shown.digest)
    if not isinstance(outcome, Proof):
        return f"{name} did not answer about a text that it must object to: {outcome.text}"
    server.has_spoken = bool(outcome.diagnostics)
    return None


def _others(server: Server, snapshot: Snapshot, path: str) -> Iterator[str]:
    """A few unedited files of its language, each of another folder at the top."""
    profile = server.spec.profile
    language, seen = profile.language_of(path), {_top(path)}
    files = sorted(snapshot.base.folder.files, key=lambda one: (one.count("/"), one))
    fitting = (one for one in files if profile.language_of(one) == language)
    for other in (one for one in fitting if one not in snapshot.edits):
        if _top(other) not in seen:
            seen.add(_top(other))
            yield other
        if len(seen) > _OTHERS:
            return


def _top(path: str) -> str:
    return path.partition("/")[0] if "/" in path else ""


def voice_of(spec: ServerSpec, snapshot: Snapshot, path: str) -> Stamp:
    """Names a server with its settings and with what configures it for a file: beside or above."""
    parts = path.split("/")[:-1]
    folders = ["", *("/".join(parts[: end + 1]) + "/" for end in range(len(parts)))]
    names = (name for name in spec.profile.config_files if _PLAIN.isdisjoint(name))
    digests = [_digest(snapshot, f"{folder}{name}") for name in names for folder in folders]
    return stamp_of([spec.off_stage.key, *digests])


def _digest(snapshot: Snapshot, path: str) -> str | None:
    try:
        return snapshot.digest(path)
    except BadInput:
        return "unreadable"
