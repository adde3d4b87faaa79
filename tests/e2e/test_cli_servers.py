"""`understudy servers`: the list, one of them, and a proof that makes silence count."""

from __future__ import annotations

import json
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder, settings_text, write_user_settings
from tests.support.toy_proofs import TOYS

KIT = TOYS.parent / "data" / "toy_kit.toml"
PROFILE = {
    "group": "toy",
    "command": [sys.executable, "-S", str(TOYS / "traps.py"), "Right"],
    "files": {"*.txt": "plaintext"},
    "rule": "version",
    "scope": "project",
    "install": "it is here",
    "config_files": ["quiet.cfg"],
    "canary": {"plaintext": "BAD {token}"},
}
SETTINGS = "[servers.zuban.settings.zuban]\nmode = 'typed'\n"
PATCH = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-fine\n+fine, too\n"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(make_folder(tmp_path / "work", {"a.txt": "fine\n"}), tmp_path / "state")


def test_a_profile_is_put_right_and_proven_and_its_silence_counts_then(shell: Shell) -> None:
    write_user_settings(shell.state, "# mine\n" + settings_text({"toy": PROFILE}))
    listed = shell("servers", "list").out.splitlines()
    (line,) = [line for line in listed if line.startswith("toy ")]
    assert line.endswith("not proven for this version")
    asked = shell("check", "--no-host", "--server", "toy", "-", stdin=PATCH)
    assert (asked.code, "unproven-profile" in asked.out) == (3, True)

    proven = shell("servers", "prove", "toy", "--kit", KIT)
    assert proven.code == 0, proven.out
    assert 'config.toml: rule = "pull"' in proven.out
    assert "none wrong; the silence of toy counts now" in proven.out.splitlines()[-1]
    settings = (shell.state / "config" / "understudy" / "config.toml").read_text()
    assert settings == "# mine\n" + settings_text({"toy": {**PROFILE, "rule": "pull"}})

    shown = shell("servers", "show", "toy", "--format", "json").json
    assert (shown["standing"], shown["rule"], shown["proof"]["rule"]) == ("proven", "pull", "pull")
    asked = shell("check", "--no-host", "--server", "toy", "-", stdin=PATCH)
    assert asked.code == 0, asked.out


def test_a_profile_of_the_folder_is_not_written_to(shell: Shell, tmp_path: Path) -> None:
    text = settings_text({"toy": PROFILE})
    (shell.folder / "understudy.toml").write_text(text)
    assert shell("servers", "prove", "toy", "--kit", KIT).code == 2, "it is not trusted"
    export = tmp_path / "proof.json"
    found = shell(
        "servers", "prove", "toy", "--kit", KIT, "--trust", "--format", "json", "--export", export
    )
    assert found.code == 1
    assert found.json["changed"] == {"rule": "pull"}
    assert not found.json["proven"]
    assert [one["rule"] for one in found.json["tried"]] == ["pull"]
    assert (shell.folder / "understudy.toml").read_text() == text
    assert not export.exists()

    right = settings_text({"toy": {**PROFILE, "rule": "pull"}})
    (shell.folder / "understudy.toml").write_text(right)
    found = shell("servers", "prove", "toy", "--kit", KIT, "--trust", "--export", export)
    assert found.code == 0, found.out
    assert json.loads(export.read_text())["proofs"][0]["server"] == "toy"


@pytest.mark.parametrize(
    ("name", "kit", "says"),
    [
        ("nobody", None, "unknown-server: nobody: no profile has this name"),
        ("toy", None, "no-kit: toy: no kit for plaintext comes with us"),
        ("toy", "schema = 2\n", "bad-kit"),
        ("toy", "schema = 1\nlanguages = []\n", "missing"),
        ("mypy", None, "unsupported: mypy: it is a command"),
    ],
)
def test_bad_input_is_named(shell: Shell, name: str, kit: str | None, says: str) -> None:
    write_user_settings(shell.state, settings_text({"toy": PROFILE}))
    options = []
    if kit is not None:
        (shell.folder / "kit.toml").write_text(kit)
        options = ["--kit", "kit.toml"]
    done = shell("servers", "prove", name, *options)
    assert done.code == 2
    assert says in done.err


def test_a_server_that_is_right_by_no_rule_is_not_proven(shell: Shell) -> None:
    profile = {**PROFILE, "command": [*PROFILE["command"][:-1], "NoisyWhereFine"], "rule": "pull"}
    write_user_settings(shell.state, settings_text({"toy": profile}))
    done = shell("servers", "prove", "toy", "--kit", KIT)
    assert done.code == 1
    assert "not proven: no rule was right in every answer" in done.out
    assert shell("servers", "show", "toy", "--format", "json").json["standing"] == "unproven"


def test_a_catalogue_server_keeps_its_rule(shell: Shell) -> None:
    done = shell("servers", "prove", "ruff", "--format", "json")
    assert done.code == 0, done.out
    assert done.json["changed"] == {}
    (tried,) = done.json["tried"]
    assert (tried["rule"], tried["scope"], tried["wrong"]) == ("pull", "file", None)
    assert done.json["proof"]["asked"] >= 33


def test_one_of_ours_that_answers_wrong_is_believed_no_more(shell: Shell, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "zuban"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nexec {sys.executable} -S {TOYS / 'traps.py'} Silent\n")
    program.chmod(0o755)
    write_user_settings(shell.state, f'server_path = ["{program.parent}"]\n')
    (shell.folder / "a.py").write_text("fine\n")
    patch = PATCH.replace("a.txt", "a.py")
    own_kit = files("understudy.langserver.proven").joinpath("kits/python.toml")
    for settings, kit in (("", ["--kit", str(own_kit)]), (SETTINGS, [])):
        (shell.folder / "understudy.toml").write_text(settings)
        done = shell("servers", "prove", "zuban", "--trust", *kit)
        assert done.code == 1
        assert "asked with a kit or settings that are not ours" in done.out.splitlines()[-1]
        assert b"zuban" not in (shell.state / "understudy" / "proofs.json").read_bytes()
    (shell.folder / "understudy.toml").unlink()
    done = shell("servers", "prove", "zuban")
    assert done.code == 1
    assert "its silence is `unknown: unproven-profile` (zuban)" in done.out.splitlines()[-1]
    assert b"zuban" in (shell.state / "understudy" / "proofs.json").read_bytes()
    (line,) = [one for one in shell("servers", "list").out.splitlines() if one[:6] == "zuban "]
    assert line.endswith("; answered wrong when it was proven")
    kept = shell.state / "understudy" / "proofs.json"
    made = kept.read_text()
    kept.write_text(made.replace('"drilled": false', '"drilled": true'))
    assert "; answered wrong when it was drilled\n" in shell("servers", "list").out
    kept.write_text(made)
    shown = shell("servers", "show", "zuban", "--format", "json").json
    assert shown["refuted"].startswith("a new process, asked at once: us_one.py, edited: us_one.py")
    asked = shell("check", "--no-host", "--server", "zuban", "-", stdin=patch)
    assert asked.code == 3
    assert "unproven-profile: zuban found nothing, but in the version that" in asked.out
    program.write_text(program.read_text() + "# another version of it\n")
    (line,) = [one for one in shell("servers", "list").out.splitlines() if one[:6] == "zuban "]
    assert line.endswith("; ours, not tried with this version")
