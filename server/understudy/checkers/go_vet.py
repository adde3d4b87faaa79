"""`go vet -json`: findings on stdout, packages that do not build on stderr.

A package without findings is `{}` there, without its name, so that a list of files from `go list`
is needed to prove what was looked at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from understudy.checkers.model import MAX_UNREAD, Reading, Remark, Stop

_HEADER = re.compile(r"# (?:\[(?P<alone>\S+)\]|(?P<package>\S+)(?: \[\S+\])?)")
_LOADING = re.compile(
    r"[^\s:]+: (?:no non-test Go files|no Go files|build constraints exclude|found packages) .+"
)
_ERROR = re.compile(
    r"(vet: )?(?P<path>[^\s:][^:]*\.\w+):(?P<line>\d+)(:(?P<column>\d+))?: (?P<message>.+)"
)
_TOO_MANY = "too many errors"


def read_go_vet(stdout: str, stderr: str) -> Reading:
    """Read both streams; `go list`'s own lines are read by `read_go_list`."""
    remarks: list[Remark] = []
    problem = _read_json(stdout, remarks)
    stops: list[Stop] = []
    unread: list[str] = []
    package: str | None = None
    for line in stderr.splitlines():
        if header := _HEADER.fullmatch(line):
            package = header["package"] or header["alone"]
        elif _LOADING.fullmatch(line):
            stops.append(Stop("", line))  # what imports it is left out without a word
        elif found := _ERROR.fullmatch(line):
            place = (int(found["line"]) - 1, int(found["column"] or 1) - 1)
            remarks.append(Remark(found["path"], place, place, "error", None, found["message"]))
            why = f"package {package} does not build: {found['message']}"
            stops.append(Stop(package or "", why))
        elif line.startswith("\t") and remarks and package is not None:
            continue  # details of the error above it
        elif line.strip() and line.strip() != _TOO_MANY:
            unread.append(line)
    return Reading(
        tuple(remarks), stops=tuple(stops), unread=tuple(unread[:MAX_UNREAD]), problem=problem
    )


def read_go_list(text: str) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """Absolute path of each file -> its package, from lines `PACKAGE TAB PATH`; the rest unread."""
    found: dict[str, str] = {}
    unread: list[str] = []
    for line in text.splitlines():
        package, tab, path = line.partition("\t")
        if tab and path:
            found[path] = package
        elif line.strip():
            unread.append(line)
    return found, tuple(unread[:MAX_UNREAD])


def _read_json(text: str, remarks: list[Remark]) -> str | None:
    """Read the objects one after the other; returns what is wrong with them."""
    decoder = json.JSONDecoder()
    at = 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError as error:
            return f"its JSON cannot be read: {error}"
        if not isinstance(value, dict):
            return "its JSON is no object"
        for analyzers in cast("dict[str, Any]", value).values():
            problem = _read_package(analyzers, remarks)
            if problem is not None:
                return problem
    return None


def _read_package(analyzers: object, remarks: list[Remark]) -> str | None:
    if not isinstance(analyzers, dict):
        return "a package's entry is no object"
    for name, found in cast("dict[str, Any]", analyzers).items():
        if not isinstance(found, list):
            said = cast("dict[str, Any]", found).get("error") if isinstance(found, dict) else found
            return f"analyzer {name} failed: {said}"
        for item in cast("list[Any]", found):
            remark = _remark(name, item)
            if remark is None:
                return f"a finding of {name} cannot be read"
            remarks.append(remark)
    return None


def _remark(analyzer: str, item: object) -> Remark | None:
    fields = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
    start, message = _place(fields.get("posn")), fields.get("message")
    if start is None or not isinstance(message, str):
        return None
    end = _place(fields.get("end")) or start
    return Remark(start[0], start[1], max(start[1], end[1]), "error", analyzer, message)


def _place(text: object) -> tuple[str, tuple[int, int]] | None:
    """`PATH:LINE:COLUMN`, counted from 1, as 0-based numbers."""
    if not isinstance(text, str):
        return None
    path, _, rest = text.rpartition(":")
    path, _, line = path.rpartition(":")
    if not path or not line.isdecimal() or not rest.isdecimal():
        return None
    return path, (int(line) - 1, int(rest) - 1)
