"""Settings of checkers that an edit weakens, compared as values and not as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import cast

from understudy.findings.line_map import LineMap, line_map
from understudy.findings.silencing.change import TwoTexts
from understudy.findings.silencing.configuration import Key, flat, value_of
from understudy.findings.silencing.forms import Form
from understudy.findings.silencing.rules import RankedSetting, SettingsPlace, ToolRules, rules
from understudy.values.lines import line_texts

_WIDTH = 100
_CODE = re.compile(r"[A-Z]{1,6}[0-9]{0,5}")


@dataclass(frozen=True)
class _Side:
    """What one file says about a tool, by key."""

    values: Mapping[Key, object] = field(default_factory=dict[Key, object])
    is_there: bool = False


@dataclass(frozen=True)
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
        found += _of_tool(tool, rules().tools[tool], configured)
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
    for key in place.table.split(".") if place.table else ():
        inner = whole.get(key)
        if not isinstance(inner, Mapping):
            return _Side()
        whole = cast("Mapping[str, object]", inner)
    return _Side(flat(whole), is_there=True)


def _of_tool(tool: str, told: ToolRules, configured: Sequence[_Configured]) -> Iterator[Form]:
    before: dict[Key, object] = {}
    for one in configured:
        before.update(one.before.values)
    known = _entries(told.grown, before).keys()
    kept = {entry for one in configured for _, entry in _entries(told.shrunk, one.after.values)}
    for one in configured:
        if not one.after.is_there:
            continue
        place = _Lines(one.texts)
        for found, key in _entries(told.grown, one.after.values).items():
            entry = found[1]
            if found not in known and _is_silencing(told, entry):
                codes = frozenset((entry,)) if _CODE.fullmatch(entry) else frozenset[str]()
                what = f"{tool}: {'.'.join(key)} gains {entry}"
                yield place.form(told, key, entry, what, codes)
        for (_, entry), key in _entries(told.shrunk, one.before.values).items():
            if "ALL" not in kept and not any(entry.startswith(other) for other in kept):
                yield place.form(told, key, "", f"{tool}: {'.'.join(key)} loses {entry}")
        yield from _ranked(tool, told, one, before, place)


def _ranked(
    tool: str, told: ToolRules, one: _Configured, before: Mapping[Key, object], place: _Lines
) -> Iterator[Form]:
    after = one.after.values
    said: set[Key] = set()
    for rule in told.ranked:
        for key, value in after.items():
            if key in said or not _matches(key, rule.keys):
                continue
            was = before.get(key, rule.default)
            if _is_weaker(rule, was, value):
                said.add(key)
                codes = frozenset((key[-1],)) if rule.codes else frozenset[str]()
                what = f"{tool}: {'.'.join(key)} = {_shown(value)}"
                yield place.form(told, key, "", what, codes)
        for key, was in one.before.values.items():
            if key in after or key in said or not _matches(key, rule.keys):
                continue
            if rule.gone is not None and _is_weaker(rule, was, rule.gone):
                said.add(key)
                yield place.form(told, key, "", f"{tool}: {'.'.join(key)} is gone")


def _is_weaker(rule: RankedSetting, was: object, now: object) -> bool:
    before, after = rule.rank(was), rule.rank(now)
    return before is not None and after is not None and after < before


def _entries(keys: Sequence[str], values: Mapping[Key, object]) -> dict[tuple[Key, str], Key]:
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
        found.update(((kept, entry), key) for entry in _listed(value))
    return found


def _listed(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from (entry for entry in re.split(r"[,\s]+", value) if entry)
    elif isinstance(value, Sequence):
        for one in cast("Sequence[object]", value):
            yield one.strip() if isinstance(one, str) else _shown(one)


def _is_silencing(told: ToolRules, entry: str) -> bool:
    return bool(entry) and not entry.startswith("#") and entry.startswith(told.only_entries)


def _matches(key: Key, patterns: Sequence[str]) -> bool:
    for pattern in patterns:
        parts = pattern.split(".")
        if len(parts) == len(key) and all(map(fnmatchcase, key, parts)):
            return True
    return False


def _shown(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
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
