"""What a profile says about a checking command; the table `checker` of a catalogue record."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Literal

from understudy.checkers.model import OutputForm, Patterns
from understudy.values.errors import BadInput
from understudy.values.fields import doc
from understudy.values.frozen import frozen
from understudy.values.structure import structure

Coverage = Literal["output", "arguments", "listing", "declared"]
RunIn = Literal["nearest", "topmost", "root"]
FILES = "{files}"
"""Stands in a command for the files that are to be judged."""
PYTHON = "{python}"
"""In a word of a command: the project's interpreter; without one, the word is left out."""


@frozen
class Checker:
    """How to run a checking command, and what its end and its output prove."""

    output: OutputForm = field(
        metadata=doc("the form of what it prints (`pattern`: by `patterns`)")
    )
    ran: tuple[int, ...] = field(
        metadata=doc("statuses after which it has looked at all that it covers", "exit statuses")
    )
    coverage: Coverage = field(
        metadata=doc(
            "what proves that a file was looked at: `output` (it says so itself), `arguments` "
            "(`{files}` in the command), `listing` (another command prints `PROJECT TAB FILE` "
            "lines), or `declared` (you vouch for it)"
        )
    )
    halted: tuple[int, ...] = field(
        default=(),
        metadata=doc(
            "those after which only what it said is true; after any other, nothing is",
            "exit statuses",
        ),
    )
    listing: tuple[str, ...] = field(
        default=(), metadata=doc('the command for `coverage = "listing"`')
    )
    run_in: RunIn = field(
        default="nearest",
        metadata=doc(
            "the folder to run in: the nearest or topmost one above a file that has one of the "
            "profile's `root_markers`, or the root"
        ),
    )
    env: Mapping[str, str] = field(
        default_factory=lambda: MappingProxyType({}),
        metadata=doc("variables put over the stage's; an empty one is taken away"),
    )
    patterns: Patterns | None = field(
        default=None, metadata=doc('how lines are read, for `output = "pattern"`')
    )
    if_errors: tuple[str, ...] = field(
        default=(), metadata=doc("a command that is run, too, where there were errors")
    )
    hidden_if: re.Pattern[str] | None = field(
        default=None,
        metadata=doc(
            "a line of what `if_errors` prints that says that errors hide others, wherever those "
            "stand"
        ),
    )
    notices_new_files: bool = field(
        default=True,
        metadata=doc(
            "false for a command that goes by the times of the files that it read before: where "
            "one comes or goes, its neighbours in the project get new times"
        ),
    )


def parse_checker(value: object, where: str) -> Checker:
    """A checker from untrusted settings; raises BadInput `bad-setting`."""
    checker = structure(value, Checker, "bad-setting", where, pinpointed=True)
    check_checker(checker, where)
    return checker


def check_checker(checker: Checker, where: str) -> None:
    """Refuse keys whose values do not go together; raises BadInput `bad-setting`."""
    for key, text in _contradictions(checker):
        raise BadInput("bad-setting", text, f"{where}.{key}")


def _contradictions(checker: Checker) -> Iterator[tuple[str, str]]:
    if checker.output == "pattern":
        yield from _wrong_patterns(checker.patterns)
    if not checker.ran:
        yield "ran", "must name an exit status"
    if (checker.coverage == "listing") != bool(checker.listing):
        yield "listing", "goes with coverage = 'listing'"
    if bool(checker.if_errors) != (checker.hidden_if is not None):
        yield "if_errors", "goes with hidden_if"


def _wrong_patterns(patterns: Patterns | None) -> Iterator[tuple[str, str]]:
    if patterns is None:
        yield "patterns", "must be a table, for output = 'pattern'"
    elif not {"path", "line", "message"} <= patterns.finding.groupindex.keys():
        yield "patterns.finding", "must have the groups path, line and message"
    elif patterns.covers is not None and "path" not in patterns.covers.groupindex:
        yield "patterns.covers", "must have the group path"
