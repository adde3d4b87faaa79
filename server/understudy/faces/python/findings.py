"""Findings as Python has them, with what servers know of each where that was asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from understudy.findings.lines import folded
from understudy.values.findings import Severity
from understudy.values.frozen import frozen
from understudy.values.printable import printable

Json = Mapping[str, Any]


@frozen
class CodeLine:
    """A line of a file, from 1, with what stands or is said there."""

    path: str
    line: int
    text: str


@frozen
class FixTrial:
    """A server's fix that was tried by itself: whether it helps, or what it would leave."""

    title: str
    helps: bool
    leaves: str | None


@frozen
class FindingExplanation:
    """What servers know of a finding.

    `declared` is where the name at its place is declared, `signature` that of the call around it,
    `related` what the server itself points at. `chain` are the files from the edit to the place,
    `names` those by which the change comes there. `nearest` are names like one that nobody
    declares. `rule` is the page of the rule. `unknown` is why its server has told nothing of it.
    """

    declared: CodeLine | None
    signature: str | None
    related: tuple[CodeLine, ...]
    chain: tuple[str, ...]
    names: tuple[str, ...]
    nearest: tuple[str, ...]
    rule: str | None
    fixes: tuple[FixTrial, ...]
    unknown: str | None = None


@frozen
class Finding:
    """One diagnostic; lines and columns count from 1, columns in characters of a Python string.

    `end_line` and `end_column` are where the place ends; that character is not part of it.
    `explanation` is there where it was asked for; two findings are equal with or without it.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    severity: Severity
    code: str | None
    source: str | None
    message: str
    server: str
    explanation: FindingExplanation | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        """One line, as the command line prints it."""
        words = (self.severity, self.code, folded(self.message))
        text = " ".join(word for word in words if word)
        return printable(f"{self.path}:{self.line}:{self.column}: {text} ({self.server})")


def findings_of(listed: Sequence[Json], explanations: Sequence[Json] = ()) -> tuple[Finding, ...]:
    """Findings of a host's answer; an explanation has the index of the one that it is of."""
    explained = {one["finding"]: _explanation(one) for one in explanations}
    return tuple(finding_of(one, explained.get(index)) for index, one in enumerate(listed))


def finding_of(told: Json, explanation: FindingExplanation | None = None) -> Finding:
    """One of a host's answer."""
    start, end = told["range"]["start"], told["range"]["end"]
    return Finding(
        told["path"],
        start["line"] + 1,
        start["character"] + 1,
        end["line"] + 1,
        end["character"] + 1,
        told["severity"],
        told["code"],
        told["source"],
        told["message"],
        told["server"],
        explanation,
    )


def _explanation(told: Json) -> FindingExplanation:
    return FindingExplanation(
        None if told["declared"] is None else _line(told["declared"]),
        told["signature"],
        tuple(map(_line, told["related"])),
        tuple(told["chain"]),
        tuple(told["names"]),
        tuple(told["nearest"]),
        told["rule"],
        tuple(FixTrial(one["title"], one["helps"], one["leaves"]) for one in told["fixes"]),
        told["unknown"],
    )


def _line(told: Json) -> CodeLine:
    return CodeLine(told["path"], told["line"] + 1, told["text"])
