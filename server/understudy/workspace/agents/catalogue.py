"""The table of agents: those we know, with the user's own put over them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from platformdirs import user_config_path

from understudy.values.errors import BadInput
from understudy.values.toml import TOMLDecodeError, loads
from understudy.workspace.agents.profile import Agent, parse_agent


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
    return user_config_path("understudy", appauthor=False) / "agents.toml"


def agent_names() -> tuple[str, ...]:
    """The names of all agents, ours first; raises as `agent_named`."""
    return tuple(dict.fromkeys((*_shipped(), *_users())))


def agent_named(name: str) -> Agent:
    """The agent of that name; of one that we know, the keys that the user gives are replaced.

    Raises BadInput `unknown-agent`, and `bad-setting` for the user's file.
    """
    users = _users()
    if name not in _shipped() and name not in users:
        text = f"there are: {', '.join(agent_names())}; {users_file()} can have more"
        raise BadInput("unknown-agent", text, name)
    if name not in users:
        return _ours(name)
    return parse_agent(name, {**_shipped().get(name, {}), **users[name]})


@cache
def _ours(name: str) -> Agent:
    return parse_agent(name, _shipped()[name])


def _users() -> Mapping[str, Mapping[str, object]]:
    path = users_file()
    try:
        found = loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, TOMLDecodeError) as error:
        raise BadInput("bad-setting", f"cannot be read: {error}", str(path)) from error
    for name, record in found.items():
        if not isinstance(record, Mapping):
            raise BadInput("bad-setting", "must be a table", f"{path}: {name}")
    return cast("Mapping[str, Mapping[str, object]]", found)
