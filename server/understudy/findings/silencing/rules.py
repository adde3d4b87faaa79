"""The rules of what silences, read from data and checked by one schema."""

from __future__ import annotations

import re
from dataclasses import field, replace
from fnmatch import fnmatchcase
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, Literal, cast

from understudy.values.frozen import frozen
from understudy.values.silencing import SilencedHow
from understudy.values.structure import structure
from understudy.values.toml import loads

Reach = Literal["line", "next", "item", "file", "types", "names", "tool", "none"]
"""Which findings a silencing can hide: those on its lines; on the next line of code; on the whole
next declaration; in its file; whatever depends on the type that was widened; those that name a
variable; whatever the tool says; none."""

Told = Literal["always", "with-findings"]

When = Literal["added", "added-to-a-file", "added-to-a-test", "gone"]
"""Whether it silences as it comes; as it comes to a file that was there and had none, or to a test
that was there; as it goes."""


@frozen
class CommentRule:
    """A suppression in a comment; rules of one name replace one another without being told.

    `anywhere`: the directive counts wherever in the comment it stands. `exact`: the codes that it
    names are those of findings, and so say which it hides.
    """

    name: str
    pattern: str
    reach: Reach = "line"
    how: SilencedHow = "comment"
    servers: tuple[str, ...] = ()
    anywhere: bool = False
    exact: bool = False
    when: When = "added"

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """What is looked for; it begins a comment, or follows a `#` or `//` within it."""
        begins = "" if self.anywhere else r"(?:^(?:#|/|\*|!|<!--)*|#|//)[ \t]*"
        return re.compile(rf"{begins}(?P<directive>{self.pattern})")


@frozen
class CodeRule:
    """A silencing in code: what a query captures as `it`."""

    name: str
    how: SilencedHow
    query: str
    reach: Reach = "line"
    told: Told = "always"
    when: When = "added"
    servers: tuple[str, ...] = ()
    tests_only: bool = False
    only_in: tuple[str, ...] = ()
    grammars: tuple[str, ...] = ()


@frozen
class TestRules:
    """What a test is (`test`, its `name`, its `body`), what checks in it, and what is no statement.

    `checks`, `vacuous` and `nothing` are patterns, the last of a whole body: `vacuous` checks hold
    whatever the code does. `idle` are words of statements that check nothing.
    """

    query: str
    checks: str
    nothing: str
    vacuous: str = ""
    idle: tuple[str, ...] = ()


@frozen
class LanguageRules:
    """The rules of one language; `like` takes those of another in, but those in `leaves_out`.

    `hint` is in every line that silences: a file without such a line among those that came or
    went is not parsed. `tests_anywhere`: any file may have tests. `renamed` are old names of the
    rules that are silenced.
    """

    files: tuple[str, ...]
    grammar: str
    comments: str = ""
    hint: str = ""
    like: str = ""
    leaves_out: tuple[str, ...] = ()
    tests_anywhere: bool = False
    renamed: dict[str, str] = field(default_factory=dict[str, str])
    comment: tuple[CommentRule, ...] = ()
    code: tuple[CodeRule, ...] = ()
    tests: TestRules | None = None

    def code_for(self, path: str, *, is_test: bool) -> list[CodeRule]:
        """The rules of code that hold in a file."""
        name = path.rpartition("/")[2]
        return [
            rule
            for rule in self.code
            if (is_test or not rule.tests_only or self.tests_anywhere)
            and (not rule.only_in or any(fnmatchcase(name, glob) for glob in rule.only_in))
            and (not rule.grammars or self.grammar in rule.grammars)
        ]


Format = Literal["", "lines"]


@frozen
class SettingsPlace:
    """A file by its name or the end of its path, and the table in it (dotted; empty: all of it).

    `modules`: how the sections begin that hold for the modules that the rest of the name lists.
    """

    file: str
    table: str = ""
    format: Format = ""
    modules: str = ""

    def holds(self, path: str) -> bool:
        """Whether a file is such a one."""
        return fnmatchcase(f"/{path}", f"*/{self.file}")


