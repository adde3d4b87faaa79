"""`cargo check --message-format=json` (The Cargo Book, "External tools"; rustc's "JSON output").

What was looked at is proven by the dep-info file of each target that was checked to its end: rustc
lists in it every source file that it read. A target with errors proves nothing about the files of
its package that have none: rustc stops after the phase that failed. A test, bench or example has
files of its own, so an error there leaves those of the package's other targets proven.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any, cast

from understudy.checkers.model import MAX_UNREAD, SEVERITIES, OutputReading, Remark, Stop

_SUMMARY = re.compile(r"(aborting due to .*|\d+ warnings? emitted.*|could not compile .*)")
_ELSEWHERE = re.compile(r"\bpath\b\s*(?:/[/*]|=\s*(?:r?#*\"|\$|/[/*]|\w+\s*!))|\binclude\b")
_WORD, _MACRO = re.compile(r"\bpath\b"), re.compile(r"\bmacro_rules\b")
"""An attribute may be made of words that a macro is given; then the word is enough."""
_SILENT = frozenset({"build-script-executed", "timing-info"})


@dataclass
class _Output:
    """What has been read so far."""

    remarks: dict[Remark, None] = field(default_factory=lambda: {})
    dep_info: list[str] = field(default_factory=lambda: [])
    tested: dict[str, bool] = field(default_factory=lambda: {})
    """Folders of the workspace's packages of which something was checked: their tests, too?"""
    failed: dict[str, Stop] = field(default_factory=lambda: {})
    ended: dict[str, None] = field(default_factory=lambda: {})
    """The first files of targets that were checked to their end."""
    unread: list[str] = field(default_factory=lambda: [])
    finished: bool = False
    success: bool = False


def read_cargo(text: str, root: str) -> OutputReading:
    """Read every message; `root` is the absolute folder that the command ran in."""
    output = _Output()
    for line in text.splitlines():
        if line.strip():
            _read_line(line, root, output)
    problem = None
    if not output.finished:
        problem = "cargo did not finish the build"
    elif not output.success and not output.failed:
        problem = "the build failed"
    if not output.success:
        _stop_untested(output)
    return OutputReading(
        tuple(output.remarks),
        dep_info=tuple(output.dep_info),
        stops=tuple(_with_others(stop, output.ended) for stop in output.failed.values()),
        unread=tuple(output.unread[:MAX_UNREAD]),
        problem=problem,
    )


def source_files(dep_info: str) -> frozenset[str]:
    """The files that a dep-info file lists, as rustc wrote them (`\\ ` is a space)."""
    found: set[str] = set()
    for line in dep_info.splitlines():
        if line.startswith("#"):
            continue
        for name in re.split(r"(?<!\\) ", line.partition(": ")[2]):
            if name:
                found.add(name.replace("\\ ", " "))
    return frozenset(found)


def _read_line(line: str, root: str, output: _Output) -> None:
    try:
        item: Any = json.loads(line)
        message = cast("dict[str, Any]", item)
        reason = message["reason"]
        if reason == "compiler-artifact":
            output.dep_info += _dep_info(message["filenames"])
            _note_package(message, root, output)
            output.ended[str(message["target"]["src_path"])] = None
        elif reason == "build-finished":
            output.finished, output.success = True, message["success"] is True
        elif reason == "compiler-message":
            _read_message(message, root, output)
        elif reason not in _SILENT:
            output.unread.append(line)
    except (ValueError, KeyError, TypeError, AttributeError):
        output.unread.append(line)


def _note_package(message: dict[str, Any], root: str, output: _Output) -> None:
    folder = str(PurePosixPath(message["manifest_path"]).parent)
    if folder == root or folder.startswith(f"{root}/"):
        is_test = message["profile"]["test"] is True
        output.tested[folder] = is_test or output.tested.get(folder, False)


def _stop_untested(output: _Output) -> None:
    """A package's tests need most, so if they were checked, all of the package was looked at.

    Where what only they need did not build, cargo passes them over without a word.
    """
    why = next((stop.why for stop in output.failed.values()), "the build failed")
    for folder, is_tested in output.tested.items():
        if not is_tested:
            output.failed.setdefault(folder, Stop(folder, f"its tests were left out: {why}"))


