"""Transcripts of agents where they lie: only read, and only those of the folder that is asked for.

What a hook names is text from outside: it counts where the agent's table says that transcripts are.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path

from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.json_input import read_json
from understudy.workspace.agents.entries import values_at
from understudy.workspace.agents.folders import folder_of
from understudy.workspace.agents.profile import Agent, TranscriptForm
from understudy.workspace.stage_additions import home_folder

MOST_LINE = 16 * 1024 * 1024
"""Bytes of one entry; a longer one is counted and left out."""
_FIRST = 50
"""Entries in which the folder of a session must be named."""


@frozen
class RawEntry:
    """One entry: `digest` names its bytes; `trouble` is why there is no value."""

    digest: bytes
    value: object
    trouble: str = ""


@frozen
class TranscriptFile:
    """A transcript on the disk, its session as the file's name has it."""

    path: Path
    session: str
    form: TranscriptForm

    def entries(self) -> Generator[RawEntry, None, None]:
        """What is there now, one line at a time; raises BadInput `bad-transcript`."""
        try:
            flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
            descriptor = os.open(self.path, flags)
            with os.fdopen(descriptor, "rb") as stream:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise _bad("it is no file", self.path)
                number = 0
                while line := stream.readline(MOST_LINE + 1):
                    number += 1
                    yield from _entry(line, number, stream.readline)
        except OSError as error:
            raise _bad(f"it cannot be read: {error.strerror}", self.path) from error

    def is_of(self, folder: Path, agent: Agent) -> bool:
        """Whether its session began in this folder (see `folder_of`), by what it says itself."""
        with closing(self.entries()) as entries:
            for raw, _ in zip(entries, range(_FIRST), strict=False):
                for place in self.form.folder:
                    for value in values_at(raw.value, place.split(".")):
                        if isinstance(value, str) and "\0" not in value:
                            return folder_of(Path(value), agent, folder) == folder
                if self.form.folder_sum:
                    for value in values_at(raw.value, self.form.folder_sum.split(".")):
                        return value == hashlib.sha256(os.fsencode(folder)).hexdigest()
        return False


def transcript_at(agent: Agent, named: str, environ: Mapping[str, str]) -> TranscriptFile:
    """The transcript that a hook names.

    Raises BadInput `bad-transcript` for a path where this agent keeps none, and for a link.
    """
    form = _form(agent)
    if "\0" not in named:
        path = Path(os.path.normpath(named))
        for pattern in _patterns(form, environ):
            found = re.fullmatch(_expression(pattern), path.as_posix())
            if found and not path.is_symlink():
                base = _base(pattern)
                if path.parent.resolve().is_relative_to(base.resolve()):
                    return TranscriptFile(path, found[1], form)
    raise _bad(f"{agent.title} keeps no transcripts there", named)


def transcripts_of(
    agent: Agent, folder: Path, environ: Mapping[str, str]
) -> Iterator[TranscriptFile]:
    """The transcripts of a folder's sessions, the newest first; none that cannot be read.

    Raises BadInput `bad-transcript` for an agent whose transcripts we cannot find.
    """
    form = _form(agent)
    if not form.files:
        raise _bad("its transcripts are in no files; its hook keeps them here", agent.name)
    paths: dict[Path, tuple[float, str]] = {}
    for pattern in _patterns(form, environ):
        expression = re.compile(_expression(pattern))
        base = _base(pattern)
        below = Path(pattern).relative_to(base).as_posix().replace("{session}", "*")
        for path in base.glob(below):
            found = expression.fullmatch(path.as_posix())
            with suppress(OSError):  # it is gone since, or in a folder that nobody may enter
                if found and stat.S_ISREG((state := path.lstat()).st_mode):
                    paths[path] = (state.st_mtime, found[1])
    for path, (_, session) in sorted(paths.items(), key=lambda item: item[1], reverse=True):
        one = TranscriptFile(path, session, form)
        try:
            is_ours = one.is_of(folder, agent)
        except BadInput:  # it cannot be read, so nobody knows whose it is
            continue
        if is_ours:
            yield one


def entries_told(told: list[object]) -> Iterator[RawEntry]:
    """The entries that a hook has handed over."""
    for value in told:
        yield RawEntry(_digest(repr(value).encode("utf-8", "surrogatepass")), value)


def _entry(line: bytes, number: int, read: Callable[[int], bytes]) -> Iterator[RawEntry]:
    """The entry of a line; none for a last one that is still being written."""
    if line.endswith(b"\n"):
        if line.strip():
            yield _parsed(line, number)
        return
    size = len(line)
    digest = hashlib.blake2b(line, digest_size=8)
    while not line.endswith(b"\n") and (line := read(MOST_LINE)):
        size += len(line)
        digest.update(line)
    if size > MOST_LINE:
        yield RawEntry(digest.digest(), None, f"line {number} has {size} bytes")


def _parsed(line: bytes, number: int) -> RawEntry:
    try:
        return RawEntry(_digest(line), read_json(line))
    except BadInput as error:
        return RawEntry(_digest(line), None, f"line {number} is no entry: {error.text}")


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=8).digest()


def _form(agent: Agent) -> TranscriptForm:
    if agent.transcript is None:
        raise _bad("nothing is known of its transcripts", agent.name)
    return agent.transcript


def _patterns(form: TranscriptForm, environ: Mapping[str, str]) -> Iterator[str]:
    """Where the files are: below the home, and below the folders that variables name."""
    if not form.files:
        return
    yield (home_folder(environ) / form.files.removeprefix("~/")).as_posix()
    for variable, folder in form.moved.items():
        if environ.get(variable):
            below = form.files.removeprefix(f"{folder}/")
            yield (Path(environ[variable]) / below).as_posix()


def _base(pattern: str) -> Path:
    """The folder below which all names are the agent's own."""
    parts = pattern.split("/")
    first = next(at for at, part in enumerate(parts) if {"*", "?", "{"} & set(part))
    return Path("/".join(parts[:first]))


def _expression(pattern: str) -> str:
    escaped = re.escape(pattern).replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
    return escaped.replace(re.escape("{session}"), "([A-Za-z0-9][A-Za-z0-9_.-]{0,99})")


def _bad(text: str, where: object) -> BadInput:
    return BadInput("bad-transcript", text, str(where))
