"""Freshness rules: each accepts an answer only with evidence that it is about the text shown.

A rule gets the server, the snapshot it shows, one open path and a deadline in loop time; it returns
a Proof or a Reason, or raises Dead or asyncio.TimeoutError. A rule never returns an empty Proof for
silence, an error, null, or an answer about another text.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from understudy.langserver.diagnostics import Proof
from understudy.langserver.freshness import canary, pull, pull_command, pull_status, reopen, version
from understudy.langserver.profile import Rule
from understudy.langserver.server import Server
from understudy.shadow.snapshot import Snapshot
from understudy.values.verdicts import Reason

Ask = Callable[[Server, Snapshot, str, float], Awaitable[Proof | Reason]]

RULES: Mapping[Rule, Ask] = {
    "pull": pull.ask,
    "pull_status": pull_status.ask,
    "pull_command": pull_command.ask,
    "version": version.ask,
    "reopen": reopen.ask,
    "canary": canary.ask,
}
