"""The table of models: those that we know, with the user's own put over them."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from understudy.context.policy import Policy, policy_of
from understudy.context.providers.model import Model
from understudy.values.structure import structure
from understudy.values.toml import loads
from understudy.workspace.users_tables import users_rows, users_table

_UNKNOWN = "unknown"


@cache
def _shipped() -> Mapping[str, Mapping[str, Any]]:
    return loads(files("understudy.workspace.agents").joinpath("models.toml").read_text("utf-8"))


def users_models() -> Path:
    """Where a user adds models: beside their own settings. No folder's file can."""
    return users_table("models.toml")


def model_rows() -> dict[str, Model]:
    """Every row by its name; raises BadInput `bad-setting` for the user's file."""
    path = users_models()
    users = users_rows(path)
    rows: dict[str, Model] = {}
    for name in (*_shipped(), *sorted(users.keys() - _shipped().keys())):
        own = users.get(name, {})
        where = f"{path}: {name}" if name in users else f"models.toml: {name}"
        base = _shipped().get(name, _shipped()[_UNKNOWN])
        rows[name] = structure({**base, **own}, Model, "bad-setting", where)
    return rows


def model_named(name: str) -> Model:
    """The row for a model's name: that of the longest pattern that fits, else the careful one."""
    rows = model_rows()
    fitting = [
        (len(pattern), row)
        for row in rows.values()
        for pattern in row.match
        if fnmatchcase(name.lower(), pattern.lower())
    ]
    return max(fitting, key=lambda pair: pair[0])[1] if fitting else rows[_UNKNOWN]


def policy_for(raw: object, where: str = "policy") -> Policy:
    """A policy from JSON; a `model` in it fills in what the policy does not say itself.

    Raises BadInput `bad-policy`, and `bad-setting` for the user's table of models.
    """
    policy = policy_of(raw, where)
    if not policy.model:
        return policy
    given = frozenset(cast("Mapping[str, object]", raw))
    return model_named(policy.model).policy(policy, given)
