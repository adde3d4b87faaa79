"""What adds to a stage's lists, slips in it, and what a run says that fails on what is hidden."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a secret, a tool's settings and a listed cache."""
    files = {".tool/settings": "for the tool\n", ".ssh/id": "hunter2\n", ".cache/pip/a": "kept\n"}
    folder = make_folder(tmp_path / "home", files)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("MY_SERVICE_URL", "service.example")
    return folder


@pytest.fixture
def run(home: Path) -> Shell:
    return Shell(make_folder(home / "project", {"a.txt": "a\n"}), home.parent / "state")


def test_what_is_named_is_shown_and_written_privately(run: Shell, home: Path) -> None:
    script = "cat ~/.tool/settings; echo own > ~/.tool/settings; cat ~/.tool/settings ~/.ssh/id"
    for named in (".tool", "~/.tool", str(home / ".tool")):
        done = run("run", "--home", named, "--", "sh", "-c", script)
        assert done.out == "for the tool\nown\n", done.err
    assert (home / ".tool/settings").read_text() == "for the tool\n"


def test_a_variable_is_passed_on_by_its_name(run: Shell) -> None:
    script = "echo [$MY_SERVICE_URL]"
    assert run("run", "--", "sh", "-c", script).out == "[]\n"
    done = run("run", "--env", "MY_SERVICE_URL", "--", "sh", "-c", script)
    assert done.out == "[service.example]\n"


@pytest.mark.parametrize(
    ("option", "named", "told"),
    [
        ("--home", ".tol/settings", "no-such-place"),
        ("--home", ".tol", "did you mean ~/.tool?"),
        ("--home", ".cache/pipp", "did you mean ~/.cache/pip?"),
        ("--home", "nothing/like/it", "no-such-place"),
        ("--home", "", "no-such-place"),
        ("--home", "/", "no-such-place"),
        ("--home", "/proc/1", "no-such-place"),
        ("--home", "x\ny", "no-such-place"),
        ("--env", "MY_SERVICE_URI", "did you mean MY_SERVICE_URL?"),
        ("--env", "NOTHING_LIKE_IT_AT_ALL", "bad-variable"),
        ("--env", "=x", "bad-variable"),
    ],
)
def test_slips_are_named_errors(run: Shell, option: str, named: str, told: str) -> None:
    done = run("run", option, named, "--", "touch", "ran")
    assert (done.code, done.out) == (125, ""), done.err
    assert told in done.err


def test_a_failed_run_names_what_it_missed(run: Shell, home: Path) -> None:
    script = "cat ~/.tool/settings ../.ssh/id; echo MY_SERVICE_URL is not set >&2; exit 1"
    done = run("run", "--format", "json", "--", "sh", "-c", script)
    options = [thing["option"] for thing in done.json["hidden"]]
    assert "--home ~/.tool/settings" in options
    assert "--env MY_SERVICE_URL" in options
    assert done.json["n_withheld"] >= 1
    assert "hunter2" not in done.out + done.err
    shown = run("run", "--home", "~/.tool/settings", "--", "cat", str(home / ".tool/settings"))
    assert shown.out == "for the tool\n", shown.err
    text = run("run", "--", "sh", "-c", script).err
    assert "hidden from it, and named in its output: ~/.tool/settings" in text
    assert "hidden from it" not in run("run", "--", "sh", "-c", script + " | true").err


def test_settings_add_to_the_lists(run: Shell) -> None:
    config = run.state / "config/understudy"
    config.mkdir(parents=True)
    script = "cat ~/.tool/settings; echo [$MY_SERVICE_URL][$SET]"
    (run.folder / "understudy.toml").write_text('stage_home = [".tool"]\n')
    refused = run("run", "--", "true")
    assert refused.code == 125
    assert "stage_home" in refused.err
    assert run("trust").code == 0
    (run.folder / "understudy.toml").write_text(
        'stage_home = [".tool", "of/another/machine"]\nstage_env = ["MY_SERVICE_URL", "SET=1"]\n'
    )
    done = run("run", "--", "sh", "-c", script)
    assert done.out == "for the tool\n[service.example][1]\n", done.err
    (run.folder / "understudy.toml").write_text('stage_home = [".tol"]\n')
    assert "did you mean ~/.tool?" in run("run", "--", "true").err
    assert "did you mean ~/.tool?" in run("doctor").out
    (run.folder / "understudy.toml").write_text('stage_env = ["A B"]\n')
    assert "bad-setting" in run("run", "--", "true").err


def test_doctor_shows_what_is_in_force(run: Shell) -> None:
    lines = run("doctor").out.splitlines()
    told = {line.split()[1] + " " + line.split()[2]: line for line in lines if "stage" in line}
    assert "~/.cache/pip" in told["stage home"]
    assert ".ssh" not in told["stage home"]
    assert "/etc/passwd" in told["stage machine"]
    assert "MY_SERVICE_URL" in told["stage variables"]
