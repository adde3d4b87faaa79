"""Tools' settings without their secrets: only the keys that are listed are kept."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import cast

from understudy.stage.shown.lists import matcher
from understudy.stage.shown.variables import holds_password
from understudy.values import toml

_MAX_BYTES = 256 * 1024
_SECTION = re.compile(r'\s*\[\s*([^\]"\s]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]\s*(?:[#;].*)?')
_ENTRY = re.compile(r"\s*([^=#;\s][^=]*?)\s*=\s*(.*?)\s*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def sanitized(path: Path, keys: tuple[str, ...]) -> bytes | None:
    """A settings file with these keys alone; None where there is none, or it cannot be read.

    A line that is not understood is left out, and so is a value that may hold a password.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_BYTES:
            return None
        return _sanitized(path, keys, (status.st_mtime_ns, status.st_ctime_ns, status.st_size))
    except OSError:
        return None


@lru_cache(64)
def _sanitized(path: Path, keys: tuple[str, ...], _state: tuple[int, int, int]) -> bytes:
    text = path.read_text("utf-8", "replace")
    listed = matcher(keys)
    lines = _of_toml(text, listed) if path.suffix == ".toml" else _of_lines(text, listed)
    return "".join(f"{line}\n" for line in lines).encode()


def _of_lines(text: str, listed: re.Pattern[str]) -> Iterator[str]:
    """Files of `key = value`, with sections or without (git, npm, pip, Go, Gradle)."""
    section, head = "", ""
    for line in text.splitlines():
        if found := _SECTION.fullmatch(line):
            # A named section of git's (`[url "https://…"]`) may have a token for its name.
            section = f"{found[1]}." if found[2] is None else f"{found[1]}.{found[2]}."
            head = f"[{found[1]}]" if found[2] is None else ""
        elif found := _ENTRY.fullmatch(line):
            is_whole = not line.rstrip().endswith("\\") and (head or not section)
            if is_whole and listed.fullmatch(section + found[1]) and not holds_password(line):
                own = f"{found[1]} = {found[2]}" if section else f"{found[1]}={found[2]}"
                yield f"{head}\n{own}" if section else own


def _of_toml(text: str, listed: re.Pattern[str]) -> Iterator[str]:
    try:
        table = toml.loads(text)
    except toml.TOMLDecodeError:
        return
    for keys, value in _leaves(table, ()):
        written = _toml_value(value)
        if written and listed.fullmatch(".".join(keys)) and not holds_password(written):
            yield f"{'.'.join(map(_toml_key, keys))} = {written}"


def _leaves(
    table: Mapping[str, object], above: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], object]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _leaves(cast("Mapping[str, object]", value), (*above, key))
        else:
            yield (*above, key), value


def _toml_key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _toml_value(value: object) -> str | None:
    """A value on one line; None for what has no business in such settings."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        items = [_toml_value(item) for item in cast("list[object]", value)]
        return None if None in items else f"[{', '.join(item for item in items if item)}]"
    return None