@frozen
class RankedSetting:
    """Keys whose values are ordered from the weakest to the strictest; equals stand in a list.

    `inner`: where the value is a table, the key in it that counts. `codes`: each key ends with the
    code of the findings that it is about. `implied_by`: what holds the strictest of them without
    the key; `weakest_by`: what held the weakest.
    """

    keys: tuple[str, ...]
    order: list[Any]
    default: Any = None
    gone: Any = None
    inner: str = ""
    codes: bool = False
    implied_by: dict[str, Any] = field(default_factory=dict[str, Any])
    weakest_by: dict[str, Any] = field(default_factory=dict[str, Any])

    def rank(self, value: object) -> int | None:
        """How strict a value is; None for one that the order does not have.

        ESLint's may be a list: the severity, then options.
        """
        held = value
        if isinstance(value, list) and value:
            held = cast("list[object]", value)[0]
        if isinstance(held, dict):
            held = cast("dict[str, object]", held).get(self.inner or "level")
        for number, equals in enumerate(self.order):
            listed = cast("list[object]", equals) if isinstance(equals, list) else [equals]
            if any(type(one) is type(held) and one == held for one in listed):
                return number
        return None


@frozen
class HeldEntries:
    """What a tool takes for granted in lists, unless one of these values stands in its file."""

    keys: tuple[str, ...]
    entries: tuple[str, ...]
    unless: dict[str, Any] = field(default_factory=dict[str, Any])


@frozen
class ToolRules:
    """The settings of one tool; `servers` say what it finds.

    `only_grown` and `only_shrunk` say by key how the entries begin that count, where not all do;
    `defaults` are the entries of a list that is not there, `held` those that hold beside it, and
    `renamed` ones live on in others. `commands` are lists that are command lines, and those in
    `lines` have an entry a line. `raised` are limits, `named` keys silence what they name,
    `narrowing` ones leave out whatever they do not name, and with a `needed` one that goes all goes
    that it brought.
    """

    places: tuple[SettingsPlace, ...]
    servers: tuple[str, ...] = ()
    grown: tuple[str, ...] = ()
    shrunk: tuple[str, ...] = ()
    only_grown: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    only_shrunk: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    defaults: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    commands: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    raised: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    narrowing: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    renamed: dict[str, str] = field(default_factory=dict[str, str])
    held: tuple[HeldEntries, ...] = ()
    ranked: tuple[RankedSetting, ...] = ()


@frozen
class SilencingRules:
    """All rules, by language and by tool."""

    languages: dict[str, LanguageRules] = field(default_factory=dict[str, LanguageRules])
    tools: dict[str, ToolRules] = field(default_factory=dict[str, ToolRules])

    def language_of(self, path: str) -> LanguageRules | None:
        """The rules for a file, by its name."""
        name = path.rpartition("/")[2]
        return next(
            (
                language
                for language in self.languages.values()
                if any(fnmatchcase(name, glob) for glob in language.files)
            ),
            None,
        )

    def tools_of(self, path: str) -> list[tuple[str, SettingsPlace]]:
        """The tools that have settings in a file, and where in it."""
        return [
            (tool, place)
            for tool, rules in self.tools.items()
            for place in rules.places
            if place.holds(path)
        ]

    @cached_property
    def servers(self) -> frozenset[str]:
        """Every server that some rule names: of the others nobody knows what silences them."""
        named = [tool.servers for tool in self.tools.values()]
        named += [
            rule.servers
            for language in self.languages.values()
            for rule in (*language.comment, *language.code)
        ]
        return frozenset(server for servers in named for server in servers)


@cache
def rules() -> SilencingRules:
    """The rules that are shipped."""
    languages = {
        name: structure(record, LanguageRules, "bad-setting", name)
        for name, record in _data("languages.toml").items()
    }
    tools = {
        name: structure(record, ToolRules, "bad-setting", name)
        for name, record in _data("settings.toml").items()
    }
    taken = {name: _with_others(rules, languages) for name, rules in languages.items()}
    return SilencingRules(taken, tools)


def silencing_patterns() -> frozenset[str]:
    """Globs of the names of files that can silence, without the schema: a session begins here."""
    every = [glob for language in _data("languages.toml").values() for glob in language["files"]]
    tools = _data("settings.toml").values()
    every += [place["file"].rpartition("/")[2] for tool in tools for place in tool["places"]]
    return frozenset(every)


def _with_others(rules: LanguageRules, languages: dict[str, LanguageRules]) -> LanguageRules:
    if not rules.like:
        return rules
    other = languages[rules.like]
    code = tuple(rule for rule in other.code if rule.name not in rules.leaves_out)
    return replace(
        rules,
        comments=other.comments,
        hint="|".join(hint for hint in (other.hint, rules.hint) if hint),
        comment=(*other.comment, *rules.comment),
        code=(*code, *rules.code),
        tests=rules.tests or other.tests,
    )


@cache
def _data(name: str) -> dict[str, Any]:
    return loads((files("understudy.findings.silencing") / name).read_text(encoding="utf-8"))
