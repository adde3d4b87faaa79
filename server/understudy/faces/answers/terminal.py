"""Terminals as JSON and as lines of text, the same on every face."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from understudy.values.printable import printable

if TYPE_CHECKING:
    from understudy.app.terminals.listing import Terminal, TerminalReading
    from understudy.app.terminals.wait import Waited


def terminal_json(terminal: Terminal) -> dict[str, Any]:
    """One terminal's state."""
    failed = terminal.failed
    return {
        "id": terminal.id, "path": str(terminal.path), "status": terminal.status,
        "active": terminal.is_active, "command": terminal.command,
        "exit_code": terminal.exit_code, "grade": terminal.grade,
        "complete": terminal.complete, "bytes": terminal.size, "raw_bytes": terminal.raw_bytes,
        "pid": terminal.pid, "cwd": terminal.cwd, "shell": terminal.shell,
        "capture": terminal.capture, "commands": terminal.n_commands,
        "failed": None if failed is None else {
            "command": failed.command, "text": failed.text, "exit_code": failed.exit_code,
            "path": str(failed.path), "line": failed.line,
        },
        "older": [str(path) for path in terminal.older],
    }  # fmt: skip


def reading_json(reading: TerminalReading) -> dict[str, Any]:
    """What was read; `record` has the facts of the one command that was asked for."""
    body = {"text": reading.text, "left_out": reading.left_out, "record": reading.record}
    return {**terminal_json(reading.terminal), **body}


def waited_json(waited: Waited) -> dict[str, Any]:
    """How waiting ended."""
    return {**terminal_json(waited.terminal), "ended": waited.ended, "line": waited.line}


def terminal_line(terminal: Terminal) -> str:
    """One line for people and agents."""
    facts = [terminal.status]
    if terminal.exit_code is not None:
        facts.append(f"exit {terminal.exit_code}")
    facts += [terminal.grade, "complete" if terminal.complete else "not complete"]
    facts.append(f"{terminal.size} bytes")
    if terminal.is_active:
        facts.append("active")
    if terminal.failed is not None:
        facts.append(f"last failed: {terminal.failed.command} (exit {terminal.failed.exit_code})")
    return printable(f"{terminal.id}  {', '.join(facts)}  {terminal.command or ''}")
