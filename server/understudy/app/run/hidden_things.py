"""What a run may have failed for: places and variables that are there for the user, not on a stage.

Told by the names that the command has printed; so it can be wrong, and is a hint.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from understudy.disk.output_file import StoredOutput
from understudy.stage.model import Stage
from understudy.stage.shown.surroundings import Surroundings
from understudy.values.frozen import frozen
from understudy.workspace.stage_additions import home_folder

MOST = 5
"""Hints of a receipt."""

_PATH = re.compile(r"""(?<![\w./~-])(?:~|\.\.)?/[^\s'"`:;,<>()\[\]{}|*?=]+""")
_NAME = re.compile(r"(?<!\w)[A-Za-z_][A-Za-z0-9_]{2,}")


@frozen
class HiddenThing:
    """A place or a variable that a stage hides, and the option of `run` that shows it."""

    kind: Literal["place", "variable"]
    name: str
    option: str


@frozen
class HiddenThings:
    """How many of the caller's variables a command did not get, and what its output names."""

    n_withheld: int
    hidden: tuple[HiddenThing, ...] = ()


def hidden_things(
    output: StoredOutput,
    folder: Path,
    environ: Mapping[str, str] | None,
    stage: Stage,
    withheld: Sequence[str],
) -> tuple[HiddenThing, ...]:
    """Those that an output names, at most `MOST`, places first; `folder` is where it ran."""
    if stage.shown is None:
        return ()
    home, shown = home_folder(os.environ if environ is None else environ), stage.shown
    text = (output.head + output.tail).decode("utf-8", "replace")
    found: dict[HiddenThing, None] = {}
    for place in _places(text, folder, home, shown):
        named = f"~/{place.relative_to(home)}" if place.is_relative_to(home) else str(place)
        found[HiddenThing("place", named, f"--home {named}")] = None
    names = frozenset(withheld)
    for match in _NAME.finditer(text):
        if match[0] in names:
            found[HiddenThing("variable", match[0], f"--env {match[0]}")] = None
    return tuple(found)[:MOST]


def _places(text: str, folder: Path, home: Path, shown: Surroundings) -> Iterator[Path]:
    for match in _PATH.finditer(text):
        printed = match[0].rstrip(".")
        path = home / printed[2:] if printed.startswith("~/") else folder / printed
        place = Path(os.path.normpath(path))
        if len(os.fsencode(place)) < os.pathconf("/", "PC_PATH_MAX") and _is_there(place):
            real = Path(os.path.realpath(place))
            if not shown.shows(real) and not home.is_relative_to(real):
                yield place


def _is_there(place: Path) -> bool:
    try:
        return os.path.lexists(place)
    except (OSError, ValueError):
        return False
