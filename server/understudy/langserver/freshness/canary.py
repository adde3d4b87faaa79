"""Canary: a line that must be found is added; the answer that finds it is about this text.

A server that can name neither version nor request with its diagnostics proves in this way that it
has seen the text up to its end. Not seen means not proven: an open string or comment hides it.
"""

from __future__ import annotations

from understudy.langserver.connection import Dead
from understudy.langserver.diagnostics import Proof, proof_of
from understudy.langserver.json_values import Json, fields_of, items_of
from understudy.langserver.server import Server
from understudy.shadow.snapshot import Snapshot
from understudy.values.positions import LineIndex
from understudy.values.verdicts import Reason

_HINT = 4


async def ask(server: Server, snapshot: Snapshot, path: str, deadline: float) -> Proof | Reason:
    """Show the text with the canary, wait for the answer that has it, and show the text again."""
    text = snapshot.read(path)
    assert text is not None
    client, shown = server.client, server.documents.shown(path)
    server.n_canaries += 1
    token = f"understudy_canary_{server.n_canaries}"
    template = client.spec.profile.canary[client.spec.profile.language_of(path) or ""]
    content, line = _with_line(text.sendable, template.replace("{token}", token))
    sent_at = client.connection.n_received
    server.documents.replace(path, content, token)

    def has_come() -> bool:
        publish = client.publishes.get(path)
        return (
            publish is not None
            and publish.arrival > sent_at
            and any(_mentions(item, token) for item in items_of(publish.diagnostics))
        )

    try:
        await client.wait_until(has_come, deadline)
        return _without(client.publishes[path].diagnostics, token, line, server)
    finally:
        if client.connection.dead is None:
            server.documents.replace(path, text.sendable, shown.digest)


def _without(diagnostics: Json, token: str, line: int, server: Server) -> Proof | Reason:
    """The diagnostics less the canary's own.

    Hints are left out: they may come later than the kind of finding that the canary is.
    """
    kept: list[Json] = []
    for item in items_of(diagnostics):
        if _mentions(item, token) or fields_of(item).get("severity") == _HINT:
            continue
        if _line_of(item) >= line:
            # Of the canary, or of the text's end, as an unclosed bracket is: no telling.
            return Reason("unproven", "a finding at the end of the text cannot be told from ours")
        kept.append(item)
    return proof_of(kept, server.client.encoding)


def _with_line(content: str, canary: str) -> tuple[str, int]:
    """The text with one more line, and that line's number."""
    end = "\r\n" if "\r\n" in content else "\n"
    if content and not content.endswith(("\n", "\r")):
        content += end
    return content + canary + end, len(LineIndex(content).starts) - 1


def _mentions(item: Json, token: str) -> bool:
    message = str(fields_of(item).get("message"))
    place = message.find(token)
    # A longer number that starts with ours is another canary.
    return place >= 0 and not message[place + len(token) :][:1].isdigit()


def _line_of(item: Json) -> int:
    try:
        return int(item["range"]["start"]["line"])
    except (KeyError, TypeError, ValueError) as error:
        raise Dead("it sent a diagnostic without a place") from error
