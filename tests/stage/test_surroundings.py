"""What a stage shows around its folder, as the lists, the home and the tools are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from understudy.stage.shown.lists import shown_lists
from understudy.stage.shown.surroundings import Surroundings, surroundings


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home that nothing temporary hides: these tests only look at what would be shown."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def put(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text")


def shown(root: Path, home: Path, **environ: str) -> Surroundings:
    root.mkdir(parents=True, exist_ok=True)
    return surroundings(root, {"HOME": str(home), "PATH": "/usr/bin", **environ})


def test_the_home_is_empty_but_for_what_is_listed(home: Path) -> None:
    put(home, ".cargo/registry/one", ".cargo/credentials.toml", ".m2/repository/a", "notes.txt")
    view = shown(home / "project", home)
    assert view.shows(home / ".cargo/registry/one")
    assert view.shows(home / ".m2/repository/a")
    for hidden in (".cargo/credentials.toml", ".m2/settings.xml", "notes.txt", ".ssh", "other"):
        assert not view.shows(home / hidden), hidden
    assert view.shows(home / "project/any")


@pytest.mark.parametrize("place", ["/", "/tmp", "/var", "/etc"])
def test_an_odd_home(place: str, tmp_path: Path) -> None:
    view = shown(tmp_path / "project", Path(place))
    assert view.shows(tmp_path / "project")
    for top in ("etc", "root", "home", "srv", "tmp"):
        assert not view.shows(Path("/", top, "user/secret")), top
    assert view.shows(Path("/usr/bin/env"))


def test_a_root_that_is_the_home_hides_what_begins_with_a_dot(home: Path) -> None:
    put(home, ".ssh/id", ".netrc", ".git/config", ".cargo/bin/cargo", ".cargo/credentials", "a.py")
    for root in (home, home.parent):
        view = shown(root, home)
        for name in (".ssh/id", ".netrc", ".cargo/credentials"):
            assert not view.shows(home / name), name
        for name in (".git/config", ".cargo/bin/cargo", "a.py", "new"):
            assert view.shows(home / name), name


def test_variables_that_move_a_tool_move_its_parts(home: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    put(elsewhere, "registry/one", "bin/cargo", "credentials.toml", "go/pkg/mod", "go/secret")
    view = shown(home / "project", home, CARGO_HOME=str(elsewhere), GOPATH=str(elsewhere / "go"))
    assert view.shows(elsewhere / "registry/one")
    assert view.shows(elsewhere / "go/pkg/mod")
    assert not view.shows(elsewhere / "credentials.toml")
    assert not view.shows(elsewhere / "go/secret")


def test_links_of_the_home_are_made_again(home: Path, tmp_path: Path) -> None:
    put(tmp_path / "disk", "cargo/registry/one", "cargo/credentials.toml")
    (home / ".cargo").symlink_to(tmp_path / "disk/cargo")
    view = shown(home / "project", home)
    assert (home / ".cargo/registry", str(tmp_path / "disk/cargo/registry")) in view.links
    assert view.shows(tmp_path / "disk/cargo/registry/one")
    assert not view.shows(tmp_path / "disk/cargo/credentials.toml")


def test_a_listed_link_to_the_home_shows_nothing(home: Path) -> None:
    put(home, ".ssh/id")
    (home / ".local").mkdir()
    (home / ".local/bin").symlink_to(home)
    (home / ".nvm").symlink_to(home.parent)
    view = shown(home / "project", home, NVM_DIR=str(home), PATH=f"{home}:{home}/bin:/:.")
    assert not view.shows(home / ".ssh/id")


@pytest.mark.parametrize("folder", ["bin", ".local/bin"])
def test_a_folder_of_programs_does_not_show_all_beside_it(home: Path, folder: str) -> None:
    put(home, "lib/x", "bin/tool", ".local/lib/x", ".local/bin/tool", ".local/share/keyrings/k")
    view = shown(home / "project", home, PATH=str(home / folder))
    assert view.shows(home / folder / "tool")
    assert not view.shows(home / ".local/share/keyrings/k")
    assert not view.shows(home / ".ssh/id")


def test_programs_on_path_are_shown_with_their_prefix(home: Path) -> None:
    put(home, "tools/node/bin/node", "tools/node/lib/npm", "env/bin/python", "env/pyvenv.cfg")
    put(home, "env/lib/python3/x", "tools/secret")
    view = shown(home / "project", home, PATH=f"{home}/tools/node/bin:{home}/env/bin:/missing")
    assert view.shows(home / "tools/node/lib/npm")
    assert view.shows(home / "env/lib/python3/x")
    assert not view.shows(home / "tools/secret")


def test_an_environment_in_the_folder_shows_the_python_it_is_based_on(home: Path) -> None:
    put(home, "pythons/3.12/bin/python3.12", "pythons/3.12/lib/python3.12/os.py", ".ssh/id")
    environment = home / "project/.venv"
    put(environment, "pyvenv.cfg")
    (environment / "bin").mkdir()
    (environment / "bin/python").symlink_to(home / "pythons/3.12/bin/python3.12")
    assert shown(home / "project", home).shows(home / "pythons/3.12/lib/python3.12/os.py")
    (environment / "bin/python").unlink()
    (environment / "bin/python").symlink_to(home / ".ssh/id")
    assert not shown(home / "project", home).shows(home / ".ssh/id")


def test_the_repository_around_the_folder_is_shown(home: Path) -> None:
    put(home, "mono/.git/HEAD", "mono/tsconfig.base.json", "mono/shared/x", "other/x")
    view = shown(home / "mono/packages/one", home)
    assert view.shows(home / "mono/tsconfig.base.json")
    assert view.shows(home / "mono/shared/x")
    assert not view.shows(home / "other/x")
    put(home, ".git/HEAD")  # a home in git: its repository is not shown for that
    assert not shown(home / "work/one", home).shows(home / "other/x")


def _git_folder(place: Path) -> None:
    put(place, "HEAD", "refs/x", "objects/x")


def test_a_linked_worktree_has_its_repository(home: Path) -> None:
    _git_folder(home / "main/.git")
    put(home, "main/.git/worktrees/one/HEAD", "main/file")
    (home / "main/.git/worktrees/one/commondir").write_text("../..\n")
    (home / "one").mkdir()
    (home / "one/.git").write_text(f"gitdir: {home}/main/.git/worktrees/one\n")
    view = shown(home / "one", home)
    assert view.shows(home / "main/.git/objects/x")
    assert not view.shows(home / "main/file")
    put(home, ".ssh/id")
    (home / "one/.git").write_text(f"gitdir: {home}/.ssh\n")
    assert not shown(home / "one", home).shows(home / ".ssh/id")


def test_settings_above_and_projects_beside_are_shown(home: Path) -> None:
    put(home, "code/Cargo.toml", "code/.env", "code/lib/Cargo.toml", "code/lib/src/lib.rs")
    put(home, "code/other/Cargo.toml", ".ssh/id", "code/keys/id", "code/one/member/x")
    (home / "code/one/Cargo.toml").write_text(
        '[dependencies]\nlib = { path = "../lib" }\nkeys = { path = "../keys" }\n'
        'home = { path = "../../.ssh" }\nall = { path = "../.." }\n'
    )
    view = shown(home / "code/one", home)
    assert view.shows(home / "code/Cargo.toml")
    assert view.shows(home / "code/lib/src/lib.rs")
    for hidden in (".ssh/id", "code/keys/id", "code/.env", "code/other/Cargo.toml"):
        assert not view.shows(home / hidden), hidden


def test_what_the_user_names_is_shown(home: Path) -> None:
    put(home, ".ssh/id", ".netrc")
    root = home / "project"
    root.mkdir()
    view = surroundings(root, {"HOME": str(home)}, also=[home / ".ssh"])
    assert view.shows(home / ".ssh/id")
    assert not view.shows(home / ".netrc")


def test_our_own_state_is_hidden_wherever_it_is(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for state in (home / ".cache/pip/state", home / "other"):
        state.mkdir(parents=True)
        monkeypatch.setenv("UNDERSTUDY_STATE_DIR", str(state))
        root = home / "project"
        root.mkdir(exist_ok=True)
        view = surroundings(root, {"HOME": str(home)}, also=[home])
        assert not view.shows(state / "journal.sqlite")


def test_settings_are_shown_without_their_secrets(home: Path) -> None:
    texts: Mapping[str, str] = {
        ".gitconfig": "[user]\n\tname = Me\n\temail = me@example.org\n[github]\n\ttoken = hunter2\n"
        '[url "https://hunter2:x@forge"]\n\tinsteadOf = https://forge\n'
        "[http]\n\textraheader = Authorization: hunter2\nhunter2\n",
        ".npmrc": "registry=https://registry.example/\n//registry.example/:_authToken=hunter2\n"
        "cache=https://me:hunter2@registry.example/\n_auth=hunter2\n",
        ".config/pip/pip.conf": "[global]\nindex-url = https://me:hunter2@index/simple\n"
        "timeout = 20\n",
        ".cargo/config.toml": '[registries.mine]\nindex = "https://index.example"\n'
        'token = "hunter2"\n[build]\njobs = 2\n[net]\noffline = true\n',
        ".gradle/gradle.properties": "org.gradle.jvmargs=-Xmx1g\nsigning.password=hunter2\n",
    }
    for name, text in texts.items():
        put(home, name)
        (home / name).write_text(text)
    view = shown(home / "project", home)
    own = {path: text for path, text in view.files if path.is_relative_to(home)}
    found = {path.relative_to(home).as_posix(): text.decode() for path, text in own.items()}
    assert found.keys() >= texts.keys()
    assert "hunter2" not in "".join(found.values())
    assert "email = me@example.org" in found[".gitconfig"]
    assert "registry=https://registry.example/" in found[".npmrc"]
    assert "timeout = 20" in found[".config/pip/pip.conf"]
    assert found[".cargo/config.toml"] == (
        'registries.mine.index = "https://index.example"\nbuild.jobs = 2\nnet.offline = true\n'
    )
    assert found[".gradle/gradle.properties"] == "org.gradle.jvmargs=-Xmx1g\n"


def test_the_lists_are_sound() -> None:
    lists = shown_lists()
    for places in (lists.machine, lists.home, lists.project, lists.above):
        assert len(set(places.listed)) == len(places.listed)
        assert not [one for one in places.listed if places.has_below(one)], "listed twice over"
        assert not [one for one in places.listed if ".." in one.split("/")]
    assert all(place.startswith("/") for place in lists.machine.listed)
    assert not [place for place in lists.home.listed if place.startswith(("/", "~"))]
    assert set(lists.places) <= lists.variables | {"CMAKE_PREFIX_PATH", "CMAKE_TOOLCHAIN_FILE"}
    assert all(os.path.normpath(usual) == usual for usual in lists.moved.values())
