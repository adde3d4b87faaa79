"""Pull: the server is asked for the diagnostics of the text that it was just shown."""

from __future__ import annotations

import asyncio

from understudy.langserver import methods
from understudy.langserver.client import Client
from understudy.langserver.configuration_errors import published_errors
from understudy.langserver.connection import ErrorAnswer
from understudy.langserver.diagnostics import Proof, proof_of
from understudy.langserver.json_values import Json, fields_of
from understudy.langserver.server import Server
from understudy.shadow.snapshot import Snapshot
from understudy.values.verdicts import Reason

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.002, 0.25


async def ask(server: Server, snapshot: Snapshot, path: str, deadline: float) -> Proof | Reason:
    """Ask until the server does not cancel by itself (ty does whenever any document changes)."""
    del snapshot
    client, loop = server.client, asyncio.get_running_loop()
    await client.wait_until(lambda: client.pulls, deadline)
    params = _params(client, path)
    pause = _FIRST_PAUSE_S
    while True:
        try:
            result = await client.connection.request(methods.DIAGNOSTIC, params, deadline)
        except ErrorAnswer as refusal:
            if not _may_ask_again(refusal):
                return _refused(server, refusal)
        else:
            return _proof(client, result)
        # The server has said "later"; asking in a tight loop would keep it from its work.
        await asyncio.sleep(min(pause, max(deadline - loop.time(), 0)))
        pause = min(2 * pause, _LONGEST_PAUSE_S)


def _params(client: Client, path: str) -> dict[str, Json]:
    params: dict[str, Json] = {"textDocument": {"uri": client.spec.root.uri(path)}}
    for options in client.pull_options():
        if "identifier" in options:
            params["identifier"] = options["identifier"]
    return params


def _proof(client: Client, result: Json) -> Proof | Reason:
    if not isinstance(result, dict):
        return Reason("unproven", "the server answered null instead of diagnostics")
    report = fields_of(result)
    # gopls leaves the word empty, and has no other kind of report.
    if report.get("kind") not in ("full", ""):
        # We never send a previousResultId, so "unchanged" is about something we do not have.
        return Reason("unproven", f"the server answered {report.get('kind')!r} without diagnostics")
    return proof_of(report.get("items"), client.encoding)


def _refused(server: Server, refusal: ErrorAnswer) -> Reason:
    """What it says of its configuration comes first: it may know of no file because of that."""
    name = server.spec.name
    wrong = sorted(published_errors(server))
    first = f"{name} cannot use its configuration: {wrong[0]}; " if wrong else ""
    return Reason("unproven", f"{first}{name} answered with an error: {refusal.message}")


def _may_ask_again(refusal: ErrorAnswer) -> bool:
    later = refusal.code in (methods.CONTENT_MODIFIED, methods.SERVER_CANCELLED)
    return later and fields_of(refusal.data).get("retriggerRequest") is not False
