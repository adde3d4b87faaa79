"""The rows that a batch is given: predictions as SWE-bench has them, or a table of their kind."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from understudy.findings.rewards import names_of_tests
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.frozen import frozen
from understudy.values.json_input import read_json
from understudy.values.texts import MAX_TEXT_BYTES

FORMS = (".jsonl", ".json", ".parquet")
"""What a file of rows is told by: its name's ending."""
_LONGEST_NAME = 1000


@frozen
class RowTests:
    """The tests that a row names, the patch that brings them, and the command that runs them."""

    fail_to_pass: tuple[str, ...] = ()
    pass_to_pass: tuple[str, ...] = ()
    patch: str = ""
    command: tuple[str, ...] = ()


@frozen
class BatchRow:
    """One patch to judge. `bad` says why it cannot be, or is None."""

    id: str
    instance_id: str
    model: str
    repo: str
    revision: str
    patch: str
    bad: BadInput | None = None
    tests: RowTests = RowTests()

    @property
    def digest(self) -> str:
        """SHA-256 of the patch, in hex."""
        return hashlib.sha256(self.patch.encode("utf-8", "surrogatepass")).hexdigest()


@frozen
class GivenRows:
    """All rows, each with an id of its own; `renamed` are those whose id another row had before."""

    rows: tuple[BatchRow, ...]
    renamed: tuple[str, ...]


def read_rows(file: Path) -> GivenRows:
    """The rows of a file, or of all files of a folder by name; a bad row says why it is one.

    Raises BadInput `no-such-file`, `unknown-form`, `not-json`, `bad-rows`, `no-rows`, and
    OutsideFailure `not-installed` for Parquet without pyarrow.
    """
    try:
        files = _files_in(file)
        raw = [(one.name, *row) for one in files for row in _raw_rows(one)]
    except OSError as error:
        raise BadInput("no-such-file", f"cannot read it: {error.strerror}", str(file)) from error
    if not raw:
        raise BadInput("no-rows", "there is no row in it", str(file))
    return _with_ids(_row(one, f"{name}:{number}") for name, number, one in raw)


def _files_in(file: Path) -> list[Path]:
    """The files of rows that are meant; raises BadInput `unknown-form`."""
    if file.is_dir():
        return sorted(one for one in file.iterdir() if one.suffix in FORMS and one.is_file())
    if file.suffix not in FORMS:
        text = f"rows are read from {', '.join(FORMS)}, and from folders of such files"
        raise BadInput("unknown-form", text, str(file))
    return [file]


def _raw_rows(file: Path) -> Iterator[tuple[int, object]]:
    """Each row with its number, from 1; what is no JSON is its own error."""
    if file.suffix == ".parquet":
        yield from enumerate(_parquet(file), 1)
        return
    if file.suffix == ".json":
        whole = read_json(file.read_bytes(), str(file))
        if isinstance(whole, dict):  # predictions by their instance
            by_instance = cast("dict[str, Any]", whole)
            for number, (name, one) in enumerate(by_instance.items(), 1):
                yield number, {"instance_id": name, **one} if isinstance(one, dict) else one
            return
        if not isinstance(whole, list):
            raise BadInput("bad-rows", "expected a list of rows, or an object of them", str(file))
        yield from enumerate(cast("list[object]", whole), 1)
        return
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    yield number, read_json(line, f"{file.name}:{number}")
                except BadInput as error:
                    yield number, error


def _parquet(file: Path) -> Iterable[object]:
    parquet = pyarrow_of(file)
    try:
        table = parquet.read_table(file)
    except ValueError as error:  # pyarrow's own errors are
        raise BadInput("bad-rows", f"not Parquet: {error}", str(file)) from error
    return cast("list[object]", table.to_pylist())


def pyarrow_of(file: Path) -> Any:  # noqa: ANN401 - pyarrow.parquet, which is an extra
    """The library for Parquet; raises OutsideFailure `not-installed`."""
    try:
        return import_module("pyarrow.parquet")
    except ImportError as error:
        text = "Parquet needs pyarrow: pip install 'understudy[parquet]'"
        raise OutsideFailure("not-installed", text, str(file)) from error


def _row(raw: object, where: str) -> BatchRow:
    nameless = BatchRow(where, "", "", "", "", "")
    if isinstance(raw, BadInput):
        return replace(nameless, bad=raw)
    if not isinstance(raw, Mapping):
        return replace(nameless, bad=BadInput("bad-row", "expected an object", where))
    one = cast("Mapping[str, object]", raw)

    def text(*names: str) -> str:
        found = (one.get(name) for name in names)
        return next((value for value in found if isinstance(value, str)), "")

    instance, model = text("instance_id"), text("model_name_or_path")
    name = text("id") or "/".join(part for part in (instance, model) if part) or where
    row = BatchRow(
        name, instance, model, text("repo"), text("base_commit", "revision"),
        text("model_patch", "patch"),
    )  # fmt: skip
    try:
        row = replace(row, tests=_tests(one, where))
    except BadInput as error:
        return replace(row, bad=error)
    return replace(row, bad=_why_bad(row, where))


def _tests(one: Mapping[str, object], where: str) -> RowTests:
    """The tests of a row; raises BadInput `bad-tests`."""
    fail, keep = (names_of_tests(one.get(key), where) for key in ("FAIL_TO_PASS", "PASS_TO_PASS"))
    patch, command = one.get("test_patch"), one.get("test_command")
    if isinstance(command, str):
        try:
            command = shlex.split(command)
        except ValueError as error:
            raise BadInput("bad-tests", f"test_command: {error}", where) from error
    if not isinstance(patch, str | None) or len(patch or "") > MAX_TEXT_BYTES:
        text = f"test_patch is no text of at most {MAX_TEXT_BYTES} characters"
        raise BadInput("bad-tests", text, where)
    return RowTests(fail, keep, patch or "", names_of_tests(command, where))


def _why_bad(row: BatchRow, where: str) -> BadInput | None:
    missing = [
        name
        for name, value in (
            ("repo", row.repo),
            ("base_commit", row.revision),
            ("model_patch", row.patch.strip()),
        )
        if not value
    ]
    if missing:
        return BadInput("bad-row", f"it has no {' and no '.join(missing)}", where)
    if len(row.patch) > MAX_TEXT_BYTES:
        text = f"the patch has {len(row.patch)} characters, at most {MAX_TEXT_BYTES} are read"
        return BadInput("too-large", text, where)
    names = (row.id, row.instance_id, row.model, row.repo, row.revision)
    if max(map(len, names)) > _LONGEST_NAME or not all(name.isprintable() for name in names):
        text = f"a name in it is no line of at most {_LONGEST_NAME} characters"
        return BadInput("bad-row", text, where)
    return None


def _with_ids(rows: Iterable[BatchRow]) -> GivenRows:
    """Each row with an id that no other has: the second of a name gets `#2`."""
    counted, taken = dict[str, int](), set[str]()
    found: list[BatchRow] = []
    renamed: list[str] = []
    for one in rows:
        name = one.id
        while name in taken:
            counted[one.id] = counted.get(one.id, 1) + 1
            name = f"{one.id}#{counted[one.id]}"
        taken.add(name)
        if name != one.id:
            renamed.append(name)
        found.append(replace(one, id=name))
    return GivenRows(tuple(found), tuple(renamed))
