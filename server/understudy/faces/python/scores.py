"""The question for scores, as it goes to a folder's host."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from understudy.faces.python.asking import Asking
from understudy.faces.python.edits import Edits, listed, words
from understudy.findings.rewards import Score, Weights, names_of_tests
from understudy.values.findings import Severity
from understudy.workspace.settings import Scope


async def rewards(
    asking: Asking,
    patches: Sequence[Edits],
    *,
    command: Sequence[str],
    fail_to_pass: Sequence[str] | str,
    pass_to_pass: Sequence[str] | str,
    test_patch: Edits | None,
    weights: Weights | None,
    scope: Scope | None,
    severity: Severity | None,
    servers: Sequence[str],
    timeout: float | None,
    test_timeout: float | None,
) -> tuple[Score, ...]:
    """The scores, in the order of the patches."""
    params: dict[str, Any] = {
        "patches": [listed(one) for one in patches],
        "scope": scope,
        "severity": severity,
        "servers": words(servers, "servers"),
        "timeout": timeout,
        "command": words(command, "command"),
        "fail_to_pass": list(names_of_tests(fail_to_pass, "fail_to_pass")),
        "pass_to_pass": list(names_of_tests(pass_to_pass, "pass_to_pass")),
        "test_patch": [] if test_patch is None else listed(test_patch),
        "test_timeout": test_timeout,
        "weights": asdict(weights or Weights()),
        "environ": dict(os.environ),
    }
    told = await asking.ask("reward", params)
    return tuple(map(_score, told["scores"]))


def _score(row: Mapping[str, Any]) -> Score:
    lists = {name: tuple(row[name]) for name in ("not_passed", "why")}
    fields: dict[str, Any] = {**row, **lists}
    return Score(**fields)
