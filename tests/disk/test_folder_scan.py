"""The walk over the user's folder, and reads of single files."""

import os
import socket
from pathlib import Path

import pytest

from tests.support.workspace import SELECTION, state_of
from understudy.disk.folder.scan import FolderReader, Selection, scan
from understudy.shadow.folder import FolderView, Moved
from understudy.values.errors import BadInput
from understudy.values.paths import Root
from understudy.values.texts import MAX_TEXT_BYTES


def make(folder: Path, *paths: str) -> Root:
    for path in paths:
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("x")
    return Root.open(folder)


def found(root: Root) -> list[str]:
    return sorted(scan(root, SELECTION).files)


@pytest.mark.parametrize(
    ("path", "listed"),
    [
        ("a.py", True),
        ("src/deep/er/a.py", True),
        ("a.md", False),
        ("build/a.py", True),
        ("dist/a.py", True),
        (".github/a.py", True),
        (".git/a.py", False),
        ("node_modules/m/a.py", False),
        ("src/node_modules/m/a.py", False),
        ("src/__pycache__/a.py", False),
        (".venv/a.py", False),
        (".mypy_cache/a.py", False),
        ("x.egg-info/a.py", False),
        ("caf\udce9/\udcff.py", True),
    ],
)
def test_what_a_scan_lists(tmp_path: Path, path: str, listed: bool):
    root = make(tmp_path, path)
    assert found(root) == ([path] if listed else [])
    assert SELECTION.covers(path) or not listed


def test_an_environment_is_known_by_its_mark_under_any_name(tmp_path: Path):
    root = make(tmp_path, "env3/a.py", "env3/lib/b.py", "env3/pyvenv.cfg", "a.py")
    assert found(root) == ["a.py"]


@pytest.mark.parametrize(
    ("patterns", "takes", "leaves"),
    [
        (["*.py"], ["a.py", ".py"], ["a.pyi", "py", "a.py.txt"]),
        (["tsconfig.json"], ["tsconfig.json"], ["xtsconfig.json", "tsconfig.json5"]),
        (["tsconfig.*.json"], ["tsconfig.app.json"], ["tsconfig.json"]),
        (["*.[ch]"], ["a.c", "a.h"], ["a.cc", "a.o"]),
        (["*.d.ts"], ["a.d.ts"], ["a.ts"]),
        (["*"], ["a", "a.b"], []),
        ([], [], ["a", ""]),
    ],
)
def test_a_selection_goes_by_names(patterns: list[str], takes: list[str], leaves: list[str]):
    selection = Selection(patterns)
    assert [name for name in [*takes, *leaves] if selection.takes(name)] == takes


def test_links_to_files_are_listed_links_to_folders_are_counted(tmp_path: Path):
    make(tmp_path / "outside", "secret.py")
    root = make(tmp_path / "root", "real/a.py")
    (root.path / "b.py").symlink_to("real/a.py")
    (root.path / "lost.py").symlink_to("nowhere.py")
    (root.path / "loop.py").symlink_to("loop.py")
    (root.path / "inside").symlink_to("real")
    (root.path / "outside").symlink_to(tmp_path / "outside")
    (root.path / "real" / "up").symlink_to("..")
    result = scan(root, SELECTION)
    assert sorted(result.files) == ["b.py", "real/a.py"]
    assert result.links == ("inside", "outside", "real/up")
    assert result.files["b.py"].inode == result.files["real/a.py"].inode


def test_a_link_that_leads_elsewhere_now_is_a_change(tmp_path: Path):
    root = make(tmp_path, "one.py", "two.py")
    os.utime(tmp_path / "one.py", ns=(1, 1))
    os.utime(tmp_path / "two.py", ns=(1, 1))
    link = tmp_path / "link.py"
    link.symlink_to("one.py")
    before = scan(root, SELECTION).files["link.py"]
    link.unlink()
    link.symlink_to("two.py")
    assert scan(root, SELECTION).files["link.py"] != before


def test_a_change_of_the_same_size_with_its_time_set_back_is_seen(tmp_path: Path):
    root = make(tmp_path, "a.py")
    before = scan(root, SELECTION).files["a.py"]
    (tmp_path / "a.py").write_text("y")
    os.utime(tmp_path / "a.py", ns=(before.mtime_ns, before.mtime_ns))
    after = scan(root, SELECTION).files["a.py"]
    assert (after.mtime_ns, after.size, after.inode) == (
        before.mtime_ns,
        before.size,
        before.inode,
    )
    assert after != before


def test_a_folder_that_cannot_be_listed_is_counted_and_the_rest_is_there(tmp_path: Path):
    root = make(tmp_path, "a.py", "z/b.py")
    unlistable = deeper_than_any_path(tmp_path)
    result = scan(root, SELECTION)
    assert sorted(result.files) == ["a.py", "z/b.py"]
    assert result.unreadable == (unlistable,)


