"""The asynchronous Python API: what is kept as files, and recorded terminals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from understudy.faces.python import kept_results as results
from understudy.faces.python.asking import Asking


class AsyncContext:
    """What prompts refer to: outputs, histories, skills, kept as files (docs/reference/context.md).

    `policy` is the table that docs/reference/context.md has under Policy.
    """

    def __init__(self, asking: Asking) -> None:
        """Use `AsyncWorkspace.context`."""
        self._asking = asking

    async def put(
        self,
        text: str,
        *,
        label: str = "output",
        kind: Literal["tool", "file"] = "tool",
        tier: Literal["project", "user"] = "project",
        exit_code: int | None = None,
        policy: Mapping[str, Any] | None = None,
    ) -> results.Stored:
        """Store an output exactly, and get the receipt that stands for it in a prompt."""
        params = {
            "text": text, "label": label, "kind": kind, "tier": tier, "exit": exit_code,
            "policy": dict(policy or {}),
        }  # fmt: skip
        return results.stored_of(await self._asking.ask("understudy/context/put", params))

    async def get(
        self,
        path: str,
        *,
        lines: tuple[int, int] | None = None,
        tail: int | None = None,
        grep: str | None = None,
        regex: bool = False,
        budget: int | None = None,
    ) -> results.Excerpt:
        """A part of a kept output: lines (from 1), the last ones, or those that have a text."""
        params: dict[str, Any] = {"path": path, "tail": tail, "grep": grep, "regex": regex}
        params["lines"] = None if lines is None else list(lines)
        if budget is not None:
            params["budget"] = budget
        return results.excerpt_of(await self._asking.ask("understudy/context/get", params))

    async def log(
        self,
        log: str,
        events: Sequence[Mapping[str, Any]],
        *,
        policy: Mapping[str, Any] | None = None,
    ) -> results.Logged:
        """Append what happened to a session's history; long results become receipts."""
        params = {"log": log, "events": list(events), "policy": dict(policy or {})}
        return results.logged_of(await self._asking.ask("understudy/context/log", params))

    async def pack(
        self, log: str, *, at: float | None = None, policy: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any]:
        """The prompt of a history for the model's next call, as docs/reference/context.md has it.

        `at` is when that call is made, in s since 1970 (default: now).
        """
        params = {"log": log, "at": None if at is None else int(at), "policy": dict(policy or {})}
        return await self._asking.ask("understudy/context/pack", params)

    async def search(
        self,
        text: str,
        *,
        grep: bool = False,
        regex: bool = False,
        kinds: Sequence[str] = (),
        limit: int = 20,
    ) -> results.SearchResult:
        """The best passages for some words in all that is kept; or every line that has a text."""
        params = {
            "text": text, "grep": grep, "regex": regex, "kinds": list(kinds), "limit": limit,
        }  # fmt: skip
        return results.search_result_of(await self._asking.ask("understudy/context/search", params))


class AsyncTerminals:
    """The folder's recorded terminals (docs/reference/terminals.md)."""

    def __init__(self, asking: Asking) -> None:
        """Use `AsyncWorkspace.terminals`."""
        self._asking = asking

    async def list(self) -> tuple[results.Terminal, ...]:
        """All of them."""
        told = await self._asking.ask("understudy/terminal/list", {})
        return tuple(map(results.terminal_of, told["terminals"]))

    async def read(
        self, terminal: str, *, command: int | None = None, tail: int | None = None
    ) -> results.TerminalText:
        """What a terminal showed; of one command (0: the last that failed), or its last lines.

        Raises BadInput `unknown-terminal`.
        """
        params = {"terminal": terminal, "command": command, "tail": tail}
        return results.terminal_text_of(await self._asking.ask("understudy/terminal/read", params))

    async def wait(
        self,
        terminal: str,
        *,
        pattern: str | None = None,
        idle: float | None = None,
        timeout: float = 60.0,
    ) -> results.TerminalWait:
        """Wait until a line matches, the command has ended, or nothing came for `idle` s."""
        params = {"terminal": terminal, "pattern": pattern, "idle": idle, "timeout": timeout}
        return results.terminal_wait_of(await self._asking.ask("understudy/terminal/wait", params))
