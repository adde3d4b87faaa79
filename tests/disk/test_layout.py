"""The state folder: where it is, and that nobody else can read it."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from understudy.disk.layout import (
    STATE_VARIABLE,
    Layout,
    ephemeral_layout,
    open_private,
    state_home,
    workspace_layout,
)
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.paths import Root


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state"


def folder(tmp_path: Path, name: str) -> Root:
    (tmp_path / name).mkdir(parents=True)
    return Root.open(tmp_path / name)


def test_folders_of_the_same_name_have_states_of_their_own(tmp_path: Path, home: Path):
    one = workspace_layout(folder(tmp_path, "one/shop & café"))
    two = workspace_layout(folder(tmp_path, "two/shop & café"))
    assert one.folder.name.startswith("shop-caf-")
    assert one.folder.parent == two.folder.parent == home / "workspaces"
    assert one.folder != two.folder
    assert not home.exists(), "nothing is made before it is needed"


def test_a_symbolic_link_to_a_folder_has_the_state_of_the_folder(tmp_path: Path, home: Path):
    root = folder(tmp_path, "real")
    (tmp_path / "link").symlink_to("real")
    assert workspace_layout(Root.open(tmp_path / "link")) == workspace_layout(root)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_whatever_the_umask_only_the_user_reads_our_files(tmp_path: Path, home: Path, umask: int):
    layout = workspace_layout(folder(tmp_path, "project"))
    old = os.umask(umask)
    try:
        layout.create()
        os.close(open_private(layout.lock, os.O_RDWR | os.O_CREAT))
    finally:
        os.umask(old)
    for made in (home, layout.folder, layout.logs):
        assert stat.S_IMODE(made.stat().st_mode) == 0o700
    assert stat.S_IMODE(layout.lock.stat().st_mode) == 0o600


def test_a_state_folder_that_others_could_read_is_closed(tmp_path: Path, home: Path):
    layout = workspace_layout(folder(tmp_path, "project")).create()
    layout.folder.chmod(0o755)
    layout.create()
    assert stat.S_IMODE(layout.folder.stat().st_mode) == 0o700


def test_the_state_never_lies_in_the_users_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    root = folder(tmp_path, "project")
    monkeypatch.setenv(STATE_VARIABLE, str(root.path / "state"))
    with pytest.raises(BadInput) as caught:
        workspace_layout(root)
    assert caught.value.code == "state-inside-root"


def test_a_state_folder_that_cannot_be_made_is_a_named_error(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutsideFailure) as caught:
        Layout(tmp_path / "file" / "state").create()
    assert caught.value.code == "state-unwritable"
    assert STATE_VARIABLE in caught.value.text


def test_without_the_variable_the_platform_says_where(tmp_path: Path):
    command = "from understudy.disk.layout import state_home; print(state_home())"
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", command], env=environment, capture_output=True, text=True, check=True
    )
    assert Path(done.stdout.strip()).is_relative_to(tmp_path.resolve())


def test_an_ephemeral_state_leaves_nothing_behind(home: Path):
    with ephemeral_layout() as layout:
        assert layout.logs.is_dir()
        layout.journal.write_text("x")
    assert not layout.folder.parent.exists()
    assert not home.exists()


@pytest.mark.parametrize(
    ("name", "file"),
    [("basedpyright", "basedpyright.log"), ("../../x", "x.log"), ("a b/ä", "a-b.log")],
)
def test_a_logs_name_stays_in_the_logs_folder(tmp_path: Path, name: str, file: str):
    assert Layout(tmp_path).log(name) == tmp_path / "logs" / file


def test_the_variable_may_name_the_home_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(STATE_VARIABLE, "~/state")
    assert state_home() == tmp_path.resolve() / "state"
