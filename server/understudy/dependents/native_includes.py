"""What a C, C++ or Objective-C file includes, read by pattern."""

from __future__ import annotations

import posixpath
import re

SUFFIXES = (
    ".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".cppm", ".ixx", ".m", ".mm", ".cu", ".cl",
    ".h", ".hh", ".hpp", ".hxx", ".h++", ".H", ".cuh",
    ".inc", ".inl", ".ipp", ".ixx", ".tcc", ".tpp", ".txx", ".def",
)  # fmt: skip
"""Of files whose own includes are read; a file of any other name can still be included."""

_JOINED = re.compile(r"\\\r?\n")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_INCLUDE = re.compile(
    r"^[ \t]*(?:(?:\#|%:)[ \t]*(?:include(?:_next)?|import|embed|define[ \t]+\w+)"
    r"|(?:export[ \t]+)?import)[ \t]*[<\"]([^>\"\n]+)[>\"]"
    r"|\b__has_(?:include(?:_next)?|embed)[ \t]*\([ \t]*[<\"]([^>\"\n]+)[>\"]",
    re.MULTILINE,
)
"""A macro that stands for a file's name counts as its include: whoever uses it includes it."""


def read(path: str, content: str) -> tuple[set[str], set[tuple[str, ...]]]:
    """Paths from this file's folder, and names that any include folder may lead to."""
    folder = path.rpartition("/")[0]
    paths: set[str] = set()
    names: set[tuple[str, ...]] = set()
    for match in _INCLUDE.finditer(_COMMENT.sub(" ", _JOINED.sub("", content))):
        included = (match[1] or match[2]).replace("\\", "/").strip()
        joined = posixpath.normpath(posixpath.join(folder, included))
        if not joined.startswith(".."):
            paths.add(joined)
        segments = tuple(p for p in posixpath.normpath(included).split("/") if p not in ("..", ""))
        if segments:
            names.add(segments)
    return paths, names
