"""Globs of root-relative paths."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache

_SPECIAL = frozenset("*?[")


def glob_fits(glob: str, path: str) -> bool:
    """Whether a POSIX path fits a glob; `*` in a glob without `/` never leaves the name."""
    subject = path if "/" in glob else path.rpartition("/")[2]
    ending = glob.removeprefix("*")
    if not _SPECIAL.isdisjoint(ending):
        return _compiled(glob).match(subject) is not None
    return subject.endswith(ending) if ending != glob else subject == glob  # most are one of these


@lru_cache(maxsize=512)
def _compiled(glob: str) -> re.Pattern[str]:
    return re.compile(translate(glob))
