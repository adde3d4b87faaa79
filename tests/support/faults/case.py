"""A verb in its smallest case: the folders before it, and what must hold after it."""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import typer

from tests.support.faults.run import Ended, Fault, Place, run
from understudy.faces.cli.boundary import answering
from understudy.faces.cli.boundary import run as run_verb
from understudy.faces.cli.main import main

Tree = Mapping[str, tuple[int, bytes | None]]
"""Path -> mode, and bytes (None: a folder)."""

_SAID_AS_JSON = re.compile(r'"code": "([a-z-]+)"')
_DAY_S = 86_400
_SAID = re.compile(r"^understudy: ([a-z-]+): ", re.MULTILINE)


class Case(ABC):
    """A verb over folders that `reset` makes anew for each run.

    `standing` happens in every run; what comes after it in a run is made to fail as well.
    """

    name: ClassVar[str]
    given = b""
    standing: Sequence[Fault] = ()

    def __init__(self, folder: Path) -> None:
        self.place = Place(folder)
        self._kept = folder / "kept"
        for name in ("project", "state", "tmp", "home"):
            (folder / name).mkdir(parents=True, mode=0o700)
        self.make()
        for root in self.place.roots:
            shutil.copytree(root, self._kept / root.name, symlinks=True)

    def reset(self) -> None:
        """The folders as they are before the verb."""
        for root in self.place.roots:
            shutil.rmtree(root)
            shutil.copytree(self._kept / root.name, root, symlinks=True)

    def do(self, program: Callable[[], object], given: bytes = b"") -> Ended:
        """Run something else there, and let nothing happen to it."""
        return run(self.place, program, watched=False, given=given)

    @abstractmethod
    def make(self) -> None:
        """Fill the folders."""

    @abstractmethod
    def program(self) -> None:
        """The verb, as a process does it."""

    @abstractmethod
    def wrong(self, ended: Ended) -> list[str]:
        """What is not as it must be after a run that ended so; also after the next start."""


def understudy(*words: str) -> Callable[[], None]:
    """A program: the command line with these arguments."""

    def program() -> None:
        sys.argv = ["understudy", *words]
        main()

    return program


def as_command(verb: Callable[[], Coroutine[Any, Any, object]]) -> None:
    """Run a verb of ours within the boundary of a command."""
    try:
        with answering():
            run_verb(verb)
    except typer.Exit as end:
        sys.exit(end.exit_code)


def tree(folder: Path) -> dict[str, tuple[int, bytes | None]]:
    """All that lies below a folder."""
    found: dict[str, tuple[int, bytes | None]] = {}
    for path in sorted(folder.rglob("*")):
        mode = stat.S_IMODE(path.lstat().st_mode)
        data = path.read_bytes() if path.is_file() and not path.is_symlink() else None
        found[path.relative_to(folder).as_posix()] = (mode, data)
    return found


def wrong_in_error(ended: Ended) -> list[str]:
    """What of a failure is not told as it must be: an error of ours, by its code."""
    codes = _SAID.findall(ended.err) + _SAID_AS_JSON.findall(ended.out)
    wrong: list[str] = []
    if ended.code > 0 and not codes:
        wrong.append(f"exit {ended.code} without an error of ours")
    if "internal" in codes or "Traceback" in ended.err:
        wrong.append("internal")
    return wrong


def let_time_pass(place: Place) -> None:
    """Make what lies there a day old: what a kill left is nobody's by then."""
    for root in place.roots:
        for path in root.rglob("*"):
            if is_ours(path.name) or path.parent.name == "stages":
                then = path.stat().st_mtime - _DAY_S
                os.utime(path, (then, then))


def strays(place: Place) -> list[str]:
    """Files of ours that nobody needs any more."""
    found = [
        f"{root.name}/{path.relative_to(root).as_posix()}"
        for root in place.roots
        for path in root.rglob("*")
        if is_ours(path.name) or path.name in ("host.sock", "host.json") or root.name == "tmp"
    ]
    return [f"stray: {', '.join(sorted(found))}"] if found else []


def is_ours(name: str) -> bool:
    """Whether a file is a temporary one of ours, by its name."""
    return name.endswith(".understudy")
