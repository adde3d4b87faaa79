"""Which variables, folders and files of the user's a stage leaves out."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from understudy.stage import privacy

SECRET = (
    *("GITHUB_TOKEN", "npm_token", "AWS_ACCESS_KEY_ID", "OPENAI_API_KEY", "DB_PASSWORD"),
    *("MY_SECRET_NAME", "SSH_AUTH_SOCK", "DOCKER_HOST", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY"),
    *("GOOGLE_APPLICATION_CREDENTIALS", "XDG_RUNTIME_DIR", "TMPDIR", "DATABASE_URL", "STY"),
)
PLAIN = ("PATH", "HOME", "LANG", "TOKENIZERS_PARALLELISM", "KEYBOARD", "PASSAGE", "TMPFS", "CI")


@pytest.mark.parametrize("name", SECRET)
def test_left_out(name: str) -> None:
    assert privacy.scrubbed({name: "x"}, {}) == {}


@pytest.mark.parametrize("name", PLAIN)
def test_kept(name: str) -> None:
    assert privacy.scrubbed({name: "x"}, {}) == {name: "x"}


def test_what_the_caller_sets_counts() -> None:
    changes = {"GITHUB_TOKEN": "given", "PATH": None}
    assert privacy.scrubbed({"PATH": "/bin", "A": "1"}, changes) == {
        "A": "1",
        "GITHUB_TOKEN": "given",
    }


def test_a_root_below_a_secret_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".docker" / "project").mkdir(parents=True)
    (tmp_path / ".ssh").mkdir()
    masks = privacy.masks(tmp_path / ".docker" / "project")
    assert str(tmp_path / ".ssh") in masks
    assert str(tmp_path / ".docker") not in masks


def test_links_to_secrets_hide_what_they_lead_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / ".aws").symlink_to("dotfiles")
    assert str(tmp_path / "dotfiles") in privacy.masks(tmp_path / "project")


@pytest.mark.parametrize("home", ["/", "/tmp", "/var"])
def test_a_home_above_private_folders_is_none(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", home)
    assert privacy.default_homes({}) == ()


def test_homes_are_not_named_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner, outer = tmp_path / "home" / ".cargo", tmp_path / "cache"
    inner.mkdir(parents=True)
    outer.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    environ = {"CARGO_HOME": str(inner), "XDG_CACHE_HOME": str(outer), "GOCACHE": "/missing"}
    assert privacy.default_homes(environ) == (outer, tmp_path / "home")


def test_tools_that_a_private_folder_would_hide_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        prefix = Path(name).resolve()
        (prefix / "bin").mkdir()
        (prefix / "pyvenv.cfg").touch()
        monkeypatch.setenv("PATH", f"{prefix / 'bin'}:{prefix / 'missing'}:/usr/bin")
        assert {prefix, prefix / "bin"} <= set(privacy.hidden_tools(Path("/srv/project")))
        assert prefix / "missing" not in privacy.hidden_tools(Path("/srv/project"))
        assert not {prefix, prefix / "bin"} & set(privacy.hidden_tools(prefix))
