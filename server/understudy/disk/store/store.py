"""The store: exact bytes in files named by their hash, each on disk before its receipt goes out."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Literal

from understudy.context.receipt import is_text
from understudy.disk.atomic import write_private
from understudy.disk.layout import make_private_folder
from understudy.disk.room import what_disk_says
from understudy.disk.store.pretty_json import pretty
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.frozen import frozen

BlobKind = Literal["tool", "file"]
Tier = Literal["project", "user"]
"""Whose a store is: one workspace's, or the user's, which every workspace reads."""
BLOB_FOLDERS: tuple[BlobKind, ...] = ("tool", "file")
FOLDERS = (*BLOB_FOLDERS, "history", "mcp", "skills")
"""The folders of a workspace's store that can be read; its own records lie beside them."""
USER = "user"
"""What the paths of the user's store begin with, in every workspace."""

_HASH_DIGITS = 16
_PRETTY_BELOW = 16 * 1024 * 1024
_NAME = re.compile(r".*-([0-9a-f]{16}|[0-9a-f]{64})\.(?:txt|json|bin)", re.DOTALL)
_IN_USE_S = 86_400
_README = """\
# Context as files

- `tool/`: outputs of tools, exact to the byte; the name ends with their SHA-256.
  `*.pretty.json` is a twin with one item a line, to be searched.
- `file/`: texts of files as they were attached.
- `history/`: one `.md` a session, one section an event (`#42` is `## 42` there); `.jsonl` is
  the same for programs. A folder there has what an agent's own prompt has dropped.
- `mcp/`: one folder a tool server: `STATUS.json`, and a file for each tool.

Search with `grep -n`, read with `tail` or `sed -n 100,200p`.
"""
_USER_README = """\
# Kept for every workspace of this user

- `tool/`: outputs, exact to the byte; the name ends with their SHA-256.
  `*.pretty.json` is a twin with one item a line, to be searched.
- `file/`: texts of files.
"""


@frozen
class Blob:
    """A stored file: `path` is relative to the store, POSIX."""

    path: str
    sha256: str
    size: int


