"""What configuration that is a program may read while it runs, by its text alone."""

from __future__ import annotations

import re

_DATA = re.compile(
    r"\.(?:json[c5]?|ya?ml|toml|txt|ini|cfg|conf|csv|tsv|xml|properties|env|list|lst)$"
    r"|^\.?[^.]+$"
)
"""Names of files that hold data, and not source: of these a program can read any."""

_READER = re.compile(
    r"\b(?:readFile|readFileSync|createReadStream|readJson|readJsonSync|readJSON|readJSONSync)"
    r"\s*\(([^()]*(?:\([^()]*\)[^()]*)*)"
)
_LISTER = re.compile(r"\b(?:readdir|readdirSync|opendir|opendirSync|glob|globSync)\s*\(")
_NAMED = re.compile(r"[\"'`]([^\"'`${}\n]*\.[\w-]+)[\"'`]")


_ENDINGS = frozenset(
    (".json", ".jsonc", ".json5", ".yaml", ".yml", ".toml", ".txt", ".ini", ".cfg", ".conf", ".csv")
)
"""What is put behind a name that is computed."""

_READS = re.compile(
    r"[\"'](?:node:)?(?:fs|fs/promises|fs-extra|graceful-fs|glob|globby|fast-glob|tinyglobby"
    r"|find-up(?:-simple)?|cosmiconfig|lilconfig)[\"']"
)
"""What a program imports to read files."""


def is_data(path: str) -> bool:
    """Whether a file holds data by its name, so that a program can read it."""
    return _DATA.search(path.rpartition("/")[2]) is not None


def computes_names(text: str) -> bool:
    """Whether a program reads a file whose name does not stand in the call."""
    if _LISTER.search(text) is not None:
        return True
    calls = _READER.findall(text)
    if not calls and _READS.search(text) is not None:
        return True  # under a name of its own
    return not all(any(map(_is_name, _NAMED.findall(call))) for call in calls)


def _is_name(literal: str) -> bool:
    return literal not in _ENDINGS
