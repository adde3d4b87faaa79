"""The index of bindings on disk says what a reading of all files would say."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from understudy.disk.folder.scan import FolderReader, Selection, scan
from understudy.disk.kept_file import read_kept, write_kept
from understudy.shadow.base import Base
from understudy.shadow.folder import Fingerprint, FolderView
from understudy.shadow.snapshot import Snapshot
from understudy.values.paths import Root
from understudy.workspace.binding_index import BindingIndex
from understudy.workspace.workers import Workers

TICK_NS = 50_000_000
"""Longer than a tick of the clocks of the file systems that tests run on."""

SELECTION = Selection({"*"})
N_STEPS = 60

FILES = {
    "pkg/__init__.py": "from .a import f\n__all__ = ['f', 'b']\n",
    "pkg/a.py": "from typing import Protocol\n\n\nclass P(Protocol): ...\n\n\ndef f(): ...\n",
    "pkg/b.py": "import pkg.a as a\nfrom pkg import *\n",
    "user.py": "import pkg\n",
    "tsconfig.json": '{"extends": "./base.json"}',
    "base.json": '{"compilerOptions": {"paths": {"@lib": ["./one.ts"]}}}',
    "one.ts": "export const a = 1\n",
    "two.ts": "import { a } from '@lib'\ndeclare global { const g: number }\n",
    "go.mod": "module example.org/m\n",
    "main.go": 'package main\n\nimport "example.org/m/lib"\n',
    "lib/lib.go": "package lib\n",
    "lib/more.go": "package lib\n",
    "src/a.h": '#include "b.h"\n',
    "src/b.h": "int b;\n",
    "src/main.c": '#include "a.h"\n',
    "notes.txt": "nothing\n",
}


def view(folder: Path) -> FolderView:
    root = Root.open(folder)
    found = scan(root, SELECTION)
    return FolderView(FolderReader(root), found.files, "", found.inside)


@asynccontextmanager
async def an_index(kept: Path | None, tick_ns: int = TICK_NS) -> AsyncIterator[BindingIndex]:
    """As a process of its own has it."""
    workers = Workers()
    index = BindingIndex(workers, kept, tick_ns)
    try:
        yield index
    finally:
        await index.close()
        await workers.close()


async def said(index: BindingIndex, folder: FolderView) -> dict[str, object]:
    """All that a graph of the folder says, in an order of its own."""
    snapshot = Snapshot(Base(folder))
    files = sorted({*folder.files, *folder.links.paths_of(folder.files)})
    importers = await index.importers_of(snapshot, files)
    graph = await index.graph_of(snapshot)
    return {
        "importers": {path: sorted(of) for path, of in importers.items()},
        "distances": dict(await index.distances([snapshot], ["pkg/a.py", "one.ts", "src/b.h"])),
        "edges": {path: sorted(graph.edges(path)) for path in files},
        "seen": {path: sorted(graph.onlookers_of(path)) for path in files},
        "global": [path for path in files if graph.is_global(path)],
        "protocols": sorted(graph.with_protocols()),
        "paths": sorted(graph.paths()),
    }


def put(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def step(folder: Path, chance: random.Random) -> None:
    """One change as people and programs make them."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    path = chance.choice(paths)
    text = path.read_text()
    kind = chance.choice(("edit", "same", "touch", "delete", "rename", "new", "link", "back"))
    name = chance.choice(sorted(FILES))
    other = folder / name
    if kind == "edit":
        path.write_text(chance.choice(list(FILES.values())))
    elif kind == "same":  # as many bytes, and the time set back
        state = path.stat()
        swapped = text.translate(str.maketrans("ab", "ba"))
        path.write_text(swapped)
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    elif kind == "touch":
        path.touch()
    elif kind == "delete" and len(paths) > 5:
        path.unlink()
    elif kind == "rename":
        other.parent.mkdir(parents=True, exist_ok=True)
        path.replace(other)
    elif kind == "new":
        put(folder, {f"new{chance.randrange(4)}/{path.name}": text})
    elif kind == "link":
        link = folder / f"link{chance.randrange(3)}"
        link.unlink(missing_ok=True)
        link.symlink_to(chance.choice(("pkg", "src", "lib", "base.json")))
    else:
        put(folder, {name: FILES[name]})


@pytest.mark.parametrize("seed", range(4))
async def test_after_any_changes_it_says_what_a_reading_of_all_files_says(
    tmp_path: Path, seed: int
) -> None:
    folder, kept = tmp_path / "project", tmp_path / "bindings"
    put(folder, FILES)
    chance = random.Random(seed)
    async with an_index(kept) as lasting:
        for _ in range(N_STEPS):
            for _ in range(chance.choice((1, 1, 1, 2, 8))):
                step(folder, chance)
            seen = view(folder)
            async with an_index(None) as fresh, an_index(kept) as later:
                expected = await said(fresh, seen)
                assert await said(later, seen) == expected
                assert await said(lasting, seen) == expected


class ReaderInMemory:
    """A folder whose fingerprints are the test's own; it counts what is read."""

    def __init__(self, files: dict[str, str], changed_ns: int) -> None:
        self.files, self.read_paths = files, list[str]()
        self._changed_ns = changed_ns

    def read(self, path: str) -> bytes | None:
        self.read_paths.append(path)
        return self.files[path].encode() if path in self.files else None

    def fingerprint(self, path: str) -> Fingerprint | None:
        if path not in self.files:
            return None
        return Fingerprint(self._changed_ns, len(self.files[path]), 7, self._changed_ns)

    def view(self) -> FolderView:
        marks = {path: self.fingerprint(path) for path in self.files}
        return FolderView(self, {path: mark for path, mark in marks.items() if mark is not None})


