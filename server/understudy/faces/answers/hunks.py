"""The changes of a branch as an editor offers them: accept, reject, send back, each a command."""

from __future__ import annotations

from typing import Any, Literal, cast

from understudy.app.accept.files import FileChanges
from understudy.edits.parts import EditPart
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.printable import printable
from understudy.values.structure import structure
from understudy.workspace.branches.parts import Wanted

Json = dict[str, Any]
ACCEPT, REJECT, SEND_BACK = "understudy.accept", "understudy.reject", "understudy.sendBack"
CHOICES = {ACCEPT: "Accept", REJECT: "Reject", SEND_BACK: "Send back"}
Side = Literal["before", "after"]
_SHOWN = 60


@frozen
class Choice:
    """What one of the commands is about; without a hunk, the whole file.

    `text` is what the user wants changed, where it is sent back; may be empty.
    """

    branch: str
    path: str
    hunk: str | None = None
    text: str = ""

    @staticmethod
    def of(arguments: object) -> Choice:
        """The first argument of a command; raises BadInput `bad-params`."""
        listed = cast("list[object]", arguments) if isinstance(arguments, list | tuple) else []
        given = listed[0] if listed else None
        if not isinstance(given, dict):
            text = "name the change: {branch, path, hunk}, as lenses and code actions do"
            raise BadInput("bad-params", text, "arguments[0]")
        return structure(cast("Json", given), Choice, "bad-params", "arguments[0]")

    @property
    def wanted(self) -> Wanted:
        """The same for `accept` and `reject`."""
        if self.hunk is None:
            return Wanted((self.path,), {})
        return Wanted((), {self.path: (self.hunk,)})


def commands_of(branch: str, change: FileChanges, part: EditPart) -> list[Json]:
    """The commands on a hunk, as LSP has them; a file that comes or goes is taken as a whole."""
    whole = change.kind != "modified"
    given = {"branch": branch, "path": change.path, "hunk": None if whole else part.id}
    what = f"{change.path} ({change.kind})" if whole else _words(part)
    what += "" if change.runs is None else f" [{change.runs}]"
    return [
        {"title": f"{words}: {branch}: {what}", "command": command, "arguments": [given]}
        for command, words in CHOICES.items()
    ]


def span_of(part: EditPart, side: Side) -> tuple[int, int]:
    """The first line of a hunk on a side and the last, inclusive; of none, the line above it."""
    start, end = (part.start, part.end) if side == "before" else (part.new_start, part.new_end)
    return (start, end - 1) if end > start else (max(0, start - 1), start)


def lenses_of(branch: str, change: FileChanges, side: Side) -> list[Json]:
    """A lens for each command on each hunk."""
    lenses: list[Json] = []
    for part in change.parts:
        place = {"line": span_of(part, side)[0], "character": 0}
        at = {"start": place, "end": place}
        lenses += [
            {"range": at, "command": command} for command in commands_of(branch, change, part)
        ]
    return lenses


def actions_of(
    branch: str, change: FileChanges, side: Side, lines: tuple[int, int], *, literals: bool
) -> list[Json]:
    """A code action for each command on the hunks that touch lines (inclusive)."""
    commands = [
        command
        for part in change.parts
        for first, last in (span_of(part, side),)
        if first <= lines[1] and lines[0] <= last
        for command in commands_of(branch, change, part)
    ]
    if not literals:
        return commands
    return [{"title": one["title"], "kind": "quickfix", "command": one} for one in commands]


def diff_lines(part: EditPart) -> list[str]:
    """A hunk's lines, each begun with its sign, without hidden characters."""
    lines = [*(f"-{line}" for line in part.removed), *(f"+{line}" for line in part.added)]
    return [printable(line.rstrip("\r\n")) for line in lines]


def _words(part: EditPart) -> str:
    """A hunk in a few words: its size, and its first line."""
    counts = [f"-{len(part.removed)}"] * bool(part.removed) + [f"+{len(part.added)}"] * bool(
        part.added
    )
    line = (part.added or part.removed)[0].strip()
    return f"{' '.join(counts)} {printable(line)[:_SHOWN]}"
