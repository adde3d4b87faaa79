"""Proof of life: a server that has found nothing yet must object to what nobody can let pass.

Where the user's configuration, a missing library or a failure has silenced it, its empty answers
come as freshly as true ones. So before its first one in a folder counts it is shown the judged file
with lines at its end that break any text of the language, and asked again.

A file may be left out on purpose (ruff's `exclude`): then the server objects in another one, and
its silence about this one is what the user wants. The lines are those of its profile or of a proof.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

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
_OTHERS, _JUDGED = 3, 2
"""Most other files that are asked about, and of those that are judged, too."""
_PLAIN = frozenset("*?[")


class _NoWord(Exception):
    """It has not been heard whether the server objects, with why."""


async def alive(
    server: Server, voices: Voices, snapshot: Snapshot, answers: list[Answer], deadline: float
) -> list[Answer]:
    """The answers; empty ones of a server that objects to nothing prove nothing.

    One that comes with us counts as silent only where it was heard that it objects to nothing, and
    what was heard of it in this folder before counts. A user's own is asked in each process.
    """
    if server.has_spoken:
        return answers
    found = [answer.path for answer in answers if answer.findings]
    silent = [answer.path for answer in answers if answer.findings == ()]
    if not found and not silent:
        return answers
    # The last one asked: of rule `reopen`, it is the one that was opened anew.
    path, shipped = (found or silent)[-1], server.spec.shipped
    voice = voice_of(server.spec, snapshot, path)
    server.has_spoken = bool(found) or (shipped and voices.has_heard(voice))
    try:
        why = None if server.has_spoken else await objects(server, snapshot, silent, deadline)
    except _NoWord as reason:
        if shipped:
            server.has_spoken = True  # not to be asked again
            return answers
        why = str(reason)
    if server.has_spoken and shipped:
        voices.note(voice)
    if why is None:
        return answers
    reason = Reason("silent", why)
    return [
        answer if answer.findings != () else replace(answer, findings=None, reason=reason)
        for answer in answers
    ]


async def objects(
    server: Server, snapshot: Snapshot, silent: list[str], deadline: float
) -> str | None:
    """Why the server counts as silent, None if not; the last of `silent` was just asked about.

    Rule `canary` needs no question: each of its answers has an objection in it. Nor is there one
    for a language of which no lines are known. The only file of a folder that configures a server
    of ours may be left out on purpose. Raises _NoWord.
    """
    profile, path = server.spec.profile, silent[-1]
    lines = profile.objections.get(profile.language_of(path) or "", "")
    if profile.rule == "canary" or not lines or snapshot.read(path) is None:
        server.has_spoken = True
        return None
    until = min(deadline, asyncio.get_running_loop().time() + _LONGEST_S)
    n_asked, n_heard, unheard = 0, 0, ""
    for one in (path, *islice(_others(server, snapshot, silent), _OTHERS)):
        try:
            if one == path or not await server.documents.show(snapshot, [one], until):
                n_asked += 1
                unheard = await _answered(server, snapshot, one, lines, until)
                n_heard += not unheard
        except (BadInput, OutsideFailure, NeedsRestart, asyncio.TimeoutError, Dead) as error:
            raise _NoWord(_no_answer(profile.name, str(error))) from error
        if server.has_spoken:
            return None
    if not n_heard:
        raise _NoWord(unheard)
    if n_asked == 1 and server.spec.shipped and any(map(profile.is_config, snapshot.paths())):
        return None
    return (
        f"{profile.name} has found nothing here yet, not even in a text that it must object to: "
        "its configuration may leave this file out, or silence it"
    )


async def _answered(server: Server, snapshot: Snapshot, path: str, lines: str, until: float) -> str:
    """Ask about a file that is shown, with these lines; why what came is no answer, if it is none.

    Notes whether the server has spoken. Raises _NoWord where nothing more is to be expected.
    """
    name, text = server.spec.profile.name, snapshot.read(path)
    assert text is not None
    shown = server.documents.shown(path)
    digest = f"{_DIGEST} {shown.digest}"
    server.documents.replace(path, f"{text.sendable}\n{lines}\n", digest)
    try:
        outcome = await RULES[server.spec.profile.rule](server, snapshot, path, until)
    except asyncio.TimeoutError as late:
        raise _NoWord(_no_answer(name)) from late
    except Dead as end:
        raise _NoWord(server.explain(str(end))) from end
    finally:
        if server.dead is None:
            server.documents.replace(path, text.sendable, shown.digest)
    if not isinstance(outcome, Proof):
        return _no_answer(name, outcome.text)
    server.has_spoken = bool(outcome.diagnostics)
    return ""


def _no_answer(name: str, why: str = "") -> str:
    text = f"{name} did not answer about a text that it must object to"
    return f"{text}: {why}" if why else text


def _others(server: Server, snapshot: Snapshot, silent: list[str]) -> Iterator[str]:
    """A few other files of its language: such as are judged, too, then unedited ones."""
    profile, path = server.spec.profile, silent[-1]
    language = profile.language_of(path)
    files = sorted(snapshot.base.folder.files, key=lambda one: (one.count("/"), one))
    folders = {_folder(path)}
    judged = (one for one in silent[-2::-1] if profile.language_of(one) == language)
    known = {*silent, *snapshot.edits}
    plain = (one for one in files if one not in known and profile.language_of(one) == language)
    yield from islice(_far_first(judged, folders), _JUDGED)
    yield from _far_first(plain, folders)


def _far_first(paths: Iterable[str], folders: set[str]) -> Iterator[str]:
    """First one of each folder that is not among these yet, which are added; then the rest."""
    near: list[str] = []
    for path in paths:
        if _folder(path) in folders:
            near.append(path)
        else:
            folders.add(_folder(path))
            yield path
    yield from near


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def voice_of(spec: ServerSpec, snapshot: Snapshot, path: str) -> Stamp:
    """Names a server with its settings and with what configures it for a file: beside or above.

    One on a stage is another one.
    """
    parts = path.split("/")[:-1]
    folders = ["", *("/".join(parts[: end + 1]) + "/" for end in range(len(parts)))]
    profile = spec.profile
    names = [name for name in profile.config_files if _PLAIN.isdisjoint(name)]
    digests = [_digest(snapshot, f"{folder}{name}") for name in names for folder in folders]
    if len(names) < len(profile.config_files):
        inside = (one for one in snapshot.paths() if f"{_folder(one)}/".lstrip("/") in folders)
        for one in sorted(filter(profile.is_config, inside)):
            digests += [one.rpartition("/")[2], _digest(snapshot, one)]
    server = [spec.off_stage.key, spec.configured, str(spec.staged is not None)]
    return stamp_of([*server, *digests])


def _digest(snapshot: Snapshot, path: str) -> str | None:
    try:
        return snapshot.digest(path)
    except BadInput:
        return "unreadable"
