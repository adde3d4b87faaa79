"""Re-open: a pushed answer about a document that was opened after everything else was shown.

For servers that answer a change with the right version and what they had read of other files
before, and read those anew for a document that is opened.
"""

from __future__ import annotations

from understudy.langserver.diagnostics import Proof, proof_of
from understudy.langserver.server import Server
from understudy.shadow.snapshot import Snapshot
from understudy.values.verdicts import Reason


async def ask(server: Server, snapshot: Snapshot, path: str, deadline: float) -> Proof | Reason:
    """Wait for the version that the document was opened with.

    Versions are never used twice in a process. Documents that other documents may include are
    re-opened here, alone (`at_once` is 1): while one is closed, the others must be answered.
    """
    await server.documents.reopen(snapshot, path, deadline)
    client, shown = server.client, server.documents.shown(path)

    def has_come() -> bool:
        publish = client.publishes.get(path)
        return publish is not None and publish.version == shown.version

    await client.wait_until(has_come, deadline)
    return proof_of(client.publishes[path].diagnostics, client.encoding)
