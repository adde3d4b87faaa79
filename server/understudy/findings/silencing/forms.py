"""What silences in one text: suppressions, casts and skips, and its tests."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace

from understudy.findings.silencing.rules import (
    CodeRule,
    CommentRule,
    LanguageRules,
    Reach,
    TestRules,
    Told,
    When,
)
from understudy.syntax.queries import Piece, QueriedText
from understudy.values.frozen import frozen
from understudy.values.silencing import SilencedHow

_WORD = re.compile(r"\w+")
_WIDTH, _HEAD = 100, 60
_MOST_FORMS = 5_000
_ENDS_AT_ONCE = re.compile(r"[\s{]*return(?:[ \t]+None)?[ \t]*(?:[;\n}]|$)")


@frozen
class Form:
    """One silencing of a text, and what it can hide: the lines `first` to `last`, by its `reach`.

    Rules of one `name` replace one another. `codes` are the rules of a checker that it names, none
    for all; `is_exact`: they decide which findings it hides. `words` are those of the code that it
    stands at, so that it is known again where that has moved; `block` is the changed block it is
    in. One that silences as it goes (`when`) makes a checker say more.
    """

    path: str
    name: str
    how: SilencedHow
    what: str
    line: int
    first: int
    last: int
    reach: Reach
    told: Told = "always"
    when: When = "added"
    servers: tuple[str, ...] = ()
    codes: frozenset[str] = frozenset()
    is_exact: bool = False
    words: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    block: int | None = None

    def covers(self, other: Form) -> bool:
        """Whether it has all that the other has, as far as rules are named."""
        if self.name != other.name:
            return False
        return not self.codes or (bool(other.codes) and other.codes <= self.codes)


@frozen
class TestCase:
    """A test: its name, its line, the words of all of it, and whether it checks anything.

    `is_blank`: its body has no statement that is reached. `telling` are the words of its body that
    could be a check.
    """

    path: str
    name: str
    line: int
    words: frozenset[str]
    telling: frozenset[str]
    has_checks: bool
    is_blank: bool
    block: int | None = None


def forms_of(path: str, text: QueriedText, rules: LanguageRules, *, is_test: bool) -> list[Form]:
    """Every silencing in a text, in no order."""
    found: list[Form] = []
    lines = text.text.split("\n")
    if rules.comment and rules.comments:
        for match in text.matches(rules.comments):
            found += _in_comment(path, match["comment"], rules.comment, lines)
    for rule in rules.code_for(path, is_test=is_test):
        for match in text.matches(rule.query, understood=True):
            found.append(_in_code(path, match, rule, lines))
            if len(found) > _MOST_FORMS:
                break
    if rules.renamed:
        found = [
            replace(form, codes=frozenset(rules.renamed.get(code, code) for code in form.codes))
            for form in found
        ]
    told = {form.line for form in found if form.told == "always" and form.how == "cast"}
    return [form for form in found if form.told == "always" or form.line not in told]


def tests_of(path: str, text: QueriedText, rules: LanguageRules) -> list[TestCase]:
    """The tests of a text."""
    assert rules.tests is not None
    comments = [match["comment"] for match in text.matches(rules.comments)]
    return [_test(path, match, comments, rules.tests) for match in text.matches(rules.tests.query)]


def _test(path: str, match: dict[str, Piece], comments: list[Piece], rules: TestRules) -> TestCase:
    test, body = match["test"], match["body"].text
    for comment in comments[bisect_left(comments, test.first, key=lambda c: c.first) :]:
        if comment.first > test.last:
            break
        body = body.replace(comment.text, "")
    if rules.vacuous:
        body = re.sub(rules.vacuous, "", body)
    is_blank = _ENDS_AT_ONCE.match(body) is not None or (
        len(body) < 10_000 and re.fullmatch(rules.nothing, body, re.DOTALL) is not None
    )
    return TestCase(
        path, match["name"].text.strip("\"'`"), test.first,
        words=frozenset(_WORD.findall(test.text)),
        telling=frozenset(_WORD.findall(body)) - frozenset(rules.idle),
        has_checks=re.search(rules.checks, body) is not None, is_blank=is_blank,
    )  # fmt: skip


def _in_comment(
    path: str, piece: Piece, rules: tuple[CommentRule, ...], lines: list[str]
) -> Iterator[Form]:
    seen: set[tuple[str, int]] = set()
    for rule in rules:
        for found in rule.regex.finditer(piece.text):
            line = piece.first + piece.text.count("\n", 0, found.start("directive"))
            if (rule.name, line) in seen:
                continue
            seen.add((rule.name, line))
            reach = rule.reach
            if reach == "line" and piece.begins_line and _is_head(lines[: piece.first]):
                reach = "file"
            first, last = _lines(piece, reach, line)
            code = _line(lines, line).replace(piece.text, "")
            if not _WORD.search(code) and piece.begins_line:
                code = _line(lines, last if reach == "next" else piece.beside[0])
            elif not _WORD.search(code):
                code = _statement_to(lines, line)
            yield Form(
                path, rule.name, rule.how, _shown(found["directive"]), line, first, last, reach,
                servers=rule.servers, codes=_codes(found.groupdict().get("codes")),
                when=rule.when, is_exact=rule.exact, words=_words_of(code, reach),
            )  # fmt: skip


def _in_code(path: str, match: dict[str, Piece], rule: CodeRule, lines: list[str]) -> Form:
    piece = match["it"]
    first, last = _lines(piece, rule.reach, piece.first)
    words = frozenset(_WORD.findall(f"{piece.owner} {piece.text[:2000]}"))
    what, codes = piece.text, match.get("codes")
    if "left" in match:
        kept = match["left"], match.get("t")
        what = ": ".join(one.text.lstrip(": ") for one in kept if one is not None)
        words = frozenset(_WORD.findall(f"{piece.owner} {what}"))
    if rule.reach == "item":
        words = _words_of(_line(lines, piece.beside[0]), rule.reach)
    if rule.reach in ("file", "tool"):
        words = frozenset[str]()
    names = match.get("names")
    return Form(
        path, rule.name, rule.how, _shown(what), piece.first, first, last, rule.reach,
        told=rule.told, when=rule.when, servers=rule.servers,
        codes=_codes(None if codes is None else codes.text.strip("()")),
        words=words, names=frozenset() if names is None else frozenset((names.text,)),
    )  # fmt: skip


def _lines(piece: Piece, reach: Reach, line: int) -> tuple[int, int]:
    if reach == "next":
        return piece.last + 1, max(piece.last + 1, piece.beside[0])
    if reach == "item" and piece.begins_line:
        return piece.first, max(piece.last, piece.beside[1])
    if reach == "line" and piece.begins_line and piece.beside[0] > piece.last:
        return line, piece.beside[0]
    return line, max(line, piece.last)


def _is_head(lines: list[str]) -> bool:
    """Whether there is no code in front: what stands there is about the whole file."""
    return len(lines) < 100 and all(
        not line.strip() or line.lstrip().startswith("#") for line in lines
    )


def _line(lines: list[str], number: int) -> str:
    return lines[number] if number < len(lines) else ""


def _statement_to(lines: list[str], end: int) -> str:
    """The lines of what ends with a bracket alone on its line, from where it begins."""
    indent = len(lines[end]) - len(lines[end].lstrip())
    start = end - 1
    while start > max(0, end - 10) and lines[start][: indent + 1].isspace():
        start -= 1
    return " ".join(line.partition("#")[0] for line in lines[max(0, start) : end])


def _words_of(code: str, reach: Reach) -> frozenset[str]:
    return frozenset() if reach == "file" else frozenset(_WORD.findall(code))


def _codes(text: str | None) -> frozenset[str]:
    return frozenset(code for code in re.split(r"[,\s]+", text or "") if code)


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _WIDTH else f"{line[:_HEAD]} … {line[_HEAD - _WIDTH :]}"
