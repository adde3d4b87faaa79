"""An accept's writes: all or none, merged text in, modes and links kept."""

import os
import stat
from pathlib import Path

import pytest

from tests.support.workspace import state_of
from understudy.disk.atomic import Prepared
from understudy.disk.folder import write as folder_write
from understudy.disk.folder.scan import FolderReader
from understudy.disk.folder.write import FileChange, write_changes
from understudy.values.errors import BadInput, Conflict, OutsideFailure
from understudy.values.paths import Root


@pytest.fixture
def root(tmp_path: Path) -> Root:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    for name in ("a.py", "b.py", "src/c.py"):
        (folder / name).write_text(f"old {name}\n")
    return Root.open(folder)


def change(root: Root, path: str, text: str | None, like: str | None = None) -> FileChange:
    data = None if text is None else text.encode()
    return FileChange(path, data, FolderReader(root).fingerprint(path), like)


def content(root: Root) -> dict[str, str]:
    return {
        path.relative_to(root.path).as_posix(): path.read_text()
        for path in sorted(root.path.rglob("*"))
        if path.is_file()
    }


def bytes_of(folder: Path) -> dict[str, object]:
    return {path: (state[0], state[2]) for path, state in state_of(folder).items()}


def test_it_writes_makes_deletes_and_leaves_no_other_file(root: Root):
    write_changes(
        root,
        [
            change(root, "a.py", "new a\n"),
            change(root, "b.py", None),
            change(root, "new/deep/d.py", "new d\n"),
        ],
    )
    assert content(root) == {
        "a.py": "new a\n",
        "new/deep/d.py": "new d\n",
        "src/c.py": "old src/c.py\n",
    }


def test_folders_that_are_emptied_go_but_no_link_and_no_root(tmp_path: Path):
    folder = tmp_path / "project"
    (folder / "real/deep").mkdir(parents=True)
    (folder / "real/deep/a.py").write_text("a\n")
    (folder / "link").symlink_to("real")
    root = Root.open(folder)
    write_changes(root, [change(root, "link/deep/a.py", None)])
    assert [path.name for path in sorted(folder.iterdir())] == ["link", "real"]
    assert list((folder / "real").iterdir()) == []
    (folder / "last.py").write_text("a\n")
    (folder / "real").rmdir()
    (folder / "link").unlink()
    write_changes(root, [change(root, "last.py", None)])
    assert list(folder.iterdir()) == []


def test_mode_bits_are_kept_also_by_a_renamed_file(root: Root):
    for name, mode in (("a.py", 0o755), ("b.py", 0o4640)):
        (root.path / name).chmod(mode)
    old = os.umask(0o027)
    try:
        write_changes(
            root,
            [
                change(root, "a.py", "x"),
                change(root, "src/b2.py", "x", like="b.py"),
                change(root, "b.py", None),
                change(root, "plain.py", "x"),
            ],
        )
    finally:
        os.umask(old)
    modes = {
        name: stat.S_IMODE((root.path / name).stat().st_mode)
        for name in ("a.py", "src/b2.py", "plain.py")
    }
    assert modes == {"a.py": 0o755, "src/b2.py": 0o4640, "plain.py": 0o640}


def test_a_link_inside_the_root_is_written_through_and_deleted_as_a_link(root: Root):
    (root.path / "link.py").symlink_to("src/c.py")
    (root.path / "gone.py").symlink_to("a.py")
    write_changes(root, [change(root, "link.py", "through\n"), change(root, "gone.py", None)])
    assert (root.path / "link.py").is_symlink()
    assert content(root)["src/c.py"] == "through\n"
    assert content(root)["a.py"] == "old a.py\n"
    assert not (root.path / "gone.py").is_symlink()


