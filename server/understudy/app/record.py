"""The verb `record`: a command runs in the user's terminal, and its output becomes a file."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

from understudy.disk.layout import make_private_folder, workspace_layout
from understudy.terminal import log_folder
from understudy.terminal.log_file import LogFile
from understudy.terminal.log_header import Header
from understudy.values.errors import BadInput
from understudy.values.paths import Root


def open_log(folder: Path, command: Sequence[str]) -> LogFile:
    """Make the log of a command that is about to run below the folder's state.

    Raises BadInput without a command, OutsideFailure `state-unwritable` where it cannot be made.
    """
    if not command:
        raise BadInput("no-command", "give the command to record after `--`")
    logs = workspace_layout(Root.open(folder)).folder / "terminals"
    make_private_folder(logs)
    text = shlex.join(command)
    header = Header(
        pid=os.getpid(), cwd=str(Path.cwd()), shell="", status="running",
        active_command=None, last_command=None, last_exit_code=None, note="full",
    )  # fmt: skip
    log = log_folder.create(logs, lambda name: LogFile(logs, name, header))
    started = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    log.begin(text, str(Path.cwd()), started)
    return log


def record(command: Sequence[str], log: LogFile | None) -> int:
    """Run the command here, recorded if there is a log; returns its exit code."""
    from understudy.terminal import recorder  # noqa: PLC0415 - POSIX alone has terminals like this

    return recorder.record(command, log)
