"""Files that a C-family file includes without a word of it: its compiler is told to.

The flags are those that a language server reads: `compile_commands.json`, `compile_flags.txt` and
`.clangd`, with the response files they name. An Xcode project's prefix headers (`.pch`) count for
every file.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final, NamedTuple, cast

from understudy.dependents.resolvers.model import FolderTree

FLAG_FILES: Final = ("compile_commands.json", "compile_flags.txt", ".clangd", "*.rsp")
"""Name patterns of the files whose flags count."""

_MAY_FORCE: Final = re.compile(
    rb"-include|-imacros|[/-]FI|[/-]Y[uc]|@|-D[^\"]*?=(?:\\*\"|<|\\u003c)|-D"
)
_WORD: Final = re.compile(r"(?:[^\s\"'\\]|\\.|\"(?:\\.|[^\"\\])*\"|'[^']*')+", re.DOTALL)
_QUOTING: Final = re.compile(r"\\(.)|\"((?:\\.|[^\"\\])*)\"|'([^']*)'", re.DOTALL)
_ESCAPED: Final = re.compile(r"\\([\"\\$`])")
_YAML_WORD: Final = re.compile(r"\"((?:\\.|[^\"\\\n])*)\"|'((?:''|[^'\n])*)'|([^\s,\[\]]+)")
_YAML_COMMENT: Final = re.compile(r"(?m)(?:^|[ \t])#.*$")
_PASSED_ON: Final = ("-Xclang", "-Xpreprocessor", "-Xcompiler")
_TAKES_NEXT: Final = (
    *("-include", "--include", "-imacros", "--imacros", "-include-pch", "/FI", "-FI"),
    *("/Yu", "-Yu", "/Yc", "-Yc"),
)
_JOINED: Final = (
    *("--include=", "--imacros=", "-include-pch=", "-include=", "-imacros=", "-include-pch"),
    *("-include", "-imacros", "/FI", "-FI", "/Yu", "-Yu", "/Yc", "-Yc"),
)
_MACRO: Final = re.compile(r"\w+=(?:\"([^\"]+)\"|<([^>]+)>)\Z")


class _Forced(NamedTuple):
    """A file that flags name, and the folder in which the compiler runs, if that is known."""

    name: str
    folder: str


class ForcedIncludes:
    """What the flags of a tree make its files include; read when first asked."""

    def __init__(self, tree: FolderTree) -> None:
        self._tree = tree
        self._found: dict[_Forced, tuple[str, ...]] = {}

    def names(self, importer: str) -> Iterator[str]:
        """The names that flags force on a file, whether or not such files are there."""
        for forced in self._of(importer):
            yield forced.name

    def targets(self, importer: str) -> Iterator[str]:
        """The files of the tree that these names may mean."""
        for forced in self._of(importer):
            if forced not in self._found:
                self._found[forced] = tuple(self._meant(forced))
            yield from self._found[forced]

    def _of(self, importer: str) -> Iterator[_Forced]:
        yield from self._by_file.get(importer, ())
        for folder, forced in self._by_folder.items():
            if importer.startswith(folder):
                yield from forced
        yield from self._prefix_headers

    def _meant(self, forced: _Forced) -> Iterator[str]:
        named = posixpath.normpath(posixpath.join(forced.folder, forced.name))
        ending = posixpath.normpath(forced.name)
        while ending.startswith("../"):
            ending = ending[3:]
        for path in self._tree.by_name.get(named.rpartition("/")[2], ()):
            if f"/{named}".endswith(f"/{path}") or f"/{path}".endswith(f"/{ending}"):
                yield path

    @cached_property
    def _prefix_headers(self) -> tuple[_Forced, ...]:
        return tuple(_Forced(path, "") for path in self._tree.files if path.endswith(".pch"))

    @cached_property
    def _by_folder(self) -> dict[str, list[_Forced]]:
        """By folder, with its `/`, what the flags for all files in it name."""
        found: dict[str, list[_Forced]] = {}
        for path, text in self._tree.texts.items():
            folder, _, name = path.rpartition("/")
            if name == "compile_flags.txt":
                words = [line.strip() for line in text.decode("utf-8", "replace").splitlines()]
            elif name == ".clangd":
                words = _yaml_words(text.decode("utf-8", "replace"))
            else:
                continue
            forced = [_Forced(one, folder) for one in self._forced_by(words)]
            found.setdefault(f"{folder}/" if folder else "", []).extend(forced)
        return found

    @cached_property
    def _by_file(self) -> dict[str, list[_Forced]]:
        found: dict[str, list[_Forced]] = {}
        for path, text in self._tree.texts.items():
            if path.rpartition("/")[2] != "compile_commands.json" or not _MAY_FORCE.search(text):
                continue
            for file, folder, words in _commands(text):
                if forced := [_Forced(one, folder) for one in self._forced_by(words)]:
                    for compiled in self._meant(_Forced(file, folder)):
                        found.setdefault(compiled, []).extend(forced)
        return found

    def _forced_by(self, words: Sequence[str]) -> Iterator[str]:
        for name in _named(list(self._expanded(words, frozenset()))):
            plain = name.replace("\\", "/")
            yield plain
            if plain.endswith((".gch", ".pch")):  # compiled beforehand from the header it names
                yield plain[:-4]

    def _expanded(self, words: Iterable[str], within: frozenset[str]) -> Iterator[str]:
        """The words, with those of response files in the place of their names."""
        for word in words:
            if not word.startswith("@") or len(within) > 8:
                yield word
                continue
            name = word[1:].replace("\\", "/")
            for path in self._meant(_Forced(name, "")):
                if path in self._tree.texts and path not in within:
                    inner = _words(self._tree.texts[path].decode("utf-8", "replace"))
                    yield from self._expanded(inner, within | {path})


def _commands(text: bytes) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Each file of a compilation database, with its folder and the words of its command."""
    try:
        entries: object = json.loads(text)
    except (ValueError, RecursionError):
        return
    for entry in cast("list[object]", entries) if isinstance(entries, list) else ():
        fields = cast("dict[str, object]", entry) if isinstance(entry, dict) else {}
        file, folder = fields.get("file"), fields.get("directory")
        arguments, command = fields.get("arguments"), fields.get("command")
        words = list[str]()
        if isinstance(arguments, list):
            words = [word for word in cast("list[object]", arguments) if isinstance(word, str)]
        elif isinstance(command, str) and _MAY_FORCE.search(command.encode()):
            words = _words(command)
        if isinstance(file, str):
            where = folder.replace("\\", "/") if isinstance(folder, str) else ""
            yield file.replace("\\", "/"), where, words


