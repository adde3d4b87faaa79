"""Synchronous verbs; made by `python -m tools.python_verbs --write`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from understudy.faces.python import kept_results as results
from understudy.faces.python.async_context import AsyncContext, AsyncTerminals
from understudy.faces.python.loop_thread import LoopThread


class Context:
    """What prompts refer to: outputs, histories, skills, kept as files (docs/reference/context.md).

    `policy` is the table that docs/reference/context.md has under Policy.
    """

    def __init__(self, verbs: AsyncContext, loop: LoopThread) -> None:
        self._async, self._loop = verbs, loop

    def put(
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
        return self._loop.run(
            self._async.put(
                text, label=label, kind=kind, tier=tier, exit_code=exit_code, policy=policy
            )
        )

    def get(
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
        return self._loop.run(
            self._async.get(path, lines=lines, tail=tail, grep=grep, regex=regex, budget=budget)
        )

    def log(
        self,
        log: str,
        events: Sequence[Mapping[str, Any]],
        *,
        policy: Mapping[str, Any] | None = None,
    ) -> results.Logged:
        """Append what happened to a session's history; long results become receipts."""
        return self._loop.run(self._async.log(log, events, policy=policy))

    def pack(
        self, log: str, *, at: float | None = None, policy: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any]:
        """The prompt of a history for the model's next call, as docs/reference/context.md has it.

        `at` is when that call is made, in s since 1970 (default: now).
        """
        return self._loop.run(self._async.pack(log, at=at, policy=policy))

    def search(
        self,
        text: str,
        *,
        grep: bool = False,
        regex: bool = False,
        kinds: Sequence[str] = (),
        limit: int = 20,
    ) -> results.SearchResult:
        """The best passages for some words in all that is kept; or every line that has a text."""
        return self._loop.run(
            self._async.search(text, grep=grep, regex=regex, kinds=kinds, limit=limit)
        )


class Terminals:
    """The folder's recorded terminals (docs/reference/terminals.md)."""

    def __init__(self, verbs: AsyncTerminals, loop: LoopThread) -> None:
        self._async, self._loop = verbs, loop

    def list(self) -> tuple[results.Terminal, ...]:
        """All of them."""
        return self._loop.run(self._async.list())

    def read(
        self, terminal: str, *, command: int | None = None, tail: int | None = None
    ) -> results.TerminalText:
        """What a terminal showed; of one command (0: the last that failed), or its last lines.

        Raises BadInput `unknown-terminal`.
        """
        return self._loop.run(self._async.read(terminal, command=command, tail=tail))

    def wait(
        self,
        terminal: str,
        *,
        pattern: str | None = None,
        idle: float | None = None,
        timeout: float = 60.0,
    ) -> results.TerminalWait:
        """Wait until a line matches, the command has ended, or nothing came for `idle` s."""
        return self._loop.run(
            self._async.wait(terminal, pattern=pattern, idle=idle, timeout=timeout)
        )
