"""A real VS Code workbench, served on loopback from a profile of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil

from tests.vscode.driver import SECONDS, Hub

SETTINGS = {
    "chat.commandCenter.enabled": False,
    "extensions.autoCheckUpdates": False,
    "extensions.autoUpdate": "off",
    "files.autoSave": "off",
    "files.hotExit": "off",  # else an unsaved buffer comes back in the next window
    "git.enabled": False,
    "npm.fetchOnlinePackageInfo": False,
    "telemetry.telemetryLevel": "off",
    "terminal.integrated.enablePersistentSessions": False,
    "update.mode": "none",
    "window.confirmBeforeClose": "never",
    "workbench.enableExperiments": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
}
"""Quiet, so that what a test sees is its own doing."""

SERVES = Path(__file__).with_suffix(".js")
"""What runs the server without a limit of its own."""

INSTALL_SECONDS = 900
"""Longest wait for an installation: it unpacks tens of megabytes, 7 s of work."""


@dataclass(frozen=True)
class Profile:
    """Everything that an editor remembers; nothing of the machine's user."""

    folder: Path
    programs: str
    """Search path with code-server and its Node.js."""
    search_path: str
    """What the login shell of the editor's user has."""
    extensions: Path
    """Where its extensions are installed; editors may share it."""

    @property
    def state(self) -> Path:
        """Understudy's state folder."""
        return self.folder / "understudy"

    def prepare(self, settings: Mapping[str, Any]) -> None:
        """Write the user's settings and a home whose login shell has the search path."""
        user = self.folder / "data" / "User"
        user.mkdir(parents=True)
        (user / "settings.json").write_text(json.dumps({**SETTINGS, **settings}, indent=2))
        home = self.folder / "home"
        home.mkdir()
        # The editor takes its environment from a login shell, not from its parent.
        (home / ".bash_profile").write_text(f"export PATH='{self.search_path}'\n")

    def install(self, *extensions: Path) -> None:
        """Install VSIX files."""
        options = [word for path in extensions for word in ("--install-extension", str(path))]
        done = subprocess.run(
            [*self._command(), *options],
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=INSTALL_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-2000:]

    @contextmanager
    def serve(self, hub: Hub) -> Iterator[str]:
        """Run the server; gives its address. It and all that it has started end with the block."""
        # In /tmp, as a socket's path must be short.
        with tempfile.TemporaryDirectory(prefix="us-") as short:
            options = ("--bind-addr", "127.0.0.1:0", "--session-socket", f"{short}/session")
            process = subprocess.Popen(
                [*self._command(SERVES), *options],
                env={**self.environment(), "UNDERSTUDY_TEST_DRIVER": str(hub.path)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
            log = _Log(process)
            try:
                yield log.address()
            finally:
                _end(process)
                log.join()

    def environment(self) -> dict[str, str]:
        """What the editor is started with."""
        folders = {
            "HOME": self.folder / "home",
            "XDG_CONFIG_HOME": self.folder / "config",
            "XDG_CACHE_HOME": self.folder / "cache",
            "XDG_DATA_HOME": self.folder / "share",
            "UNDERSTUDY_STATE_DIR": self.state,
            "UNDERSTUDY_CACHE_DIR": self.folder / "cache" / "understudy",
        }
        inherited = {name: os.environ[name] for name in ("LANG", "PATH") if name in os.environ}
        here = {name: str(path) for name, path in folders.items()}
        return {**inherited, **here, "SHELL": "/bin/bash"}

    def logs(self) -> list[Path]:
        """The extension's output channels, of every window there was."""
        return sorted(self.folder.glob("data/logs/**/*Understudy*.log"))

    def _command(self, *before: Path) -> Sequence[str]:
        program = Path(self._program("code-server")).resolve()
        return (
            *(self._program("node"), *map(str, (*before, program))),
            *("--auth", "none", "--disable-telemetry", "--disable-update-check"),
            *("--disable-getting-started-override", "--config", str(self.folder / "config.yaml")),
            *("--user-data-dir", str(self.folder / "data")),
            *("--extensions-dir", str(self.extensions)),
        )

    def _program(self, name: str) -> str:
        found = shutil.which(name, path=self.programs)
        assert found is not None, f"no {name} in {self.programs}; see tools/provision_editor.py"
        return found


class _Log(threading.Thread):
    """Reads what the server says, to the end, and finds the address in it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        super().__init__(name="code-server's log")
        assert process.stdout is not None
        self._output = process.stdout
        self._lines: list[str] = []
        self._address: str | None = None
        self._known = threading.Event()
        self.start()

    def run(self) -> None:
        with self._output:
            for line in self._output:
                self._lines.append(line)
                if found := re.search(r"listening on (http://127\.0\.0\.1:\d+)", line):
                    self._address = found[1]
                    self._known.set()
        self._known.set()

    def address(self) -> str:
        """Where the server is, as soon as it says so."""
        self._known.wait(SECONDS)
        assert self._address is not None, "".join(self._lines)[-2000:]
        return self._address


def address_of_folder(server: str, folder: Path) -> str:
    """Where the browser finds a folder's window."""
    return f"{server}/?folder={quote(str(folder))}"


def _end(process: subprocess.Popen[str]) -> None:
    """End the server and all that it has started; it would wait for its windows to come back."""
    below = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
    for one in below:
        with suppress(psutil.NoSuchProcess):
            one.terminate()
    process.terminate()
    _, alive = psutil.wait_procs(below, timeout=5)
    for one in alive:
        with suppress(psutil.NoSuchProcess):
            one.kill()
    psutil.wait_procs(alive, timeout=10)
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(10)
