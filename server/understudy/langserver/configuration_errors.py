"""What a server says against its configuration: it goes on with defaults, and so do its answers.

The profile's `configuration_errors` names how it says it. Texts are compared between two processes
that start with different configuration: one that only the edited one has is the edit's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from understudy.langserver import methods
from understudy.langserver.connection import ErrorAnswer
from understudy.langserver.json_values import Json, fields_of, items_of
from understudy.langserver.server import Server
from understudy.langserver.waiting import all_of
from understudy.shadow.snapshot import Snapshot
from understudy.values.verdicts import Reason

PUBLISH_S = 5.0
"""How long a server may take to publish about a configuration that it has used by now."""

_TSSERVER = "typescript.tsserverRequest"

Said = frozenset[str] | Reason
Asker = Callable[[Server, Snapshot, Sequence[str], float], Awaitable[Said]]


async def configuration_errors(
    server: Server, snapshot: Snapshot, paths: Sequence[str], deadline: float
) -> Said:
    """The errors, after answers about `paths`; a reason where it did not say in time (loop time).

    Raises Dead, asyncio.TimeoutError.
    """
    said = await _ASKERS[server.spec.profile.configuration_errors](
        server, snapshot, paths, deadline
    )
    return said if isinstance(said, Reason) else said | frozenset(server.client.errors)


async def _in_messages(
    server: Server, snapshot: Snapshot, paths: Sequence[str], deadline: float
) -> Said:
    """It has shown or published them, or written them to its log, before it answered."""
    del snapshot, paths, deadline
    return published_errors(server)


async def _published(
    server: Server, snapshot: Snapshot, paths: Sequence[str], deadline: float
) -> Said:
    """It publishes findings about the configuration, none as well, soon after it has read it."""
    client, profile = server.client, server.spec.profile
    above = {place for path in paths if (place := _tsconfig_above(snapshot, path)) is not None}
    if not above:
        return frozenset()

    def has_published() -> bool:
        return any(profile.is_config(path) for path in client.publishes)

    until = min(deadline, asyncio.get_running_loop().time() + PUBLISH_S)
    try:
        await client.wait_until(has_published, until)
    except asyncio.TimeoutError:
        text = f"{server.spec.name} has not said what it makes of {min(above)}"
        return Reason("unproven", text)
    return published_errors(server)


def published_errors(server: Server) -> frozenset[str]:
    """What it has published against its configuration by now.

    Of files that it judges, too, what it finds is no error of its configuration.
    """
    profile = server.spec.profile
    return frozenset(
        f"{path}: {item.get('message')}"
        for path, published in server.client.publishes.items()
        if profile.is_config(path) and profile.language_of(path) is None
        for item in map(fields_of, items_of(published.diagnostics))
        if item.get("severity", 1) == 1
    )


async def _by_tsserver(
    server: Server, snapshot: Snapshot, paths: Sequence[str], deadline: float
) -> Said:
    """Tsserver is asked which project each file is in, and then about these projects."""
    root = server.spec.root.path

    async def ask(command: str, arguments: Mapping[str, Json]) -> Json:
        params: dict[str, Json] = {"command": _TSSERVER, "arguments": [command, dict(arguments)]}
        try:
            answer = await server.client.connection.request(
                methods.EXECUTE_COMMAND, params, deadline
            )
        except ErrorAnswer:  # a configuration that is gone has no project
            return None
        return fields_of(answer).get("body")

    projects: set[str] = set()
    outside: set[str] = set()
    infos = [ask("projectInfo", {"file": str(root / path)}) for path in paths]
    for path, info in zip(paths, await all_of(infos), strict=True):
        place = str(fields_of(info).get("configFileName", ""))
        above = _tsconfig_above(snapshot, path)
        if place.endswith(".json"):
            projects.add(place)
        elif above is not None:
            outside.add(f"{above} does not take in {path}")
    said: set[str] = set()
    for place in sorted(projects):
        about = {"file": place, "projectFileName": place}
        for command in ("semanticDiagnosticsSync", "compilerOptionsDiagnostics-full"):
            for item in map(fields_of, items_of(await ask(command, about) or [])):
                if item.get("category") == "error":
                    said.add(str(item.get("text") or item.get("message")))
    return frozenset(said | outside)


def _tsconfig_above(snapshot: Snapshot, path: str) -> str | None:
    """The nearest configuration that should take a file in."""
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        for name in ("tsconfig.json", "jsconfig.json"):
            place = f"{folder}/{name}" if folder else name
            if snapshot.exists(place):
                return place
    return None


_ASKERS: Mapping[str, Asker] = {
    "messages": _in_messages,
    "published": _published,
    "tsserver": _by_tsserver,
}
