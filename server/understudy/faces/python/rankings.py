"""A ranking as Python has it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from understudy.faces.python.asking import Asking
from understudy.faces.python.edits import Edits, listed, words
from understudy.faces.python.findings import Finding, findings_of
from understudy.values.findings import Severity
from understudy.values.frozen import frozen
from understudy.workspace.settings import Scope


@frozen
class CandidateTests:
    """What the tests said of a candidate; `ended` is False where it could not win any more."""

    ended: bool
    broken: tuple[str, ...]
    mended: tuple[str, ...]
    passed: int
    failed: int
    status: int | None


@frozen
class RankedCandidate:
    """A candidate where it stands, and why; counts are of what its check introduces.

    `same_as` is the candidate that it was judged with, `refused` why it could not be judged.
    """

    id: str
    verdict: Literal["clean", "findings", "unknown", "refused"]
    why: str
    same_as: str | None
    votes: int
    introduced: int
    milder: int
    silenced: int
    unknown: int
    lines: int
    findings: tuple[Finding, ...]
    refused: str | None
    tests: CandidateTests | None


async def rank(
    asking: Asking,
    candidates: Mapping[str, Edits],
    branches: Sequence[str],
    *,
    scope: Scope | None,
    severity: Severity | None,
    servers: Sequence[str],
    timeout: float | None,
    command: Sequence[str],
    test_timeout: float | None,
) -> tuple[RankedCandidate, ...]:
    """The candidates, best first."""
    edits = [{"id": name, "edits": listed(one)} for name, one in candidates.items()]
    params: dict[str, Any] = {
        "candidates": [*edits, *({"branch": branch} for branch in branches)],
        "scope": scope,
        "severity": severity,
        "servers": words(servers, "servers"),
        "timeout": timeout,
        "command": words(command, "command"),
        "test_timeout": test_timeout,
        "environ": dict(os.environ),
        "by_user": False,
    }
    told = await asking.ask("rank", params)
    return tuple(map(_ranked, told["candidates"]))


def _ranked(row: Mapping[str, Any]) -> RankedCandidate:
    tests, refused = row["tests"], row["refused"]
    return RankedCandidate(
        row["id"], row["verdict"], row["why"], row["same_as"], row["votes"],
        row["introduced"], row["milder"], row["silenced"], row["unknown"], row["lines"],
        findings_of(row["findings"]),
        None if refused is None else f"{refused['code']}: {refused['text']}",
        None if tests is None else CandidateTests(
            tests["ended"], tuple(tests["broken"]), tuple(tests["mended"]),
            tests["passed"], tests["failed"], tests["status"],
        ),
    )  # fmt: skip
