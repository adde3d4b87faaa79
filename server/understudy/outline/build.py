"""Entries from finds: who holds whom, ranges, signatures on one line, comments, overloads."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from understudy.outline.comments import comment_beside, docstring, leading_comment
from understudy.outline.finds import OUTER, Find, ordered
from understudy.outline.languages import Language
from understudy.outline.model import FUNCTIONS, TYPES, Entry

LONGEST_SIGNATURE = 2000
LONGEST_VALUE = 200
LONGEST_NAME = 200
LONGEST_WHOLE = 80
"""Bytes of the file looked at; what is longer is cut and ends in an ellipsis."""

ELLIPSIS = "…"
_STAYS_IN_FUNCTIONS = FUNCTIONS | TYPES
_HELD_TOGETHER = FUNCTIONS | {"call", "prototype"}
_SHORT = frozenset(("constant", "field", "key", "macro", "member", "property", "type", "variable"))
_BRACKET_SPACED = re.compile(r"[(\[{] | [)\]]")
_BRACKET_SPACE = re.compile(r"(?<=[(\[{]) (?=\S)|(?<=\S),? (?=[)\]])")
_DECORATOR = re.compile(r"@[\w.:]+\s*\((?:[^()]|\([^()]*\))*\)\s*")
_LONGEST_DECORATOR = 60
_TAIL = " \t\r\n{=;,:"


def line_starts(data: bytes) -> list[int]:
    """Where each line begins; lines end with LF, CR LF or CR."""
    return [0, *accumulate(map(len, data.splitlines(keepends=True)))]


class _Open:
    """A find on the stack while its children are read."""

    __slots__ = ("end", "entry", "find", "is_used")

    def __init__(self, find: Find, end: int, entry: int) -> None:
        self.find, self.end, self.entry, self.is_used = find, end, entry, False


def build(
    data: bytes, finds: Iterable[Find], language: Language, starts: Sequence[int]
) -> tuple[Entry, ...]:
    """All entries in the order of the text; names bound in a function's body are left out."""
    entries: list[Entry] = []
    variants: list[str] = []
    stack: list[_Open] = []
    for find in ordered(_tamed(data, f) for f in finds):
        shares = False
        while stack and (find.start >= stack[-1].end or _is_twin(find, stack[-1].find)):
            shares = stack.pop().end > find.start
        if find.kind == OUTER:
            stack.append(_Open(find, find.end, -1))
            continue
        first, last = _wrapped(find, stack)
        holder = next((o.entry for o in reversed(stack) if o.entry >= 0), -1)
        parent = entries[holder] if holder >= 0 else None
        if parent is not None and not _belongs(find, parent.kind):
            continue
        if find.kind == "imports" and _joins_imports(entries, holder, _line(starts, last - 1)):
            continue
        entry = _entry(data, starts, find, (first, last), language, holder, parent)
        if shares:  # `a, b = 1, 2`: the first of them shows the text
            entry = entry._replace(signature=entry.name, doc="")
        entries.append(entry)
        variants.append(find.variant)
        reach = min(find.end, stack[-1].end) if stack else find.end
        stack.append(_Open(find, reach, len(entries) - 1))
    return fold_overloads(entries, variants)


def _wrapped(find: Find, stack: Sequence[_Open]) -> tuple[int, int]:
    """The span with the wrappers (decorators, `export`) around the find, the first in them."""
    first, last = find.start, find.end
    for around in reversed(stack):
        if around.find.kind != OUTER or around.is_used:
            break
        around.is_used = True
        first, last = min(first, around.find.start), max(last, around.find.end)
    return first, last


def _tamed(data: bytes, find: Find) -> Find:
    """A small thing that a syntax error has swollen ends with the line of its name."""
    if find.clean or find.kind not in _SHORT or find.kind in TYPES:
        return find
    return find._replace(end=_line_end(data, find.name_at, find.end))


def _is_twin(find: Find, other: Find) -> bool:
    """Whether both are names of one declaration."""
    same = find.start == other.start and find.end == other.end
    return same and OUTER not in (find.kind, other.kind)


def _belongs(find: Find, holder: str) -> bool:
    """Whether it is an entry inside such a holder: a function's locals and parameters are not."""
    if holder in FUNCTIONS:
        return find.kind in _STAYS_IN_FUNCTIONS or find.variant == "parameter"
    if holder in TYPES:
        return find.kind != "imports"
    return find.kind not in ("imports", "variable")


def _joins_imports(entries: list[Entry], holder: int, last_line: int) -> bool:
    """Put an import into the run of imports right before it."""
    if holder >= 0 or not entries or entries[-1].kind != "imports":
        return False
    run = entries[-1]
    n_before = int(run.signature[len("imports (") : -1])
    entries[-1] = run._replace(end=last_line, signature=f"imports ({n_before + 1})")
    return True


