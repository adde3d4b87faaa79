"""The table of files that have the user's tools run something, with the user's own put over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from understudy.values.fields import Word, doc
from understudy.values.frozen import frozen
from understudy.values.globs import glob_fits
from understudy.values.json_input import loads_with_comments
from understudy.values.structure import structure
from understudy.values.texts import PackedText
from understudy.values.toml import loads
from understudy.workspace.users_tables import users_rows, users_table

MOST_READ = 1 << 20
"""Of a file with `keys`; a larger one is not looked into: it counts."""


@frozen
class Trigger:
    """Files of one kind, from triggers.toml or the user's own file; the keys of its table."""

    files: tuple[Word, ...] = field(
        metadata=doc(
            "globs, in any folder: of the name, or with `/` of the end of the path; `*` goes into "
            "folders"
        )
    )
    runs: Word = field(metadata=doc("what runs them, and when, in words that follow the path"))
    keys: tuple[Word, ...] = field(
        default=(),
        metadata=doc(
            "of JSON and TOML: only what stands at one of these keys counts; dots lead inside"
        ),
    )

    def is_about(self, path: str) -> bool:
        """Whether the path is one of its kind."""
        name = path.casefold()
        return any(_fits(glob.casefold(), name) for glob in self.files)

    def moved(self, path: str, before: PackedText | None, after: PackedText | None) -> bool:
        """Whether a change of such a file touches what is run; where it cannot be told, it does."""
        if not self.keys:
            return True
        try:
            was, now = (_read(path, text) for text in (before, after))
            return any(_at(was, key) != _at(now, key) for key in self.keys)
        except (ValueError, RecursionError):
            return True


class Triggers:
    """All kinds, in their order."""

    def __init__(self, kinds: Mapping[str, Trigger]) -> None:
        self.kinds = kinds

    def runs(
        self,
        paths: Sequence[str],
        before: PackedText | None,
        after: PackedText | None,
        *,
        is_renamed: bool = False,
    ) -> str | None:
        """What a change has the user's tools run, in words; None where it is nothing.

        `paths` are the file's names, those before it is renamed as well.
        """
        for kind in self.kinds.values():
            for path in paths:
                if kind.is_about(path) and (is_renamed or kind.moved(path, before, after)):
                    return kind.runs
        return None


@cache
def shipped_triggers() -> Triggers:
    """The kinds that we know, without a user's file."""
    return Triggers({name: _parsed(row, f"triggers.{name}") for name, row in _rows().items()})


def users_triggers() -> Path:
    """Where a user adds kinds: beside their own settings. No folder's file can."""
    return users_table("triggers.toml")


def all_triggers() -> Triggers:
    """The table; of a kind that we know, the keys that the user gives are replaced.

    Raises BadInput `bad-setting` for the user's file.
    """
    where = users_triggers()
    users = users_rows(where)
    if not users:
        return shipped_triggers()
    rows = {**_rows(), **{name: {**_rows().get(name, {}), **users[name]} for name in users}}
    return Triggers({name: _parsed(row, f"{where}: {name}") for name, row in rows.items()})


@cache
def _rows() -> Mapping[str, Mapping[str, Any]]:
    text = files("understudy.workspace.triggers").joinpath("triggers.toml").read_text("utf-8")
    return loads(text)


def _parsed(row: Mapping[str, Any], where: str) -> Trigger:
    return structure(row, Trigger, "bad-setting", where, pinpointed=True)


def _fits(glob: str, path: str) -> bool:
    return glob_fits(glob, path) or ("/" in glob and glob_fits(f"*/{glob}", path))


def _read(path: str, packed: PackedText | None) -> object:
    """A file as what it holds, None where there is none; raises ValueError for what is neither."""
    if packed is None:
        return None
    if packed.size > MOST_READ:
        raise ValueError("too large to be looked into")
    text = packed.unpack().content
    return loads(text) if path.casefold().endswith(".toml") else loads_with_comments(text)


def _at(value: object, key: str) -> object:
    for word in key.split("."):
        value = cast("Mapping[str, object]", value).get(word) if isinstance(value, dict) else None
    return value
