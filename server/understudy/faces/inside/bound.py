"""What an agent that lives in a branch may ask, of which call: that branch, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any, cast

from understudy.values.errors import Refused

BRANCH_BASE, BRANCH_NOW = "what this branch began from", "this branch as it is"
"""What an agent's branch, or its edits over it, are compared with, in words."""

_ACTIONS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "code": frozenset(
            (
                *("outline", "source", "map", "affected", "definition", "declaration", "type"),
                *("implementation", "references", "hover", "signature", "callers", "callees"),
                *("symbols", "search"),
            )
        ),
        "context": frozenset(("diff", "outline", "source", "map")),
    }
)
"""Of calls that do several things, those that only read the branch."""

_REFUSED: Mapping[str, str] = MappingProxyType(
    {
        "before": "the branch is compared with what it began from; leave this out",
        "revision": "the branch is compared with what it began from; leave this out",
        "fix": "fixes are written from outside; edit the files yourself",
        "only": "fixes are written from outside; edit the files yourself",
        "untilClean": "fixes are written from outside; edit the files yourself",
        "unsafe": "fixes are written from outside; edit the files yourself",
        "candidates": "patches are ranked from outside; check them one by one",
    }
)


def bound(call: str, takes: type[Any], raw: object, branch: str) -> object:
    """The params of a call about this branch.

    Raises Refused `other-branch` and `not-in-a-rehearsal` for what speaks of anything else.
    """
    if not isinstance(raw, dict | None):
        return raw  # whoever structures it says what is wrong
    params = dict(cast("dict[str, Any]", raw or {}))
    for name, text in _REFUSED.items():
        if params.get(name):
            raise Refused("not-in-a-rehearsal", text, name)
    action = params.get("action")
    if call in _ACTIONS and isinstance(action, str) and action not in _ACTIONS[call]:
        text = "from inside a branch nobody may ask for this"
        raise Refused("not-in-a-rehearsal", text, f"{call} {action}")
    if params.get("branch", branch) not in (branch, None):
        text = f"this is an agent's way to {branch}, and to no other branch"
        raise Refused("other-branch", text, str(params["branch"])[:100])
    if "branch" in {field.name for field in fields(takes)}:
        params["branch"] = branch
    return params
