"""The table of agents: those we know, with the user's own put over them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from understudy.values.errors import BadInput
from understudy.values.toml import loads
from understudy.workspace.agents.profile import Agent, parse_agent
from understudy.workspace.users_tables import users_rows, users_table


@cache
def _shipped() -> Mapping[str, Mapping[str, Any]]:
    return loads(files("understudy.workspace.agents").joinpath("agents.toml").read_text("utf-8"))


def shipped_agents() -> tuple[Agent, ...]:
    """The agents that we know, in their order, as they are without a user's file."""
    return tuple(map(_ours, _shipped()))


@cache
def agent_files() -> frozenset[str]:
    """The files of a folder that the agents we know are set up by."""
    every = (file["path"] for record in _shipped().values() for file in record["files"])
    return frozenset(path for path in every if not path.startswith("~/"))


def users_file() -> Path:
    """Where a user adds agents: beside their own settings. No folder's file can."""
    return users_table("agents.toml")


def agent_names() -> tuple[str, ...]:
    """The names of all agents, ours first; raises as `agent_named`."""
    return tuple(dict.fromkeys((*_shipped(), *users_rows(users_file()))))


def agent_named(name: str) -> Agent:
    """The agent of that name; of one that we know, the keys that the user gives are replaced.

    Raises BadInput `unknown-agent`, and `bad-setting` for the user's file.
    """
    users = users_rows(users_file())
    if name not in _shipped() and name not in users:
        text = f"there are: {', '.join(agent_names())}; {users_file()} can have more"
        raise BadInput("unknown-agent", text, name)
    if name not in users:
        return _ours(name)
    return parse_agent(name, {**_shipped().get(name, {}), **users[name]})


@cache
def _ours(name: str) -> Agent:
    return parse_agent(name, _shipped()[name])
