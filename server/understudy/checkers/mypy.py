"""`mypy --output json`: a JSON object a line (mypy's documentation, "Command line").

mypy tells mistakes in its configuration on stderr, and goes on without these settings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from understudy.checkers.model import MAX_UNREAD, SEVERITIES, OutputReading, Remark

_CONFIGURATION = re.compile(r"(?P<path>[^:]+\.(?:ini|toml|cfg)): (?P<message>\S.*)")
_OF_A_CRASH = ("Traceback ", "INTERNAL ERROR")
_ENDING = (None, "syntax", "configuration")
"""Codes of the errors after which mypy ends; those about modules have no code."""
_HARMLESS = re.compile(r"Warning: unused section\(s\) .*")


def read_mypy(stdout: str, stderr: str) -> OutputReading:
    """Read every line; notes are kept, as they belong to the errors before them."""
    remarks: list[Remark] = []
    unread: list[str] = []
    _read_stderr(stderr, remarks, unread)
    for line in stdout.splitlines():
        if not line.strip():
            continue
        remark = _remark(line)
        if remark is None:
            unread.append(line)
        else:
            remarks.append(remark)
    return OutputReading(tuple(remarks), unread=tuple(unread[:MAX_UNREAD]))


def blocker(remarks: Sequence[Remark]) -> Remark | None:
    """The error that mypy ended at: those before it, which it also prints, ended nothing."""
    errors = [remark for remark in remarks if remark.severity == "error"]
    ending = [remark for remark in errors if remark.code in _ENDING]
    return next(iter(ending or errors[-1:]), None)


def _read_stderr(text: str, remarks: list[Remark], unread: list[str]) -> None:
    """What is wrong with the configuration, in lines of its own or, where it ends mypy, in JSON."""
    start = (0, 0)
    for line in text.splitlines():
        if (remark := _remark(line)) is not None:
            remarks.append(remark)
        elif found := _CONFIGURATION.fullmatch(line):
            message = found["message"]
            remarks.append(Remark(found["path"], start, start, "error", "configuration", message))
        elif remarks and line.strip() and not line.startswith(_OF_A_CRASH):  # the rest of it
            remarks[-1] = replace(remarks[-1], message=f"{remarks[-1].message}\n{line}")
        elif line.strip() and not _HARMLESS.fullmatch(line):
            unread.append(line)


def _remark(line: str) -> Remark | None:
    try:
        item: Any = json.loads(line)
    except ValueError:
        return None
    if not isinstance(item, dict):
        return None
    fields = cast("dict[str, Any]", item)
    path, message = fields.get("file"), fields.get("message")
    severity = SEVERITIES.get(str(fields.get("severity")))
    numbers = [fields.get(key) for key in ("line", "column", "end_line", "end_column")]
    if not isinstance(path, str) or not isinstance(message, str) or severity is None:
        return None
    if not isinstance(numbers[0], int):
        return None
    known = [number if isinstance(number, int) else None for number in numbers]
    start = (max((known[0] or 1) - 1, 0), max(known[1] or 0, 0))
    end = ((known[2] or start[0] + 1) - 1, known[3] if known[3] is not None else start[1])
    hint = fields.get("hint")
    text = f"{message}\n{hint}" if isinstance(hint, str) and hint else message
    code = fields.get("code")
    return Remark(path, start, max(start, end), severity, code if code else None, text)