def _dep_info(filenames: list[str]) -> list[str]:
    """Where rustc writes the dep-info beside these files: `libx-1f.rmeta` has `x-1f.d`."""
    metadata = [PurePosixPath(name) for name in filenames if name.endswith(".rmeta")]
    return [str(path.with_name(path.stem.removeprefix("lib") + ".d")) for path in metadata]


def _read_message(message: dict[str, Any], root: str, output: _Output) -> None:
    body = message["message"]
    level, text = str(body["level"]), str(body["message"])
    severity = SEVERITIES.get(level.removesuffix(": internal compiler error"))
    if severity == "error":
        stop = _stop(message, f"cargo stopped at an error: {_where(body)}{text}")
        known = output.failed.setdefault(stop.folder, stop)
        roots = dict.fromkeys((*known.roots, *stop.roots))
        output.failed[stop.folder] = replace(known, roots=tuple(roots))
    if severity is None or _SUMMARY.fullmatch(text):
        if severity is None and level != "failure-note":
            output.unread.append(text)
        return
    code = cast("dict[str, Any] | None", body.get("code"))
    primary = [span for span in body["spans"] if span["is_primary"]]
    label = next((span["label"] for span in primary if span.get("label")), None)
    whole = f"{text}\n{label}" if label else text
    place = _outermost(primary[0], root) if primary else None
    path, start, end = place or (str(message["target"]["src_path"]), (0, 0), (0, 0))
    name = None if code is None else str(code["code"])
    output.remarks[Remark(path, start, max(start, end), severity, name, whole)] = None


def _where(body: dict[str, Any]) -> str:
    """The place and the code of an error, as rustc's short form has them."""
    code = cast("dict[str, Any] | None", body.get("code"))
    name = "error: " if code is None else f"error[{code['code']}]: "
    for span in body["spans"]:
        if span["is_primary"]:
            return f"{span['file_name']}:{span['line_start']}:{span['column_start']}: {name}"
    return name


def _stop(message: dict[str, Any], why: str) -> Stop:
    package = PurePosixPath(message["manifest_path"]).parent
    target = message["target"]
    folder = PurePosixPath(target["src_path"]).parent
    has_own_files = not {"test", "bench", "example"}.isdisjoint(target.get("kind", ()))
    if has_own_files and package in folder.parents and package / "src" not in (
        folder, *folder.parents,
    ):  # fmt: skip
        return Stop(str(folder), why, wider=str(package), roots=(str(target["src_path"]),))
    return Stop(str(package), why)


def _with_others(stop: Stop, ended: Iterable[str]) -> Stop:
    """The stop of a target with files of its own, apart from the targets beside it that ended."""
    if stop.wider is None:
        return stop
    beside = [p for p in ended if p.startswith(f"{stop.folder}/") and p not in stop.roots]
    return replace(stop, apart=tuple(beside))


def may_take_in(text: str, path: PurePosixPath) -> bool:
    """Whether a target's first file may have another file for a module: if it names it at all.

    A macro that takes in whole folders is told the folder's name.
    """
    words = {path.stem, path.parent.name}
    if path.parent.name not in ("examples", "tests", "benches"):
        words.discard("main")  # a target with a folder of its own is a module by that alone
    return any(re.search(rf"\b{re.escape(word)}\b", text) for word in words if word)


def reads_elsewhere(text: str) -> bool:
    """Whether a Rust file may have parts of itself where its folder does not say.

    That is in doubt wherever a path could be given to a module, in comments as well.
    """
    if _MACRO.search(text) and _WORD.search(text):
        return True
    return _ELSEWHERE.search(text) is not None


def _outermost(span: dict[str, Any], root: str) -> tuple[str, tuple[int, int], tuple[int, int]]:
    """The span, or where the workspace calls the foreign macro that the span is in."""
    here: dict[str, Any] = span
    while _is_foreign(str(here["file_name"]), root) and here.get("expansion"):
        here = here["expansion"]["span"]
    start = (here["line_start"] - 1, here["column_start"] - 1)
    return str(here["file_name"]), start, (here["line_end"] - 1, here["column_end"] - 1)


def _is_foreign(path: str, root: str) -> bool:
    absolute = path.startswith(("/", "<")) or path[1:3] == ":\\"
    return absolute and not path.startswith(f"{root}/")
