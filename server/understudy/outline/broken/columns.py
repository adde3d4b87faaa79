"""Declarations by the look of lines, where no grammar helps; and blocks where nothing else does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from understudy.outline.finds import Find
from understudy.outline.languages import Language
from understudy.outline.spans import Span

_MOST_GUESSES = 20_000
_LONGEST_LINE = 400
_MODIFIERS = (
    rb"(?:(?:export|default|public|private|protected|internal|static|abstract|final|sealed|async"
    rb"|override|virtual|inline|unsafe|extern|pub(?:\([\w: ]+\))?|declare|open|data|local|partial"
    rb"|readonly|const(?=\s+(?:fn|unsafe)))\s+)*"
)
_KEYWORD = re.compile(
    rb"[ \t]*(" + _MODIFIERS + rb")"
    rb"(class|interface|struct|enum|trait|impl|module|namespace|object|protocol|extension|record"
    rb"|type|union|def|defp|defmodule|defmacro|function|func|fn|fun|sub|procedure|proc|macro"
    rb"|macro_rules!|message|service|rpc|resource|input|scalar|directive|query|mutation"
    rb"|const|let|var|val)[ \t]*\*?[ \t]+"
    rb"(?:\([^()\n]{0,80}\)[ \t]*)?([\"\w$][\w$.:'\"-]*)"
)
_KINDS = {
    **dict.fromkeys(("class", "object", "record", "message"), "class"),
    **dict.fromkeys(("service", "resource", "input"), "class"),
    **dict.fromkeys(("interface", "protocol"), "interface"),
    **dict.fromkeys(("struct", "union"), "struct"),
    **dict.fromkeys(("module", "namespace", "defmodule"), "module"),
    **dict.fromkeys(("const", "let", "var", "val"), "variable"),
    **dict.fromkeys(("type", "scalar"), "type"),
    **dict.fromkeys(("macro", "defmacro", "macro_rules!", "directive"), "macro"),
    "enum": "enum",
    "trait": "trait",
    "impl": "impl",
    "extension": "extension",
}
_SHELL_FUNCTION = re.compile(rb"[\w:.-]+[ \t]*\(\)[ \t]*[{(]?[ \t]*\r?$")
_MOST_LOOKED = 6
_HEAD = re.compile(rb"[ \t]*[\w\s$*&<>\[\],.:?@~#-]*")
_LAST_NAME = re.compile(rb"[A-Za-z_$~][\w$:]*$")
_STATEMENT = re.compile(
    rb"[ \t]*(?:if|else|for|foreach|while|switch|return|throw|catch|new|await|yield|delete|case"
    rb"|assert|raise|with|print|echo|typeof|sizeof|defined|do|try|using|lock|elif|elseif|unless"
    rb"|until|when|match|and|or|not|in|super|this)\b"
)


def guess(data: bytes, span: Span, language: Language | None) -> list[Find]:
    """The declaration that the first lines of a piece begin, if they look like one."""
    position = span[0]
    looked = 0
    while looked < _MOST_LOOKED:
        end = data.find(b"\n", position, span[1])
        line = data[position : min(end if end >= 0 else span[1], position + _LONGEST_LINE)]
        is_comment = language is not None and line.lstrip().startswith(language.comment)
        looked += 0 if is_comment else 1
        found = None if is_comment else _declaration(line, position)
        if found is None and _SHELL_FUNCTION.match(line):
            found = _called(line, position)
        if found is None and language is not None and not is_comment and _looks_called(line):
            found = _called(line, position)
        if found is not None:
            last = span[0] + len(data[span[0] : span[1]].rstrip())
            return [found._replace(end=max(last, found.end))]
        if end < 0:
            break
        position = end + 1
    return []


def by_columns(data: bytes, starts: Sequence[int]) -> list[Find]:
    """Declarations of a language without a grammar: keyword and name; ranges end by indent."""
    found: list[Find] = []
    waiting: list[tuple[int, int]] = []  # indent, index into found
    lines = list(_lines(data, starts))
    last_text = 0
    for begin, end, indent, line in lines:
        if not line:
            continue
        closes = line.startswith((b"}", b")", b"]", b"end", b"*/"))
        while waiting and (indent < waiting[-1][0] or (indent == waiting[-1][0] and not closes)):
            _, index = waiting.pop()
            found[index] = found[index]._replace(end=max(last_text, found[index].end))
        last_text = end
        if len(found) < _MOST_GUESSES:
            find = _declaration(data[begin : min(end, begin + _LONGEST_LINE)], begin)
            if find is not None and (indent == 0 or find.kind != "variable"):
                waiting.append((indent, len(found)))
                found.append(find)
    for _, index in waiting:
        found[index] = found[index]._replace(end=max(last_text, found[index].end))
    return found


def blocks(data: bytes, starts: Sequence[int]) -> list[Find]:
    """Runs of lines without a blank line between them, each named by how it begins."""
    found: list[Find] = []
    open_from = -1
    last_text = 0
    for begin, end, indent, line in _lines(data, starts):
        if not line:
            if open_from >= 0 and indent == 0:
                found.append(_block(data, open_from, last_text))
                open_from = -1
            continue
        if open_from < 0:
            open_from = begin
        last_text = end
    if open_from >= 0:
        found.append(_block(data, open_from, last_text))
    return found


def _block(data: bytes, begin: int, end: int) -> Find:
    line = data[begin : min(end, begin + 80)].splitlines()[0].rstrip()
    return Find(begin, end, "section", line, begin, begin + len(line), "", clean=True)


def _declaration(line: bytes, at: int) -> Find | None:
    match = _KEYWORD.match(line)
    if match is None:
        return None
    kind = _KINDS.get(match[2].decode("ascii"), "function")
    start = at + len(line) - len(line.lstrip())
    end = at + len(line.rstrip())
    name = match[3].strip(b"\"':.")
    return Find(start, end, kind, name, at + match.start(3), end, "", clean=False)


def _looks_called(line: bytes) -> bool:
    """Whether it may be the head of a function, rather than a statement that calls one."""
    text = line.rstrip()
    return not text.endswith((b";", b")")) and not _STATEMENT.match(line)


def _called(line: bytes, at: int) -> Find | None:
    head, opening, _ = line.partition(b"(")
    head = head.rstrip()
    match = _LAST_NAME.search(head[-200:]) if opening and _HEAD.fullmatch(head) else None
    if match is None:
        return None
    name_at = at + len(head) - len(match[0])
    start = at + len(line) - len(line.lstrip())
    end = at + len(line.rstrip())
    return Find(start, end, "function", match[0], name_at, end, "", clean=False)


def _lines(data: bytes, starts: Sequence[int]) -> Iterable[tuple[int, int, int, bytes]]:
    """First byte, end without trailing blanks, indent and a stripped beginning of each line."""
    for index, begin in enumerate(starts):
        stop = starts[index + 1] if index + 1 < len(starts) else len(data)
        text = data[begin:stop].rstrip()
        short = text[:200].lstrip()
        yield begin, begin + len(text), len(text[:200]) - len(short), short
