"""What JSON and TOML files point at with relative paths.

`$schema`, `$ref` and `extends` of JSON; of TOML the directive `#:schema`, and the schemas that a
configuration of tombi names.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from urllib.parse import unquote

SUFFIXES = (".json", ".jsonc", ".code-workspace")
TOML = ".toml"

_POINTER = re.compile(r'"\$(?:schema|ref)"\s*:\s*"([^"#\n:]+)(?:#[^"\n]*)?"')
_EXTENDS = re.compile(r'"extends"\s*:\s*("[^"\n]*"|\[[^\]]*\])')
_RELATIVE = re.compile(r'"([^"\n:]+)"')
_DIRECTIVE = re.compile(r"^#:schema +(?:file://)?([^\s:#][^\n:#]*)", re.MULTILINE)
_NAMED_SCHEMA = re.compile(r"""["']([^"'\n:]+\.json)["']""")


def read(path: str, content: str) -> set[str]:
    """Root-relative paths of the files that decide this one's findings."""
    folder = path.rpartition("/")[0]
    if path.endswith(TOML):
        return _joined(folder, _named_in_toml(path, content))
    named = [unquote(match[1]) for match in _POINTER.finditer(content)]
    for match in _EXTENDS.finditer(content):
        # A configuration may leave the extension out.
        named += [
            name for found in _RELATIVE.findall(match[1]) for name in (found, f"{found}.json")
        ]
    return _joined(folder, named)


def _named_in_toml(path: str, content: str) -> list[str]:
    named = [unquote(match[1].strip()) for match in _DIRECTIVE.finditer(content)]
    if "tombi" in path.rpartition("/")[2] or "tombi" in content:
        schemas: list[str] = _NAMED_SCHEMA.findall(content)
        # That of `.config/tombi.toml` is about the folder above.
        named += [name for found in schemas for name in (found, f"../{found}")]
    return named


def _joined(folder: str, named: Iterable[str]) -> set[str]:
    joined = (posixpath.normpath(posixpath.join(folder, name)) for name in named)
    return {target for target in joined if not target.startswith(("..", "/"))}
