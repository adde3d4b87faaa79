"""The store: exact bytes in files named by their hash, each on disk before its receipt goes out."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from understudy.context.pretty_json import pretty
from understudy.context.receipt import is_text
from understudy.disk.atomic import write_private
from understudy.disk.layout import make_private_folder
from understudy.values.errors import BadInput, OutsideFailure

BlobKind = Literal["tool", "file"]
FOLDERS = ("tool", "file", "history", "mcp", "skills")
"""The folders of a store that can be read; its own records lie beside them."""

_HASH_DIGITS = 16
_PRETTY_BELOW = 16 * 1024 * 1024
_NAME = re.compile(r".*-([0-9a-f]{16}|[0-9a-f]{64})\.(?:txt|json|bin)", re.DOTALL)
_README = """\
# Context as files

- `tool/`: outputs of tools, exact to the byte; the name ends with their SHA-256.
  `*.pretty.json` is a twin with one item a line, to be searched.
- `file/`: texts of files as they were attached.
- `history/`: one `.md` a session, one section an event (`#42` is `## 42` there); `.jsonl` is
  the same for programs.
- `mcp/`: one folder a tool server: `STATUS.json`, and a file for each tool.

Search with `grep -n`, read with `tail` or `sed -n 100,200p`.
"""


@dataclass(frozen=True)
class Blob:
    """A stored file: `path` is relative to the store, POSIX."""

    path: str
    sha256: str
    size: int


class ContextStore:
    """A folder of exact bytes; any number of processes may use it at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, data: bytes, label: str, kind: BlobKind = "tool") -> Blob:
        """Store bytes; when it returns, they are on disk. The same bytes are stored once a label.

        Raises OutsideFailure `state-unwritable`: then there is no file, and no receipt.
        """
        sha256 = hashlib.sha256(data).hexdigest()
        name = self.path_of(data, sha256, label, kind)
        file = self.folder / name
        try:
            self._prepare(kind)
            if not _holds(file, data):
                write_private(file, data)
            else:
                os.utime(file)  # it is in use again
            self._add_pretty(file, data)
        except OSError as error:
            text = f"the output cannot be kept: {error.strerror or error}"
            raise OutsideFailure("state-unwritable", text, str(file)) from error
        return Blob(name, sha256, len(data))

    def path_of(self, data: bytes, sha256: str, label: str, kind: BlobKind = "tool") -> str:
        """Where these bytes will lie; other bytes with the same short hash get the long one."""
        ending = "txt" if is_text(data) else "bin"
        if ending == "txt" and _looks_like_json(data):
            ending = "json"
        stem = f"{kind}/{plain_label(label)}-"
        short = f"{stem}{sha256[:_HASH_DIGITS]}.{ending}"
        try:
            other = _digest(self.folder / short)
        except OSError:
            other = sha256  # nothing there
        is_collision = other != sha256 and other.startswith(sha256[:_HASH_DIGITS])
        return f"{stem}{sha256}.{ending}" if is_collision else short

    def get(self, path: str, sha256: str | None = None) -> bytes:
        """The bytes of a stored file, checked against the hash in its name and the one given.

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
        return data

    def locate(self, path: str) -> Path:
        """The file of a path relative to the store, or absolute in it; nothing else is opened.

        Raises BadInput `bad-store-path`, `no-such-blob`.
        """
        parts = PurePosixPath(self._relative(path)).parts
        if len(parts) < 2 or parts[0] not in FOLDERS or ".." in parts or "\0" in path:
            text = f"not a file of the store: name one in {', '.join(FOLDERS)}"
            raise BadInput("bad-store-path", text, path)
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
        """Whether a path, absolute or relative to the store, is of a file in it."""
        try:
            self.locate(path)
        except BadInput:
            return False
        return True

    def files(self, kinds: Sequence[str] = FOLDERS) -> list[Path]:
        """Every file in these folders, sorted; temporary ones are left out."""
        found: list[Path] = []
        for kind in kinds:
            for folder, names, files in os.walk(self.folder / kind):
                names.sort()
                found += (Path(folder, name) for name in files if not name.startswith("."))
        return sorted(found)

    def name_of(self, file: Path) -> str:
        """A file's path relative to the store, POSIX."""
        return file.relative_to(self.folder).as_posix()

    def _relative(self, path: str) -> str:
        if Path(path).is_absolute():
            for folder in (self.folder, self.folder.resolve()):
                if Path(path).is_relative_to(folder):
                    return Path(path).relative_to(folder).as_posix()
        return path

    def _prepare(self, kind: str) -> None:
        if not (self.folder / kind).is_dir():
            make_private_folder(self.folder)
            make_private_folder(self.folder / kind)
        readme = self.folder / "README.md"
        if not readme.exists():
            write_private(readme, _README.encode())

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
