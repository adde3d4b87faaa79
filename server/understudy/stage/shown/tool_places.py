"""Where the tools lie that somebody's environment names: shown, wherever that is."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from understudy.stage.shown.lists import Lists

_PROGRAMS = frozenset(("bin", "shims"))
_PREFIX_MARKS = ("pyvenv.cfg", "conda-meta", "lib", "libexec", "jmods")
_VENVS = (".venv", "venv", ".conda")


def is_fit(place: Path, home: Path | None, lists: Lists) -> bool:
    """Whether a place that nobody named can be shown whole.

    Not so a folder that holds the home, or one of which only parts are listed.
    """
    text, own = str(place), "" if home is None else str(home)
    if text == "/" or own == text or own.startswith(f"{text}/"):
        return False
    if home is not None and text.startswith(f"{own}/"):
        return not lists.home.has_below(text[len(own) + 1 :])
    # It may be in another user's home, or in a former one of this user's.
    dotted = (n for n, letter in enumerate(text) if letter == "/" and text[n + 1 : n + 2] == ".")
    return not any(lists.home.has_below(text[n + 1 :]) for n in dotted)


def tool_places(
    root: Path, environ: Mapping[str, str], home: Path | None, lists: Lists
) -> Iterator[Path]:
    """Our own interpreter, what is on PATH, and what the listed variables name.

    A virtual environment or another prefix is shown whole: its programs read what lies beside.
    """
    for prefix in (sys.prefix, sys.base_prefix):
        yield Path(prefix)
    values = [environ.get("PATH", ""), *(environ[n] for n in lists.places if n in environ)]
    named = [entry for value in values for entry in value.split(os.pathsep)]
    named += [str(root / name) for name in _VENVS]
    for place in dict.fromkeys(named):
        if os.path.isabs(place) and os.path.exists(place):
            for found in with_prefixes(Path(place)):
                if is_fit(Path(os.path.realpath(found)), home, lists):
                    yield found
    for entry in environ.get("PATH", "").split(os.pathsep):
        for found in linked_programs(Path(entry), root) if os.path.isabs(entry) else ():
            if is_fit(found, home, lists):
                yield found


def linked_programs(place: Path, root: Path) -> Iterator[Path]:
    """Where the programs lie that links in a folder of programs lead to.

    The folder's own root may bring such links, which lead nowhere; nor is a folder shown for one
    that is none of programs.
    """
    real = Path(os.path.realpath(place))  # `/bin` is `/usr/bin` by now
    if place.is_relative_to(root) or real.is_relative_to("/usr"):
        return
    with suppress(OSError), os.scandir(place) as entries:
        linked = [os.path.split(os.readlink(entry)) for entry in entries if entry.is_symlink()]
        reals = {folder: os.path.realpath(real / folder) for folder, _ in linked}
        targets = (os.path.join(reals[folder], name) for folder, name in linked)
        folders = {Path(os.path.realpath(path)).parent for path in targets if os.path.isfile(path)}
        for folder in sorted(folders):
            if folder.name in _PROGRAMS and not folder.is_relative_to(root):
                yield from with_prefixes(folder)


def with_prefixes(place: Path) -> Iterator[Path]:
    """A folder of programs with what belongs to it; an environment with what it is based on."""
    yield place
    prefix = place.parent if place.name in _PROGRAMS else place
    if prefix != place and any(os.path.exists(prefix / mark) for mark in _PREFIX_MARKS):
        yield prefix
    if os.path.isfile(prefix / "pyvenv.cfg"):
        base = Path(os.path.realpath(prefix / "bin" / "python")).parent
        # Its own link says where: no folder is shown for it that is not an installed Python.
        if base.name == "bin" and any(base.parent.glob("lib/python3*")):
            yield base.parent
