"""TypeScript's and JavaScript's units, read by pattern: a declaration in the first column."""

from __future__ import annotations

import re
from collections.abc import Iterator

from understudy.dependents.units import Unit, words

_HEADER = re.compile(
    r"^(?:export\b|import\b|declare\b|default\b|async\b|abstract\b|function\b|class\b|interface\b"
    r"|type\b|enum\b|const\b|let\b|var\b|namespace\b|module\b)",
    re.MULTILINE,
)
_DECLARED = re.compile(
    r"\b(?:function\s*\*?|class|interface|type|enum|namespace|module|const|let|var)\s+([\w$]+)"
)
_MEMBER = re.compile(
    r"^[ \t]+(?:(?:public|private|protected|static|readonly|abstract|override|async|get|set"
    r"|declare)\s+)*\*?([\w$]+)\s*[?!]?\s*[(:=<,;\n]",
    re.MULTILINE,
)
_BOUND = re.compile(r"[\w$]+")
_DEFAULT = re.compile(r"\bexport\s+default\b|\bmodule\.exports\b|\bexport\s*=|\bas\s+default\b")
_DEFAULT_IMPORT = re.compile(
    r"^import\s+(?:type\s+)?[\w$]+\s*(?:,|from\b|=)|\brequire\s*\(|\bdefault\s+as\b"
)
_SIGNED = re.compile(r"^(?:export\s+)?(?:async\s+)?function\b[^{]*\)\s*:[^{]*\{")
_IMPORT = re.compile(
    r"(?:import\b|export\s*(?:type\s*)?[{*])(?:[^'\";=(]*|\s+[\w$]+\s*=\s*require\s*\(\s*)"
    r"(['\"])[^'\"\n]*\1[^\n]*\n?"
)
_SPECIFIER = re.compile(r"(['\"])[^'\"\n]*\1[^\n]*\n?$")
_PATTERN = re.compile(r"^(?:export\s+)?(?:const|let|var)\s*([{\[].*)", re.DOTALL)
"""What a declaration that takes apart declares: every name in the pattern."""
_MORE = re.compile(r",\s*([\w$]+)\s*(?::[^=,]+)?=(?![=>])")
_WILDCARD = re.compile(r"export\s*(?:type\s*)?\*\s*from\b")
_KEYWORDS = frozenset({"import", "export", "from", "type", "as", "default"})
_TROUBLE = re.compile(r"[()\[\]{}`'\"]|/\*|\*/")


def read(content: str) -> list[Unit]:
    """The units of a file; text that is in no declaration belongs to the one before it."""
    if not content:
        return []
    starts = [0, *(match.start() for match in _HEADER.finditer(content) if match.start())]
    ends = [*starts[1:], len(content)]
    units: list[Unit] = []
    for start, end in zip(starts, ends, strict=True):
        source = content[start:end]
        if (match := _IMPORT.match(source)) is not None:
            units.append(_import(match.group(0)))
            source = source[match.end() :]
        if source.strip():
            units.append(_declaration(source))
    return units


def heads(source: str) -> frozenset[str]:
    """The names that a declaration gives to others: not those inside it."""
    declared = _DECLARED.search(source)
    start = re.split(r"[({`]", source, maxsplit=1)[0]
    found = {match.group(1) for match in _MORE.finditer(start)}
    if declared is not None:
        found.add(declared.group(1))
    first = source.split("=", 1)[0]
    if (match := _PATTERN.search(first)) is not None:
        found.update(_BOUND.findall(match.group(1)))
    return frozenset(found - _KEYWORDS)


def marks(content: str) -> tuple[int, ...]:
    """Counts that a half-written edit puts out of balance: brackets, quotes, comment ends."""
    counted: dict[str, int] = dict.fromkeys(("(", "[", "{", "`", "'", '"', "/*"), 0)
    closing = {")": "(", "]": "[", "}": "{", "*/": "/*"}
    for mark in _TROUBLE.findall(content):
        if mark in closing:
            counted[closing[mark]] -= 1
        else:
            counted[mark] += 1
    return tuple(n % 2 if mark in "`'\"" else n for mark, n in counted.items())


def _import(source: str) -> Unit:
    """An import, or an export of another file's names; that file's path is no mention."""
    named = frozenset(_BOUND.findall(_SPECIFIER.sub("", source))) - _KEYWORDS
    default = {"default"} if _DEFAULT_IMPORT.search(source) else set[str]()
    wildcard = {"*"} if _WILDCARD.match(source) else set[str]()
    return Unit(source, named | wildcard, named | default)


def _declaration(source: str) -> Unit:
    defines = frozenset(_defined(source))
    every = words(source) | _dollars(source)
    signed = _SIGNED.match(source)
    if signed is not None and "default" not in defines:
        head = words(signed.group(0)) | _dollars(signed.group(0))
        return Unit(source, defines, head, every - head)
    if _DEFAULT_IMPORT.search(source):
        every |= {"default"}
    return Unit(source, defines, every)


def _defined(source: str) -> Iterator[str]:
    yield from (match.group(1) for match in _DECLARED.finditer(source))
    yield from (match.group(1) for match in _MEMBER.finditer(source))
    first = source.split("=", 1)[0]
    if "{" in first or "[" in first:  # destructuring: every name in the pattern
        yield from _BOUND.findall(first)
    if _DEFAULT.search(source):
        yield "default"


def _dollars(source: str) -> frozenset[str]:
    return frozenset(name for name in _BOUND.findall(source) if "$" in name)
