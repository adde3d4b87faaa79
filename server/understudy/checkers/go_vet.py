"""`go vet -json`: findings on stdout, packages that do not build on stderr.

A package without findings is `{}` there, without its name, so that a list of files from `go list`
is needed to prove what was looked at. Of a package that needs one that does not build it says
nothing at all, so the list names what each needs, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from understudy.checkers.model import MAX_UNREAD, Listing, OutputReading, Remark, Stop

_HEADER = re.compile(r"# (?:\[(?P<alone>\S+)\]|(?P<package>\S+)(?: \[\S+\])?)")
_LOADING = re.compile(
    r"(?:[^\s:]+: )?"
    r"(?:no non-test Go files|no Go files|build constraints exclude|found packages) .+"
)
_ERROR = re.compile(
    r"(vet: )?(?P<path>[^\s:][^:]*\.\w+):(?P<line>\d+)(:(?P<column>\d+))?: (?P<message>.+)"
)
_TOO_MANY = "too many errors"
_REFUSAL = "go: "
"""Begins what the go command itself says, and what follows belongs to it."""


def read_go_vet(stdout: str, stderr: str) -> OutputReading:
    """Read both streams; `go list`'s own lines are read by `read_go_list`."""
    remarks: list[Remark] = []
    problem = _read_json(stdout, remarks)
    stops: list[Stop] = []
    unread: list[str] = []
    package: str | None = None
    for line in stderr.splitlines():
        if line.startswith(_REFUSAL) and not stops:
            problem = problem or "the packages could not be loaded"
            break
        if header := _HEADER.fullmatch(line):
            package = header["package"] or header["alone"]
        elif _LOADING.fullmatch(line):
            stops.append(Stop("", line))  # what imports it is left out without a word
        elif found := _ERROR.fullmatch(line):
            place = (int(found["line"]) - 1, int(found["column"] or 1) - 1)
            remarks.append(Remark(found["path"], place, place, "error", None, found["message"]))
            error = line.removeprefix("vet: ")
            why = error if package is None else f"package {package} does not build: {error}"
            in_test = found["path"].endswith("_test.go")
            stops.append(Stop(package or "", why, spreads=not in_test))
        elif line.startswith("\t") and stops:  # details of the error above it, or what to do
            stops[-1] = replace(stops[-1], why=f"{stops[-1].why} | {line.strip()}")
        elif line.strip() and line.strip() != _TOO_MANY:
            unread.append(line)
    return OutputReading(
        tuple(remarks), stops=tuple(stops), unread=tuple(unread[:MAX_UNREAD]), problem=problem
    )


def read_go_list(text: str) -> tuple[Listing, tuple[str, ...]]:
    """What a listing says, by its lines; the rest is unread.

    `PACKAGE TAB PATH` is a file, `PACKAGE TAB needs TAB OTHER` a package that it cannot be built
    without, `PACKAGE TAB tests TAB OTHER` one that only its tests cannot be built without.
    """
    listing = Listing({}, {}, {})
    unread: list[str] = []
    for line in text.splitlines():
        fields = line.split("\t")
        if len(fields) == 2 and fields[1]:
            listing.files[fields[1]] = fields[0]
        elif len(fields) == 3 and fields[1] in ("needs", "tests"):
            wanted = listing.needs if fields[1] == "needs" else listing.test_needs
            wanted.setdefault(fields[0], set()).add(fields[2])
        elif line.strip():
            unread.append(line)
    return listing, tuple(unread[:MAX_UNREAD])


def spread(stops: Sequence[Stop], listing: Listing) -> list[Stop]:
    """The stops, and one for each package that was passed over because of another.

    A package whose own tests alone do not build can still be needed by others, but not by the
    tests outside of it, which are built with its own.
    """
    reached = {stop.folder: stop for stop in reversed(stops) if stop.spreads}
    while behind := _behind(reached, listing.needs):
        reached |= behind
    unvetted = {stop.folder: stop for stop in reversed(stops)} | reached
    unvetted |= _behind(reached, listing.test_needs)
    outside = {p: {p.removesuffix("_test")} for p in listing.packages if p.endswith("_test")}
    unvetted |= _behind(unvetted, outside)
    known = {stop.folder for stop in stops}
    return [*stops, *(unvetted[package] for package in sorted(unvetted.keys() - known))]


def _behind(reached: Mapping[str, Stop], needs: Mapping[str, set[str]]) -> dict[str, Stop]:
    """Stops for the packages that need one of these and are not among them."""
    found: dict[str, Stop] = {}
    for package in needs.keys() - reached.keys():
        for other in sorted(needs[package] & reached.keys())[:1]:
            found[package] = replace(reached[other], folder=package)
    return found


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