async def test_a_file_is_read_again_that_may_have_changed_within_one_tick(tmp_path: Path) -> None:
    """It has the same fingerprint then, so only its age says that it is as it was."""
    kept = tmp_path / "bindings"
    files = {"a.py": "x = 1\n", "b.py": "y = 1\n", "user.py": "import a\n"}
    for age_ns, is_read in ((0, True), (60_000_000_000, False)):
        reader = ReaderInMemory(dict(files), time.time_ns() - age_ns)
        snapshot = Snapshot(Base(reader.view()))
        async with an_index(kept, 2_000_000_000) as index:
            assert await index.importers_of(snapshot, ["a.py"]) == {"a.py": {"user.py"}}
        reader.files["user.py"] = "import b\n"
        reader.read_paths.clear()
        snapshot = Snapshot(Base(reader.view()))
        async with an_index(kept, 2_000_000_000) as index:
            user = await index.importers_of(snapshot, ["b.py"])
        assert ("user.py" in reader.read_paths) == is_read
        assert user == {"b.py": {"user.py"} if is_read else set()}
        kept.unlink()


def age(kept: Path, folder: Path) -> None:
    """Wait until no file of the folder is too young to be trusted."""
    newest = max(path.stat().st_ctime_ns for path in folder.rglob("*"))
    while time.time_ns() < newest + TICK_NS:
        kept.exists()


async def kept_index(tmp_path: Path) -> tuple[Path, Path, dict[str, object]]:
    """A folder, its index on disk, and what it says."""
    folder, kept = tmp_path / "project", tmp_path / "bindings"
    put(folder, FILES)
    age(kept, folder)
    async with an_index(kept) as index:
        expected = await said(index, view(folder))
    assert kept.is_file()
    return folder, kept, expected


async def test_nothing_is_read_where_nothing_has_changed(tmp_path: Path) -> None:
    reader = ReaderInMemory({"a.py": "x = 1\n", "user.py": "import a\n"}, 1)
    for read in (["a.py", "user.py"], []):
        reader.read_paths.clear()
        async with an_index(tmp_path / "bindings") as index:
            found = await index.importers_of(Snapshot(Base(reader.view())), ["a.py"])
        assert found == {"a.py": {"user.py"}}
        assert sorted(reader.read_paths) == read


def damages(data: bytes) -> Iterable[bytes]:
    yield from (b"", b"\0", data[:-1], data + b"\0", data[: len(data) // 2], b"not ours\n" * 99)
    for place in random.Random(0).sample(range(len(data)), 40):
        yield data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


async def test_what_is_damaged_or_not_ours_is_made_anew(tmp_path: Path) -> None:
    folder, kept, expected = await kept_index(tmp_path)
    whole = kept.read_bytes()
    for data in damages(whole):
        kept.write_bytes(data)
        async with an_index(kept) as index:
            assert await said(index, view(folder)) == expected
        assert kept.read_bytes() == whole
    for stand_in in (lambda: kept.symlink_to(folder / "user.py"), lambda: os.mkfifo(kept)):
        kept.unlink()
        stand_in()
        async with an_index(kept) as index:
            assert await said(index, view(folder)) == expected
        assert not kept.is_symlink()
        assert kept.read_bytes() == whole
    assert (folder / "user.py").read_text() == FILES["user.py"]


async def test_another_version_reads_all_files_anew(tmp_path: Path) -> None:
    """The schema number and a digest of the readers name who wrote it."""
    folder, kept, expected = await kept_index(tmp_path)
    whole = kept.read_bytes()
    write_kept(kept, b"0123456789abcdef", b"what another version has kept")
    async with an_index(kept) as index:
        assert await said(index, view(folder)) == expected
    assert kept.read_bytes() == whole


def left_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


async def test_where_it_cannot_be_kept_answers_are_the_same(tmp_path: Path) -> None:
    folder, _, expected = await kept_index(tmp_path)
    (tmp_path / "taken").mkdir()
    for kept in (tmp_path / "absent" / "bindings", tmp_path / "taken", Path("/dev/full/bindings")):
        async with an_index(kept) as index:
            assert await said(index, view(folder)) == expected
    assert [path for path in left_in(tmp_path) if path.endswith(".understudy")] == []


async def test_it_is_for_this_user_alone_and_what_a_killed_writer_left_goes(tmp_path: Path) -> None:
    left, young = tmp_path / ".bindings.0.understudy", tmp_path / ".bindings.1.understudy"
    for path in (left, young):
        path.touch()
    os.utime(left, (1, 1))
    before = os.umask(0)
    try:
        _, kept, _ = await kept_index(tmp_path)
    finally:
        os.umask(before)
    assert kept.stat().st_mode & 0o777 == 0o600
    assert not left.exists()
    assert young.exists(), "somebody may be writing it"


_WRITER = """\
import sys
from pathlib import Path
from understudy.disk.kept_file import write_kept
for _ in range(60):
    assert write_kept(Path(sys.argv[1]), b"maker", sys.argv[2].encode() * 500_000)
"""


def test_two_that_write_at_once_leave_one_whole_file(tmp_path: Path) -> None:
    kept = tmp_path / "bindings"
    assert write_kept(kept, b"maker", b"0")
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITER, str(kept), name]) for name in ("1", "2")
    ]
    seen: set[bytes] = set()
    while any(writer.poll() is None for writer in writers):
        body = read_kept(kept, b"maker")
        assert body is not None
        seen.add(bytes(body[:1]))
        assert bytes(body).strip(bytes(body[:1])) == b""
    seen.add(bytes((read_kept(kept, b"maker") or b"")[:1]))  # both may have ended between two looks
    assert [writer.returncode for writer in writers] == [0, 0]
    assert seen & {b"1", b"2"}
    assert list(tmp_path.iterdir()) == [kept]
