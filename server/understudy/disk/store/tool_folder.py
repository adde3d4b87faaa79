"""The folder `mcp/` of a store: what other tool servers offer, and how they are.

Only what differs is written, so that a list that is unchanged costs no write at all.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from understudy.context.canonical import canonical
from understudy.context.server_news import ServerChange
from understudy.context.tool_list import ToolList, file_names, index_text
from understudy.disk.atomic import write_private
from understudy.disk.layout import make_private_folder
from understudy.disk.room import what_disk_says
from understudy.values.errors import OutsideFailure

_STATUS, _INDEX, _CHANGES = "STATUS.json", "INDEX.md", "CHANGES.jsonl"
_MOST_CHANGES = 2000


class McpFolder:
    """Written by a workspace's host alone; read by anybody."""

    def __init__(self, store: Path) -> None:
        self.folder = store / "mcp"
        self._names: Mapping[str, str] = {}

    def know(self, servers: frozenset[str]) -> None:
        """Say which servers there are: no two of them have one folder on any file system."""
        self._names = file_names(servers)

    def status(self, server: str) -> Mapping[str, Any] | None:
        """What STATUS.json says, None where there is none that can be read."""
        return _table(self._of(server) / _STATUS)

    def tools(self, server: str) -> tuple[str, ...]:
        """The true names of the tools that are on file, sorted."""
        found = (_table(file) for file in (self._of(server) / "tools").glob("*.json"))
        return tuple(sorted(str(table["name"]) for table in found if table and "name" in table))

    def write(self, server: str, status: Mapping[str, Any], tools: ToolList | None) -> None:
        """Bring a server's files up to date, the status last; without `tools` those stay.

        Raises OutsideFailure `state-unwritable`.
        """
        folder = self._of(server)
        try:
            make_private_folder(folder)
            if tools is not None:
                make_private_folder(folder / "tools")
                for name, text in tools.files.items():
                    _write(folder / "tools" / name, text)
                for file in (folder / "tools").iterdir():
                    if file.name not in tools.files:
                        file.unlink()
            _write(folder / _STATUS, canonical(dict(status)) + "\n")
        except OSError as error:
            raise _unwritable(folder, error) from error

    def tidy(self, shown: Mapping[str, tuple[str, ...]]) -> None:
        """Write the index of what is shown; forget the folders of servers that are gone."""
        try:
            kept = set(self._names.values())
            if self.folder.is_dir():
                for folder in self.folder.iterdir():
                    if folder.is_dir() and folder.name not in kept:
                        shutil.rmtree(folder)
            text = index_text(shown)
            if text or (self.folder / _INDEX).exists():
                make_private_folder(self.folder)
                _write(self.folder / _INDEX, text)
        except OSError as error:
            raise _unwritable(self.folder, error) from error

    def changes(self) -> tuple[ServerChange, ...]:
        """Every change of a server's state, oldest first; a line that is no change is left out."""
        try:
            # Not `splitlines`: canonical JSON has U+0085 and U+2028 in its strings as they are.
            lines = (self.folder / _CHANGES).read_text("utf-8").split("\n")
        except (OSError, UnicodeDecodeError):
            return ()
        return tuple(change for line in lines if (change := _change(line)) is not None)

    def add_change(self, change: ServerChange) -> ServerChange:
        """Note a change under the next number; the oldest make room for it."""
        changes = self.changes()[-_MOST_CHANGES + 1 :]
        number = changes[-1].number + 1 if changes else 1
        table = {**change.__dict__, "number": number}
        made = ServerChange(**cast("dict[str, Any]", table))
        lines = [canonical(one.__dict__) for one in (*changes, made)]
        try:
            make_private_folder(self.folder)
            write_private(self.folder / _CHANGES, ("\n".join(lines) + "\n").encode())
        except OSError as error:
            raise _unwritable(self.folder, error) from error
        return made

    def _of(self, server: str) -> Path:
        name = self._names.get(server)
        return self.folder / (file_names([server])[server] if name is None else name)


def _write(file: Path, text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    try:
        if file.read_bytes() == data:
            return
    except OSError:
        pass  # it is not there yet
    write_private(file, data)


def _table(file: Path) -> Mapping[str, Any] | None:
    try:
        raw: object = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return cast("Mapping[str, Any]", raw) if isinstance(raw, dict) else None


def _change(line: str) -> ServerChange | None:
    try:
        table: dict[str, Any] = json.loads(line)
        table["added"], table["removed"] = tuple(table["added"]), tuple(table["removed"])
        return ServerChange(**table)
    except (ValueError, TypeError, KeyError):
        return None


def _unwritable(folder: Path, error: OSError) -> OutsideFailure:
    text = f"the catalogue of tools cannot be kept: {what_disk_says(error, folder)}"
    return OutsideFailure("state-unwritable", text, str(folder))