def _entry(
    data: bytes,
    starts: Sequence[int],
    find: Find,
    span: tuple[int, int],
    language: Language,
    holder: int,
    parent: Entry | None,
) -> Entry:
    first, last = span
    start = _line(starts, first)
    end = _line(starts, max(first, last - 1))
    if last > first and data[last - 1 : last] in (b"\n", b"\r") and end > start:
        end = _line(starts, len(data[:last].rstrip()) - 1) if last - first < 4096 else end
    while language.attribute and start > 1 and _is_attribute(data, starts, start - 1, language):
        start -= 1
    if parent is not None:  # two readings of broken text may overlap
        start = min(max(start, parent.start), parent.end)
        end = max(start, min(end, parent.end))
    name_line = min(max(_line(starts, find.name_at), start), end)
    kind = find.kind
    if parent is not None and parent.kind in TYPES and parent.kind != "module":
        kind = {"function": "method", "variable": "field"}.get(kind, kind)
    name = _folded(_text(find.name[:LONGEST_NAME]))
    if kind == "imports":
        return Entry(
            kind, name, start, start, end, 0, "imports (1)", "", (), holder
        )  # fmt: skip
    return Entry(
        kind,
        name,
        name_line,
        start,
        end,
        0 if parent is None else parent.depth + 1,
        _signature(data, first, last, find, kind, language),
        _doc(data, starts, find, start, end, language),
        (),
        holder,
    )


def _is_attribute(data: bytes, starts: Sequence[int], line: int, language: Language) -> bool:
    text = data[starts[line - 1] : starts[line]].strip()
    return text.startswith(language.attribute) and text.endswith(b"]")


def _signature(
    data: bytes, first: int, last: int, find: Find, kind: str, language: Language
) -> str:
    """What stands before the body, on one line; a cut is shown."""
    end = find.body if first < find.body <= last else last
    if kind == "section":
        end = last = _line_end(data, first, end)
    limit = LONGEST_VALUE if kind in _SHORT else LONGEST_SIGNATURE
    if end - first > limit and find.name_at - first > limit // 2:
        first = find.start  # decorators alone would fill it
    text = _folded(_uncommented(_text(data[first : min(end, first + limit)]), language))
    if text.startswith(("@", "[")):
        text = _DECORATOR.sub(_short_decorator, text)
    if end - first > limit:
        return text + ELLIPSIS
    if end < last and kind in _SHORT and last <= _line_end(data, first, first + LONGEST_WHOLE):
        return _folded(_uncommented(_text(data[first:last]), language)).rstrip(" ;,")
    if end < last and kind in _SHORT and kind != "type":
        return f"{text.rstrip(' ;,')} {ELLIPSIS}"
    if end < last:
        text = text.rstrip(_TAIL)
        if kind not in FUNCTIONS:
            return text
        return f"{text}: ..." if language.indented else f"{text} ..."
    return text.rstrip(" ;,")


def _line_end(data: bytes, first: int, last: int) -> int:
    """The end of the line that begins at the first byte, or the last byte if it ends before."""
    end = data.find(b"\n", first, last)
    return last if end < 0 else end


def _short_decorator(match: re.Match[str]) -> str:
    text = match[0]
    if len(text) <= _LONGEST_DECORATOR:
        return text
    return text.partition("(")[0].rstrip() + f"({ELLIPSIS}) "


def _doc(
    data: bytes, starts: Sequence[int], find: Find, start: int, end: int, language: Language
) -> str:
    if language.docstrings and find.body >= 0:
        return docstring(data, find.body)
    if not language.comment and language.name not in ("css", "html"):
        return ""
    if find.kind == "macro" and b"/*" in data[find.start : find.end][:LONGEST_VALUE]:
        return comment_beside(data[data.index(b"/*", find.start) : find.end], (b"/*",))
    if find.kind not in FUNCTIONS and find.kind not in TYPES:
        stop = starts[end] if end < len(starts) else len(data)
        beside = comment_beside(data[find.end : min(stop, find.end + 400)], language.comment)
        if beside:
            return beside
    return leading_comment(data, starts, start, language.comment)


def fold_overloads(entries: list[Entry], variants: list[str]) -> tuple[Entry, ...]:
    """Put the signatures of an overloaded function into its implementation, or the first one."""
    groups: dict[tuple[int, str], list[int]] = {}
    for index, entry in enumerate(entries):
        if entry.kind in _HELD_TOGETHER:
            groups.setdefault((entry.parent, entry.name), []).append(index)
    kept: dict[int, tuple[int, ...]] = {}
    gone: dict[int, int] = {}
    for members in groups.values():
        signatures = [index for index in members if variants[index] == "signature"]
        bodies = [index for index in members if variants[index] != "signature"]
        if len(signatures) + len(bodies[:1]) < 2 or not signatures:
            continue
        main = bodies[0] if bodies else signatures[0]
        folded = [index for index in signatures if index != main]
        kept[main] = tuple(entries[index].name_line for index in folded)
        gone.update(dict.fromkeys(folded, main))
    return _renumbered(entries, kept, gone) if gone else tuple(entries)


def _renumbered(
    entries: list[Entry], kept: dict[int, tuple[int, ...]], gone: dict[int, int]
) -> tuple[Entry, ...]:
    place: dict[int, int] = {-1: -1}
    result: list[Entry] = []
    for index, entry in enumerate(entries):
        if index not in gone:
            place[index] = len(result)
            result.append(entry._replace(overloads=kept.get(index, ())))
    for old, main in gone.items():
        place[old] = place[main]
    return tuple(entry._replace(parent=place[entry.parent]) for entry in result)


def _line(starts: Sequence[int], at: int) -> int:
    return bisect_right(starts, max(at, 0))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _folded(text: str) -> str:
    """On one line, each run of white space one space, none inside of brackets."""
    line = " ".join(text.split())
    return _BRACKET_SPACE.sub("", line) if _BRACKET_SPACED.search(line) else line


def _uncommented(text: str, language: Language) -> str:
    """Without comments; most texts have none, and looking for the marks is cheap."""
    if "/*" in text or any(mark.decode("ascii") in text for mark in language.comment):
        return language.comments.sub("", text)
    return text
