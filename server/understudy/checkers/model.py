"""What is read out of a checking command's output, before paths and columns are ours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Literal

from understudy.values.fields import Lower, doc
from understudy.values.findings import Severity
from understudy.values.frozen import frozen
from understudy.values.positions import PositionEncoding

OutputForm = Literal["cargo", "go-vet", "mypy", "pattern"]


@frozen(slots=True)
class Remark:
    """One finding as it was printed: `path` may be relative to where the command ran.

    Lines and columns are 0-based; columns count in the form's own units.
    """

    path: str
    start: tuple[int, int]
    end: tuple[int, int]
    severity: Severity
    code: str | None
    message: str

    @property
    def told(self) -> str:
        """The finding on one line, as compilers write it."""
        message = " | ".join(line.strip() for line in self.message.splitlines())
        code = f" [{self.code}]" if self.code else ""
        return f"{self.path}:{self.start[0] + 1}: {self.severity}: {message}{code}"


@frozen(slots=True)
class Stop:
    """The command may not have found everything at or below `folder` (`""`: anywhere).

    spreads: nor in what needs it. wider: the folder to take instead where the files in `folder`
    may have parts outside of it. roots: the first files of what stopped there. apart: those of
    others that were looked at to their end, for which it does not hold.
    """

    folder: str
    why: str
    spreads: bool = True
    wider: str | None = None
    roots: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()


@frozen
class Listing:
    """Of a listing command: file -> its package; package -> those it, or its tests alone, needs."""

    files: dict[str, str]
    needs: dict[str, set[str]]
    test_needs: dict[str, set[str]]

    @property
    def packages(self) -> frozenset[str]:
        """All packages with files."""
        return frozenset(self.files.values())


@frozen
class OutputReading:
    """All that an output says. An empty `unread` and `problem` None mean it was understood whole.

    `covered` are the files that the output itself proves were looked at. `dep_info` are files
    (make's format) whose lists prove the same of the files in them. `stops` say where its silence
    proves nothing. `unread` are the lines that nobody understood.
    """

    remarks: tuple[Remark, ...] = ()
    covered: frozenset[str] = frozenset()
    dep_info: tuple[str, ...] = ()
    stops: tuple[Stop, ...] = ()
    unread: tuple[str, ...] = ()
    problem: str | None = None


@frozen
class Patterns:
    """How the lines of a plain-text output are read: regular expressions."""

    finding: re.Pattern[str] = field(
        metadata=doc(
            "a finding, with the groups `path`, `line`, `message` and perhaps `column`, "
            "`end_line`, `end_column`, `severity`, `code`; all count from 1"
        )
    )
    more: re.Pattern[str] | None = field(
        default=None, metadata=doc("a further line of the message before it")
    )
    covers: re.Pattern[str] | None = field(
        default=None, metadata=doc("a line whose group `path` is a file that was looked at")
    )
    stops: re.Pattern[str] | None = field(
        default=None,
        metadata=doc("an error, a finding or none, after which silence proves nothing"),
    )
    ignored: re.Pattern[str] | None = field(default=None, metadata=doc("lines that say nothing"))
    stopping_codes: re.Pattern[str] | None = field(
        default=None,
        metadata=doc("codes of findings that keep the command from looking for others"),
    )
    passed: re.Pattern[str] | None = field(
        default=None, metadata=doc("a line that it prints only where no such code did")
    )
    severities: Mapping[Lower, Severity] = field(
        default_factory=lambda: MappingProxyType({}),
        metadata=doc("the output's words -> ours"),
    )


SEVERITIES: Mapping[str, Severity] = MappingProxyType(
    {
        "fatal": "error",
        "error": "error",
        "warning": "warning",
        "warn": "warning",
        "note": "information",
        "info": "information",
        "information": "information",
        "help": "hint",
        "hint": "hint",
    }
)
"""Words that most programs use."""

COLUMNS: Mapping[OutputForm, PositionEncoding] = MappingProxyType(
    {"cargo": "utf-32", "go-vet": "utf-8", "mypy": "utf-32", "pattern": "utf-16"}
)
"""What the columns of a form count, where the profile's `positions` says nothing else."""

MAX_UNREAD = 5
"""So many lines that were not understood are kept, to be shown."""
