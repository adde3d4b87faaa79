"""The names that a text mentions outside its comments and strings, with how often."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

MOST = 255
"""More mentions of a name in one file count as so many."""

_MODULE_WORDS = 4
_NAME = rb"((?:\.|->|::)?[A-Za-z_\x80-\xff][\w\x80-\xff]{2,})"
_NUMBER = rb"\d[\w.]*"
_DOUBLE = rb'"(?:[^"\\\n]|\\.)*"?'
_SINGLE = rb"'(?:[^'\\\n]|\\.)*'?"
_TRIPLES = rb'"""(?s:.*?)"""|\'\'\'(?s:.*?)\'\'\''
_HASH = rb"\#[^\n]*"
_SLASHES = rb"//[^\n]*|/\*(?s:.*?)\*/"
_DASHES = rb"--[^\n]*"


def _pattern(*skipped: bytes) -> re.Pattern[bytes]:
    return re.compile(b"|".join([*skipped, _NUMBER, _NAME]))


_LIKE_C = _pattern(_SLASHES, _DOUBLE, _SINGLE)
_LIKE_SHELL = _pattern(_HASH, _DOUBLE, _SINGLE)
_WITH_PRIMES = _pattern(_SLASHES, _DOUBLE)
"""In Rust, OCaml and their like a single quote opens no string."""
_LIKE_LUA = _pattern(_DASHES, _DOUBLE, _SINGLE)
_LIKE_HASKELL = _pattern(_DASHES, _DOUBLE)
_PATTERNS: Mapping[str, re.Pattern[bytes]] = {
    "python": _pattern(_HASH, _TRIPLES, _DOUBLE, _SINGLE),
    "php": _pattern(_HASH, _SLASHES, _DOUBLE, _SINGLE),
    **dict.fromkeys(("rust", "ocaml", "ocaml_interface", "fsharp", "verilog"), _WITH_PRIMES),
    **dict.fromkeys(("lua", "luau", "sql", "ada", "vhdl"), _LIKE_LUA),
    **dict.fromkeys(("haskell", "elm", "purescript"), _LIKE_HASKELL),
    **dict.fromkeys(
        ("bash", "cmake", "elixir", "fish", "gdscript", "julia", "make", "nim", "nix", "perl",
         "powershell", "r", "ruby", "starlark", "tcl", "terraform", "hcl"),
        _LIKE_SHELL,
    ),
}  # fmt: skip

_QUOTED_FILE = re.compile(
    rb"\b(?:from|import|require|require_relative|require_once|include|include_once|source)\b"
    rb"\s*\(?\s*[\"'<]([^\"'>\n]+)[\"'>]"
)
_IMPORT = re.compile(
    rb"^[ \t]*(?:from\s+([.\w]+)\s+)?(?:pub\s+)?(?:import|use|export)\b\s*"
    rb"([^\n;({'\"]*(?:\([^)]*\)|\{[^}]*\})?)(?:\s*from\s*['\"]([^'\"\n]+)['\"])?",
    re.MULTILINE,
)
"""Python, JavaScript, Java, Rust and their like: module, names, module in quotes."""
_WORD = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]{2,}")
_ANY_WORD = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")

_FAMILIES = {
    **dict.fromkeys(("javascript", "typescript", "tsx", "vue", "svelte", "astro"), "script"),
    **dict.fromkeys(("c", "cpp", "objc", "cuda", "glsl"), "c"),
    **dict.fromkeys(("java", "kotlin", "scala", "groovy"), "jvm"),
    **dict.fromkeys(("ocaml", "ocaml_interface"), "ocaml"),
    **dict.fromkeys(("terraform", "hcl"), "hcl"),
    **dict.fromkeys(("python", "starlark"), "python"),
}


def references(text: bytes, language: str) -> Mapping[str, int]:
    """Name -> mentions, for names of three bytes or more, in the order they first come.

    A name behind `.`, `->` or `::` is `.name`. One that an import statement brings in is there once
    more, behind all others, as `+name` with the words of the module's name behind it. The file that
    an import names in quotes counts as its name without folder and suffix.
    """
    counts: dict[bytes, int] = {}
    for name in _PATTERNS.get(language, _LIKE_C).findall(text):
        counts[name] = counts.get(name, 0) + 1
    counts.pop(b"", None)
    for quoted in _QUOTED_FILE.findall(text):
        stem = quoted.rpartition(b"/")[2].partition(b".")[0]
        if _WORD.fullmatch(stem):
            counts.setdefault(stem, 1)
    named: dict[str, int] = {}
    for name, count in counts.items():
        plain = name.lstrip(b".->:")
        key = ("." if plain != name else "") + plain.decode("utf-8", "replace")
        named[key] = min(named.get(key, 0) + count, MOST)
    for module, names, quoted in _IMPORT.findall(text):
        words = b" ".join(_ANY_WORD.findall(module or quoted or names)[-_MODULE_WORDS:])
        for name in _WORD.findall(names):
            named[f"+{b' '.join((name, words)).decode('utf-8', 'replace')}"] = 1
    return named


IMPORTS_BY_NAME = frozenset({"jvm", "python", "rust", "script"})
"""Families in which a bare name means another file's declaration only if it was imported."""


def telling(
    mentioned: Mapping[str, int], family: str, declared: Iterable[str]
) -> Mapping[str, int]:
    """The names of a file that may mean what another one declares: half of them in some families.

    `declared` are the file's own, which mean itself.
    """
    if family not in IMPORTS_BY_NAME:
        return mentioned
    own = {name.lstrip(".") for name in declared}
    imported = {name[1:].partition(" ")[0] for name in mentioned if name[0] == "+"}
    return {
        name: count
        for name, count in mentioned.items()
        if name[0] == "+"
        or (name[0] == "." and name[1:] not in own)
        or (name in imported and name not in own)
    }


def family_of(language: str) -> str:
    """Languages of one family mention each other's names."""
    return _FAMILIES.get(language, language)
