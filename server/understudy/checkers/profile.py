"""What a profile says about a checking command; the table `checker` of a catalogue record."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Literal, cast, get_args

from understudy.checkers.model import SEVERITIES, OutputForm, Patterns
from understudy.values.errors import BadInput
from understudy.values.findings import Severity

Coverage = Literal["output", "arguments", "listing", "declared"]
RunIn = Literal["nearest", "topmost", "root"]
FILES = "{files}"
"""Stands in a command for the files that are to be judged."""
PYTHON = "{python}"
"""In a word of a command: the project's interpreter; without one, the word is left out."""

_PATTERNS = ("finding", "more", "covers", "stops", "ignored", "stopping_codes", "passed")


@dataclass(frozen=True)
class Checker:
    """How to run a checking command, and what its end and its output prove.

    output: the form of what it prints (`pattern`: by `patterns`).
    ran: exit statuses after which it has looked at all that it covers; halted: those after which
        only what it said is true. After any other, nothing is.
    coverage: what proves that a file was looked at: `output` (it says so itself), `arguments`
        (`{files}` in the command), `listing` (another command prints `PROJECT TAB FILE` lines), or
        `declared` (you vouch for it).
    run_in: the folder to run in: the `nearest` or `topmost` one above a file that has one of the
        profile's `root_markers`, or the `root`.
    env: variables put over the stage's; an empty one is taken away.
    if_errors: a command that is run, too, where there were errors; hidden_if: a line of what it
        prints that says that errors hide others, wherever those stand.
    notices_new_files: false for a command that goes by the times of the files that it read before:
        where one comes or goes, its neighbours in the project get new times.
    """

    output: OutputForm
    ran: tuple[int, ...]
    coverage: Coverage
    halted: tuple[int, ...] = ()
    listing: tuple[str, ...] = ()
    run_in: RunIn = "nearest"
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    patterns: Patterns | None = None
    if_errors: tuple[str, ...] = ()
    hidden_if: re.Pattern[str] | None = None
    notices_new_files: bool = True


_KEYS = frozenset(field.name for field in fields(Checker))


def parse_checker(value: object, where: str) -> Checker:
    """A checker from untrusted settings; raises BadInput `bad-setting`."""
    table = _table(value, where)
    for key in table:
        if key not in _KEYS:
            text = f"unknown key; known are {', '.join(sorted(_KEYS))}"
            raise BadInput("bad-setting", text, f"{where}.{key}")
    output = _one_of(table, "output", get_args(OutputForm), where)
    coverage = _one_of(table, "coverage", get_args(Coverage), where)
    patterns = None
    if output == "pattern":
        patterns = _patterns(table.get("patterns"), f"{where}.patterns")
    checker = Checker(
        cast("OutputForm", output),
        _statuses(table.get("ran"), f"{where}.ran"),
        cast("Coverage", coverage),
        _statuses(table.get("halted", []), f"{where}.halted"),
        _texts(table.get("listing", []), f"{where}.listing"),
        cast("RunIn", _one_of(table, "run_in", get_args(RunIn), where, "nearest")),
        _variables(table.get("env", {}), f"{where}.env"),
        patterns,
        _texts(table.get("if_errors", []), f"{where}.if_errors"),
        _line(table.get("hidden_if"), f"{where}.hidden_if"),
        _switch(table.get("notices_new_files", True), f"{where}.notices_new_files"),
    )
    if not checker.ran:
        raise BadInput("bad-setting", "must name an exit status", f"{where}.ran")
    if (coverage == "listing") != bool(checker.listing):
        raise BadInput("bad-setting", "goes with coverage = 'listing'", f"{where}.listing")
    if bool(checker.if_errors) != (checker.hidden_if is not None):
        raise BadInput("bad-setting", "goes with hidden_if", f"{where}.if_errors")
    return checker


def _patterns(value: object, where: str) -> Patterns:
    table = _table(value, where)
    compiled: dict[str, re.Pattern[str]] = {}
    severities: dict[str, Severity] = {}
    for key, entry in table.items():
        if key == "severities":
            for word, severity in _table(entry, f"{where}.severities").items():
                if severity not in SEVERITIES.values():
                    raise BadInput("bad-setting", "no such severity", f"{where}.severities.{word}")
                severities[word.lower()] = cast("Severity", severity)
        elif key not in _PATTERNS or not isinstance(entry, str):
            text = f"must be an expression; there are: {', '.join(_PATTERNS)}, severities"
            raise BadInput("bad-setting", text, f"{where}.{key}")
        else:
            compiled[key] = _expression(entry, f"{where}.{key}")
    finding = compiled.get("finding")
    if finding is None or not {"path", "line", "message"} <= finding.groupindex.keys():
        text = "must be an expression with the groups path, line and message"
        raise BadInput("bad-setting", text, f"{where}.finding")
    if "covers" in compiled and "path" not in compiled["covers"].groupindex:
        raise BadInput("bad-setting", "must have the group path", f"{where}.covers")
    return Patterns(**compiled, severities=MappingProxyType(severities))


def _expression(text: str, where: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise BadInput("bad-setting", f"no regular expression: {error}", where) from error


def _table(value: object, where: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise BadInput("bad-setting", "must be a table", where)
    return cast("Mapping[str, object]", value)


def _one_of(
    table: Mapping[str, object], key: str, options: tuple[str, ...], where: str, otherwise: str = ""
) -> str:
    value = table.get(key, otherwise)
    if value not in options:
        text = f"must be one of {', '.join(options)}"
        raise BadInput("bad-setting", text, f"{where}.{key}")
    return str(value)


def _line(value: object, where: str) -> re.Pattern[str] | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadInput("bad-setting", "must be an expression", where)
    return _expression(value, where)


def _switch(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise BadInput("bad-setting", "must be true or false", where)
    return value


def _statuses(value: object, where: str) -> tuple[int, ...]:
    items = cast("list[object]", value) if isinstance(value, list | tuple) else [None]
    found = [item for item in items if isinstance(item, int) and not isinstance(item, bool)]
    if len(found) != len(items):
        raise BadInput("bad-setting", "must be a list of exit statuses", where)
    return tuple(found)


def _texts(value: object, where: str) -> tuple[str, ...]:
    items = cast("list[object]", value) if isinstance(value, list | tuple) else [None]
    found = [item for item in items if isinstance(item, str)]
    if len(found) != len(items):
        raise BadInput("bad-setting", "must be a list of texts", where)
    return tuple(found)


def _variables(value: object, where: str) -> Mapping[str, str]:
    table = _table(value, where)
    for name, entry in table.items():
        if not isinstance(entry, str):
            raise BadInput("bad-setting", "must be a text", f"{where}.{name}")
    return MappingProxyType({name: str(entry) for name, entry in table.items()})
