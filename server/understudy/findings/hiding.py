"""Which findings are gone only because something broken keeps the checker from looking.

A finding that is no longer said was `fixed` only if its place was judged after the edit by the
analysis that found it. Nothing says so outright; but what keeps an analysis from looking does show:
a new error, code that became unreachable or a comment, a file that could not be judged. A finding
behind any of these is `hidden`. Of errors that were there before nothing can be behind: it was
found in spite of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property

from understudy.findings.hiding_rule import HidingRule
from understudy.findings.line_map import LineMap
from understudy.values.findings import SEVERITIES, Finding
from understudy.values.frozen import frozen
from understudy.values.lines import line_texts
from understudy.values.positions import Position, Range
from understudy.values.verdicts import Answer, Hidden, Hider

Users = Mapping[str, Collection[str]]
"""Path -> the files that depend on it, near and far."""


@frozen
class EditedText:
    """A file that is there on both sides, as it is after: what the edit did to its lines.

    asleep: place -> the comment or string that it stands in now, where it was code before.
    """

    path: str
    lines: LineMap
    content: str
    asleep: Mapping[Position, Range] = field(default_factory=dict[Position, Range])

    @cached_property
    def texts(self) -> list[str]:
        """Its lines after."""
        return line_texts(self.content)

    @cached_property
    def added(self) -> list[int]:
        """The numbers of the lines that are new."""
        blocks = self.lines.blocks
        return [line for b in blocks for line in range(b.after_start, b.after_end)]


@frozen
class Obstacles:
    """All that may keep one server from looking, in one check."""

    rules: Sequence[HidingRule]
    new: Sequence[Finding] = ()
    """Its findings after that were not there before, or stand on lines that the edit wrote."""
    blind: Sequence[Hider] = ()
    """Files of which it could not be asked, though the edit reaches them."""
    broken: Sequence[Hider] = ()
    """What it reads beside the files that it judges, and cannot read any more."""
    users: Users = field(default_factory=dict[str, Collection[str]])


@frozen
class PlaceNow:
    """Where a finding of before stands now: its lines, and if its first is as it was, its start."""

    path: str
    first: int
    last: int
    start: Position | None


def part_hidden(
    gone: Iterable[Finding],
    obstacles: Mapping[str, Obstacles],
    texts: Mapping[str, EditedText],
) -> tuple[list[Finding], list[Hidden]]:
    """What is proven fixed, and what is hidden and by what.

    `gone` are findings of before without one after, of files that are still there; `obstacles` has
    those of each server; `texts` the edited files by their path before.
    """
    fixed: list[Finding] = []
    hidden: list[Hidden] = []
    for finding in gone:
        text = texts.get(finding.path)
        place = _place(finding, text)
        by = _hider(finding, place, obstacles.get(finding.server), text)
        if by is None:
            fixed.append(finding)
        else:
            hidden.append(Hidden(finding, by))
    return fixed, hidden


def hushing(
    rules: Sequence[HidingRule], here: Iterable[Answer], there: Iterable[Answer]
) -> set[str]:
    """The files of which a server says on one side alone what ends its look at whole folders."""
    wide = [rule for rule in rules if rule.within == "folder"]
    if not wide:
        return set()
    known = Counter(_said(one) for answer in there for one in answer.findings or ())
    found: set[str] = set()
    for one in (one for answer in here for one in answer.findings or ()):
        known[_said(one)] -= 1
        if known[_said(one)] < 0 and any(rule.is_by(one) for rule in wide):
            found.add(one.path)
    return found


def _said(finding: Finding) -> tuple[str, str | None, str]:
    return finding.path.rpartition("/")[0], finding.code, finding.message


def _place(finding: Finding, text: EditedText | None) -> PlaceNow:
    first, last = finding.range.start.line, finding.range.end.line
    if text is None:
        return PlaceNow(finding.path, first, last, finding.range.start)
    now = text.lines.to_after(first)
    if now is not None:
        column = finding.range.start.column
        return PlaceNow(text.path, now, now + last - first, Position(now, column))
    block = text.lines.blocks[text.lines.block_before(first) or 0]
    return PlaceNow(text.path, block.after_start, max(block.after_end - 1, block.after_start), None)


def _hider(
    finding: Finding, place: PlaceNow, obstacles: Obstacles | None, text: EditedText | None
) -> Hider | None:
    if text is not None and place.start is not None:
        asleep = text.asleep.get(place.start)
        if asleep is not None:
            return Hider(place.path, asleep, "it stands in a comment or string now")
    if obstacles is None:
        return None
    is_edited = place.start is None
    rules = [rule for rule in obstacles.rules if rule.hides(finding, is_edited=is_edited)]
    found = [
        new
        for new in obstacles.new
        if any(_reaches(rule, new, place, obstacles.users) for rule in rules if rule.is_by(new))
    ]
    if found:
        nearest = min(found, key=lambda new: _far(new, place))
        return Hider(nearest.path, nearest.range, nearest.message)
    if text is not None and place.start is not None:
        for rule in rules:
            line = _added_before(rule, place.first, text)
            if line is not None:
                whole = Range(Position(line, 0), Position(line, len(text.texts[line])))
                return Hider(place.path, whole, f"added: {text.texts[line].strip()}")
    if obstacles.broken and place.start is not None:
        return obstacles.broken[0]
    return next(
        (
            blind
            for blind in obstacles.blind
            if any(_is_within(rule, blind.path, place.path, obstacles.users) for rule in rules)
        ),
        None,
    )


def _reaches(rule: HidingRule, new: Finding, place: PlaceNow, users: Users) -> bool:
    if rule.within != "range":
        return new.path == place.path or _is_within(rule, new.path, place.path, users)
    if new.path != place.path:
        return False
    if place.start is not None:
        return new.range.start <= place.start < new.range.end
    return new.range.start.line <= place.last and place.first <= new.range.end.line


def _is_within(rule: HidingRule, path: str, other: str, users: Users) -> bool:
    """Whether what is broken in one file hides what is in another."""
    if rule.within == "folder":
        return path.rpartition("/")[0] == other.rpartition("/")[0]
    return rule.within == "users" and other in users.get(path, ())


def _far(new: Finding, place: PlaceNow) -> tuple[object, ...]:
    """Sort key: errors first, then what stands in the same file and nearest, above rather."""
    distance = new.range.start.line - place.first
    severity = SEVERITIES.index(new.severity)
    return (severity, new.path != place.path, abs(distance), distance > 0, new.path, new.range)


def _added_before(rule: HidingRule, line: int, text: EditedText) -> int | None:
    """The nearest line that the edit adds and behind which the rule says nothing is looked at."""
    if rule.added is None:
        return None
    added = [at for at in text.added if rule.added.fullmatch(text.texts[at])]
    if rule.within == "file":
        return next(iter(added), None)
    above = [at for at in reversed(added) if at < line]
    if rule.within == "block":
        above = [at for at in above if _is_in_block(text.texts, at, line)]
    return next(iter(above), None)


def _is_in_block(texts: Sequence[str], start: int, line: int) -> bool:
    """Whether no line from one to the other is indented less than the first."""
    least = _indentation(texts[start])
    between = (texts[at] for at in range(start + 1, line + 1))
    return all(_indentation(text) >= least for text in between if text.strip())


def _indentation(text: str) -> int:
    return len(text) - len(text.lstrip())
