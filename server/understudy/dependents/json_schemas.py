"""The schemas a JSON file points at with relative paths: `$schema` and `$ref`."""

from __future__ import annotations

import posixpath
import re

SUFFIXES = (".json", ".jsonc", ".code-workspace")

_POINTER = re.compile(r'"\$(?:schema|ref)"\s*:\s*"([^"#\n:]+)(?:#[^"\n]*)?"')


def read(path: str, content: str) -> set[str]:
    """Root-relative paths of the files that decide this one's findings."""
    folder = path.rpartition("/")[0]
    joined = (posixpath.normpath(posixpath.join(folder, m[1])) for m in _POINTER.finditer(content))
    return {target for target in joined if not target.startswith(("..", "/"))}
