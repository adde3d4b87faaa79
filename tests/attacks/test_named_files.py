"""A folder brings links; what is to be written at a named place must not follow them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder

CHANGE = ("--", "sh", "-c", "echo new > new.txt")
VICTIM = "alias ls='ls --color'\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".bashrc").write_text(VICTIM)
    return home


@pytest.fixture
def run(tmp_path: Path, home: Path) -> Shell:
    folder = make_folder(tmp_path / "home" / "work", {"a.txt": "a\n", "sub/b.txt": "b\n"})
    return Shell(folder, tmp_path / "state")


def _to_a_file(folder: Path, home: Path) -> str:
    (folder / "out.patch").symlink_to(home / ".bashrc")
    return "out.patch"


def _to_a_file_that_is_not_there(folder: Path, home: Path) -> str:
    (folder / "out.patch").symlink_to("../.profile")
    return "out.patch"


def _a_folder_on_the_way(folder: Path, home: Path) -> str:
    (folder / "out").symlink_to(home)
    return "out/.bashrc"


def _by_two_links(folder: Path, home: Path) -> str:
    (folder / "sub" / "second").symlink_to("../..")
    (folder / "first").symlink_to("sub/second")
    return "first/.bashrc"


def _by_the_users_own_link(folder: Path, home: Path) -> str:
    (folder / "out").symlink_to(home)
    (home / "mine").symlink_to(folder)
    return str(home / "mine" / "out" / ".bashrc")


def _by_dots(folder: Path, home: Path) -> str:
    (folder / "out").symlink_to(home)
    return "sub/../out/.bashrc"


@pytest.mark.parametrize(
    "link",
    [
        _to_a_file,
        _to_a_file_that_is_not_there,
        _a_folder_on_the_way,
        _by_two_links,
        _by_the_users_own_link,
        _by_dots,
    ],
    ids=lambda link: link.__name__[1:],
)
def test_a_patch_does_not_follow_links_of_the_folder(
    run: Shell, home: Path, link: Callable[[Path, Path], str]
) -> None:
    named = link(run.folder, home)
    done = run("run", "--diff-out", named, *CHANGE)
    assert done.code == 125, done
    assert "symlink: " in done.err
    assert "a symbolic link of the folder is in the way" in done.err
    assert (home / ".bashrc").read_text() == VICTIM
    assert _names(home) in ([".bashrc", "work"], [".bashrc", "mine", "work"])
    assert not (run.folder / "new.txt").exists()


def test_the_users_own_links_are_followed(run: Shell, home: Path, tmp_path: Path) -> None:
    (home / "patches").mkdir()
    (tmp_path / "elsewhere").symlink_to(home / "patches")
    (home / "patches" / "old.patch").write_text("old")
    (home / "patches" / "now.patch").symlink_to("old.patch")
    for name in ("elsewhere/a.patch", "elsewhere/now.patch"):
        done = run("run", "--diff-out", tmp_path / name, *CHANGE)
        assert done.code == 0, done
        assert "+new" in (tmp_path / name).read_text()
    assert (home / "patches" / "now.patch").is_symlink()
    done = run("run", "--diff-out", "sub/c.patch", *CHANGE)
    assert done.code == 0, done
    done = run("run", "--diff-out", "/dev/stdout", *CHANGE)
    assert "+new" in done.out, done


@pytest.mark.parametrize("agent", ["claude", "opencode", "copilot", "gemini"])
def test_setup_does_not_follow_links_of_the_folder(run: Shell, home: Path, agent: str) -> None:
    (home / "settings.json").write_text("{}")
    for name in (".claude", ".vscode", ".github", ".gemini"):
        (run.folder / name).symlink_to(home)
    for name in (".mcp.json", "opencode.json"):
        (run.folder / name).symlink_to(home / "settings.json")
    before = _names(home)
    done = run("setup", agent, "--write")
    assert done.code == 2, done
    assert "a symbolic link of the folder is in the way" in done.err
    assert (home / "settings.json").read_text() == "{}"
    assert _names(home) == before


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
