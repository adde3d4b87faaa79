"""The requests of a review: what is found in a branch's file, and what would mend it."""

from __future__ import annotations

import time

from understudy.app.check.document import judge_document
from understudy.faces.answers.check import findings_json
from understudy.faces.calls.entry import Json
from understudy.faces.lsp.connection import UnderstudyServer
from understudy.faces.params import review
from understudy.workspace.options import time_limit
from understudy.workspace.progress import Audience


async def findings(server: UnderstudyServer, params: review.FindInFile, _: Audience) -> Json:
    """All that servers prove about one file of a branch, and what they do not know."""
    session = server.host.session
    path = session.root.relative(params.path)
    deadline = time.monotonic() + time_limit(params.timeout, session.settings.timeout_s)
    snapshot = await session.branches.snapshot(params.branch, await server.live_base.fresh())
    answers = await judge_document(session, snapshot, path, owner=params.branch, deadline=deadline)
    found = [finding for answer in answers for finding in answer.findings or ()]
    return {
        "path": path,
        "findings": findings_json(found, snapshot),
        "unknown": [
            {"server": one.server, "code": one.reason.code, "text": one.reason.text}
            for one in answers
            if one.reason is not None
        ],
    }


async def fixes(server: UnderstudyServer, params: review.FindFixes, _: Audience) -> Json:
    """What servers offer, each with what speaks against it."""
    from understudy.app.check.fixes.at_place import fixes_at  # noqa: PLC0415 - few ask for it

    session = server.host.session
    stamp, found = await fixes_at(
        session, params.branch, session.root.relative(params.path), params.kind, params.line,
        server.live_base, params.timeout,
    )  # fmt: skip
    return {
        "branch": params.branch,
        "stamp": stamp,
        "fixes": [
            {"title": one.title, "server": one.server, "why": one.why, "edits": list(one.edits)}
            for one in found
        ],
    }
