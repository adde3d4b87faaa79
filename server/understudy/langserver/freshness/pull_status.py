"""Pull with a status: an answer counts only if the server says beside it that it has validated.

vscode-eslint answers with an empty list, too, where it finds no ESLint, no configuration, or fails.
"""

from __future__ import annotations

from understudy.langserver.diagnostics import Proof
from understudy.langserver.freshness import pull
from understudy.langserver.server import Server
from understudy.shadow.snapshot import Snapshot
from understudy.values.verdicts import Reason


async def ask(server: Server, snapshot: Snapshot, path: str, deadline: float) -> Proof | Reason:
    """Pull, and look for the notice that came after the question and before the answer."""
    client = server.client
    asked_at = client.connection.n_received
    outcome = await pull.ask(server, snapshot, path, deadline)
    if isinstance(outcome, Proof) and client.validated.get(path, -1) <= asked_at:
        why = client.errors[-1] if client.errors else "no library of it, or no configuration, fits"
        return Reason("unproven", f"{server.spec.name} has not validated the file: {why}")
    return outcome
