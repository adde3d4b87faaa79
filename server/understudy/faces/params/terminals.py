"""What the requests `understudy/terminal/*` take; the reference is made from these."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from understudy.faces.params.requests import doc
from understudy.values.frozen import frozen


@frozen
class ListTerminals:
    """List the recorded terminals."""


@frozen
class ReadTerminal:
    """Read what a terminal showed."""

    terminal: str = field(metadata=doc("its id"))
    command: int | None = field(
        default=None, metadata=doc("only the command of this number; 0: the last that failed")
    )
    tail: int | None = field(default=None, metadata=doc("so many last lines of it"))


@frozen
class WaitForTerminal:
    """Wait until a line matches, a command has ended or nothing more comes."""

    terminal: str = field(metadata=doc("its id"))
    pattern: str | None = field(
        default=None,
        metadata=doc("a regular expression for a line, from where the last command begins"),
    )
    idle: float | None = field(
        default=None, metadata=doc("be content when nothing came for so many s")
    )
    timeout: float = field(default=60.0, metadata=doc("time limit in s"))


@frozen
class SwitchTerminal:
    """Stop writing a terminal down, or go on; the user's own, refused to agents."""

    terminal: str = field(metadata=doc("its id"))
    recording: bool = field(metadata=doc("whether it is written down"))


@frozen
class FocusTerminal:
    """Say which terminal the user looks at; the user's own, refused to agents."""

    pid: int = field(metadata=doc("the process that the editor started in it"))


@frozen
class ReportTerminal:
    """Tell what a terminal of the editor's own shows; the user's own, refused to agents."""

    pid: int = field(metadata=doc("the process that the editor started in it"))
    shell: str = field(metadata=doc("the shell's path or name"))
    cwd: str = field(metadata=doc("its folder"))
    events: list[Any] = field(
        metadata=doc(
            'in order: `{"kind": "begin", "command", "cwd"}`, `{"kind": "data", "text"}`, '
            '`{"kind": "missed", "characters"}`, `{"kind": "end", "exit"}` (null: not known), '
            '`{"kind": "closed"}`, with `"withdrawn": true` where no more may be told'
        )
    )
    reason: str | None = field(
        default=None, metadata=doc("why nothing can be told of its commands")
    )
    follows: int | None = field(
        default=None, metadata=doc("the process that it had before, where the editor knows one")
    )
