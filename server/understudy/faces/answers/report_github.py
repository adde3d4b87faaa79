"""A check's report as GitHub workflow commands: annotations on a pull request, then the verdict.

GitHub shows ten annotations of a kind a step and drops the rest; the last line has the totals.
Reference: "Workflow commands for GitHub Actions".
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from understudy.faces.answers.report_text import (
    behind,
    headline,
    late,
    out_of_reach,
    passed_over,
    reasons,
    silencing_words,
    summary,
    unjudged,
)
from understudy.values.findings import Finding, Severity, counts
from understudy.values.printable import printable
from understudy.workspace.branches.checked import Checked

_LEVELS: dict[Severity, str] = {
    "error": "error",
    "warning": "warning",
    "information": "notice",
    "hint": "notice",
}


def check_github(checked: Checked, root: Path) -> str:
    """The whole report; paths are relative to the working directory where that is above `root`."""
    return "\n".join(_lines(checked, _prefix(root))) + "\n"


def _lines(checked: Checked, prefix: str) -> Iterator[str]:
    report = checked.report
    shown = [*report.introduced, *report.unattributed]
    hints = 0 if checked.severity == "hint" else sum(f.severity == "hint" for f in shown)
    yield from _annotations(report.introduced, prefix, "", checked.severity)
    note = "there now, not known whether before: "
    yield from _annotations(report.unattributed, prefix, note, checked.severity)
    for one in report.silenced:
        properties = {"file": prefix + one.path, "line": str(one.line + 1)}
        title = "not looked through" if one.is_unread else "silenced"
        properties["title"] = f"{title} (understudy)"
        yield _command("warning", properties, silencing_words(one))
    if hints:
        yield f"and {hints} hint{'s' if hints > 1 else ''} (--format json lists them)"
    for by, found in behind(report.hidden):
        yield f"hidden, not fixed: {len(found)} behind {by}"
    for reason, paths in reasons(report.files):
        where = ", ".join(printable(path) for path in paths[:5])
        more = f" and {len(paths) - 5} more" if len(paths) > 5 else ""
        properties = {"file": prefix + paths[0], "title": "not known (understudy)"}
        yield _command("warning", properties, f"{where}{more}: {reason}")
    for why_not, paths in unjudged(report):
        listed = ", ".join(printable(path) for path in paths[:20])
        more = f" and {len(paths) - 20} more" if len(paths) > 20 else ""
        yield f"not judged ({why_not}): {listed}{more}"
    if report.passed_over:
        yield passed_over(report.passed_over)
    if report.out_of_reach:
        yield out_of_reach(report.out_of_reach)
    if report.late:
        yield late(report.late)
    if report.verdict == "unknown":
        text = f"the verdict is unknown, which is not clean: {summary(checked)}"
        yield _command("warning", {"title": "understudy"}, text)
    yield f"understudy: {headline(report)}: {summary(checked)}"


def _annotations(
    findings: Iterable[Finding], prefix: str, note: str, severity: Severity
) -> Iterator[str]:
    for finding in findings:
        if finding.severity == "hint" and not counts("hint", severity):
            continue
        start, end = finding.range.start, finding.range.end
        title = " ".join(word for word in (finding.code, f"({finding.server})") if word)
        properties = {
            "file": prefix + finding.path,
            "line": str(start.line + 1),
            "endLine": str(end.line + 1),
            "col": str(start.column + 1),
            "endColumn": str(end.column + 1),
            "title": title,
        }
        yield _command(_LEVELS[finding.severity], properties, note + finding.message)


def _command(name: str, properties: dict[str, str], message: str) -> str:
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {listed}::{_data(message)}"


def _data(text: str) -> str:
    """Escaped as the runner undoes it; undecodable bytes and control characters as text."""
    kept = "\n".join(printable(line) for line in text.replace("\r\n", "\n").split("\n"))
    return kept.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _prefix(root: Path) -> str:
    relative = os.path.relpath(root.resolve(), Path.cwd())
    outside = relative.startswith("..") or Path(relative).is_absolute()
    return "" if relative == "." or outside else f"{Path(relative).as_posix()}/"
