"""The file that a batch writes: a row of JSON each, once; and what is in it is not judged again."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from understudy.app.batch.rows import pyarrow_of
from understudy.disk.room import what_disk_says
from understudy.values.errors import BadInput, OutsideFailure, Refused
from understudy.values.json_input import read_json

try:
    import fcntl
except ImportError:  # Windows: nobody is kept from starting the same batch twice
    fcntl = None

SCHEMA = 2
_SYNC_S = 2.0
_TERMS = ("understudy", "scope", "severity", "tests")
"""Columns that say how a row was judged: rows of one file agree in them."""


def lines_of(out: Path) -> Path:
    """The file that rows are appended to: OUT itself, or one beside a table of Parquet.

    Raises BadInput `unknown-form`, and OutsideFailure `not-installed` before anything is judged.
    """
    if out.suffix == ".parquet":
        pyarrow_of(out)
        return out.with_name(f"{out.name}.jsonl")
    if out.suffix != ".jsonl":
        raise BadInput("unknown-form", "rows are written to .jsonl or .parquet", str(out))
    return out


def write_table(lines: Path, out: Path) -> None:
    """Write all rows of a file as a table of Parquet; raises OutsideFailure `cannot-write`."""
    parquet = pyarrow_of(out)
    arrow_json = import_module("pyarrow.json")
    part = out.with_name(f"{out.name}.part")
    try:
        parquet.write_table(arrow_json.read_json(lines), part)
        part.replace(out)
    except OSError as error:
        part.unlink(missing_ok=True)
        text = f"{what_disk_says(error, out)}; all rows are in {lines}"
        raise OutsideFailure("cannot-write", text, str(out)) from error


class OutFile:
    """Appends rows, each whole and once; the file's own lines are the truth of what is done."""

    def __init__(self, file: Path, terms: Mapping[str, str]) -> None:
        """Take up what is there; a last line that a kill has cut is cut away.

        Raises BadInput `other-schema`, `other-terms`, Refused `busy`, OutsideFailure
        `cannot-write`.
        """
        self._place = file
        self._terms = terms
        self.verdicts: dict[str, int] = {}
        self.n_mended = 0
        """Lines that a kill had cut off, and that are judged again."""
        try:
            self._file = file.open("ab+")
        except OSError as error:
            raise self._failure(error) from error
        try:
            self._lock()
            self.done = self._take_up()
        except BaseException:  # whatever it is: undone, and raised again
            self._file.close()
            raise
        self._synced = time.monotonic()

    def write(self, row: Mapping[str, Any]) -> None:
        """Append a row; one that is there already is left alone. Raises `cannot-write`."""
        name = str(row["id"])
        if name in self.done:
            return
        line = json.dumps({"schema": SCHEMA, **row, **self._terms}).encode() + b"\n"
        end = self._file.seek(0, os.SEEK_END)
        try:
            self._file.write(line)
            self._file.flush()
            if time.monotonic() - self._synced > _SYNC_S:
                os.fsync(self._file.fileno())
                self._synced = time.monotonic()
        except OSError as error:
            self._file.truncate(end)  # nothing of it, or it would be taken for a whole row
            raise self._failure(error) from error
        self._note(row)

    def close(self) -> None:
        """Make sure that all rows are on disk."""
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._failure(error) from error
        finally:
            self._file.close()

    def _lock(self) -> None:
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            text = "another batch is writing it; wait for that one, or name another file"
            raise Refused("busy", text, str(self._place)) from error

    def _take_up(self) -> set[str]:
        self.done: set[str] = set()
        self._file.seek(0)
        end = 0
        for number, line in enumerate(self._file, 1):
            if not line.endswith(b"\n"):
                self._file.truncate(end)
                self.n_mended += 1
                break
            end += len(line)
            self._note(self._checked(line, f"{self._place}:{number}"))
        return self.done

    def _checked(self, line: bytes, where: str) -> dict[str, Any]:
        raw = read_json(line, where)
        row = cast("dict[str, Any]", raw) if isinstance(raw, dict) else {}
        if row.get("schema") != SCHEMA or "id" not in row or "verdict" not in row:
            text = f"it is no row of schema {SCHEMA}; name another file with -o"
            raise BadInput("other-schema", text, where)
        for name in _TERMS:
            if row.get(name) != self._terms[name]:
                text = (
                    f"rows there were judged with {name} {row.get(name)}, not {self._terms[name]}"
                )
                raise BadInput("other-terms", f"{text}; name another file with -o", where)
        return row

    def _note(self, row: Mapping[str, Any]) -> None:
        self.done.add(str(row["id"]))
        verdict = str(row["verdict"])
        self.verdicts[verdict] = self.verdicts.get(verdict, 0) + 1

    def _failure(self, error: OSError) -> OutsideFailure:
        text = f"{what_disk_says(error, self._place)}; rows until then are kept: start it again"
        return OutsideFailure("cannot-write", text, str(self._place))
