"""Globs of root-relative paths."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache


def glob_fits(glob: str, path: str) -> bool:
    """Whether a POSIX path fits a glob; `*` in a glob without `/` never leaves the name."""
    subject = path if "/" in glob else path.rpartition("/")[2]
    return _compiled(glob).match(subject) is not None


@lru_cache(maxsize=512)
def _compiled(glob: str) -> re.Pattern[str]:
    return re.compile(translate(glob))
