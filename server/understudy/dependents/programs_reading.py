"""What configuration that is a program may read while it runs, by its text alone."""

from __future__ import annotations

import re

_DATA = re.compile(
    r"\.(?:json[c5]?|ya?ml|toml|txt|ini|cfg|conf|csv|tsv|xml|properties|env|list|lst)$"
    r"|^\.?[^.]+$"
)
"""Names of files that hold data, and not source: of these a program can read any."""

_READER = re.compile(
    r"\b(?:readFile|readFileSync|createReadStream|readJson|readJsonSync|readJSON|readJSONSync"
    r"|exists|existsSync|pathExists|pathExistsSync|stat|statSync|lstat|lstatSync|access|accessSync)"
    r"\s{0,9}\(([^()]{0,1024}(?:\([^()]{0,1024}\)[^()]{0,1024}){0,9})"
)
_LISTER = re.compile(r"\b(?:readdir|readdirSync|opendir|opendirSync|glob|globSync)\s{0,9}\(")
_LITERAL = re.compile(r"([\"'`])([^\"'`${}\n]{1,1024})\1")

_WHOLE = re.compile(r"[\w-]\.[\w-]+$|(?:^|/)\.[\w-]{3,}$")
"""A name with its ending, or one that begins with a dot: what is a part of one may be any."""

_ENDINGS = frozenset(
    (".json", ".jsonc", ".json5", ".yaml", ".yml", ".toml", ".txt", ".ini", ".cfg", ".conf", ".csv")
)
"""What is put behind a name that is computed."""

_ENCODINGS = frozenset(("utf8", "utf-8", "utf16le", "utf-16le", "latin1", "ascii", "binary", "r"))

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
    return not all(any(map(_WHOLE.search, _names(call))) for call in calls)


def literals_read(text: str) -> list[str]:
    """The names that stand in calls that read a file, or ask for one."""
    return [name for call in _READER.findall(text) for name in _names(call)]


def _names(call: str) -> list[str]:
    found = (literal for _, literal in _LITERAL.findall(call))
    return [one for one in found if one not in _ENDINGS and one.lower() not in _ENCODINGS]
