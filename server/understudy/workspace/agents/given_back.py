"""What an agent on a stage may leave in the user's home: its login, and its transcripts.

They are read on the stage, as an archive: text of an unknown author. Only regular files with the
listed names are taken, and nothing of the user's that moved meanwhile is overwritten.
"""

from __future__ import annotations

import asyncio
import os
import stat
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import IO

from understudy.disk.atomic import prepare
from understudy.stage.model import Command, Stage, StageLimits
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.json_input import read_json
from understudy.workspace.agents.profile import LifeOnStage
from understudy.workspace.stage_additions import home_folder

_MOST_LOGIN = 1 << 20
_MOST_FILE = 64 << 20
_MOST_ALL = 1 << 30
_MOST_FILES = 10_000
_NO_ARCHIVE = (tarfile.TarError, ValueError, OverflowError, RecursionError)
"""What the reader raises for archives that no `tar` has made."""
_LIMITS = StageLimits(wall=60)
_SCRIPT = """cd "$HOME" && since=$1 && shift &&
find "$@" -type f -newermt "@$since" -print0 | tar -cf - --null -T -"""


@frozen
class GivenBack:
    """What was written to the user's home, and what was not, with the reason; both sorted."""

    written: tuple[str, ...]
    left: tuple[tuple[str, str], ...]


@frozen
class HomeBefore:
    """A home before an agent began: its login files, and when that was (s)."""

    home: Path
    logins: Mapping[str, bytes | None]
    histories: tuple[str, ...]
    environ: Mapping[str, str]
    seconds: int

    @staticmethod
    def of(life: LifeOnStage, environ: Mapping[str, str]) -> HomeBefore:
        """Note it; call it before the stage is opened."""
        home = home_folder(environ)
        names = [path.removeprefix("~/") for path in life.login]
        logins = {name: _bytes(home / name) for name in names}
        histories = tuple(path.removeprefix("~/") for path in life.history)
        return HomeBefore(home, logins, histories, environ, int(time.time()))

    async def give_back(self, stage: Stage) -> GivenBack:
        """Write back what the agent has left; call it when its command has ended."""
        if not self.logins and not self.histories:
            return GivenBack((), ())
        return await _give_back(stage, self)


async def _give_back(stage: Stage, before: HomeBefore) -> GivenBack:
    wanted = (*before.logins, *before.histories)
    with tempfile.TemporaryFile() as file:
        taken = 0

        def take(data: bytes) -> None:
            nonlocal taken
            taken += len(data)
            if taken <= _MOST_ALL:
                file.write(data)

        command = Command(
            ("sh", "-c", _SCRIPT, "sh", str(before.seconds), *wanted),
            limits=_LIMITS,
            environ=before.environ,
        )
        await stage.run(command, take, lambda _: None)
        file.seek(0)
        return await asyncio.to_thread(_unpack, file, before)


def _unpack(file: IO[bytes], before: HomeBefore) -> GivenBack:
    written: list[str] = []
    left: dict[str, str] = {}
    for name, data in _members(file, left):
        place = before.home / name
        try:
            why = _not_wanted(name, place, before)
            now = None if why else _content(place)  # what cannot be read is not replaced
            if now == data:
                continue
            if why is None and name in before.logins:
                why = _not_login(data, now, before.logins[name])
            elif now is not None and not data.startswith(now):
                why = "it was rewritten, not continued"
            if why is None:
                _write(place, data)
                written.append(f"~/{name}")
        except OSError as error:
            why = str(error.strerror)
        if why is not None:
            left[f"~/{name}"] = why
    return GivenBack(tuple(sorted(written)), tuple(sorted(left.items())))


def _members(file: IO[bytes], left: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    """The regular files of the archive, up to a number and sizes; the rest is in `left`."""
    try:
        with tarfile.open(fileobj=file, mode="r|") as archive:
            for number, member in enumerate(archive):
                name = str(PurePosixPath(member.name))
                if number >= _MOST_FILES:
                    left["~"] = f"more than {_MOST_FILES} files"
                    return
                if member.isdir():
                    continue
                is_regular = member.isreg() and not member.issparse()  # holes count for nothing
                if not is_regular or member.size > _MOST_FILE:
                    left[f"~/{name}"] = "too large" if is_regular else "no regular file"
                    continue
                opened = archive.extractfile(member)
                if opened is not None:
                    yield name, opened.read()
    except _NO_ARCHIVE as error:
        left["~"] = f"the archive ends early: {error}"


def _not_login(data: bytes, now: bytes | None, before: bytes | None) -> str | None:
    """Why a login is not taken; None if it is."""
    if now != before:
        return "it has changed in your home meanwhile"
    if len(data) > _MOST_LOGIN:
        return "too large for a login"
    try:
        return None if isinstance(read_json(data), dict) else "not what a login is"
    except BadInput:
        return "not what a login is"


def _not_wanted(name: str, place: Path, before: HomeBefore) -> str | None:
    """Why what lies at a place is not even looked at; None for a login, or a transcript's place."""
    if name not in before.logins:
        path = PurePosixPath(name)
        is_below = any(path.is_relative_to(folder) for folder in before.histories)
        if "\0" in name or ".." in path.parts or path.is_absolute() or not is_below:
            return "not where it keeps transcripts"
    if place.exists() and not place.is_file():
        return "what is there is no regular file"
    return None


def _write(place: Path, data: bytes) -> None:
    """Replace the file, or what the user's own link leads to; modes stay as they are."""
    real = Path(os.path.realpath(place))
    real.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    mode = stat.S_IMODE(real.stat().st_mode) if real.exists() else 0o600
    prepare(real, data, mode=mode).commit()


def _content(path: Path) -> bytes | None:
    """The content of a regular file; nothing else is opened, as reading it may never end."""
    return path.read_bytes() if path.is_file() else None


def _bytes(path: Path) -> bytes | None:
    try:
        return _content(path)
    except OSError:
        return None
