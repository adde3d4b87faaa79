"""Settings: layers, types, and what an untrusted workspace may not say."""

from __future__ import annotations

from pathlib import Path

import pytest

from understudy.values.errors import BadInput, Refused
from understudy.values.paths import Root
from understudy.workspace.settings import Settings, load


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    root = tmp_path / "root"
    root.mkdir()
    return root


def settings_of(folder: Path, *, trusted: bool = False, editor=None) -> Settings:
    return load(Root.open(folder), trusted=trusted, editor=editor)


def test_defaults_hold_without_any_file(folder: Path):
    assert settings_of(folder) == Settings()


def test_later_layers_win(folder: Path, tmp_path: Path):
    own = tmp_path / "config" / "understudy"
    own.mkdir(parents=True)
    (own / "config.toml").write_text('timeout_s = 1\nmax_files = 1\nseverity = "hint"')
    (folder / "pyproject.toml").write_text("[tool.understudy]\ntimeout_s = 2\nmax_files = 2\n")
    (folder / "understudy.toml").write_text("timeout_s = 3\n")
    found = settings_of(folder, editor={"maxFiles": 4})
    assert (found.timeout_s, found.max_files, found.severity) == (3, 4, "hint")


@pytest.mark.parametrize(
    ("name", "text", "where"),
    [
        ("understudy.toml", "tiemout_s = 3", "understudy.toml: tiemout_s"),
        ("understudy.toml", 'timeout_s = "3"', "understudy.toml"),
        ("understudy.toml", "timeout_s = -1", "understudy.toml"),
        ("understudy.toml", "max_files = true", "understudy.toml"),
        ("understudy.toml", 'scope = "all"', "understudy.toml"),
        ("understudy.toml", "disabled_groups = [1]", "understudy.toml"),
        ("understudy.toml", "= 3", "understudy.toml"),
        ("pyproject.toml", "[tool]\nunderstudy = 3", "pyproject.toml"),
        ("pyproject.toml", "[tool.understudy]\nx = 3", "pyproject.toml [tool.understudy]: x"),
    ],
)
def test_a_bad_setting_is_named_with_its_file(folder: Path, name: str, text: str, where: str):
    (folder / name).write_text(text)
    with pytest.raises(BadInput) as error:
        settings_of(folder)
    assert (error.value.code, error.value.where) == ("bad-setting", where)


@pytest.mark.parametrize(
    "text",
    [
        'python = "/tmp/python"',
        'server_path = ["bin"]',
        '[servers.ruff]\ncommand = ["./evil"]',
        "[servers.ruff]\nsettings = {}",
    ],
)
def test_an_untrusted_workspace_names_no_programs(folder: Path, text: str):
    (folder / "understudy.toml").write_text(text)
    with pytest.raises(Refused) as error:
        settings_of(folder)
    assert (error.value.code, error.value.where) == ("untrusted", "understudy.toml")
    assert "understudy trust" in error.value.text
    settings_of(folder, trusted=True)


@pytest.mark.parametrize("trusted", [True, False])
def test_no_folder_says_what_is_about_all_folders(folder: Path, trusted: bool):
    (folder / "pyproject.toml").write_text("[tool.understudy]\ncontext_user_mb = 0\n")
    with pytest.raises(BadInput, match="all workspaces") as error:
        settings_of(folder, trusted=trusted)
    assert error.value.where == "pyproject.toml [tool.understudy]: context_user_mb"
    (folder / "pyproject.toml").unlink()
    assert settings_of(folder, editor={"contextUserMb": 7}).context_user_mb == 7


@pytest.mark.parametrize("value", ["-1", "nan"])
def test_a_limit_that_would_remove_everything_is_named(folder: Path, value: str):
    (folder / "understudy.toml").write_text(f"context_log_days = {value}\n")
    with pytest.raises(BadInput, match="context_"):
        settings_of(folder)


def test_the_editor_may_name_programs(folder: Path):
    found = settings_of(folder, editor={"serverPath": ["/opt/bin"], "python": "/usr/bin/python3"})
    assert (found.server_path, found.python) == (("/opt/bin",), "/usr/bin/python3")


@pytest.mark.parametrize("n_mb", [0, 1001])
def test_how_much_is_kept_of_a_terminal_has_bounds(folder: Path, n_mb: int) -> None:
    (folder / "understudy.toml").write_text(f"terminal_record_mb = {n_mb}\n")
    with pytest.raises(BadInput) as caught:
        settings_of(folder)
    assert caught.value.code == "bad-setting"


def test_no_later_layer_takes_back_what_keeps_terminals_private(folder: Path, tmp_path: Path):
    own = tmp_path / "config" / "understudy"
    own.mkdir(parents=True)
    secret = 'terminal_redact = ["corp-[0-9]+"]\n'
    (own / "config.toml").write_text("terminal_recording = false\n" + secret)
    weaker = 'terminal_recording = true\nterminal_redact = ["x+"]\n'
    (folder / "understudy.toml").write_text(weaker)
    found = settings_of(folder, editor={"terminalRecording": True, "terminalRedact": []})
    assert found.terminal_recording is False
    assert tuple(found.terminal_redact) == ("corp-[0-9]+", "x+")
    assert settings_of(folder.parent).terminal_recording is False


@pytest.mark.parametrize(
    "pattern", ["(", "x*", "", "a|", "(?=a)b", "(?<!a)b", "(?P=n)", "(a{1000}){1000}"]
)
def test_a_pattern_of_secrets_that_cannot_be_used_is_named(folder: Path, pattern: str):
    (folder / "understudy.toml").write_text(f"terminal_redact = [{pattern!r}]\n")
    with pytest.raises(BadInput, match="terminal_redact"):
        settings_of(folder)
