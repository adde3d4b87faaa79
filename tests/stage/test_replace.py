"""Files that change places while others save there: what they have saved stays."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from understudy.stage.live import Replacement
from understudy.stage.overlay.replace import Swap
from understudy.values.errors import BadInput


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[tuple[Path, int]]:
    (tmp_path / "a.txt").write_text("old")
    root = os.open(tmp_path, os.O_RDONLY)
    yield tmp_path, root
    os.close(root)


def _rename(file: Path) -> None:
    file.with_name("beside").write_text("theirs")
    file.with_name("beside").replace(file)


def _in_place(file: Path) -> None:
    file.write_text("theirs")


@pytest.mark.parametrize(
    ("meanwhile", "left"),
    [(_rename, "theirs"), (_in_place, "theirs"), (Path.unlink, None), (Path.stat, "old")],
)
@pytest.mark.parametrize("old", [b"old", None])
def test_what_is_saved_before_the_old_file_is_back_stays(
    folder: tuple[Path, int], old: bytes | None, meanwhile: Callable[[Path], object], left: str
) -> None:
    place, root = folder
    name = "a.txt" if old else "b.txt"
    swap = Swap(root, Replacement(name, b"new", old, mtime_ns=1))
    assert swap.begin()
    assert swap.holds_what_it_should()
    assert (place / name).read_text() == "new"
    meanwhile(place / name)
    swap.undo()
    now = (place / name).read_text() if (place / name).exists() else None
    assert now == (None if left == "old" and old is None else left)
    assert {path.name for path in place.iterdir()} == {"a.txt", name} - (
        {name} if now is None else set()
    )


def test_what_the_system_refuses_has_a_name(folder: tuple[Path, int]) -> None:
    _, root = folder
    with pytest.raises(BadInput) as caught:
        Swap(root, Replacement("a.txt/b.txt", b"new", None)).begin()
    assert (caught.value.code, caught.value.where) == ("bad-path", "a.txt/b.txt")


def test_a_folder_that_came_there_is_not_what_should_be_there(folder: tuple[Path, int]) -> None:
    place, root = folder
    (place / "a.txt").unlink()
    (place / "a.txt").mkdir()
    n_open = len(list(Path("/proc/self/fd").iterdir()))
    swap = Swap(root, Replacement("a.txt", b"new", b"old"))
    assert swap.begin()
    assert not swap.holds_what_it_should()
    swap.undo()
    assert [path.is_dir() for path in place.iterdir()] == [True]
    assert len(list(Path("/proc/self/fd").iterdir())) == n_open
