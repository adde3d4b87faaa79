"""An entry of an agent's transcript as text that can be searched, by the form in its table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from understudy.values.frozen import frozen
from understudy.workspace.agents.profile import EntryKind, TranscriptForm

_DATA = re.compile(r"[A-Za-z0-9+/=_-]{2000,}")
"""Pictures and the like, which nobody searches."""
_SPOKEN = frozenset(("text", "content", "output", ""))
"""Keys that say no more than the text below them."""


@frozen
class Said:
    """What an entry is to us, and its text; `left` characters of data are not in it."""

    kind: EntryKind
    text: str
    left: int = 0


def said_in(entry: object, form: TranscriptForm) -> Said | None:
    """The entry as text; None for one that is no part of what was said."""
    kind = _kind_of(entry, form)
    if kind is None:
        return None
    writer = _Writer(frozenset(form.drop))
    for place in form.body:
        for value in values_at(entry, place.split(".")):
            writer.take(value, place, place.rpartition(".")[2])
    text = "\n".join(writer.lines)
    return Said(kind, text, writer.left) if text else None


def values_at(value: object, keys: Sequence[str]) -> Iterator[object]:
    """What stands at a place, through every item of a list."""
    if isinstance(value, list):
        for item in cast("list[object]", value):
            yield from values_at(item, keys)
    elif not keys:
        yield value
    elif isinstance(value, dict):
        table = cast("Mapping[str, object]", value)
        if keys[0] in table:
            yield from values_at(table[keys[0]], keys[1:])


def _kind_of(entry: object, form: TranscriptForm) -> EntryKind | None:
    for place in form.kind:
        for value in values_at(entry, place.split(".")):
            words = cast("Mapping[str, object]", value) if isinstance(value, dict) else (value,)
            for word in words:
                if isinstance(word, str) and word in form.kinds:
                    return form.kinds[word]
    return None


class _Writer:
    def __init__(self, drop: frozenset[str]) -> None:
        self._drop = drop
        self.lines: list[str] = []
        self.left = 0

    def take(self, value: object, place: str, key: str) -> None:
        if place in self._drop or value is None:
            return
        if isinstance(value, dict):
            for name, item in cast("Mapping[str, object]", value).items():
                if not (name == "type" and _is_form(item)):
                    self.take(item, f"{place}.{name}", name)
        elif isinstance(value, list):
            for item in cast("list[object]", value):
                self.take(item, place, key)
        else:
            self._line(value if isinstance(value, str) else str(value).lower(), key)

    def _line(self, text: str, key: str) -> None:
        if not text:
            return
        if _DATA.fullmatch(text):
            self.left += len(text)
            text = f"[{len(text)} characters of data left out]"
        if key in _SPOKEN:
            self.lines.append(text)
        else:
            self.lines.append(f"{key}:\n{text}" if "\n" in text else f"{key}: {text}")


def _is_form(word: object) -> bool:
    """Whether a `type` only says that what stands beside it is text, or a call."""
    return isinstance(word, str) and word.endswith(("text", "tool_use", "tool_result", "function"))
