"""What is answered about kept things and terminals. Sizes in bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from understudy.faces.python.findings import Json
from understudy.values.frozen import frozen


@frozen
class Stored:
    """A kept output: `text` stands for it in a prompt, `path` names it, `file` has its bytes.

    Where it could not be stored, `path`, `file` and `sha` are None, `text` is the output itself,
    and `reason` says why.
    """

    text: str
    path: str | None
    file: Path | None
    sha: str | None
    reason: str | None


@frozen
class Excerpt:
    """A part of a kept output; `left_out` counts the lines that the budget cut of it."""

    path: str
    text: str
    size: int
    lines: int
    matched: int
    left_out: int


@frozen
class LoggedEvent:
    """An event of a history: its number, and what the prompt shows of it."""

    seq: int
    kind: str
    text: str
    path: str | None


@frozen
class Logged:
    """The events that were appended; `failures` say what of them could not be kept."""

    events: tuple[LoggedEvent, ...]
    failures: tuple[str, ...]


@frozen
class Hit:
    """A passage that a search has found; `event` is its number in a history."""

    path: str
    line: int
    event: int | None
    text: str


@frozen
class SearchResult:
    """Passages, best first; `cut` files were searched in part, `unread` not at all."""

    hits: tuple[Hit, ...]
    matched: int
    cut: int
    unread: int


@frozen
class Terminal:
    """A recorded terminal; `failed` is the last command that failed, `path` its log."""

    id: str
    path: Path
    status: str
    active: bool
    command: str | None
    exit_code: int | None
    complete: bool
    size: int
    failed: str | None
    json: Json = field(repr=False, compare=False)


@frozen
class TerminalText:
    """What a terminal showed; `left_out` counts the lines before `text`."""

    terminal: Terminal
    text: str
    left_out: int


@frozen
class TerminalWait:
    """How waiting ended (`ended`), and the line that matched, if one did."""

    terminal: Terminal
    ended: str
    line: str | None


def stored_of(told: Json) -> Stored:
    """A host's receipt."""
    if not told["stored"]:
        return Stored(told["text"], None, None, None, told["reason"]["text"])
    return Stored(told["text"], told["path"], Path(told["file"]), told["sha256"], None)


def excerpt_of(told: Json) -> Excerpt:
    """A host's part of a kept output."""
    return Excerpt(
        told["path"], told["text"], told["bytes"], told["lines"], told["matched"], told["left_out"]
    )


def logged_of(told: Json) -> Logged:
    """A host's word on appended events."""
    events = tuple(
        LoggedEvent(one["seq"], one["kind"], one["text"], one["path"]) for one in told["events"]
    )
    return Logged(events, tuple(one["text"] for one in told["failures"]))


def search_result_of(told: Json) -> SearchResult:
    """What a host's search has found."""
    hits = tuple(Hit(one["path"], one["line"], one["event"], one["text"]) for one in told["hits"])
    return SearchResult(hits, told["matched"], told["cut"], told["unread"])


def terminal_of(told: Mapping[str, Any]) -> Terminal:
    """A terminal in a host's answer."""
    failed = told["failed"]
    return Terminal(
        told["id"], Path(told["path"]), told["status"], told["active"], told["command"],
        told["exit_code"], told["complete"], told["bytes"],
        None if failed is None else failed["command"], told,
    )  # fmt: skip


def terminal_text_of(told: Json) -> TerminalText:
    """What a host has read."""
    return TerminalText(terminal_of(told), told["text"], told["left_out"])


def terminal_wait_of(told: Json) -> TerminalWait:
    """How a host's waiting ended."""
    return TerminalWait(terminal_of(told), told["ended"], told["line"])
