"""A recorded shell on a pty, typed into as a user does, and what its log says."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.programs import program, running_below
from tests.support.terminals import LIMIT_S, OnPty
from understudy.terminal.log.folder import log_of, logs
from understudy.terminal.log.spans import lines_of, of_ended

PROGRAM = (sys.executable, "-m", "understudy")
IN_CI = bool(os.environ.get("CI"))
PROMPT = "ready>"
_RC = {
    "bash": (".bashrc", f"PS1='{PROMPT} '\n"),
    "zsh": (".zshrc", f"PS1='{PROMPT} '\n"),
    "fish": (
        ".config/fish/config.fish",
        f"function fish_prompt; echo -n '{PROMPT} '; end\nset -g fish_greeting\n",
    ),
}


def shell_parameter(name: str) -> Any:
    """A shell for a test; one that is missing fails in CI, and is left out elsewhere."""
    missing = shutil.which(name) is None and not IN_CI
    reason = f"no {name} here; `make servers` as root installs it"
    return pytest.param(name, marks=pytest.mark.skipif(missing, reason=reason))


SHELLS = [shell_parameter(name) for name in ("bash", "zsh", "fish")]


class RecordedTerminal(OnPty):
    """`understudy record` on a pty; its log may lag behind its end, and is waited for."""

    def __init__(
        self,
        command: Sequence[str],
        cwd: Path,
        environment: Mapping[str, str],
        program: Sequence[str] = PROGRAM,
        **more: Any,
    ) -> None:
        super().__init__([*program, "record", *command], cwd, environment, **more)
        self._state = Path(environment["UNDERSTUDY_STATE_DIR"])

    def finish(self) -> bytes:
        """Read to the end of the program, and wait until nobody writes its log any more."""
        seen = super().finish()
        self.wait_for_log()
        return seen

    def wait_for_log(self) -> None:
        end = time.monotonic() + LIMIT_S
        while any(
            log.is_running and log.header.get("pid") == self.pid
            for folder in self._state.glob("workspaces/*/terminals")
            for log in logs(folder)
        ):
            assert time.monotonic() < end, "the log has not come to its end"
            os.sched_yield()


class RecordedShell:
    """One session; `start` begins it, `run` types a line and waits for the next prompt."""

    def __init__(self, folder: Path, shell: str, **environment: str) -> None:
        self.folder = folder
        self.root = folder / "work"
        self.cwd = self.root
        self.state = folder / "state"
        self.home = folder / "home"
        self.root.mkdir(exist_ok=True)
        name, text = _RC[shell]
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        # Without it fish reads all manual pages in the background, once a home: half a minute each.
        (self.home / ".local/share/fish/generated_completions").mkdir(parents=True, exist_ok=True)
        self.environment = {
            "HOME": str(self.home),
            "SHELL": shutil.which(shell) or shell,
            "UNDERSTUDY_STATE_DIR": str(self.state),
            **environment,
        }
        self.pid = "$fish_pid" if shell == "fish" else "$$"
        """How the shell itself calls its process."""
        self._at = 0

    def start(
        self,
        *options: str,
        consent: bool = True,
        waits: bool = True,
        before: Callable[[], None] | None = None,
        program: Sequence[str] = PROGRAM,
    ) -> OnPty:
        """Start the recorder, and wait for the first prompt; `before` is called in its process."""
        yes = ["--yes"] if consent else []
        command = [*yes, *options]
        self.terminal = RecordedTerminal(
            command, self.cwd, self.environment, program, before=before
        )
        if consent and waits:
            self.wait_for_prompt()
        return self.terminal

    def run(self, line: str) -> None:
        """Type a line, and wait until the shell prompts again."""
        self._at = len(self.terminal.seen)
        self.terminal.type(line + "\r")
        self.wait_for_prompt()

    def type(self, line: str) -> None:
        self._at = len(self.terminal.seen)
        self.terminal.type(line + "\r")

    def wait_for_prompt(self) -> None:
        # Shells draw their line anew while it is typed; a prompt behind a line's start is new.
        self._at = self.terminal.wait_for(PROMPT.encode(), self._skip_echo())

    def _skip_echo(self) -> int:
        """Behind the end mark of a command that was typed, if one was."""
        if self._at == 0:
            return 0
        return self.terminal.wait_for(b";D;", self._at)

    def leave(self, line: str = "exit") -> bytes:
        self.type(line)
        return self.terminal.finish()

    @property
    def logs(self) -> Path:
        (folder,) = self.state.glob("workspaces/*/terminals")
        return folder

    def log(self, name: str = "1") -> str:
        return (self.logs / f"{name}.txt").read_text()

    def commands(self, name: str = "1") -> list[dict[str, Any]]:
        return [entry for _, entry in log_of(self.logs, name).ended]

    def output(self, entry: dict[str, Any]) -> list[str]:
        """The lines of a record, between its marks."""
        log = log_of(self.logs, "1")
        (path,) = (path for path, one in log.ended if one == entry)
        lines, _ = lines_of(of_ended(log, path, entry))
        going_on = ("#|   goes on", f"#| {entry['id']} start=")  # from one file to the next
        return [line for line in lines[1:-1] if not line.startswith(going_on)]

    def wait_for_foreground(self, name: str) -> None:
        """Wait until a program of that name has the shell's terminal: keys reach it then."""

        def has_it(_text: str) -> bool:
            below = running_below(self.terminal.pid)
            return any(_is_in_foreground(pid) for pid in below if below[pid] == name)

        self.wait_until(has_it)

    def end(self) -> None:
        """Nothing of it is left, however far it came."""
        if hasattr(self, "terminal"):
            for pid in running_below(self.terminal.pid) if program(self.terminal.pid) else ():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def wait_until(self, has: Any) -> None:
        """Wait until the log is as it should be."""
        end = time.monotonic() + LIMIT_S
        while not has(self.log()):
            assert time.monotonic() < end, self.log()
            os.sched_yield()

    def ask(self, *arguments: str) -> dict[str, Any]:
        """What `understudy terminals` answers in the session's folder."""
        done = subprocess.run(
            [*PROGRAM, "terminals", *arguments, "--format", "json"],
            cwd=self.root, env={**os.environ, **self.environment},
            capture_output=True, text=True, timeout=LIMIT_S, check=False,
        )  # fmt: skip
        return {**json.loads(done.stdout), "returned": done.returncode}


def _is_in_foreground(pid: int) -> bool:
    """Whether it goes on, and its group is the one that its terminal sends keys to (proc(5))."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return False
    state, _parent, group, _session, _terminal, foreground = fields[:6]
    return state not in "TtZ" and group == foreground
