"""A kept copy is brought up to date by what differs on either side, and is then as a new one."""

from __future__ import annotations

import os
import random
import shutil
import stat
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from understudy.stage.copy import copier
from understudy.stage.copy.copied import Copied
from understudy.stage.copy.copier import CLOCK_NS, Copier
from understudy.stage.copy.kept import KeptCopy
from understudy.stage.scratch import RECORD, remove_tree
from understudy.values.errors import OutsideFailure

STEPS = 10_000
NAMES = [f"{name}{end}" for name in "abcdefg" for end in ("", ".txt", "é", "\udcff")]
Change = Callable[[random.Random, Path], None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that was last changed longer ago than the kernel's clock rests."""
    folder = tmp_path / "folder"
    (folder / "sub/deep").mkdir(parents=True)
    for name in ("a.txt", "b.txt", "sub/c.txt", "sub/deep/d.txt"):
        (folder / name).write_text(f"{name}\n")
    (folder / "link").symlink_to("sub/c.txt")
    (folder / "whole").symlink_to(folder / "a.txt")
    rested()
    return folder


def rested() -> None:
    """Return once the kernel's clock has gone on since the last change."""
    began = time.time_ns()
    while time.time_ns() < began + CLOCK_NS:
        pass


def brought(home: Path, folder: Path) -> Copied:
    kept = KeptCopy.take(home, folder)
    try:
        return kept.bring(hidden=frozenset())
    finally:
        kept.release()


def state(folder: Path) -> dict[str, object]:
    """Everything of a folder: kinds, modes, times, texts, where links lead, without its path."""
    found: dict[str, object] = {}
    for place in (folder, *folder.rglob("*")):
        status = place.lstat()
        if place.is_symlink():
            said: object = str(place.readlink()).replace(str(folder), "FOLDER")
        elif stat.S_ISDIR(status.st_mode):
            said = (stat.S_IMODE(status.st_mode), status.st_mtime_ns)
        else:
            said = (stat.S_IMODE(status.st_mode), status.st_mtime_ns, place.read_bytes())
        found[str(place.relative_to(folder))] = said
    return found


def test_only_what_differs_is_copied(tmp_path: Path, folder: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    assert brought(home, folder).n_taken == 6
    copy = home / "kept-1/at/folder"
    inode = (copy / "a.txt").stat().st_ino
    assert brought(home, folder).n_taken == 0
    (folder / "b.txt").write_text("more\n")
    (copy / "sub/c.txt").write_text("its own leftover\n")
    (copy / "sub/left").mkdir()
    (copy / "sub/left/over.txt").write_text("x")
    (copy / "sub/left").chmod(0)
    assert brought(home, folder).n_taken == 2
    assert (copy / "a.txt").stat().st_ino == inode
    assert state(copy) == state(folder)


def test_a_file_of_the_same_size_and_time_is_another_one(tmp_path: Path, folder: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    brought(home, folder)
    copy = home / "kept-1/at/folder"
    for place in (folder / "a.txt", copy / "b.txt"):
        before = place.stat()
        place.write_text("A.txt\n")
        os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert brought(home, folder).n_taken == 2
    assert state(copy) == state(folder)
    assert (copy / "a.txt").read_text() == "A.txt\n"


def test_what_changes_while_the_clock_rests_is_copied_again(tmp_path: Path, folder: Path) -> None:
    """A mark that a later change may share says nothing."""
    home = tmp_path / "home"
    home.mkdir()
    (folder / "a.txt").write_text("1")
    brought(home, folder)
    rested()
    assert brought(home, folder).n_taken <= 1, "once more, if at all"
    assert brought(home, folder).n_taken == 0


def test_what_cannot_be_brought_up_to_date_is_made_anew(tmp_path: Path, folder: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    brought(home, folder)
    copy = home / "kept-1/at/folder"
    for spoil in (
        lambda: (home / "kept-1/manifest").write_bytes(b"{}\n"),
        lambda: (home / "kept-1/manifest").write_bytes(b"\xff"),
        lambda: shutil.rmtree(copy),
        lambda: (shutil.rmtree(copy), copy.write_text("no folder")),
    ):
        spoil()
        assert brought(home, folder).n_taken == 6
        assert state(copy) == state(folder)


def test_what_nothing_can_remove_is_moved_out_of_the_way(tmp_path: Path, folder: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    brought(home, folder)
    copy = home / "kept-1/at/folder"
    here = os.open(copy, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("deep", dir_fd=here)
        below = os.open("deep", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    try:
        assert brought(home, folder).n_taken == 6
        assert state(copy) == state(folder)
        assert brought(home, folder).n_taken == 0
        assert {one.name[:6] for one in home.iterdir()} == {"kept-1", "stage-"}
    finally:
        subprocess.run(["rm", "-rf", home], check=True)


def test_a_copy_that_fails_takes_no_room(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with monkeypatch.context() as patched:
        patched.setattr(copier, "MAX_ENTRIES", 6)
        with pytest.raises(OutsideFailure, match="more than 6 files"):
            brought(home, folder)
    assert not any((home / "kept-1/at").iterdir())
    assert brought(home, folder).n_taken == 6
    with monkeypatch.context() as patched:
        patched.setattr(copier, "MAX_ENTRIES", 6)
        with pytest.raises(OutsideFailure, match="more than 6 files"):
            brought(home, folder)
    assert brought(home, folder).n_taken == 0, "what was copied before is of use"


def test_what_a_kill_has_left_of_a_first_copy_is_removed(tmp_path: Path, folder: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    first, second = KeptCopy.take(home, folder), KeptCopy.take(home, folder)
    (home / "kept-2/at/folder").mkdir(parents=True)
    for one in (first, second):
        one.release()
    os.utime(home / "kept-2", (1, 1))
    brought(home, folder)
    assert not (home / "kept-2/at/folder").exists()


def test_nobody_takes_a_copy_that_is_in_use_or_not_journalled(tmp_path: Path, folder: Path) -> None:
    home, layer = tmp_path / "home", tmp_path / "layer"
    home.mkdir()
    layer.mkdir()
    first, second = KeptCopy.take(home, folder), KeptCopy.take(home, folder)
    assert (first.folder.name, second.folder.name) == ("kept-1", "kept-2")
    first.reserve(layer)
    (layer / RECORD).write_text("{}")
    first.release()
    second.release()
    again = KeptCopy.take(home, folder)
    assert again.folder.name == "kept-2"
    again.release()
    (layer / RECORD).unlink()
    again = KeptCopy.take(home, folder)
    assert again.folder.name == "kept-1"
    again.release()


def test_copies_that_nobody_wants_any_more_are_removed(tmp_path: Path, folder: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    first, second = KeptCopy.take(home, folder), KeptCopy.take(home, folder)
    for one in (first, second):
        one.bring(hidden=frozenset())
        one.release()
    os.utime(home / "kept-2/manifest", (1, 1))
    brought(home, folder)
    assert (home / "kept-1/at/folder").is_dir()
    assert not (home / "kept-2/at/folder").exists()


# ---- random changes on both sides


def some(chance: random.Random, folder: Path) -> Path:
    places = sorted(folder.rglob("*"))
    return chance.choice(places) if places else folder / "first"


def write(chance: random.Random, folder: Path) -> None:
    place = some(chance, folder)
    if place.is_file() and not place.is_symlink():
        place.write_bytes(chance.randbytes(chance.choice((0, 1, 4, 5000))))


def write_unseen(chance: random.Random, folder: Path) -> None:
    """The same size and time, other bytes."""
    place = some(chance, folder)
    if place.is_file() and not place.is_symlink():
        before = place.stat()
        place.write_bytes(chance.randbytes(before.st_size))
        os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))


def save(chance: random.Random, folder: Path) -> None:
    """By rename, of a file of the same size and time."""
    place = some(chance, folder)
    if place.is_file() and not place.is_symlink():
        before, beside = place.stat(), place.with_name("beside")
        if not beside.exists() and not beside.is_symlink():
            beside.write_bytes(chance.randbytes(before.st_size))
            os.utime(beside, ns=(before.st_atime_ns, before.st_mtime_ns))
            beside.replace(place)


def make(chance: random.Random, folder: Path) -> None:
    above = some(chance, folder)
    place = (above if above.is_dir() and not above.is_symlink() else folder) / chance.choice(NAMES)
    if place.exists() or place.is_symlink():
        return
    what = chance.randrange(4)
    if what == 0:
        place.mkdir()
    elif what == 1:
        place.symlink_to(chance.choice(("a.txt", "../b.txt", str(folder / "a"), "/outside", ".")))
    else:
        place.write_bytes(chance.randbytes(3))


def remove(chance: random.Random, folder: Path) -> None:
    place = some(chance, folder)
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


def become_another_kind(chance: random.Random, folder: Path) -> None:
    place = some(chance, folder)
    is_folder = place.is_dir() and not place.is_symlink()
    remove_this(place)
    if is_folder:
        place.write_text("was a folder")
    else:
        (place / "deep").mkdir(parents=True)
        (place / "deep/x").write_text("was a file")


def remove_this(place: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


def rename(chance: random.Random, folder: Path) -> None:
    source, target = some(chance, folder), folder / chance.choice(NAMES)
    if source.exists() and not target.is_relative_to(source):
        remove_this(target)
        if source.exists():
            source.rename(target)


def exchange(chance: random.Random, folder: Path) -> None:
    """Two files change their names: every name is there as before."""
    one, other = some(chance, folder), some(chance, folder)
    files = [place for place in (one, other) if place.is_file() and not place.is_symlink()]
    between = folder / "between"  # where a change of before was forbidden half-way, it is taken
    if len(files) == 2 and one != other and not between.exists():
        one.rename(between)
        other.rename(one)
        between.rename(other)


def change_mode(chance: random.Random, folder: Path) -> None:
    place = some(chance, folder)
    if place.exists() and not place.is_symlink():
        mode = chance.choice((0o600, 0o755, 0o500, 0o444, 0o700))
        is_shut = place.is_dir() and not mode & 0o100
        can_copy = os.geteuid() == 0 or not is_shut  # nobody else could
        place.chmod(mode if can_copy else 0o500)


def link_hard(chance: random.Random, folder: Path) -> None:
    place, target = some(chance, folder), folder / chance.choice(NAMES)
    is_free = not target.exists() and not target.is_symlink()
    if is_free and place.is_file() and not place.is_symlink():
        os.link(place, target)


CHANGES: tuple[Change, ...] = (
    write, write, write_unseen, save, make, make, make, remove, become_another_kind, rename,
    exchange, change_mode, link_hard,
)  # fmt: skip


@pytest.mark.parametrize(
    "n_changes", [pytest.param(150, id="few"), pytest.param(STEPS, marks=pytest.mark.ring)]
)
def test_it_is_as_a_new_copy_after_random_changes_on_both_sides(
    tmp_path: Path, folder: Path, n_changes: int
) -> None:
    chance = random.Random(n_changes)
    home, fresh = tmp_path / "home", tmp_path / "fresh/folder"
    home.mkdir()
    fresh.parent.mkdir()
    brought(home, folder)
    copy = home / "kept-1/at/folder"
    done = 0
    while done < n_changes:
        n_now = chance.randrange(1, 80)
        for _ in range(n_now):
            with suppress(PermissionError):  # a mode of before forbids it, to who is not root
                chance.choice(CHANGES)(chance, chance.choice((folder, copy)))
        done += n_now
        brought(home, folder)
        Copier(folder, fresh, link_dependencies=True).bring()
        assert state(copy) == state(fresh)
        remove_tree(fresh)
