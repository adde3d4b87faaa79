"""Which findings went because they were silenced: those are not fixed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from fnmatch import fnmatchcase

from understudy.findings.judgement import LineMaps
from understudy.findings.silencing.forms import Form
from understudy.findings.silencing.rules import rules
from understudy.values.findings import Finding
from understudy.values.frozen import frozen
from understudy.values.silencing import Silencing

_WORD = re.compile(r"\w+")
_COMMON = frozenset(
    (
        *("Any", "any", "as", "await", "async", "bool", "boolean", "cast", "class", "cls", "const"),
        *("def", "for", "from", "function", "if", "import", "in", "int", "is", "let", "new", "not"),
        *("None", "null", "number", "object", "or", "and", "public", "private", "return", "self"),
        *("str", "string", "this", "type", "undefined", "unknown", "var", "void"),
    )
)
"""Words that tie no finding to a type that was widened."""


@frozen
class Traces:
    """Where findings of the text before are in the text after.

    `renamed` leads from a path before to the one after; `types` are the servers that judge types;
    `line_before` gives a line of a file before.
    """

    maps: LineMaps
    renamed: dict[str, str]
    is_there: Callable[[str], bool]
    types: Collection[str]
    line_before: Callable[[str, int], str]


@frozen
class _Place:
    path: str
    first: int
    last: int
    is_unchanged: bool


def told(
    forms: Sequence[Form], fixed: Sequence[Finding], traces: Traces
) -> tuple[list[Silencing], list[Finding]]:
    """The rows of an edit, each with the findings that went with it; and those that are fixed.

    A finding belongs to the nearest silencing: the one on its lines, before one for its file.
    """
    hidden: list[list[Finding]] = [[] for _ in forms]
    left: list[Finding] = []
    candidates = _Candidates(forms)
    for finding in fixed:
        place = _place(finding, traces)
        by = None if place is None else candidates.hiding(finding, place, traces)
        (left if by is None else hidden[by]).append(finding)
    rows = [
        Silencing(form.path, form.line, form.how, form.what, tuple(findings))
        for form, findings in zip(forms, hidden, strict=True)
        if findings or form.told == "always"
    ]
    return rows, left


_NEARNESS = ("line", "next", "names", "item", "types", "file", "tool", "none")


class _Candidates:
    """The silencings by the file that they can be about, the nearest first."""

    def __init__(self, forms: Sequence[Form]) -> None:
        self._forms = forms
        self._here: dict[str, list[int]] = {}
        self._anywhere: list[int] = []
        for number in sorted(range(len(forms)), key=lambda n: _NEARNESS.index(forms[n].reach)):
            if forms[number].reach in ("types", "tool"):
                self._anywhere.append(number)
            elif forms[number].reach != "none":
                self._here.setdefault(forms[number].path, []).append(number)

    def hiding(self, finding: Finding, place: _Place, traces: Traces) -> int | None:
        """The number of the silencing that a finding went with; None where it was fixed."""
        if not self._here and not self._anywhere:
            return None
        line = traces.line_before(finding.path, finding.range.start.line)
        words = {*_WORD.findall(line), *_WORD.findall(finding.message)} - _COMMON
        for number in (*self._here.get(place.path, ()), *self._anywhere):
            if _hides(self._forms[number], finding, place, words, traces.types):
                return number
        return None


def _place(finding: Finding, traces: Traces) -> _Place | None:
    """The lines after of what a finding was about; None where they are gone."""
    path = traces.renamed.get(finding.path, finding.path)
    if not traces.is_there(path):
        return None
    lines = traces.maps(path)[1]
    first, last = finding.range.start.line, max(finding.range.start.line, finding.range.end.line)
    if lines is None:
        return _Place(path, first, last, is_unchanged=True)
    start = lines.to_after(first)
    if start is not None:
        return _Place(path, start, start + last - first, is_unchanged=True)
    number = lines.block_before(first)
    assert number is not None
    block = lines.blocks[number]
    if block.after_start == block.after_end:
        return None
    if block.before_end - block.before_start == block.after_end - block.after_start:
        start = block.after_start + first - block.before_start  # line by line
        return _Place(path, start, min(start + last - first, block.after_end), is_unchanged=False)
    return _Place(path, block.after_start, block.after_end - 1, is_unchanged=False)


def _hides(
    form: Form, finding: Finding, place: _Place, words: Collection[str], types: Collection[str]
) -> bool:
    if not _concerns(form, finding, types):
        return False
    here = form.path == place.path
    on_lines = here and form.first <= place.last and place.first <= form.last
    if form.reach in ("line", "next", "item"):
        return on_lines
    if form.reach == "names":
        return any(name in _WORD.findall(finding.message) for name in form.names)
    if form.reach == "types":
        is_tied = place.is_unchanged and not form.words.isdisjoint(words)
        return on_lines or (is_tied and rules().language_of(finding.path) is not None)
    return True


def _concerns(form: Form, finding: Finding, types: Collection[str]) -> bool:
    """Whether the silencing is one that the finding's server heeds, for a rule that it names.

    Of a server that no rule names, nobody knows what it heeds.
    """
    if form.how == "cast" and types and finding.server not in types:
        return False
    if form.servers and finding.server not in form.servers and finding.server in rules().servers:
        return False
    if not form.is_exact or not form.codes or not finding.code:
        return True
    return any(_is_code(finding.code, code) for code in form.codes)


def _is_code(code: str, named: str) -> bool:
    return code.startswith(named) or code.endswith(named) or fnmatchcase(code, named)
