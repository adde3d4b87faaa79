"""The first ten lines of a terminal's log: fixed in size, so that they can change in place."""

from __future__ import annotations

import json
import re

from understudy.values.frozen import frozen

SIZE = 1024
"""Bytes; ten lines with their ends, so that `head -n 10` shows exactly the header."""

KIND = "--- # understudy-terminal "
FIRST_LINE = f"{KIND}2"
"""The number is that of the form. 1: a command lay in one file, without its middle if it was long;
it is read as it was."""
_READ = (f"{KIND}1", FIRST_LINE)
_FACT = re.compile(r" (record|settled)=(\d+)")
_LINE = 100
_N_VALUES = 8


@frozen
class Header:
    """What is known of a terminal now; every text is shown quoted as in JSON."""

    pid: int
    cwd: str
    shell: str
    status: str
    """running, idle or closed."""
    active_command: str | None
    last_command: str | None
    last_exit_code: int | None
    note: str
    """Capture grade and whatever is missing, as `key=value` words."""
    record: int = 0
    """The number of the command that runs, or ran last."""


def render(header: Header, settled: int = SIZE) -> bytes:
    """The ten lines, exactly `SIZE` bytes; what is too long for its line is cut and says so.

    `settled`: so many bytes of the file, at least, never change again.
    """
    lines = [
        f"{FIRST_LINE} record={header.record} settled={settled}",
        f"pid: {header.pid}",
        _quoted("cwd", header.cwd),
        _quoted("shell", header.shell),
        f"status: {header.status}",
        _quoted("active_command", header.active_command),
        _quoted("last_command", header.last_command),
        f"last_exit_code: {json.dumps(header.last_exit_code)}",
        f"capture: {header.note}",
    ]
    head = "".join(f"{line[:_LINE]:{_LINE}}\n" for line in lines).encode("ascii", "replace")
    return head + b"---".ljust(SIZE - len(head) - 1) + b"\n"


def parse(block: bytes) -> dict[str, str | int | None]:
    """The values of a header; empty for a file that has none."""
    text = block[:SIZE].decode("ascii", "replace")
    first = text.split("\n", 1)[0].rstrip()
    if _FACT.sub("", first) not in _READ:
        return {}
    values: dict[str, str | int | None] = {key: int(value) for key, value in _FACT.findall(first)}
    for line in text.split("\n")[1:9]:
        key, _, raw = line.rstrip().partition(": ")
        try:
            values[key] = json.loads(raw)
        except ValueError:
            values[key] = raw
    return values


def _quoted(key: str, value: str | None) -> str:
    """A line with a JSON string that fits; a cut one ends in three dots."""
    if value is None:
        return f"{key}: null"
    room = _LINE - len(key) - 2
    text = json.dumps(value)
    while len(text) > room:
        excess = max((len(text) - room) // 6, 1)
        value = value.removesuffix("...")[: -excess - 3] + "..."
        text = json.dumps(value)
    return f"{key}: {text}"
