"""How a command is asked of a stage's first process, and what it means if that cannot start it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from understudy.stage.channel import Message
from understudy.stage.inside.packets import decode
from understudy.stage.model import Command, StageLimits
from understudy.stage.shown.variables import passed
from understudy.values.errors import BadInput, OutsideFailure, UnderstudyError


def start_request(
    root: Path, command: Command, changes: Mapping[str, str | None], named: Iterable[str]
) -> Message:
    """The request, with `changes` over the variables that pass; raises BadInput."""
    if not command.argv or not command.argv[0]:
        raise BadInput("no-command", "there is no command to run")
    cwd = os.path.normpath(root / command.cwd)
    if not Path(cwd).is_relative_to(root):
        raise BadInput("outside-root", "commands run inside the folder", command.cwd)
    own = os.environ if command.environ is None else command.environ
    env = {**passed(own, changes, named), "PWD": cwd}
    parts = [cwd, *command.argv, *env, *env.values()]
    if any("\0" in part for part in parts) or any(not n or "=" in n for n in env):
        text = "a NUL character, or a variable whose name is empty or has a '='"
        raise BadInput("bad-command", text, command.argv[0])
    return {
        "do": "start",
        "argv": [portable(part) for part in command.argv],
        "env": {portable(name): portable(value) for name, value in env.items()},
        "cwd": portable(cwd),
    }


def limits_of(limits: StageLimits) -> Message:
    """The limits that the kernel holds for each process of a command."""
    return {"cpu": limits.cpu, "memory": limits.memory}


def start_failure(command: Command, reply: Message) -> UnderstudyError:
    """The named error for a command that the first process could not start."""
    name, number, text = command.argv[0], reply["errno"], reply["text"]
    if reply["failed"] == "folder":
        return BadInput("no-such-folder", f"cannot run there: {text}", command.cwd)
    if reply["failed"] == "execute":
        if number in (errno.ENOENT, errno.ENOTDIR):
            return OutsideFailure("command-not-found", "there is no such command", name)
        if number in (errno.EACCES, errno.ENOEXEC, errno.EISDIR, errno.EPERM):
            return OutsideFailure("command-not-executable", f"cannot be executed: {text}", name)
    return OutsideFailure("cannot-start", f"cannot be started on the stage: {text}", name)


def portable(text: str) -> str:
    """A text as it goes to a helper; raises BadInput `bad-command` where it cannot."""
    try:
        return decode(os.fsencode(text))
    except UnicodeEncodeError as error:
        shown = ascii(text)[1:-1]
        raise BadInput("bad-command", "no argument can hold this character", shown) from error
