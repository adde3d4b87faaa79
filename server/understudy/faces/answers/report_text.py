"""A check's report for people: lines that editors can jump to, then the verdict and its numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from understudy.faces.answers.check import line_index
from understudy.faces.answers.report_explained import explanation_lines
from understudy.findings.lines import finding_line, finding_with_source
from understudy.shadow.snapshot import Snapshot
from understudy.values.findings import Finding, Severity, counts
from understudy.values.frozen import frozen
from understudy.values.positions import LineIndex
from understudy.values.printable import printable
from understudy.values.silencing import Silencing
from understudy.values.verdicts import CheckReport, FileVerdict, Hidden, ServerVerdict
from understudy.workspace.branches.checked import Checked, Explanation

MAX_LISTED = 200
"""Findings of a kind in the text form; JSON has all."""
MAX_ALIKE = 5
"""Files of one reason in the text form."""
NOTHING_DIFFERS = "nothing differs that a server could judge"


def check_text(checked: Checked) -> str:
    """The whole report; deterministic, so it has no timings."""
    lines = [*report_lines(checked), f"{headline(checked.report)}: {summary(checked)}"]
    return "\n".join(lines) + "\n"


@frozen
class Elsewhere:
    """Where a reader finds what is counted here and not listed."""

    more: str = "--format json lists them"
    hints: str = "--format json lists them"


ON_THE_COMMAND_LINE = Elsewhere()


def report_lines(checked: Checked, elsewhere: Elsewhere = ON_THE_COMMAND_LINE) -> Iterator[str]:
    """What is silenced, introduced, fixed, hidden, unknown, not judged; without the verdict."""
    report = checked.report
    if checked.mended is not None:
        from understudy.faces.answers.report_fixes import mended_lines  # noqa: PLC0415 - few ask for it

        yield from mended_lines(checked.mended, len(report.unattributed))
    if silenced := [one for one in report.silenced if not one.is_unread]:
        yield "silenced:"
        yield from _silenced(silenced, checked, elsewhere)
    if unread := [one for one in report.silenced if one.is_unread]:
        yield "not known whether anything is silenced:"
        yield from _silenced(unread, checked, elsewhere)
    if report.introduced:
        yield "introduced:"
        known = {one.finding: one for one in checked.explained or ()}
        yield from _findings(report.introduced, checked.after, checked.severity, elsewhere, known)
    if report.unattributed:
        yield "there after the edit, not known whether before:"
        yield from _findings(report.unattributed, checked.after, checked.severity, elsewhere)
    if report.fixed:
        yield "fixed:"
        yield from _findings(report.fixed, checked.before, checked.severity, elsewhere)
    if report.hidden:
        yield "hidden (no longer said, as something keeps the checker from looking; not fixed):"
        yield from _hidden(checked, elsewhere)
    if why := reasons(report.files):
        yield "unknown:"
        yield from _unknown(why, elsewhere)
    for why_not, paths in unjudged(report):
        yield f"not judged ({why_not}):"
        yield from (f"  {printable(path)}" for path in paths[:MAX_LISTED])
        if len(paths) > MAX_LISTED:
            yield f"  and {len(paths) - MAX_LISTED} more ({elsewhere.more})"
    yield from counted(report)


def unjudged(report: CheckReport) -> list[tuple[str, list[str]]]:
    """The edited files that nobody judged, by why not: those that others judge stand apart."""
    others = {path for paths in report.not_asked.values() for path in paths}
    kinds = {
        "no server for this kind of file": [p for p in report.unjudged if p not in others],
        "no server that was asked is for this kind of file": [
            p for p in report.unjudged if p in others
        ],
    }
    return [(why, paths) for why, paths in kinds.items() if paths]


def counted(report: CheckReport) -> Iterator[str]:
    """What was not judged in time or left alone, by number."""
    if report.late:
        yield late(report.late)
    if report.passed_over:
        yield passed_over(report.passed_over)
    if report.out_of_reach:
        yield out_of_reach(report.out_of_reach)


def headline(report: CheckReport) -> str:
    """The verdict, and what was silenced or not looked through: that is no plain pass."""
    if not report.silenced:
        return report.verdict
    word = "but" if report.verdict == "clean" else "and"
    unread = sum(one.is_unread for one in report.silenced)
    silenced = len(report.silenced) - unread
    parts = [f"{silenced} silenced"] if silenced else []
    parts += [f"{unread} not looked through for silencing"] if unread else []
    return f"{report.verdict}, {word} {' and '.join(parts)}"


def silencing_words(silencing: Silencing) -> str:
    """One thing that an edit silences: how, what, and how many findings went with it."""
    text = silencing.what if silencing.is_unread else f"{silencing.how} {silencing.what}"
    if silencing.findings:
        n = len(silencing.findings)
        text += f" ({n} finding{'s' if n > 1 else ''} gone with it)"
    return text


def passed_over(count: int) -> str:
    """That there are files which nobody judged, because they name nothing of the edit."""
    files = n_files(count)
    return f"passed over: {files} of kinds that no server judges, which name nothing that changed"


def out_of_reach(count: int) -> str:
    """That there is what nobody could judge, and what the edit has nothing to do with."""
    files = n_files(count)
    return f"out of reach: {files} that could not be judged before either, and no edit leads there"


def late(counts: Mapping[int | None, int]) -> str:
    """How many files were not judged in time, nearest to the edit first."""
    parts = (f"{n} {_away(distance)}" for distance, n in counts.items())
    return f"not judged in time: {', '.join(parts)}"


def _away(distance: int | None) -> str:
    if distance is None:
        return "elsewhere"
    if distance == 0:
        return "edited"
    return f"{distance} import{'s' if distance > 1 else ''} away"


def reasons(files: Iterable[FileVerdict]) -> list[tuple[str, list[str]]]:
    """Why files are unknown, each reason with its files: what many share is told once.

    Of a file with findings, whoever could not judge it beside those who found them.
    """
    by_reason: dict[str, list[str]] = {}
    for file in files:
        if file.verdict == "unknown":
            reason = "" if file.reason is None else f"{file.reason.code}: {file.reason.text}"
            by_reason.setdefault(reason, []).append(file.path)
        for one in _missing(file):
            reason = "" if one.reason is None else f"{one.reason.code}: {one.reason.text}"
            by_reason.setdefault(f"{reason} ({one.name}; others found something)", []).append(
                file.path
            )
    return list(by_reason.items())


def _missing(file: FileVerdict) -> list[ServerVerdict]:
    """Who could not judge a file in which others found something."""
    if file.verdict != "findings":
        return []
    return [one for one in file.servers if one.verdict == "unknown"]


def _findings(
    findings: Iterable[Finding],
    snapshot: Snapshot,
    severity: Severity,
    elsewhere: Elsewhere,
    explained: Mapping[Finding, Explanation] | None = None,
) -> Iterator[str]:
    lines: dict[str, LineIndex] = {}
    hints = 0
    listed = list(findings)
    for finding in listed[:MAX_LISTED]:
        if finding.severity == "hint" and not counts("hint", severity):
            hints += 1
            continue
        if finding.path not in lines:
            lines[finding.path] = line_index(snapshot, finding.path)
        shown = finding_with_source(finding, lines[finding.path])
        yield from (f"  {line}" for line in shown.split("\n"))
        if explained and finding in explained:
            yield from explanation_lines(explained[finding], len(shown.encode("utf-8", "replace")))
    if len(listed) > MAX_LISTED:
        yield f"  and {len(listed) - MAX_LISTED} more ({elsewhere.more})"
    if hints:
        yield f"  and {hints} hint{'s' if hints > 1 else ''} ({elsewhere.hints})"


def _hidden(checked: Checked, elsewhere: Elsewhere) -> Iterator[str]:
    """What hides findings, each with the first of those."""
    for by, found in behind(checked.report.hidden):
        yield printable(f"  {by}: hides {len(found)}")
        yield from (f"    {finding_line(finding)}" for finding in found[:MAX_ALIKE])
        if len(found) > MAX_ALIKE:
            yield f"    and {len(found) - MAX_ALIKE} more ({elsewhere.more})"


def behind(hidden: Iterable[Hidden]) -> list[tuple[str, list[Finding]]]:
    """What hides findings, as a place and a message on one line, each with all those findings."""
    found: dict[str, list[Finding]] = {}
    for one in hidden:
        start = None if one.by.range is None else one.by.range.start
        place = (
            one.by.path if start is None else f"{one.by.path}:{start.line + 1}:{start.column + 1}"
        )
        message = " | ".join(line.strip() for line in one.by.message.strip().splitlines())
        found.setdefault(f"{place}: {message}", []).append(one.finding)
    return list(found.items())


def _silenced(
    silenced: Sequence[Silencing], checked: Checked, elsewhere: Elsewhere
) -> Iterator[str]:
    for one in silenced[:MAX_LISTED]:
        place = one.path if one.is_unread else f"{one.path}:{one.line + 1}"
        yield printable(f"  {place}: {silencing_words(one)}")
        found = _findings(one.findings, checked.before, checked.severity, elsewhere)
        yield from (f"  {line}" for line in found)
    if len(silenced) > MAX_LISTED:
        yield f"  and {len(silenced) - MAX_LISTED} more ({elsewhere.more})"


def _unknown(why: Iterable[tuple[str, list[str]]], elsewhere: Elsewhere) -> Iterator[str]:
    for reason, paths in why:
        yield printable(f"  {paths[0]}: {reason}")
        yield from (printable(f"  {path}: for the same reason") for path in paths[1:MAX_ALIKE])
        if len(paths) > MAX_ALIKE:
            more = f"and {len(paths) - MAX_ALIKE} more files, for the same reason"
            yield f"  {more} ({elsewhere.more})"


def numbers(checked: Checked) -> str:
    """Those numbers of the report that are not nothing, for who reads it unasked.

    What is mild or was not judged is not listed then, and so is counted here.
    """
    report = checked.report
    counting = sum(counts(finding.severity, checked.severity) for finding in report.introduced)
    rest = len(report.introduced) - counting
    worse = "" if checked.severity == "error" else f" at severity {checked.severity} or worse"
    parts = [f"{counting} introduced{worse}"] if counting else []
    parts += [f"{rest} milder (not listed)"] if rest else []
    n_unattributed = len(report.unattributed)
    parts += [f"{n_unattributed} not known whether there before"] if n_unattributed else []
    parts += [f"{len(report.fixed)} fixed"] if report.fixed else []
    parts += [f"{len(report.hidden)} hidden"] if report.hidden else []
    parts.append(_judged(report))
    if report.unjudged:
        parts.append(f"{n_files(len(report.unjudged))} of kinds that no server judges")
    if report.base_moved:
        parts.append("the folder changed meanwhile")
    return ", ".join(parts)


def _judged(report: CheckReport) -> str:
    """How many files were judged, and how many of them not, or by some servers alone."""
    unknown = sum(file.verdict == "unknown" for file in report.files)
    partly = sum(bool(_missing(file)) for file in report.files)
    asides = [f"{unknown} unknown"] * bool(unknown) + [f"{partly} in part"] * bool(partly)
    judged = {file.path for file in report.files} - set(report.unjudged)
    left_out = [group for group, paths in report.not_asked.items() if judged.intersection(paths)]
    asides += [f"{' and '.join(left_out)} not asked"] * bool(left_out)
    return f"{n_files(len(report.files))} judged" + (f" ({', '.join(asides)})" if asides else "")


def n_files(n: int) -> str:
    """`1 file`, `2 files`."""
    return "1 file" if n == 1 else f"{n} files"


def summary(checked: Checked) -> str:
    """The numbers of the report on one line, with its stamp."""
    report = checked.report
    counting = sum(counts(finding.severity, checked.severity) for finding in report.introduced)
    rest = len(report.introduced) - counting
    parts = [f"{counting} introduced at severity {checked.severity} or worse"]
    if rest:
        parts.append(f"{rest} milder")
    parts.append(f"{len(report.fixed)} fixed")
    if checked.mended is not None:
        parts.append(f"{sum(one.kept for one in checked.mended.fixes)} mended")
    if report.hidden:
        parts.append(f"{len(report.hidden)} hidden")
    if gone := sum(len(one.findings) for one in report.silenced):
        parts.append(f"{gone} silenced and not fixed")
    parts.append(f"{report.remaining} remaining")
    parts.append(_judged(report))
    if report.affected_files is not None:
        parts[-1] += f", where the scope affected asks about {report.affected_files}"
    if not report.files and not report.unjudged:
        parts.append(NOTHING_DIFFERS)
    if report.base_moved:
        parts.append("the folder changed meanwhile")
    return ", ".join(parts) + f" [stamp {report.stamp}]"
