"""What a change can reach, as JSON and as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from understudy.app.check.affected import AffectedFiles
from understudy.values.printable import printable

_SHOWN_NAMES = 4


def affected_json(found: AffectedFiles) -> dict[str, Any]:
    """The files, nearest first, with the names and the way that lead to each."""
    return {
        "files": [
            {
                "path": file.path,
                "distance": file.distance,
                "names": list(file.names),
                "via": list(file.via),
            }
            for file in found.files
        ],
        "compared": found.revision,
    }


def affected_text(found: dict[str, Any]) -> str:
    """One file a line: its distance, its path, the names that it takes and from where."""
    files: Sequence[dict[str, Any]] = found["files"]
    width = max((len(printable(file["path"])) for file in files), default=0)
    lines = (f"{file['distance']:>3}  {_line(file, width)}".rstrip() for file in files)
    return "".join(f"{line}\n" for line in (*lines, *_counts(files)))


def _line(file: dict[str, Any], width: int) -> str:
    names: list[str] = file["names"]
    shown = ", ".join(names[:_SHOWN_NAMES]) + (", ..." if len(names) > _SHOWN_NAMES else "")
    way = f"from {file['via'][-1]}" if file["via"] else ""
    if file["distance"] == 0:
        shown = "edited"
    return f"{printable(file['path']):<{width}}  {printable('  '.join(filter(None, (shown, way))))}"


def _counts(files: Sequence[dict[str, Any]]) -> Iterator[str]:
    n_edited = sum(file["distance"] == 0 for file in files)
    n_near = sum(file["distance"] == 1 for file in files)
    yield f"{n_edited} edited, {n_near} that use them, {len(files) - n_edited - n_near} farther"
