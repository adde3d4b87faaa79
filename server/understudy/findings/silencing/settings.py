"""Settings of checkers that an edit weakens, compared as values and not as text."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from fnmatch import fnmatchcase
from typing import cast

from understudy.findings.line_map import LineMap, line_map
from understudy.findings.silencing.change import TwoTexts
from understudy.findings.silencing.configuration import Key, flat, value_of
from understudy.findings.silencing.forms import Form
from understudy.findings.silencing.rules import RankedSetting, SettingsPlace, ToolRules, rules
from understudy.values.frozen import frozen
from understudy.values.lines import line_texts

_WIDTH = 100
_CODE = re.compile(r"[A-Z]{1,6}[0-9]{0,5}")


@frozen
class _Side:
    """What one file says about a tool, by key."""

    values: Mapping[Key, object] = field(default_factory=dict[Key, object])
    is_there: bool = False


@frozen
class _Configured:
    """One file with settings of a tool, on both sides."""

    texts: TwoTexts
    before: _Side
    after: _Side


def weakened(changes: Sequence[TwoTexts]) -> list[Form]:
    """Each setting that lets a checker say less than before, over all files of an edit."""
    by_tool: dict[str, list[_Configured]] = {}
    for texts in changes:
        for tool, place in rules().tools_of(texts.path):
            before, after = _side(texts, texts.before, place), _side(texts, texts.after, place)
            if before is not None and after is not None:
                by_tool.setdefault(tool, []).append(_Configured(texts, before, after))
    found: list[Form] = []
    for tool, configured in by_tool.items():
        found += _Tool(tool, rules().tools[tool], configured).forms()
    return sorted(found, key=lambda form: (form.path, form.line, form.what))


def _side(texts: TwoTexts, text: str | None, place: SettingsPlace) -> _Side | None:
    """None where it cannot be read: then nobody knows what holds."""
    if text is None:
        return _Side()
    if place.format == "lines":
        return _Side({("lines",): line_texts(text)}, is_there=True)
    whole = value_of(texts.path, text)
    if whole is None:
        return None
    table: Mapping[str, object] | None = whole
    for key in place.table.split(".") if place.table else ():
        inner = None if table is None else table.get(key)
        table = cast("Mapping[str, object]", inner) if isinstance(inner, Mapping) else None
    values = {} if table is None else flat(table)
    modules = _of_modules(whole, place.modules) if place.modules else {}
    return _Side({**values, **modules}, is_there=table is not None or bool(modules))


def _of_modules(whole: Mapping[str, object], prefix: str) -> dict[Key, object]:
    """Sections whose names list modules, as the tables for modules in the other format."""
    return {
        ("overrides", json.dumps(module.strip()), name): value
        for section, table in whole.items()
        if section.startswith(prefix) and isinstance(table, Mapping)
        for module in section.removeprefix(prefix).split(",")
        for name, value in cast("Mapping[str, object]", table).items()
    }


class _Tool:
    """What an edit changes in the settings of one tool, in whichever files they are."""

    def __init__(self, name: str, told: ToolRules, configured: Sequence[_Configured]) -> None:
        self._name = name
        self._told = told
        self._configured = configured
        self._before: dict[Key, object] = {}
        self._after: dict[Key, object] = {}
        for one in configured:
            self._before.update(one.before.values)
            self._after.update(one.after.values)

    def forms(self) -> Iterator[Form]:
        """Everything by which it says less."""
        for one in self._configured:
            place = _Lines(one.texts)
            for key, what, entry in (*self._of_lists(one), *self._of_values(one)):
                codes = frozenset((entry,)) if _CODE.fullmatch(entry) else frozenset[str]()
                if any(_matches(key, rule.keys) for rule in self._told.ranked if rule.codes):
                    codes = frozenset((key[-1],))
                text = f"{self._name}: {'.'.join(key)} {what}"
                yield place.form(self._told, key, entry, text, codes)

    def _of_lists(self, one: _Configured) -> Iterator[tuple[Key, str, str]]:
        """The key, what happened to it, and the entry to look for."""
        told = self._told
        known = self._entries(told.grown, self._before).keys()
        held = _held(told, told.grown, one.before.values) if one.before.is_there else ()
        for found, key in self._entries(told.grown, one.after.values).items():
            if found in known or found[1] in held:
                continue
            if _counts(told.only_grown, key, found[1]):
                yield key, f"gains {found[1]}", found[1]
        kept = {entry for _, entry in self._entries(told.shrunk, self._after)}
        kept.update(_held(told, told.shrunk, self._after))
        was = dict(one.before.values)
        if one.before.is_there:
            was = {**{tuple(k.split(".")): v for k, v in told.defaults.items()}, **was}
        for (_, entry), key in self._entries(told.shrunk, was).items():
            is_default = key not in one.before.values
            if is_default and key not in one.after.values:
                continue
            is_kept = any(_is_kept(one, kept) for one in (entry, told.renamed.get(entry, entry)))
            if _counts(told.only_shrunk, key, entry) and not is_kept:
                yield key, f"loses {entry}", ""

    def _of_values(self, one: _Configured) -> Iterator[tuple[Key, str, str]]:
        told, before, after = self._told, one.before.values, one.after.values
        for key, value in after.items():
            for rule in told.ranked:
                was = before.get(key, self._before.get(key, rule.default))
                if _holds(rule.weakest_by, before):
                    was = rule.order[0]
                if _matches(key, rule.keys) and _is_weaker(rule, was, value):
                    yield key, f"= {_shown(value)}", ""
                    break
            if key not in self._before and _matches(key, told.named):
                yield key, "is new", ""
            if _matches(key, told.raised) and _is_more(before.get(key), value):
                yield key, f"= {_shown(value)}", ""
            if one.before.is_there and key not in self._before and _matches(key, told.narrowing):
                yield key, f"is new: only {_shown(value)}", ""
        for key, was in before.items():
            if key in self._after:
                continue
            weaker = (
                _matches(key, rule.keys) and rule.gone is not None
                and not _holds(rule.implied_by, self._after)
                and _is_weaker(rule, was, rule.gone) for rule in told.ranked
            )  # fmt: skip
            if any(weaker) or (one.after.is_there and _matches(key, told.needed)):
                yield key, "is gone", ""

    def _entries(
        self, keys: Sequence[str], values: Mapping[Key, object]
    ) -> dict[tuple[Key, str], Key]:
        """The entries of all lists of a kind, with the key of the list that each is in.

        One that only moves to another such list is the same; but the key counts where it says for
        which files the entries hold.
        """
        found: dict[tuple[Key, str], Key] = {}
        for key, value in values.items():
            pattern = next((one for one in keys if _matches(key, (one,))), None)
            if pattern is None:
                continue
            kept = key[-2:] if "*" in pattern else ("",)
            listed = _listed(value)
            if _matches(key, self._told.commands):
                listed = _options(value)
            elif _matches(key, self._told.lines) and isinstance(value, str):
                listed = map(str.strip, value.splitlines())
            listed = (entry for entry in listed if entry and not entry.startswith("#"))
            found.update(((kept, entry), key) for entry in listed)
        return found


def _held(told: ToolRules, keys: Sequence[str], there: Mapping[Key, object]) -> set[str]:
    return {
        entry
        for held in told.held
        if set(held.keys) <= set(keys) and not _holds(held.unless, there)
        for entry in held.entries
    }


def _holds(values: Mapping[str, object], there: Mapping[Key, object]) -> bool:
    """Whether a file has one of these values."""
    return any(there.get(tuple(key.split("."))) == value for key, value in values.items())


def _counts(only: Mapping[str, tuple[str, ...]], key: Key, entry: str) -> bool:
    """Whether an entry of a list silences by its being there, or its being gone."""
    beginnings = next((only[one] for one in only if _matches(key, (one,))), ("",))
    return entry.startswith(beginnings)


def _is_kept(entry: str, kept: Collection[str]) -> bool:
    if "ALL" in kept or entry in kept:
        return True
    return any(
        entry.startswith(other) or ("*" in other and fnmatchcase(entry, other)) for other in kept
    )


def _is_weaker(rule: RankedSetting, was: object, now: object) -> bool:
    before, after = rule.rank(was), rule.rank(now)
    return before is not None and after is not None and after < before


def _is_more(was: object, now: object) -> bool:
    """Whether a limit was raised; files without types have it as a text."""
    numbers = [str(one) for one in (was, now) if not isinstance(one, bool)]
    return (
        len(numbers) == 2 and all(map(str.isdigit, numbers)) and int(numbers[1]) > int(numbers[0])
    )


def _options(value: object) -> Iterator[str]:
    """The options of a command line, each with what belongs to it."""
    if isinstance(value, str):
        try:
            words = shlex.split(value, comments=True)
        except ValueError:
            words = value.split()
    else:
        words = list(_listed(value))
    option = ""
    for word in (*words, "-"):
        if word.startswith("-"):
            if option:
                yield option
            option = word
        else:
            option = f"{option} {word}" if option else word


def _listed(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from (entry for entry in re.split(r"[,\s]+", value) if entry)
    elif isinstance(value, Sequence):
        for one in cast("Sequence[object]", value):
            yield one.strip() if isinstance(one, str) else _shown(one)


def _matches(key: Key, patterns: Sequence[str]) -> bool:
    for pattern in patterns:
        parts = pattern.split(".")
        if len(parts) == len(key) and all(map(fnmatchcase, key, parts)):
            return True
    return False


def _shown(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if isinstance(value, Mapping):
        text = json.dumps(value, sort_keys=True, default=str)
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}…"


class _Lines:
    """Where in a file a setting stands."""

    def __init__(self, texts: TwoTexts) -> None:
        self._path = texts.path
        self._lines = line_texts(texts.after or "")
        self._map: LineMap = line_map(texts.before or "", texts.after or "")

    def form(
        self, told: ToolRules, key: Key, entry: str, what: str, codes: frozenset[str] = frozenset()
    ) -> Form:
        """The silencing, at the changed line that names the entry, or else the key."""
        line = self._find(entry) or self._find(key[-1]) or 0
        return Form(
            self._path, "setting", "setting", what, line, line, line, "tool",
            servers=told.servers, codes=codes, is_exact=bool(codes),
        )  # fmt: skip

    def _find(self, word: str) -> int | None:
        if not word:
            return None
        found = [number for number, line in enumerate(self._lines) if word in line]
        changed = [number for number in found if self._map.block_after(number) is not None]
        return next(iter(changed or found), None)