def deeper_than_any_path(folder: Path) -> str:
    """Make folders beyond PATH_MAX, which not even root can list by name; returns the first."""
    name = "d" * 250
    here = os.open(folder, os.O_RDONLY)
    path = ""
    while len(os.fsencode(str(folder))) + len(path) <= 4096:
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
        path = f"{path}/{name}" if path else name
    os.close(here)
    return path


def test_a_root_that_cannot_be_listed_is_a_named_error(tmp_path: Path):
    (tmp_path / "gone").mkdir()
    root = Root.open(tmp_path / "gone")
    root.path.rmdir()
    with pytest.raises(BadInput) as caught:
        scan(root, SELECTION)
    assert caught.value.code == "unreadable-root"


@pytest.mark.parametrize(
    "installed",
    [
        "node_modules/new/index.js",
        "web/node_modules/.package-lock.json",
        ".venv/lib/python3.12/site-packages/new.dist-info",
        "env3/lib/python3.12/site-packages/new.dist-info",
    ],
)
def test_an_install_changes_the_environments_stamp_and_no_file(tmp_path: Path, installed: str):
    root = make(tmp_path, "a.py", "env3/pyvenv.cfg")
    for folder in (
        "node_modules",
        "web/node_modules",
        *(f"{name}/lib/python3.12/site-packages" for name in (".venv", "env3")),
    ):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    before = scan(root, SELECTION)
    assert scan(root, SELECTION) == before
    make(tmp_path, installed)
    after = scan(root, SELECTION)
    assert after.environment != before.environment
    assert after.files == before.files


def test_an_install_outside_the_root_counts_where_it_is_named(tmp_path: Path):
    root = make(tmp_path / "root", "a.py")
    packages = tmp_path / "site-packages"
    packages.mkdir()
    before = scan(root, SELECTION, [packages])
    (packages / "new").mkdir()
    assert scan(root, SELECTION, [packages]).environment != before.environment
    assert scan(root, SELECTION).environment == scan(root, SELECTION).environment


def test_odd_files_are_no_files_and_do_not_hang_us(tmp_path: Path):
    root = make(tmp_path, "a.py")
    os.mkfifo(tmp_path / "pipe.py")
    with socket.socket(socket.AF_UNIX) as listener:
        os_folder = os.open(tmp_path, os.O_RDONLY)
        listener.bind(f"/proc/self/fd/{os_folder}/socket.py")
        os.close(os_folder)
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "device.py").symlink_to("/dev/zero")
    assert found(root) == ["a.py"]
    reader = FolderReader(root)
    for odd in ("pipe.py", "socket.py", "folder.py", "device.py", "nothing.py", "a.py/b.py"):
        assert reader.read(odd) is None
        assert reader.fingerprint(odd) is None


def test_a_pipe_that_takes_a_files_place_between_look_and_open_does_not_hang_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    root = make(tmp_path, "a.py")
    reader = FolderReader(root)
    mark = reader.fingerprint("a.py")
    (tmp_path / "a.py").unlink()
    os.mkfifo(tmp_path / "a.py")
    monkeypatch.setattr(reader, "fingerprint", lambda path: mark)
    assert reader.read("a.py") is None


def test_a_huge_file_is_refused_unread(tmp_path: Path):
    root = make(tmp_path, "a.py")
    os.truncate(tmp_path / "a.py", 50 * MAX_TEXT_BYTES)
    with pytest.raises(BadInput) as caught:
        FolderReader(root).read("a.py")
    assert (caught.value.code, caught.value.where) == ("too-large", "a.py")


def test_a_file_that_changes_while_it_is_read_is_moved(tmp_path: Path):
    root = make(tmp_path, "a.py")

    class Meddling(FolderReader):
        def read(self, path: str) -> bytes | None:
            data = super().read(path)
            (tmp_path / "a.py").write_text("y")
            return data

    view = FolderView(Meddling(root), scan(root, SELECTION).files)
    with pytest.raises(Moved) as caught:
        view.read("a.py")
    assert caught.value.path == "a.py"
    assert not view.pinned()


def test_a_text_once_read_stays_and_another_is_moved(tmp_path: Path):
    root = make(tmp_path, "a.py", "b.py")
    view = FolderView(FolderReader(root), scan(root, SELECTION).files)
    assert view.read("a.py") is not None
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("changed")
    text = view.read("a.py")
    assert text is not None
    assert text.content == "x"
    with pytest.raises(Moved):
        view.read("b.py")


def test_looking_and_reading_leave_the_folder_as_it_was(tmp_path: Path):
    root = make(tmp_path, "a.py", "src/b.py", "node_modules/c.py")
    before = state_of(tmp_path)
    view = FolderView(FolderReader(root), scan(root, SELECTION).files)
    for path in view.files:
        view.read(path)
    assert state_of(tmp_path) == before