def _words(command: str) -> list[str]:
    """The words of a command, as a POSIX shell and response files part them."""
    if re.search(r"[A-Za-z]:\\", command):  # in a command of Windows a `\` parts folders
        command = command.replace('\\"', "\0").replace("\\", "/").replace("\0", '\\"')
    return [_QUOTING.sub(_unquoted, word) for word in _WORD.findall(command)]


def _unquoted(found: re.Match[str]) -> str:
    if found[2] is not None:
        return _ESCAPED.sub(r"\1", found[2])
    return found[1] or found[3] or ""


def _yaml_words(text: str) -> list[str]:
    """Every scalar of a `.clangd`, whose lists of flags stand in either of two notations."""
    words = _YAML_WORD.findall(_YAML_COMMENT.sub("", text))
    return [one or other or plain for one, other, plain in words if plain != "-"]


def _named(words: Sequence[str]) -> Iterator[str]:
    """The files that the words of a command make the compiler include."""
    pieces = [
        piece
        for word in words
        if word not in _PASSED_ON
        for piece in (word.split(",")[1:] if word.startswith("-Wp,") else (word,))
    ]
    for index, word in enumerate(pieces):
        following = pieces[index + 1] if index + 1 < len(pieces) else ""
        if word in _TAKES_NEXT:
            yield following
        elif joined := next((one for one in _JOINED if word.startswith(one)), None):
            yield word[len(joined) :]
        elif word[:2] in ("-D", "/D"):
            macro = _MACRO.match(word[2:] or following)
            if macro:
                yield macro[1] or macro[2]
