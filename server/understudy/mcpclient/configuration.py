"""The configuration files that name MCP servers: VS Code's, and the portable one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from understudy.context.canonical import canonical, digest_of
from understudy.mcpclient.model import ToolServer
from understudy.values.frozen import frozen
from understudy.values.json_input import loads_with_comments

FILES = (".vscode/mcp.json", ".mcp.json")
"""Relative to the folder; the first one that has a name defines it."""

_CONTROL = re.compile("[\x00-\x1f\x7f\u2028\u2029\ud800-\udfff]")
_MOST_SERVERS = 200


class _Unusable(ValueError):
    """A file or an entry cannot be used; the text says why."""


@frozen
class Definitions:
    """Servers by name, in the order of the files; what is wrong with the files themselves."""

    servers: Mapping[str, ToolServer]
    problems: tuple[str, ...]


def read_definitions(texts: Mapping[str, str]) -> Definitions:
    """Read the files' texts, by name; an entry that cannot be used says so itself."""
    found: dict[str, ToolServer] = {}
    problems: list[str] = []
    for origin in FILES:
        if origin not in texts:
            continue
        try:
            entries = _entries(texts[origin])
        except (ValueError, RecursionError) as error:
            problems.append(f"{origin}: {error}")
            continue
        for name, raw in entries.items():
            if len(found) >= _MOST_SERVERS:
                problems.append(
                    f"{origin}: more than {_MOST_SERVERS} servers; the rest is left out"
                )
                break
            server = _server(name, raw, origin)
            known = found.setdefault(name, server)
            if known is not server and known.digest != server.digest:
                problems.append(f"{origin}: {name!r} is defined otherwise in {known.origin}")
    return Definitions(found, tuple(problems))


def _entries(text: str) -> Mapping[str, object]:
    raw = loads_with_comments(text)
    if not isinstance(raw, Mapping):
        raise _Unusable("expected a JSON object")
    table = cast("Mapping[str, object]", raw)
    found: dict[str, object] = {}
    for key in ("servers", "mcpServers"):
        entries = table.get(key, {})
        if not isinstance(entries, Mapping):
            raise _Unusable(f"`{key}` must be an object")
        found.update(cast("Mapping[str, object]", entries))
    return found


def _server(name: str, raw: object, origin: str) -> ToolServer:
    try:
        digest = digest_of(canonical(raw))
    except ValueError as error:
        return ToolServer(name, origin, "", fault=f"not JSON: {error}")
    try:
        return _read(name, raw, origin, digest)
    except ValueError as error:
        return ToolServer(name, origin, digest, fault=str(error))


def _read(name: str, raw: object, origin: str, digest: str) -> ToolServer:
    if not name or len(name) > 200 or _CONTROL.search(name):
        raise _Unusable("a server's name has 1 to 200 characters and no control characters")
    if not isinstance(raw, Mapping):
        raise _Unusable("expected an object")
    table = cast("Mapping[str, Any]", raw)
    kind = table.get("type", "http" if "url" in table else "stdio")
    if kind not in ("stdio", "http", "streamable-http"):
        raise _Unusable(f"type {kind!r} is not supported: stdio and http are")
    command, url = _text(table, "command"), _text(table, "url")
    if not (command if kind == "stdio" else url):
        raise _Unusable(f"{'command' if kind == 'stdio' else 'url'!r} is missing")
    if url and not url.startswith(("http://", "https://", "${")):
        raise _Unusable("`url` must begin with http:// or https://")
    args: object = table.get("args", [])
    if not isinstance(args, list) or not all(isinstance(a, str) for a in cast("list[Any]", args)):
        raise _Unusable("`args` must be a list of strings")
    headers = _texts(table, "headers")
    if any(value is None for value in headers.values()):
        raise _Unusable("`headers` must have strings as values")
    return ToolServer(
        name, origin, digest,
        kind="stdio" if kind == "stdio" else "http",
        command=command,
        args=tuple(cast("list[str]", args)),
        env=_texts(table, "env"),
        env_file=_text(table, "envFile") or None,
        cwd=_text(table, "cwd") or None,
        url=url,
        headers=cast("Mapping[str, str]", headers),
        is_off=table.get("disabled") is True or table.get("enabled") is False,
    )  # fmt: skip


def _text(table: Mapping[str, Any], key: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str) or "\0" in value:
        raise _Unusable(f"{key!r} must be a string")
    return value


def _texts(table: Mapping[str, Any], key: str) -> dict[str, str | None]:
    """A table of strings; numbers are written out, null takes a variable away."""
    raw: object = table.get(key, {})
    if not isinstance(raw, Mapping):
        raise _Unusable(f"`{key}` must be an object")
    found: dict[str, str | None] = {}
    for name, value in cast("Mapping[str, object]", raw).items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, str | int)):
            raise _Unusable(f"`{key}.{name}` must be a string")
        if not name or "=" in name or "\0" in f"{name}{value}":
            raise _Unusable(f"`{key}` has a name or value that cannot be used")
        found[name] = None if value is None else str(value)
    return found
