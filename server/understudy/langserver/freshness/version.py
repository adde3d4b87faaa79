"""Version: a pushed answer that names the very version of the text that was sent.

Only for servers that look at nothing but the file itself: with others, the right version has come
with a stale content.
"""

from __future__ import annotations

from understudy.langserver.diagnostics import Proof, proof_of
from understudy.langserver.server import Server
from understudy.shadow.snapshot import Snapshot
from understudy.values.verdicts import Reason


async def ask(server: Server, snapshot: Snapshot, path: str, deadline: float) -> Proof | Reason:
    """Wait for the version; what one process has said about the same text is not asked again.

    Versions are never used twice in a process, so that a late answer cannot be taken for this one.
    """
    del snapshot
    client, shown = server.client, server.documents.shown(path)
    known = server.proof(path, shown.digest)
    if known is not None:
        return known

    def has_come() -> bool:
        publish = client.publishes.get(path)
        return publish is not None and publish.version == shown.version

    await client.wait_until(has_come, deadline)
    if client.failures:
        server.spoiled = client.failures[0]
        return Reason("unproven", f"the server could not judge: {client.failures[0]}")
    outcome = proof_of(client.publishes[path].diagnostics, client.encoding)
    if isinstance(outcome, Proof):
        server.keep_proof(path, shown.digest, outcome)
    return outcome
