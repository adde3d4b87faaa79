"""Python's import statements, read by pattern so that half-written files still tell theirs."""

from __future__ import annotations

import re
from collections.abc import Iterator

SUFFIXES = (".pyi", ".py")

_GAP = r"(?:[ \t\f]|\\\r?\n)"
"""White space within a statement, continued lines too."""

# A statement starts a line or follows `;` or `:` (`if TYPE_CHECKING: import x`). The list of names
# may be in parentheses that are not closed yet.
_FROM = re.compile(
    rf"(?:^|[;:\r]){_GAP}*from(?:{_GAP}+|(?=\.))(\.*){_GAP}*(?:(\w[\w.]*){_GAP}+)?import\b{_GAP}*"
    r"(\([^)]{0,20000}|[^\r\n;(\\]*(?:\\\r?\n[^\r\n;\\]*)*)",
    re.MULTILINE,
)
_IMPORT = re.compile(
    rf"(?:^|[;:\r]){_GAP}*import{_GAP}+([^\r\n;#\\]*(?:\\\r?\n[^\r\n;#\\]*)*)", re.MULTILINE
)
_EXPORTS = re.compile(r"__all__[^\[(\n]*[\[(]([^\])]*)")
_STRING = re.compile(r"['\"](\w+)['\"]")
_COMMENT = re.compile(r"#[^\n]*")
_NAME = re.compile(r"(\w+)(?:\s+as\s+\w+)?")


def read(path: str, content: str) -> tuple[set[str], set[tuple[str, ...]], bool]:
    """Paths, absolute module names, and whether the file is ambient (`__builtins__.pyi`)."""
    paths: set[str] = set()
    names: set[tuple[str, ...]] = set()
    for dots, module, imported in _froms(content):
        head = tuple(part for part in module.split(".") if part)
        tails = [(), *((name,) for name in imported)]
        if dots:
            package = _ancestor(path, dots)
            if package is None:
                continue
            for tail in tails:
                paths.add("/".join((*package, *head, *tail)))
        else:
            names.update(head + tail for tail in tails if head)
            names.update(head[:depth] for depth in range(1, len(head)))
    for module in _imports(content):
        head = tuple(part for part in module.split(".") if part)
        names.update(head[:depth] for depth in range(1, len(head) + 1))
    folder, _, name = path.rpartition("/")
    if name.startswith("__init__."):
        # `from package import *` imports the submodules that `__all__` names.
        listed = (
            found for match in _EXPORTS.finditer(content) for found in _STRING.findall(match[1])
        )
        paths.update(f"{folder}/{submodule}".lstrip("/") for submodule in listed)
    return paths, names, name == "__builtins__.pyi"


def _froms(content: str) -> Iterator[tuple[int, str, list[str]]]:
    for match in _FROM.finditer(content):
        listed = _COMMENT.sub("", match.group(3)).lstrip("(")
        imported = [found.group(1) for found in _NAME.finditer(listed)]
        yield len(match.group(1)), match.group(2) or "", imported


def _imports(content: str) -> Iterator[str]:
    for match in _IMPORT.finditer(content):
        for part in match.group(1).replace("\\", " ").split(","):
            words = part.split()
            if words and re.fullmatch(r"[\w.]+", words[0]):
                yield words[0]


def _ancestor(path: str, dots: int) -> tuple[str, ...] | None:
    """The folder that so many leading dots mean, as segments; None when above the root."""
    folders = path.split("/")[:-1]
    up = dots - 1
    if up > len(folders):
        return None
    return tuple(folders[: len(folders) - up])
