"""How a shell is started so that it marks its commands: with scripts of ours around the user's."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from pathlib import Path

from understudy.values.frozen import frozen

SCRIPTS = Path(__file__).parent / "shell"
MARKING = ("bash", "zsh", "fish")
"""The shells that we have scripts for."""


@frozen
class ShellStart:
    """A program to start on a recorded terminal; None takes a variable away."""

    argv: Sequence[str]
    environment: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])
    nonce: str | None = None
    """What its marks carry; None: it makes none."""

    nonce_file: Path | None = None
    """Holds the nonce until the shell has read it."""

    def forget(self) -> None:
        """Remove the file of the nonce: the shell has read it, or never will."""
        if self.nonce_file is not None:
            with suppress(OSError):  # gone with its folder
                self.nonce_file.unlink(missing_ok=True)


def plain(shell: str, *, login: bool) -> ShellStart:
    """A shell as it is."""
    return ShellStart([shell, "-l"] if login else [shell])


def marking(shell: str, folder: Path, *, login: bool, editor_scripts: Path | None) -> ShellStart:
    """A shell that marks its commands, or as it is where we have no script for it.

    `folder` is a private one for the nonce's file; `editor_scripts` the folder of the editor's own
    shell integration, which stays active behind ours. Raises OSError.
    """
    name = Path(shell).name
    if name not in MARKING:
        return plain(shell, login=login)
    nonce = secrets.token_hex(16)
    descriptor, path = tempfile.mkstemp(prefix=".nonce-", dir=folder)  # for this user alone
    with os.fdopen(descriptor, "w") as file:
        file.write(nonce + "\n")
    environment: dict[str, str | None] = {
        "UNDERSTUDY_NONCE_FILE": path,
        "UNDERSTUDY_EDITOR_SCRIPTS": None if editor_scripts is None else str(editor_scripts),
        "VSCODE_INJECTION": None,  # would have the editor's script read the user's files once more
    }
    argv = [shell]
    if name == "bash":
        argv += ["--init-file", str(SCRIPTS / "bash.sh"), "-i"]
        environment["UNDERSTUDY_LOGIN"] = "1" if login else None
    elif name == "zsh":
        argv += ["-l", "-i"] if login else ["-i"]
        environment["UNDERSTUDY_ZDOTDIR"] = os.environ.get("ZDOTDIR")
        environment["ZDOTDIR"] = str(SCRIPTS / "zsh")
    else:
        argv += ["-l"] if login else []
        argv += ["-i", "--init-command", f"source {_fish_quoted(SCRIPTS / 'fish.fish')}"]
    return ShellStart(argv, environment, nonce, Path(path))


def _fish_quoted(path: Path) -> str:
    escaped = str(path).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
