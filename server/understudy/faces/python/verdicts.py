"""Verdicts as Python has them: `Clean`, `Findings` or `Unknown`, to be matched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NoReturn

from understudy.faces.python.findings import Finding, Json, finding_of, findings_of
from understudy.faces.python.fix_reports import FixReport, fix_report_of
from understudy.faces.python.traces import JudgingTrace, judging_trace_of
from understudy.values.frozen import frozen

Word = Literal["clean", "findings", "unknown"]


@frozen
class HiddenFinding:
    """A finding that is no longer said, only because something broken hides it from the checker.

    `by_line` is None where a whole file hides it.
    """

    finding: Finding
    by_path: str
    by_line: int | None
    by_message: str


@frozen
class Silenced:
    """What the edit adds so that a checker or a test says less, and the findings that went with it.

    `how` is the kind of it, `what` the text.
    """

    path: str
    line: int
    how: str
    what: str
    findings: tuple[Finding, ...]


@frozen
class Reason:
    """Why something is unknown: a stable code, and a sentence that says what to do.

    `server` is None where it is about the file as such.
    """

    path: str
    server: str | None
    code: str
    text: str

    def __str__(self) -> str:
        """One line."""
        who = "" if self.server is None else f" ({self.server})"
        return f"{self.path}: {self.code}: {self.text}{who}"


@frozen
class ServerVerdict:
    """What one server proved of one file; `rule` says by which evidence."""

    name: str
    verdict: Word
    rule: str
    elapsed_ms: float
    reason: Reason | None


@frozen
class FileVerdict:
    """The verdict on one file, with each server's."""

    path: str
    verdict: Word
    reason: Reason | None
    servers: tuple[ServerVerdict, ...]


@dataclass(frozen=True, kw_only=True, match_args=False)
class Verdict:
    """All that a check found: the base of `Clean`, `Findings` and `Unknown`.

    `reasons` say what could not be judged, and why. `stamp` names what was judged: equal stamps,
    equal question. `compared` is the git revision that was compared with, in words. `mended` and
    `trace` are there where they were asked for. `text` is what a model reads of it, within 8 KB;
    what is left out is counted. `json` is the report as `understudy check --format json` has it
    (docs/reference/verdicts.md), but with columns in characters. A verdict is neither true nor
    false: match it.
    """

    word: ClassVar[Word]

    introduced: tuple[Finding, ...]
    fixed: tuple[Finding, ...]
    hidden: tuple[HiddenFinding, ...]
    silenced: tuple[Silenced, ...]
    unattributed: tuple[Finding, ...]
    remaining: int
    passed_over: int
    out_of_reach: int
    unjudged: tuple[str, ...]
    files: tuple[FileVerdict, ...]
    reasons: tuple[Reason, ...]
    stamp: str
    base_moved: bool
    compared: str | None
    elapsed_ms: float
    mended: FixReport | None
    trace: JudgingTrace | None = field(repr=False, compare=False)
    text: str = field(repr=False, compare=False)
    json: Json = field(repr=False, compare=False)

    def __bool__(self) -> NoReturn:
        """Refuse: `if verdict:` would take `Unknown` for a pass."""
        text = "a verdict is neither true nor false: match Clean(), Findings() and Unknown()"
        raise TypeError(text)


@dataclass(frozen=True, kw_only=True, match_args=False)
class Clean(Verdict):
    """Nothing new was found, with evidence for every file that the edits can affect."""

    word = "clean"


@dataclass(frozen=True, kw_only=True, match_args=False)
class Findings(Verdict):
    """Something is there that was not there before: `introduced`, milder ones included."""

    word = "findings"
    __match_args__ = ("introduced",)


@dataclass(frozen=True, kw_only=True, match_args=False)
class Unknown(Verdict):
    """Something could not be judged: `reasons` say what and why. Never a pass."""

    word = "unknown"
    __match_args__ = ("reasons",)


_KINDS: Mapping[str, type[Clean | Findings | Unknown]] = {
    kind.word: kind for kind in (Clean, Findings, Unknown)
}


def verdict_of(report: Json) -> Clean | Findings | Unknown:
    """The verdict that a host's report is."""
    files = tuple(map(_file, report["files"]))
    return _KINDS[report["verdict"]](
        introduced=findings_of(report["introduced"], report.get("explanations", ())),
        fixed=findings_of(report["fixed"]),
        hidden=tuple(map(_hidden, report["hidden"])),
        silenced=tuple(map(_silenced, report["silenced"])),
        unattributed=findings_of(report["unattributed"]),
        remaining=report["remaining"],
        passed_over=report["passed_over"],
        out_of_reach=report["out_of_reach"],
        unjudged=tuple(report["unjudged"]),
        files=files,
        reasons=_reasons(files),
        stamp=report["stamp"],
        base_moved=report["base_moved"],
        compared=report["compared"],
        elapsed_ms=report["elapsed_ms"],
        mended=fix_report_of(report["mended"]) if "mended" in report else None,
        trace=judging_trace_of(report["trace"]) if "trace" in report else None,
        text=report["text"],
        json=report,
    )


def _hidden(told: Json) -> HiddenFinding:
    by = told["by"]
    line = None if by["range"] is None else by["range"]["start"]["line"] + 1
    return HiddenFinding(finding_of(told), by["path"], line, by["message"])


def _silenced(told: Json) -> Silenced:
    found = findings_of(told["findings"])
    return Silenced(told["path"], told["line"], told["how"], told["what"], found)


def _file(told: Json) -> FileVerdict:
    path = told["path"]
    servers = tuple(
        ServerVerdict(
            one["name"], one["verdict"], one["rule"], one["ms"],
            _reason(path, one["name"], one["reason"]),
        )
        for one in told["servers"]
    )  # fmt: skip
    return FileVerdict(path, told["verdict"], _reason(path, None, told["reason"]), servers)


def _reason(path: str, server: str | None, told: Json | None) -> Reason | None:
    return None if told is None else Reason(path, server, told["code"], told["text"])


def _reasons(files: tuple[FileVerdict, ...]) -> tuple[Reason, ...]:
    """Each server's reasons; a file's own where no server has one."""
    found: list[Reason] = []
    for file in files:
        of_servers = [one.reason for one in file.servers if one.reason is not None]
        found += of_servers or ([] if file.reason is None else [file.reason])
    return tuple(found)