def test_a_link_out_of_the_root_is_refused_and_nothing_is_written(root: Root, tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.py").write_text("theirs")
    (root.path / "out").symlink_to(outside)
    before = state_of(tmp_path)
    with pytest.raises(BadInput) as caught:
        write_changes(root, [change(root, "a.py", "x"), change(root, "out/x.py", "x")])
    assert caught.value.code == "outside-root"
    assert bytes_of(tmp_path) == {path: (s[0], s[2]) for path, s in before.items()}


@pytest.mark.parametrize("in_the_way", ["folder", "pipe", "dangling link", "file"])
def test_nothing_takes_the_place_of_what_was_not_there_before(root: Root, in_the_way: str):
    new = change(root, "new.py", "x")
    place = root.path / "new.py"
    if in_the_way == "folder":
        place.mkdir()
    elif in_the_way == "pipe":
        os.mkfifo(place)
    elif in_the_way == "file":
        place.write_text("user's")
    else:
        place.symlink_to("nowhere.py")
    with pytest.raises(Conflict) as caught:
        write_changes(root, [change(root, "a.py", "x"), new])
    assert (caught.value.code, caught.value.where) == ("conflict", "new.py")
    assert (root.path / "a.py").read_text() == "old a.py\n"
    assert not list(root.path.rglob("*understudy*"))


class Meddler:
    """Does something right before the n-th commit of an accept."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, n: int, what) -> None:
        commit = folder_write._Work.commit
        calls: list[str] = []

        def meddled(work, file_change):
            calls.append(file_change.path)
            if len(calls) == n:
                what()
            commit(work, file_change)

        monkeypatch.setattr(folder_write._Work, "commit", meddled)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_a_file_changed_at_the_last_moment_is_kept_and_the_rest_put_back(
    root: Root, n: int, monkeypatch: pytest.MonkeyPatch
):
    changes = [
        change(root, "a.py", "new"),
        change(root, "n.py", "new"),
        change(root, "src/c.py", "new"),
        change(root, "b.py", None),
    ]
    ordered = ["a.py", "n.py", "src/c.py", "b.py"]
    before = content(root)
    Meddler(monkeypatch, n, lambda: (root.path / ordered[n - 1]).write_text("typed just now"))
    with pytest.raises(Conflict) as caught:
        write_changes(root, changes)
    assert caught.value.where == ordered[n - 1]
    assert content(root) == {**before, ordered[n - 1]: "typed just now"}


def test_a_disk_that_fails_half_way_puts_everything_back(
    root: Root, monkeypatch: pytest.MonkeyPatch
):
    (root.path / "link.py").symlink_to("a.py")
    changes = [
        change(root, "link.py", None),
        change(root, "b.py", "new"),
        change(root, "src/c.py", None),
        change(root, "deep/new.py", "new"),
    ]
    before = content(root)

    def fail() -> None:
        raise OSError(28, "No space left on device")

    Meddler(monkeypatch, 4, fail)
    with pytest.raises(OutsideFailure) as caught:
        write_changes(root, changes)
    assert caught.value.code == "accept-failed"
    assert "No space left" in caught.value.text
    assert "as it was" in caught.value.text
    assert content(root) == before
    assert (root.path / "link.py").is_symlink()
    assert not (root.path / "deep").exists()


def test_what_cannot_be_put_back_is_named(root: Root, monkeypatch: pytest.MonkeyPatch):
    changes = [change(root, "a.py", "new"), change(root, "b.py", "new")]

    def meddle() -> None:
        (root.path / "a.py").write_text("typed after our write")
        raise OSError(5, "Input/output error")

    Meddler(monkeypatch, 2, meddle)
    with pytest.raises(OutsideFailure) as caught:
        write_changes(root, changes)
    assert caught.value.text.endswith("not put back: a.py")
    assert (root.path / "a.py").read_text() == "typed after our write"
    assert (root.path / "b.py").read_text() == "old b.py\n"


def test_all_files_are_prepared_before_the_first_is_replaced(
    root: Root, monkeypatch: pytest.MonkeyPatch
):
    seen: list[int] = []
    commit = Prepared.commit

    def counted(prepared: Prepared) -> None:
        seen.append(len(list(root.path.rglob("*.understudy"))))
        commit(prepared)

    monkeypatch.setattr(Prepared, "commit", counted)
    write_changes(root, [change(root, name, "new") for name in ("a.py", "b.py", "src/c.py")])
    assert seen == [3, 2, 1]
