"""What agents read: the verdict or the totals first, then as much as fits; the rest is counted.

Agents' harnesses put answers from 8 KiB on into a file without showing any of it, so none is
that long.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from understudy.app.check.blast_radius import changed_paths
from understudy.app.run.run import RunReceipt
from understudy.faces.answers.receipt import receipt_lines
from understudy.faces.answers.report_text import (
    NOTHING_DIFFERS,
    Elsewhere,
    headline,
    n_files,
    report_lines,
    summary,
)
from understudy.values.findings import Finding, counts
from understudy.values.printable import printable
from understudy.values.verdicts import CheckReport
from understudy.workspace.branches.checked import Checked

MAX_BYTES = 7900
_ELSEWHERE = Elsewhere(more="too many to list", hints='"severity": "hint" lists them')
_LINE_BYTES = 1000
_NOTE_BYTES = 80
_HEAD_LINES, _HEAD_BYTES = 10, 1500


def lint_text(checked: Checked, branch: str | None, compared: str) -> str:
    """A check's answer; what is unknown says in words that it is no pass."""
    report = checked.report
    if report.verdict == "clean" and not report.files and not report.unjudged:
        first = (
            f"{headline(report)}: {NOTHING_DIFFERS}, so nothing was judged [stamp {report.stamp}]"
        )
    else:
        first = verdict_line(report, summary(checked))
    lines = [first]
    if branch is not None:
        held = "these edits" if checked.mended is None else "the edits with these fixes"
        lines.append(f"branch {branch} holds {held}; the user's files are as they were")
    lines.append(f"compared with {compared}")
    if report.base_moved:
        lines.append("base_moved: true; the user changed something while this was judged")
    ordered = replace(checked, report=replace(report, introduced=tuple(by_worth(checked))))
    return capped([*lines, *report_lines(ordered, _ELSEWHERE)])


def verdict_line(report: CheckReport, numbers: str) -> str:
    """The verdict with its numbers; what is unknown says in words that it is no pass."""
    n_unknown = sum(file.verdict == "unknown" for file in report.files)
    silenced = headline(report).removeprefix(report.verdict)
    if report.verdict == "unknown":
        return (
            f"UNKNOWN - NOT VERIFIED{silenced}: there is no proof for {n_unknown} of "
            f"{len(report.files)} files. Do not take this for a pass. {numbers}"
        )
    if report.verdict == "findings" and n_unknown:
        return f"findings{silenced}, and {n_files(n_unknown)} NOT VERIFIED: {numbers}"
    return f"{headline(report)}: {numbers}"


def by_worth(checked: Checked) -> list[Finding]:
    """What is introduced: what counts first, and of that what no edit has looked at."""
    edited = changed_paths(checked.before, checked.after)

    def worth(finding: Finding) -> tuple[bool, bool]:
        return not counts(finding.severity, checked.severity), finding.path in edited

    return sorted(checked.report.introduced, key=worth)


def run_lines(receipt: RunReceipt, notes: Sequence[str] = ()) -> list[str]:
    """What a run's answer begins with: all but the output; `notes` are of the stage it ran on."""
    first, *rest = receipt_lines(receipt, _ELSEWHERE.more)
    lines = [first, *notes, *rest]
    return [*map(printable, lines), look_line(receipt.output.path)]


def look_line(output: Path, what: str = "all of the output") -> str:
    """How an agent reads a kept output."""
    path = f"{output.parent.name}/{output.name}"
    return f'{what}: understudy_context {{"action": "read", "path": "{path}"}}'


def room_for_output(receipt: RunReceipt, notes: Sequence[str] = ()) -> int | None:
    """Bytes that are left for an excerpt of the output; None if all of it fits."""
    room = _room(run_lines(receipt, notes))
    output = receipt.output
    is_whole = output.size <= len(output.head)
    return None if is_whole and output.size + output.lines <= room else room


def run_text(receipt: RunReceipt, excerpt: list[str], notes: Sequence[str] = ()) -> str:
    """A run's receipt, then its output, or an excerpt of it; without one, its head and tail."""
    output, lines = receipt.output, run_lines(receipt, notes)
    if excerpt:
        return capped([*lines, f"--- output, of {output.lines} lines:", *excerpt])
    head = output.head.decode("utf-8", "replace").splitlines()
    tail = output.tail.decode("utf-8", "replace").splitlines()
    if output.lines <= len(head) and output.size <= len(output.head):
        return capped([*lines, "--- output:", *_ends(head, _room(lines))])
    first = _first(head)
    lines += [f"--- output, the first {len(first)} lines:", *first]
    last = _last(tail, _room(lines))
    return capped([*lines, f"--- output, the last {len(last)} of {output.lines} lines:", *last])


def capped(lines: Iterable[str]) -> str:
    """The lines in one text of at most MAX_BYTES; what is left out is counted in its last line."""
    listed = [shortened(line) for line in lines]
    used, kept = 0, 0
    for line in listed:
        size = len(line.encode("utf-8", "replace")) + 1
        last = kept == len(listed) - 1
        if used + size > MAX_BYTES - (0 if last else _NOTE_BYTES):
            break
        used, kept = used + size, kept + 1
    left = len(listed) - kept
    note = [f"[{left} more lines are left out here]"] if left else []
    return "\n".join([*listed[:kept], *note]) + "\n"


def shortened(line: str, most: int = _LINE_BYTES) -> str:
    """The line, or the first bytes of it with the number of the others."""
    data = line.encode("utf-8", "replace")
    if len(data) <= most:
        return line
    kept = data[:most].decode("utf-8", "ignore")
    return f"{kept} [{len(data) - most} bytes more]"


def _room(lines: list[str]) -> int:
    used = sum(len(shortened(line).encode("utf-8", "replace")) + 1 for line in lines)
    return max(MAX_BYTES - used - 2 * _NOTE_BYTES, 0)


def _first(lines: list[str]) -> list[str]:
    kept: list[str] = []
    room = _HEAD_BYTES
    for line in lines[:_HEAD_LINES]:
        room -= len(shortened(line).encode("utf-8", "replace")) + 1
        if room < 0:
            break
        kept.append(line)
    return kept


def _last(lines: list[str], room: int) -> list[str]:
    kept: list[str] = []
    for line in reversed(lines):
        room -= len(shortened(line).encode("utf-8", "replace")) + 1
        if room < 0:
            break
        kept.append(line)
    return kept[::-1]


def _ends(lines: list[str], room: int) -> list[str]:
    """All lines, or where they are too many the first and the last, with the gap counted."""
    size = sum(len(shortened(line).encode("utf-8", "replace")) + 1 for line in lines)
    if size <= room:
        return lines
    first = _first(lines)
    rest = lines[len(first) :]
    last = _last(rest, max(room - _HEAD_BYTES, 0))
    return [*first, f"[{len(rest) - len(last)} lines are left out here]", *last]
