"""A check as the hooks of agents tell it: little after an edit, the whole at the end of a turn.

An agent has not asked for it, and reads it in the middle of its work: nothing where nothing is to
be said, no finding a second time while it still has the first, and equal bytes for equal findings.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

from understudy.faces.answers.agent_text import by_worth, lint_text, shortened, verdict_line
from understudy.faces.answers.check import line_index
from understudy.faces.answers.report_text import Elsewhere, numbers, report_lines
from understudy.faces.answers.sound_json import json_text
from understudy.findings.lines import finding_line, finding_with_source
from understudy.values.findings import Finding, counts
from understudy.values.frozen import frozen
from understudy.values.positions import LineIndex
from understudy.values.printable import printable
from understudy.workspace.branches.checked import Checked

_EVENT = "PostToolUse"
LABEL = "[understudy] "
"""Many clients hand a model what a hook says as if the user had said it."""
_EDIT_LINES = 3
_END_BYTES = 1000
"""Some 250 tokens."""
_LINE_BYTES = 400
_MOST_PLACES, _PLACES_BYTES = 5, 300
_ELSEWHERE = Elsewhere(more="understudy_lint has them", hints="understudy_lint has them")


def edit_text(checked: Checked, path: str) -> str:
    """The errors that an edit introduced in the edited file itself, in three lines at most.

    More would have the agent mend what its next edit mends anyway.
    """
    introduced = [one for one in checked.report.introduced if one.path == path]
    counting = [one for one in introduced if counts(one.severity, checked.severity)]
    lines = [shortened(finding_line(finding), _LINE_BYTES) for finding in counting]
    if len(lines) > _EDIT_LINES:
        rest = len(lines) - _EDIT_LINES + 1
        lines = [*lines[: _EDIT_LINES - 1], f"{rest} more in this file"]
    return "\n".join(lines)


@frozen
class EndText:
    """What the end of a turn is told; `told` are the marks of all findings that it then knows of,
    each with its place.

    `whole` is the same wherever there is the same to tell, however much of it is told.
    """

    text: str
    whole: str = ""
    told: tuple[str, ...] = ()


def end_text(checked: Checked, compared: str, told: Sequence[str] = ()) -> EndText:
    """What a turn's edits introduce and leave unknown; nothing where all is clean.

    Each mark in `told` stands for one finding that the agent still has before it.
    """
    report = checked.report
    if report.verdict == "clean" and not report.silenced:
        return EndText("")
    reasons = {file.reason.code for file in report.files if file.reason is not None}
    if reasons == {"no-server"} and not report.introduced:
        return EndText("")  # no server is for anything that was edited: nobody waits for a verdict
    lines_of = cache(partial(line_index, checked.after))
    counting = [one for one in by_worth(checked) if counts(one.severity, checked.severity)]
    marked = _marked(counting, lines_of)
    as_before, known = _as_before(marked, frozenset(told))
    new = {mark: finding for mark, finding in marked.items() if mark not in known}
    first = f"{verdict_line(report, numbers(checked))}; compared with {compared}"
    rest = _rest(checked)
    blocks: list[Block] = [([LABEL + first, *as_before], "")]
    blocks += [(["introduced:"], "")] if new else []
    for mark, finding in new.items():
        shown = finding_with_source(finding, lines_of(finding.path))
        blocks.append(([f"  {line}" for line in shown.split("\n")], mark))
    text, now = _within([*blocks, *(([line], "") for line in rest)])
    return EndText(text, _digest([*sorted(marked), *rest]), (*known, *now))


Block = tuple[list[str], str]
"""Lines that belong together, and the mark of the finding that they tell of."""


def _within(blocks: Sequence[Block]) -> tuple[str, list[str]]:
    """The blocks that fit, the head and one finding in any case, and the marks of the findings.

    The lines of the others are counted.
    """
    lines: list[str] = []
    told: list[str] = []
    used = left = 0
    for block, mark in blocks:
        cut = [shortened(line, _LINE_BYTES) for line in block]
        used += sum(len(line.encode("utf-8", "replace")) + 1 for line in cut)
        is_first = not lines or (mark and not told)
        if left or (used > _END_BYTES and not is_first):
            left += len(block)
            continue
        lines += cut
        if mark:
            told.append(mark)
    more = [f"[{left} more lines: understudy_lint has them]"] if left else []
    return "\n".join([*lines, *more]), told


def _as_before(marked: Mapping[str, Finding], told: Collection[str]) -> tuple[list[str], list[str]]:
    """A line of the findings that the agent still has to mend and was told of, and their marks.

    It says when that was: else they could be taken for what stood there before any edit. One that
    is at another place now is named, or counts as new: it has moved, or is on an equal line.
    """
    gone = Counter(_unplaced(mark) for mark in told if mark not in marked)
    moved: list[str] = []
    for mark in marked:
        if mark not in told and gone[_unplaced(mark)]:
            gone[_unplaced(mark)] -= 1
            moved.append(mark)
    known = [mark for mark in marked if mark in told]
    places: list[str] = []
    room = _PLACES_BYTES
    for mark in (*moved, *known[: max(_MOST_PLACES - len(moved), 0)]):
        place = printable(f"{marked[mark].path}:{marked[mark].range.start.line + 1}")
        size = len(place.encode("utf-8", "replace")) + 2
        if size <= room:
            room -= size
            places.append(place)
            known += [mark] if mark in moved else []
    if not known:
        return [], []
    more = [f"{len(known) - len(places)} more"] if len(known) > len(places) else []
    named = f" ({', '.join([*places, *more])})" if places else ""
    text = f"as before: {len(known)}, told earlier in this turn{named}; {_ELSEWHERE.more}"
    return [text], known


def _rest(checked: Checked) -> list[str]:
    """All that is listed besides; what is fixed and what no server judges is counted alone."""
    kept = replace(checked.report, introduced=(), fixed=(), unjudged=())
    return list(report_lines(replace(checked, report=kept), _ELSEWHERE))


def _marked(
    findings: Iterable[Finding], lines_of: Callable[[str], LineIndex]
) -> dict[str, Finding]:
    """Each by a mark of its own: of its words and its line of code, then of its place."""
    marked: dict[str, Finding] = {}
    alike: Counter[str] = Counter()
    for one in findings:
        start = one.range.start
        line = lines_of(one.path).line(start.line).strip()
        mark = _digest((one.path, one.server, one.code or "", one.message, line))
        placed = f"{mark} {start.line} {start.column}"
        marked[f"{placed} {alike[placed]}"] = one
        alike[placed] += 1
    return marked


def _unplaced(mark: str) -> str:
    """The same for a finding whose line has moved."""
    return mark.partition(" ")[0]


def _digest(words: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(words).encode("utf-8", "replace")).hexdigest()[:16]


def check_hook(checked: Checked, compared: str | None) -> str:
    """What a hook that ran after an edit prints; nothing where all is clean and nothing silenced.

    The text stands twice: one family of agents reads it at the top, the other below its event.
    """
    if checked.report.verdict == "clean" and not checked.report.silenced:
        return ""
    text = lint_text(checked, None, compared or "the folder as it is")
    body = {
        "additionalContext": text,
        "hookSpecificOutput": {"hookEventName": _EVENT, "additionalContext": text},
    }
    return json_text(body) + "\n"
