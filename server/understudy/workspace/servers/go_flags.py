"""The build tags of a project's Go, as the user's settings have them: for every tool of Go alike.

The Go extension hands its own settings on to gopls; `go vet` hears of neither. So the tags go into
GOFLAGS, which all tools of Go read, and where gopls has flags of its own, those come first.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from understudy.langserver.spec import section_of

VARIABLE = "GOFLAGS"
_TAGS = re.compile(r"--?tags(?:=(.*))?", re.DOTALL)
_ENTRY = re.compile(rf"{VARIABLE}=(.*)")


def go_environment(settings: Mapping[str, Any], environ: Mapping[str, str]) -> dict[str, str]:
    """GOFLAGS with the tags that an editor's settings name; nothing where these name none."""
    tags = _tags_in(settings)
    if not tags:
        return {}
    return {VARIABLE: f"{_own_flags(environ)} -tags={tags}".strip()}


def _tags_in(settings: Mapping[str, Any]) -> str:
    """The tags with commas between them: those of gopls, else those of the Go extension."""
    for name in ("gopls", "go"):
        section = section_of(settings, name)
        table = cast("dict[str, Any]", section) if isinstance(section, dict) else {}
        tags_alone = table.get("buildTags")
        named = f"-tags={tags_alone}" if isinstance(tags_alone, str) else ""
        for value in (*_flags(table), named):
            found = _TAGS.fullmatch(value)
            tags = re.split(r"[\s,]+", (found[1] or "").strip(" \"'")) if found else []
            # GOFLAGS has blanks between its flags, and a tag has none in it.
            if listed := ",".join(tag for tag in tags if re.fullmatch(r"[\w.]+", tag)):
                return listed
    return ""


def _flags(table: Mapping[str, Any]) -> Iterator[str]:
    """Its build flags; one whose value stands in the next word comes with it."""
    for name in ("buildFlags", "build.buildFlags", "build"):
        value = table.get(name)
        if name == "build" and isinstance(value, dict):
            value = cast("dict[str, Any]", value).get("buildFlags")
        words = [word for word in cast("list[object]", value) if isinstance(word, str)] if (
            isinstance(value, list)
        ) else []  # fmt: skip
        for at, word in enumerate(words):
            bare = _TAGS.fullmatch(word)
            yield f"{word}={''.join(words[at + 1 : at + 2])}" if bare and bare[1] is None else word


def _own_flags(environ: Mapping[str, str]) -> str:
    """What GOFLAGS is without us: the variable, else what `go env -w` has written down."""
    if (given := environ.get(VARIABLE)) is not None:
        return given
    home = environ.get("XDG_CONFIG_HOME") or Path(environ.get("HOME", "")) / ".config"
    place = environ.get("GOENV") or Path(home) / "go" / "env"
    if os.fspath(place) == "off":
        return ""
    try:
        lines = Path(place).read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    return next((found[1] for found in map(_ENTRY.fullmatch, lines) if found), "")
