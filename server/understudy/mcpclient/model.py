"""A tool server as the workspace defines it, as it is started, and what it has to offer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field
from typing import Any, Literal, cast

from understudy.values.frozen import frozen

Status = Literal[
    "ready", "starting", "needs-auth", "needs-input", "needs-trust", "failed", "disabled"
]
Kind = Literal["stdio", "http"]


@frozen
class ToolServer:
    """One entry of a configuration file, its placeholders as they stand there.

    `origin` is the file; `digest` changes with the entry; `fault` says why it cannot be used.
    """

    name: str
    origin: str
    digest: str
    kind: Kind = "stdio"
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    env_file: str | None = None
    cwd: str | None = None
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    is_off: bool = False
    fault: str = ""

    @property
    def shown(self) -> str:
        """What allowing it lets run or be reached, placeholders and all, without headers or env."""
        return self.url if self.kind == "http" else " ".join([self.command, *self.args])

    @property
    def is_ours(self) -> bool:
        """Whether it is Understudy itself, which would call itself for ever."""
        words = [self.command, *self.args]
        names = [word.replace("\\", "/").rpartition("/")[2].removesuffix(".exe") for word in words]
        return self.kind == "stdio" and "understudy" in names and "mcp" in names


@frozen
class ToolServerStart:
    """All that is needed to reach a server, placeholders filled in; None takes a variable away."""

    name: str
    kind: Kind
    command: tuple[str, ...]
    env: Mapping[str, str | None]
    cwd: str
    url: str
    headers: Mapping[str, str]
    root: str
    log: str

    def as_json(self) -> dict[str, Any]:
        """For the process that starts it."""
        return asdict(self)

    @staticmethod
    def of_json(table: Mapping[str, Any]) -> ToolServerStart:
        """What `as_json` made."""
        return ToolServerStart(
            **cast("dict[str, Any]", {**table, "command": tuple(table["command"])})
        )
