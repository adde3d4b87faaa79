"""`mypy --output json`: a JSON object a line (mypy's documentation, "Command line")."""

from __future__ import annotations

import json
from typing import Any, cast

from understudy.checkers.model import MAX_UNREAD, SEVERITIES, Reading, Remark


def read_mypy(text: str) -> Reading:
    """Read every line; notes are kept, as they belong to the errors before them."""
    remarks: list[Remark] = []
    unread: list[str] = []
    for line in text.splitlines():
        if not line.strip():
            continue
        remark = _remark(line)
        if remark is None:
            unread.append(line)
        else:
            remarks.append(remark)
    return Reading(tuple(remarks), unread=tuple(unread[:MAX_UNREAD]))


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
