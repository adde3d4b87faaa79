"""A kit: how a definition, a use, a break, a file name look in a language, as data.

What a server is asked when its profile is proven is made of these pieces, so that what it has to
answer is known by construction: which line is wrong, and which name of ours stands in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any

from understudy.values import toml
from understudy.values.errors import BadInput
from understudy.values.fields import Word, doc
from understudy.values.findings import Severity
from understudy.values.frozen import frozen
from understudy.values.structure import structure

SCHEMA = 1
_EMPTY: Mapping[str, Any] = MappingProxyType({})
_PIECE = re.compile(r"\{(marker|module|name|number)\}")


def _empty() -> Mapping[str, Any]:
    return _EMPTY


@frozen
class KitConfiguration:
    """A file that configures the server so that it no longer says what is wrong."""

    file: Word = field(metadata=doc("its path in the project"))
    text: str = field(metadata=doc("with it, `wrong` is nothing that the server speaks of"))


@frozen
class Kit:
    """The keys of a kit's file; `{marker}` is a name that nothing defines, another each time."""

    schema: int = field(metadata=doc("1"))
    languages: tuple[Word, ...] = field(metadata=doc("the language ids it is for"))
    file: Word = field(metadata=doc("name of the file of a module, with `{module}` in it"))
    wrong: Word = field(
        metadata=doc("lines that are a finding, with `{marker}` in the line that is found")
    )
    filler: Word = field(metadata=doc("a line that says nothing, as a comment"))
    head: str = field(default="", metadata=doc("what every text begins with"))
    tail: str = field(default="", metadata=doc("what every text ends with"))
    objection: str = field(
        default="",
        metadata=doc(
            "lines that break any text at whose end they stand: whoever reads the language objects"
        ),
    )
    canary: str = field(
        default="",
        metadata=doc("the line of rule `canary`, with `{token}`: its message repeats the name"),
    )
    definition: str = field(
        default="", metadata=doc("text of a module that defines `{name}`; `{number}` is any number")
    )
    broken: str = field(
        default="", metadata=doc("the same, defined so that each `use` of it is a finding")
    )
    use: str = field(
        default="",
        metadata=doc(
            "text of a file that uses `{name}`; with `{module}` in it, a finding where the module "
            "is gone, too"
        ),
    )
    module: str = field(
        default="", metadata=doc("name of the file that defines, where it is not as `file` says")
    )
    files: Mapping[str, str] = field(
        default_factory=_empty, metadata=doc("path -> text of what a project needs besides")
    )
    severity: Severity = field(
        default="warning", metadata=doc("the mildest finding that counts as one")
    )
    configuration: KitConfiguration | None = field(
        default=None, metadata=doc("a file that silences `wrong`")
    )
    servers: Mapping[str, Mapping[str, Any]] = field(
        default_factory=_empty, metadata=doc("name of a server -> keys that are others for it")
    )

    @property
    def crosses_files(self) -> bool:
        """Whether it can ask what one file does to another."""
        return bool(self.use)

    @property
    def names_files(self) -> bool:
        """Whether a use names the file of the definition."""
        return "{module}" in self.use

    def path(self, module: str) -> str:
        """The path of the file of a module."""
        return self.file.replace("{module}", module)

    def module_path(self, module: str) -> str:
        """The path of the file that defines a name."""
        return (self.module or self.file).replace("{module}", module)

    def text(self, marker: str | None, n_filled: int) -> str:
        """A text of one file: so many lines that say nothing, then the wrong ones, if any."""
        filled = (f"{fill(self.filler, marker=f'line {n}')}\n" for n in range(n_filled))
        wrong = "" if marker is None else _ended(fill(self.wrong, marker=marker))
        return f"{self.head}{''.join(filled)}{wrong}{self.tail}"

    def marked_line(self, marker: str, n_filled: int) -> int:
        """The line of that text that has the marker, from 0."""
        before = self.text(marker, n_filled).partition(marker)[0]
        return before.count("\n")


def fill(template: str, **pieces: object) -> str:
    """A template with its pieces put in; any other brace stands for itself."""
    return _PIECE.sub(lambda found: str(pieces.get(found[1], found[0])), template)


def _ended(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"


def parse_kit(text: str, where: str) -> Kit:
    """A kit from the text of its file; raises BadInput `bad-kit` with the place."""
    try:
        record = toml.loads(text)
    except toml.TOMLDecodeError as error:
        raise BadInput("bad-kit", f"cannot be read: {error}", where) from error
    kit = structure(record, Kit, "bad-kit", where, pinpointed=True)
    for key, mistake in _mistakes(kit):
        raise BadInput("bad-kit", mistake, f"{where}.{key}")
    for name in kit.servers:
        fitted(kit, name, where)
    return kit


def _mistakes(kit: Kit) -> list[tuple[str, str]]:
    needs = (("file", "{module}"), ("wrong", "{marker}"))
    found = [(key, f"needs {piece}") for key, piece in needs if piece not in getattr(kit, key)]
    if kit.schema != SCHEMA:
        found.append(("schema", f"this version reads schema {SCHEMA}"))
    if not kit.languages:
        found.append(("languages", "must name one"))
    if kit.canary and "{token}" not in kit.canary:
        found.append(("canary", "needs {token}"))
    if len({bool(kit.definition), bool(kit.broken), bool(kit.use)}) > 1:
        found.append(("use", "`definition`, `broken` and `use` belong together"))
    if kit.use and kit.definition == kit.broken:
        found.append(("broken", "must differ from `definition`"))
    return found


def fitted(kit: Kit, server: str, where: str = "kit") -> Kit:
    """The kit with the keys that are others for one server."""
    given = kit.servers.get(server)
    if not given:
        return kit
    own = {**given, "schema": kit.schema, "languages": list(kit.languages)}
    base = {"file": kit.file, "wrong": kit.wrong, "filler": kit.filler}
    part = structure({**base, **own}, Kit, "bad-kit", f"{where}.servers.{server}", pinpointed=True)
    changed = {key: getattr(part, key) for key in given}
    return replace(kit, **changed)


def read_kit(path: Path) -> Kit:
    """A kit of the user's; raises BadInput `bad-kit`."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput("bad-kit", f"cannot be read: {error}", str(path)) from error
    return parse_kit(text, str(path))


@cache
def shipped_kit(language: str) -> Kit | None:
    """The kit that comes with us for a language id."""
    folder = files("understudy.langserver.proven").joinpath("kits")
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.name.endswith(".toml"):
            text = entry.read_text("utf-8")
            if f'"{language}"' in text.partition("\nfile")[0]:
                return parse_kit(text, entry.name)
    return None
