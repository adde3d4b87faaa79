"""What a JSON file points at with relative paths: `$schema`, `$ref`, and `extends`."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote

SUFFIXES = (".json", ".jsonc", ".code-workspace")

_POINTER = re.compile(r'"\$(?:schema|ref)"\s*:\s*"([^"#\n:]+)(?:#[^"\n]*)?"')
_EXTENDS = re.compile(r'"extends"\s*:\s*("[^"\n]*"|\[[^\]]*\])')
_RELATIVE = re.compile(r'"([^"\n:]+)"')


def read(path: str, content: str) -> set[str]:
    """Root-relative paths of the files that decide this one's findings."""
    folder = path.rpartition("/")[0]
    named = [unquote(match[1]) for match in _POINTER.finditer(content)]
    for match in _EXTENDS.finditer(content):
        # A configuration may leave the extension out.
        named += [
            name for found in _RELATIVE.findall(match[1]) for name in (found, f"{found}.json")
        ]
    joined = (posixpath.normpath(posixpath.join(folder, name)) for name in named)
    return {target for target in joined if not target.startswith(("..", "/"))}
