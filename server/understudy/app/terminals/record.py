"""The verb `record`: a command or a shell runs in the user's terminal, and becomes a file.

Whatever is wrong with the recording, the program runs.
"""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from understudy.disk.layout import make_private_folder, workspace_layout
from understudy.disk.recording_consent import consent, set_consent
from understudy.disk.room import refusal_of, state_failure
from understudy.disk.trust import is_trusted
from understudy.terminal.log import folder as log_folder
from understudy.terminal.log import rotation as log_rotation
from understudy.terminal.log.file import LogFile
from understudy.terminal.log.header import Header
from understudy.terminal.log.session import time_text
from understudy.terminal.recorded import TERMINAL_VARIABLE
from understudy.terminal.secrets import redaction
from understudy.terminal.secrets.rules import literal_rule, own_rule
from understudy.terminal.shells import ShellStart, marking, plain
from understudy.values.errors import BadInput, OutsideFailure, Refused
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.workspace import settings as settings_files
from understudy.workspace.settings import Settings

if TYPE_CHECKING:
    from understudy.terminal.secrets.rules import Rule


@frozen
class Shell:
    """The shell to record; `editor_scripts` is where an editor keeps its own integration."""

    path: str
    login: bool = False
    editor_scripts: Path | None = None


def logs_folder(folder: Path) -> Path:
    """Where a workspace's logs are to be made; the folder is private."""
    logs = workspace_layout(Root.open(folder)).terminals
    make_private_folder(logs)
    return logs


def open_log(folder: Path, command: Sequence[str]) -> LogFile:
    """Make the log of a command that is about to run below the folder's state.

    Raises BadInput without a command, OutsideFailure `state-full`, `state-unwritable` where it
    cannot be made.
    """
    if not command or not command[0]:
        raise BadInput("no-command", "give the command to record after `--`")
    log = _create(folder, _settings(folder), shell="")
    log.begin(redaction.plain(shlex.join(command)), os.getcwd(), time_text(time.time()))  # noqa: PTH109 - a text
    return log


def record_command(command: Sequence[str], log: LogFile | None) -> int:
    """Run the command here, recorded if there is a log; returns its exit code."""
    return _record(ShellStart(command), log)


def open_shell(folder: Path, shell: Shell) -> tuple[ShellStart, LogFile]:
    """Make the log of a shell that is about to run, and what starts the shell so that it is full.

    Raises Refused `not-agreed` and `switched-off`, OutsideFailure `state-unwritable`, and BadInput.
    """
    if consent() is not True:
        text = "you have not agreed to it; `understudy terminals record --yes` does"
        raise Refused("not-agreed", text)
    settings = _settings(folder)
    if not settings.terminal_recording:
        raise Refused("switched-off", "the setting `terminal_recording` says so")
    logs = logs_folder(folder)
    try:
        start = marking(shell.path, logs, login=shell.login, editor_scripts=shell.editor_scripts)
    except OSError as error:
        text = f"cannot write into our state folder: {error.strerror}"
        raise OutsideFailure("state-unwritable", text, str(logs)) from error
    extra = () if start.nonce is None else (literal_rule("nonce", start.nonce),)
    log = _create(folder, settings, shell.path, extra)
    if start.nonce is None:
        log.begin(redaction.plain(shlex.join(start.argv)), os.getcwd(), time_text(time.time()))  # noqa: PTH109
    else:
        log.say("marks", "marks=none")
    return start, log


def record_shell(start: ShellStart, log: LogFile) -> int:
    """Run the shell here and record it; returns its exit code."""
    return _record(start, log)


def run_unrecorded(shell: Shell) -> None:
    """Become the shell, as it would be without us; raises OSError where it cannot be executed."""
    start = plain(shell.path, login=shell.login)
    os.execvp(start.argv[0], list(start.argv))  # noqa: S606 - the user's own shell


def is_recorded_already() -> bool:
    """Whether this very terminal is one of a recorder's."""
    try:
        return os.ttyname(0) == os.environ.get(TERMINAL_VARIABLE)
    except OSError:  # not a terminal
        return False


def is_asked() -> bool:
    """Whether the user has said yes or no to the recording of shells."""
    return consent() is not None


def agree(yes: bool) -> None:
    """Keep the user's answer; raises OutsideFailure `state-unwritable`."""
    set_consent(yes)


def _record(start: ShellStart, log: LogFile | None) -> int:
    from understudy.terminal import recorder  # noqa: PLC0415 - POSIX alone has terminals like this

    return recorder.record(start, log)


def _create(folder: Path, settings: Settings, shell: str, rules: Sequence[Rule] = ()) -> LogFile:
    logs = logs_folder(folder)
    own = [own_rule(pattern) for pattern in settings.terminal_redact]
    header = Header(
        pid=os.getpid(), cwd=os.getcwd(), shell=shell, status="idle",  # noqa: PTH109 - a text
        active_command=None, last_command=None, last_exit_code=None, note="full",
    )  # fmt: skip
    room = log_folder.Room(
        settings.terminal_logs, settings.terminal_mb * 1_000_000, settings.terminal_days * 86_400
    )
    kept = room.of_one(settings.terminal_record_mb * 1_000_000)
    log = log_folder.create(
        logs, lambda name: LogFile(logs, name, header, (*own, *rules), kept_bytes=kept), room
    )
    refusal = None if log.failure is None else refusal_of(logs)
    if refusal is not None:  # an empty file still had room
        log.close()
        log_rotation.remove(log.path)
        raise state_failure(refusal, log.path)
    return log


def _settings(folder: Path) -> Settings:
    root = Root.open(folder)
    return settings_files.load(root, trusted=is_trusted(root))