class ContextStore:
    """A folder of exact bytes; any number of processes may use it at once."""

    def __init__(self, folder: Path, tier: Tier = "project") -> None:
        self.folder = folder
        self.tier: Tier = tier
        self._prefix = f"{USER}/" if tier == "user" else ""
        self._folders = BLOB_FOLDERS if tier == "user" else FOLDERS

    def put(self, data: bytes, label: str, kind: BlobKind = "tool") -> Blob:
        """Store bytes; when it returns, they are on disk. The same bytes are stored once a label.

        Raises OutsideFailure `state-unwritable`: then there is no file, and no receipt.
        """
        sha256 = hashlib.sha256(data).hexdigest()
        name = self.path_of(data, sha256, label, kind)
        file = self.file_of(name)
        try:
            self._prepare(kind)
            if not _holds(file, data):
                write_private(file, data)
            else:
                os.utime(file)  # it is in use again
            self._add_pretty(file, data)
        except OSError as error:
            text = f"the output cannot be kept: {what_disk_says(error, file)}"
            raise OutsideFailure("state-unwritable", text, str(file)) from error
        return Blob(name, sha256, len(data))

    def path_of(self, data: bytes, sha256: str, label: str, kind: BlobKind = "tool") -> str:
        """Where these bytes will lie; other bytes with the same short hash get the long one."""
        ending = "txt" if is_text(data) else "bin"
        if ending == "txt" and _looks_like_json(data):
            ending = "json"
        stem = f"{self._prefix}{kind}/{plain_label(label)}-"
        short = f"{stem}{sha256[:_HASH_DIGITS]}.{ending}"
        try:
            other = _digest(self.file_of(short))
        except OSError:
            other = sha256  # nothing there
        is_collision = other != sha256 and other.startswith(sha256[:_HASH_DIGITS])
        return f"{stem}{sha256}.{ending}" if is_collision else short

    def get(self, path: str, sha256: str | None = None) -> bytes:
        """The bytes of a stored file, checked against the hash in its name and the one given.

        An output that is read is in use: it is kept as long as one that was just put.
        Raises BadInput `bad-store-path`, `no-such-blob`; OutsideFailure `blob-altered`.
        """
        file = self.locate(path)
        try:
            data = file.read_bytes()
        except OSError as error:
            raise _missing(path, error) from error
        named = _NAME.fullmatch(file.name)
        wanted = [part for part in (sha256, named[1] if named else None) if part]
        found = hashlib.sha256(data).hexdigest() if wanted else ""
        if any(not found.startswith(part) for part in wanted):
            text = "its bytes are not those that were stored; it was altered or damaged"
            raise OutsideFailure("blob-altered", text, path)
        if named:
            _note_use(file)
        return data

    def locate(self, path: str) -> Path:
        """The file of a path as receipts name it, or absolute in the store; no other is opened.

        Raises BadInput `bad-store-path`, `no-such-blob`.
        """
        parts = PurePosixPath(self._relative(path)).parts
        is_hidden = any(part.startswith(".") for part in parts)  # `..` too; ours are locks
        if len(parts) < 2 or parts[0] not in self._folders or is_hidden or "\0" in path:
            known = ", ".join(self._prefix + folder for folder in self._folders)
            raise BadInput("bad-store-path", f"not a file of the store: name one in {known}", path)
        file = self.folder.joinpath(*parts)
        try:
            mode = file.lstat().st_mode
            is_inside = file.resolve().is_relative_to(self.folder.resolve())
        except (OSError, ValueError) as error:
            raise _missing(path, error) from error
        if not stat.S_ISREG(mode) or not is_inside:
            raise BadInput("bad-store-path", "not a file of the store", path)
        return file

    def contains(self, path: str) -> bool:
        """Whether a path, absolute or as receipts name it, is of a file in the store."""
        try:
            self.locate(path)
        except BadInput:
            return False
        return True

    def files(self, kinds: Sequence[str] = FOLDERS) -> list[Path]:
        """Every file in these folders, sorted; temporary ones are left out, and links."""
        found: list[Path] = []
        for kind in (kind for kind in self._folders if kind in kinds):
            for folder, names, files in os.walk(self.folder / kind):
                names.sort()
                found += (Path(folder, name) for name in files if not name.startswith("."))
        return sorted(file for file in found if not file.is_symlink())

    def name_of(self, file: Path) -> str:
        """A file's path as receipts name it: relative to the store, POSIX, the user's marked."""
        return self._prefix + file.relative_to(self.folder).as_posix()

    def file_of(self, name: str) -> Path:
        """The inverse of `name_of`; whether the file exists is not looked at."""
        return self.folder / name.removeprefix(self._prefix)

    def is_named_by(self, path: str) -> bool:
        """Whether a path, absolute or as receipts name it, can only be of this store."""
        if Path(path).is_absolute():
            return self._relative(path) != path
        return self.tier == "user" and PurePosixPath(path).parts[:1] == (USER,)

    def _relative(self, path: str) -> str:
        if Path(path).is_absolute():
            for folder in (self.folder, self.folder.resolve()):
                if Path(path).is_relative_to(folder):
                    return Path(path).relative_to(folder).as_posix()
            return path
        return path.removeprefix(self._prefix) if path.startswith(self._prefix) else ""

    def _prepare(self, kind: str) -> None:
        if not (self.folder / kind).is_dir():
            make_private_folder(self.folder / kind, lasting=True)
        readme = self.folder / "README.md"
        if not readme.exists():
            text = _USER_README if self.tier == "user" else _README
            write_private(readme, text.encode())

    def _add_pretty(self, file: Path, data: bytes) -> None:
        """A twin to search in, for JSON in few long lines; the exact bytes stay as they are."""
        twin = file.with_suffix(".pretty.json")
        if file.suffix == ".json" and len(data) <= _PRETTY_BELOW and not twin.exists():
            laid_out = pretty(data)
            if laid_out is not None:
                write_private(twin, laid_out)


def plain_label(label: str) -> str:
    """A label as part of a file name: letters, digits, `_`, `.` and `-`, at most 40."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", label).strip("-.")[:40].rstrip("-.") or "output"


def _holds(file: Path, data: bytes) -> bool:
    """Whether a file has exactly these bytes; a damaged one is written again."""
    try:
        return file.stat().st_size == len(data) and file.read_bytes() == data
    except OSError:
        return False


def _note_use(file: Path) -> None:
    """Make a file young again, at most once a day: the search index reads what has a new time."""
    with suppress(OSError):  # it is read all the same
        if time.time() - file.stat().st_mtime > _IN_USE_S:
            os.utime(file)


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        digest = hashlib.sha256()
        while piece := stream.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def _looks_like_json(data: bytes) -> bool:
    return data[:1] in (b"{", b"[") and data.rstrip()[-1:] in (b"}", b"]")


def _missing(path: str, error: Exception) -> BadInput:
    if isinstance(error, FileNotFoundError | NotADirectoryError | ValueError):
        return BadInput("no-such-blob", "there is no such file in the store", path)
    return BadInput("no-such-blob", f"it cannot be read: {error}", path)
