"""Where our files live: one private folder a workspace, and the name of every file in it."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from understudy.disk.atomic import flush_folder
from understudy.disk.room import writing_state
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.frozen import frozen
from understudy.values.own_folders import STATE_VARIABLE, state_home
from understudy.values.paths import Root

_FOLDER_MODE = 0o700
_FILE_MODE = 0o600
_SOMEBODY_ELSES = frozenset((errno.EEXIST, errno.ELOOP))
"""What the system says where another's file or link has the name of one of ours."""


@frozen
class Layout:
    """The state of one workspace: `folder` and the names in it. Nothing exists until `create`."""

    folder: Path

    @property
    def journal(self) -> Path:
        """SQLite: branches, their edits and the base texts they touch."""
        return self.folder / "journal.sqlite"

    @property
    def lock(self) -> Path:
        """Held by the one host of the workspace; its content is the holder's process id."""
        return self.folder / "host.lock"

    @property
    def host(self) -> Path:
        """Where the host listens, and the token that it asks for; there while it does."""
        return self.folder / "host.json"

    @property
    def bindings(self) -> Path:
        """What the folder's files import, and whom that means: made anew where it is missing."""
        return self.folder / "bindings"

    @property
    def voices(self) -> Path:
        """Which servers have found anything in the folder: made anew where it is missing."""
        return self.folder / "voices"

    @property
    def logs(self) -> Path:
        """Folder of our own log and of each language server's stderr."""
        return self.folder / "logs"

    @property
    def runs(self) -> Path:
        """Folder of the outputs of commands that ran on a stage: `1.log`, `2.log`, …"""
        return self.folder / "runs"

    @property
    def terminals(self) -> Path:
        """Folder of what terminals showed: `1.txt` and `1.cmds.jsonl`, `2.txt`, …"""
        return self.folder / "terminals"

    @property
    def turns(self) -> Path:
        """Folder of what the folder was when agents' turns began, and what they were told."""
        return self.folder / "turns"

    @property
    def stages(self) -> Path:
        """Folder for what stages keep on disk while they are open."""
        return self.folder / "stages"

    @property
    def rehearsals(self) -> Path:
        """Folder of the rehearsals, by branch: what each has written, and what is journalled."""
        return self.folder / "rehearsals"

    @property
    def commits(self) -> Path:
        """Folder of what was committed in branches, a git bundle each: `BRANCH.bundle`."""
        return self.folder / "commits"

    @property
    def products(self) -> Path:
        """Folder of the build products that branches keep for their next run."""
        return self.folder / "products"

    @property
    def context(self) -> Path:
        """Folder of what agents' prompts refer to: outputs, histories, tools, skills."""
        return self.folder / "context"

    def all_beside(self) -> tuple[Layout, ...]:
        """The states of the hosts that there may be beside the workspace's own.

        They are for callers under other terms. Each has its own language servers: more would cost
        memory, and callers seldom differ.
        """
        return tuple(Layout(self.folder / "beside" / str(number)) for number in (1, 2))

    def log(self, name: str) -> Path:
        """The log file of a server or of ours; characters that file names dislike become `-`."""
        return self.logs / f"{_plain(name)}.log"

    @property
    def is_left_open(self) -> bool:
        """Whether nobody has closed the journal yet: a host runs, or was killed."""
        try:
            return self.journal.with_name(f"{self.journal.name}-wal").stat().st_size > 0
        except OSError:
            return False

    def create(self) -> Layout:
        """Make the folders, readable by nobody else; raises OutsideFailure `state-unwritable`."""
        make_private_folder(self.folder, lasting=True)
        make_private_folder(self.logs)
        return self


def workspace_layout(root: Root) -> Layout:
    """The workspace's state folder: its readable name and a hash of its real path.

    Raises BadInput `state-inside-root` where the state would land in the user's own folder.
    """
    home = state_home()
    digest = hashlib.sha256(os.fsencode(root.path)).hexdigest()[:12]
    folder = home / "workspaces" / f"{_plain(root.path.name) or 'root'}-{digest}"
    if folder.is_relative_to(root.path):
        raise BadInput(
            "state-inside-root",
            f"our state may not lie inside the workspace; set {STATE_VARIABLE} to another folder",
            str(home),
        )
    return Layout(folder)


@contextmanager
def ephemeral_layout(place: Path | None = None) -> Generator[Layout, None, None]:
    """A state folder that is gone at the end: for a check that leaves nothing behind.

    place: the folder to make it beside, with a name that begins with its own; None: anywhere.
    """
    beside, begin = (None, "understudy") if place is None else (place.parent, place.name)
    with tempfile.TemporaryDirectory("", f"{begin}-", beside, ignore_cleanup_errors=True) as name:
        yield Layout(Path(name).resolve() / "state").create()


def workspace_contexts() -> list[Path]:
    """The context folder of every workspace that has one, sorted."""
    return sorted((state_home() / "workspaces").glob("*/context"))


def user_context() -> Path:
    """Folder of the outputs and texts that every workspace of this user may read."""
    return state_home() / "user"


def trust_file() -> Path:
    """The list of trusted folders, one for all workspaces."""
    return state_home() / "trust.json"


def stopped_terminals() -> Path:
    """Folder of the terminals that the user wants no log of, one for all workspaces."""
    return state_home() / "stopped-terminals"


def all_terminals() -> list[Path]:
    """The folder of terminals' logs of every workspace that has one, sorted."""
    return sorted((state_home() / "workspaces").glob("*/terminals"))


def make_private_folder(folder: Path, *, lasting: bool = False) -> None:
    """Make a folder (and those above it) for this user alone, whatever the umask.

    A `lasting` one survives a power cut, with what is flushed in it.
    Raises OutsideFailure `state-full`, `state-unwritable`.
    """
    with writing_state(folder):
        for parent in reversed([folder, *folder.parents]):
            if not parent.exists():
                parent.mkdir(mode=_FOLDER_MODE, exist_ok=True)
                parent.chmod(_FOLDER_MODE)  # a umask may have taken our own rights away
                if lasting:
                    flush_folder(parent.parent)
        if folder.stat().st_mode & 0o777 != _FOLDER_MODE and os.name != "nt":
            folder.chmod(_FOLDER_MODE)


def open_private(path: Path, flags: int) -> int:
    """Open (or create, with `os.O_CREAT`) a file for this user alone; returns its descriptor.

    Raises OutsideFailure `state-full`, `state-unwritable`.
    """
    with writing_state(path):
        try:
            descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0), _FILE_MODE)
        except OSError as error:
            if error.errno not in _SOMEBODY_ELSES:
                raise
            text = f"cannot open our own file: {error.strerror}"
            raise OutsideFailure("state-unwritable", text, str(path)) from error
        if os.name != "nt":
            os.fchmod(descriptor, _FILE_MODE)
    return descriptor


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.")[:40]


def without_log(text: str, layout: Layout) -> str:
    """The text of a reason without the place of a log that is gone by the time it is read."""
    return re.sub(rf"; log: {re.escape(str(layout.logs))}\S*", "", text)
