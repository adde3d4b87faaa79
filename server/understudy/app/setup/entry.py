"""The entry by which an agent starts our MCP server, read from the agent's own file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from understudy.app.setup.changes import ConfigurationChange
from understudy.app.setup.json_text import JsonText
from understudy.values.toml import loads

_NAME = "understudy"


def server_entry(changes: Sequence[ConfigurationChange]) -> tuple[str, ...] | None:
    """The program and its arguments as the files have them; None where no file names a server."""
    for change in changes:
        text = (change.after or b"").decode("utf-8", "replace")
        if change.path.suffix not in (".json", ".toml"):
            continue
        is_toml = change.path.suffix == ".toml"
        held = loads(text) if is_toml else JsonText(text, comments=True).value()
        found = _server(held)
        if found is not None:
            return found
    return None


def _server(held: object) -> tuple[str, ...] | None:
    if not isinstance(held, dict):
        return None
    table = cast("dict[str, Any]", held)
    entry = table.get(_NAME)
    if isinstance(entry, dict) and "command" in entry:
        server = cast("dict[str, Any]", entry)
        command: object = server["command"]
        words = [command] if isinstance(command, str) else list(cast("list[object]", command))
        return tuple(map(str, [*words, *server.get("args", ())]))
    return next(filter(None, map(_server, table.values())), None)
