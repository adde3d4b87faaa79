"""Filling in the placeholders of a tool server's definition; nobody is ever asked for a value."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from understudy.mcpclient.model import ToolServer, ToolServerStart
from understudy.values.frozen import frozen

_PLACEHOLDER = re.compile(r"\$\{([^{}]*)\}")
_VARIABLE = re.compile(r"([A-Za-z_]\w*)(?::-(.*))?", re.DOTALL)
_ENV_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*")
_LEAST_SECRET = 6
"""Shorter values are words of their own, and blotting them out would hide what happened."""


class NeedsInput(Exception):
    """A placeholder has no value here; the text says which, and how it can have one."""


@frozen
class Filled:
    """A server that can be started, and the values that no text of ours may show."""

    start: ToolServerStart
    secrets: tuple[str, ...]

    def redacted(self, text: str) -> str:
        """A foreign text without them, on one line of at most 300 characters."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        return line if len(line) <= 300 else f"{line[:280]} [{len(line) - 280} characters more]"


def fill(
    server: ToolServer,
    root: Path,
    environ: Mapping[str, str],
    log: Path,
    read: Callable[[Path], str],
) -> Filled:
    """Put values in the place of placeholders; raises NeedsInput."""
    used: set[str] = set()

    def filled(text: str) -> str:
        return _PLACEHOLDER.sub(lambda match: _value(match[1], root, environ, used), text)

    cwd = (root / Path(filled(server.cwd)).expanduser()) if server.cwd else root
    env: dict[str, str | None] = {}
    if server.env_file:
        env |= _env_file(root / filled(server.env_file), read)
    env |= {name: None if value is None else filled(value) for name, value in server.env.items()}
    headers = {name: filled(value) for name, value in server.headers.items()}
    command = tuple(filled(word) for word in (server.command, *server.args))
    start = ToolServerStart(
        server.name, server.kind, command, env, str(cwd), filled(server.url), headers, str(root),
        str(log),
    )  # fmt: skip
    hidden = {*used, *headers.values(), *(value for value in env.values() if value)}
    # `Bearer xyz` is a secret, and `xyz` alone as well.
    hidden |= {word for value in headers.values() for word in value.split()}
    secrets = (value for value in hidden if len(value) >= _LEAST_SECRET)
    return Filled(start, tuple(sorted(secrets, key=lambda value: (-len(value), value))))


def _value(name: str, root: Path, environ: Mapping[str, str], used: set[str]) -> str:
    plain = {
        "workspaceFolder": str(root),
        "workspaceFolderBasename": root.name,
        "userHome": str(Path.home()),
        "pathSeparator": os.sep,
        "/": os.sep,
    }.get(name)
    if plain is not None:
        return plain
    if name.startswith("input:"):
        text = f"only the editor asks for ${{{name}}}: write ${{env:NAME}} in its place, and set it"
        raise NeedsInput(text)
    match = _VARIABLE.fullmatch(name.removeprefix("env:"))
    if match is None:
        raise NeedsInput(f"only the editor can fill in ${{{name}}}")
    value = environ.get(match[1]) or match[2]
    if value is None:
        raise NeedsInput(f"the environment variable {match[1]} is not set")
    used.add(value)
    return value


def _env_file(file: Path, read: Callable[[Path], str]) -> dict[str, str]:
    try:
        lines = read(file).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise NeedsInput(f"envFile {file.name} cannot be read: {error}") from error
    found: dict[str, str] = {}
    for line in lines:
        match = _ENV_LINE.fullmatch(line)
        if match is not None:
            value = match[2]
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
            found[match[1]] = value[1:-1] if quoted else value
    return found
