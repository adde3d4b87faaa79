"""`understudy servers add` and `remove`, with the real pip and npm and packages of toys."""

from __future__ import annotations

import os
import shutil
import signal
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import (
    UNDERSTUDY,
    child_environment,
    make_folder,
    settings_text,
    write_user_settings,
)
from tests.support.registries import make_wheel, npm_registry, of_wheels
from tests.support.servers import environment
from tests.support.terminals import OnPty
from tests.support.toy_proofs import TOYS

pytestmark = pytest.mark.ring

KIT = TOYS.parent / "data" / "toy_kit.toml"
PROFILE = {
    "group": "toy",
    "command": ["toy-server", "Right"],
    "files": {"*.txt": "plaintext"},
    "rule": "pull",
    "scope": "project",
    "packages": ["pip toy-server"],
    "config_files": ["quiet.cfg"],
}
PATCH = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-fine\n+fine, too\n"
PLAIN_PATH = os.pathsep.join(("/usr/local/bin", "/usr/bin", "/bin"))
"""Without the servers of the tests."""
SECONDS = 60.0


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Wheels of toys; one has the name of a server that we know, and answers nothing."""
    folder = tmp_path_factory.mktemp("wheels")
    make_wheel(folder, "toy-server", "1.2.3", "Right", "toy-server")
    make_wheel(folder, "toy-other", "1.0.0", "Right", "toy-of-another-name")
    make_wheel(folder, "zuban", "0.10.2", "Silent", "zuban")
    return folder


@pytest.fixture
def shell(tmp_path: Path, wheels: Path) -> Shell:
    write_user_settings(tmp_path / "state", settings_text({"toy": PROFILE}))
    folder = make_folder(tmp_path / "work", {"a.txt": "fine\n"})
    return Shell(folder, tmp_path / "state", {**of_wheels(wheels), "PATH": PLAIN_PATH})


def left(shell: Shell) -> list[str]:
    """What lies in our state, but for proofs, locks and what hosts keep."""
    state = shell.state / "understudy"
    found = {path.name for path in state.iterdir()}
    return sorted(found - {"proofs.json", "proofs.lock", "servers.lock", "workspaces"})


def test_a_server_is_added_proven_asked_and_removed(shell: Shell) -> None:
    refused = shell("servers", "add", "toy")
    assert refused.code == 2
    assert "not-agreed: toy: it would run `pip install toy-server` into" in refused.err
    assert left(shell) == []
    asked = shell("check", "--no-host", "--server", "toy", "-", stdin=PATCH)
    assert (asked.code, "`understudy servers add toy` does it" in asked.out) == (3, True)

    code, said = at_a_terminal(shell, "n\n", "servers", "add", "toy")
    assert code == 2
    assert left(shell) == []
    code, said = at_a_terminal(shell, "y\n", "servers", "add", "toy", "--kit", str(KIT))
    assert code == 0, said
    assert "toy: pip install toy-server" in said
    assert "Download and install it? [y/N]" in said
    assert "installed: pip install toy-server" in said
    assert "none wrong; the silence of toy counts now" in said
    shown = shell("servers", "show", "toy", "--format", "json").json
    assert (shown["version"], shown["standing"]) == ("1.2.3", "proven")
    assert Path(shown["added"]).parent == shell.state / "understudy" / "programs"
    assert shown["command"][0].startswith(shown["added"])
    (line,) = [one for one in shell("servers", "list").out.splitlines() if one[:4] == "toy "]
    assert line.endswith("installed (1.2.3, added); proven with 1.2.3")
    assert "added by `understudy servers add`" in shell("doctor").out
    asked = shell("check", "--no-host", "--server", "toy", "-", stdin=PATCH)
    assert asked.code == 0, asked.out

    again = shell("servers", "add", "toy", "--format", "json")
    assert (again.code, again.json["there"]) == (0, f"{shown['added']} (added before)")
    assert sorted(path.name for path in shell.folder.iterdir()) == ["a.txt"]
    assert shell("servers", "remove", "toy").out == "removed: toy\n"
    assert left(shell) == []
    assert shell("servers", "remove", "toy").code == 2
    assert shell("check", "--no-host", "--server", "toy", "-", stdin=PATCH).code == 3


def test_one_of_ours_that_answers_wrong_is_taken_away_again(shell: Shell) -> None:
    done = shell("servers", "add", "zuban", "--yes")
    assert done.code == 1, done.out + done.err
    assert "pip install zuban==0.10.2" in shell("servers", "add", "zuban").err, "as it was proven"
    assert done.out.splitlines()[-1] == "zuban answers wrong, so it was taken away again"
    assert left(shell) == []


@pytest.mark.parametrize(
    ("change", "environ", "code", "says"),
    [
        ({"packages": ["pip nobody-has-this"]}, {}, 4, "install-failed: toy: pip install nobody"),
        ({"packages": ["pip toy-other"]}, {}, 4, "brought no program toy-server"),
        ({"packages": ["npm toy"]}, {"PATH": "/nowhere"}, 4, "npm is needed for it"),
        ({"packages": ["apt toy"]}, {}, 2, "unsupported: toy: nothing of ours can install it: apt"),
    ],
)
def test_what_cannot_be_installed_leaves_nothing(
    shell: Shell, change: dict[str, Any], environ: Mapping[str, str], code: int, says: str
) -> None:
    write_user_settings(shell.state, settings_text({"toy": {**PROFILE, **change}}))
    changed = Shell(shell.folder, shell.state, {**shell.environ, **environ})
    done = changed("servers", "add", "toy", "--yes")
    assert done.code == code, done.err
    assert says in done.err
    assert left(shell) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_one_that_is_ended_in_the_middle_leaves_nothing_that_counts(
    shell: Shell, number: signal.Signals
) -> None:
    """The registry never answers, so that the middle lasts."""
    with socket.create_server(("127.0.0.1", 0)) as registry:
        index = f"http://127.0.0.1:{registry.getsockname()[1]}/simple"
        waits = {"PIP_NO_INDEX": "0", "PIP_INDEX_URL": index, "PIP_RETRIES": "0"}
        slow = Shell(shell.folder, shell.state, {**shell.environ, **waits})
        running = slow.start("servers", "add", "toy", "--yes")
        registry.settimeout(SECONDS)
        asked, _ = registry.accept()
        with asked:
            if number == signal.SIGKILL:
                busy = shell("servers", "add", "toy", "--yes")
                assert (busy.code, "busy: " in busy.err) == (4, True)
            running.send_signal(number)
            running.communicate(timeout=SECONDS)
    listed = shell("servers", "list", "--all").out
    (line,) = [one for one in listed.splitlines() if one.startswith("toy ")]
    assert "toy is not installed" in line
    if number == signal.SIGKILL:
        assert left(shell) == ["programs", "servers"]
        assert shell("servers", "remove", "toy").code == 2
    assert left(shell) == []


def test_npm_installs_and_runs_nothing_of_the_package(shell: Shell, tmp_path: Path) -> None:
    """It is proven in a folder of ours, so that nobody has to trust this one for it."""
    toy = {**PROFILE, "packages": ["npm toy-server"], "executes_workspace_code": True}
    write_user_settings(shell.state, settings_text({"toy": toy}))
    marker = tmp_path / "the install script ran"
    with npm_registry("toy-server", "3.4.5", marker) as environ:
        asking = Shell(shell.folder, shell.state, {**shell.environ, **environ, **with_node()})
        added = asking("servers", "add", "toy", "--yes", "--kit", KIT)
    assert added.code == 0, added.out + added.err
    shown = asking("servers", "show", "toy", "--trust", "--format", "json").json
    assert (shown["version"], shown["standing"]) == ("3.4.5", "proven")
    assert not marker.exists()
    assert asking("servers", "remove", "toy").code == 0
    assert left(shell) == []


def with_node() -> dict[str, str]:
    """A search path with npm and Node.js, and none of the tests' servers."""
    npm = shutil.which("npm", path=environment()["PATH"])
    assert npm is not None
    return {"PATH": os.pathsep.join((str(Path(npm).parent), PLAIN_PATH))}


def at_a_terminal(shell: Shell, typed: str, *arguments: str) -> tuple[int, str]:
    """What a command that runs at a terminal ends with, and all that it shows."""
    environ = {**child_environment(shell.state), **shell.environ}
    terminal = OnPty([*UNDERSTUDY, *arguments], shell.folder, environ)
    terminal.wait_for(b"[y/N]")
    terminal.type(typed)
    while terminal.read_some():
        pass  # an installation is silent for long, and takes longer than what is to come next
    shown = terminal.finish()
    return terminal.status, shown.decode()
