"""The folders above one in which git would look for a repository."""

from __future__ import annotations

import itertools
import os
from pathlib import Path


def folders_above(folder: Path) -> list[Path]:
    """Nearest first, up to where git stops looking: see GIT_CEILING_DIRECTORIES in git(1)."""
    named = os.environ.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep)
    ceilings = {Path(os.path.realpath(one)) for one in named if os.path.isabs(one)}  # noqa: PTH117
    return list(itertools.takewhile(lambda above: above not in ceilings, folder.parents))
