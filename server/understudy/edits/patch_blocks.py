"""The `*** Begin Patch` form that some agents write instead of a diff."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from understudy.edits.hunks import starts_file
from understudy.edits.patch import DiffLine, FilePatch, Hunk, PatchKind, Tag
from understudy.values.errors import BadInput

_BEGIN, _END, _END_OF_FILE = "*** Begin Patch", "*** End Patch", "*** End of File"
_MOVE = "*** Move to: "
_FILES: dict[str, PatchKind] = {
    "*** Add File: ": "create",
    "*** Update File: ": "modify",
    "*** Delete File: ": "delete",
}
_TAGS: dict[str, Tag] = {" ": " ", "-": "-", "+": "+", "": " "}


def has_patch_block(text: str) -> bool:
    """Whether a line of the text begins a patch block."""
    return any(line.rstrip() == _BEGIN for line in text.split("\n"))


def parse_patch_blocks(text: str) -> tuple[FilePatch, ...]:
    """Read the patches of all blocks in a text; other lines around them are passed over.

    A hunk's `@@ line` names a line above it, without a number. Raises BadInput `malformed-diff`.
    """
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    patches: list[FilePatch] = []
    at = 0
    while at < len(lines):
        if lines[at].rstrip() == _BEGIN:
            at = _read_block(lines, at + 1, patches)
        elif starts_file(lines, at) or lines[at].startswith("*** "):
            raise BadInput(
                "malformed-diff", "a change outside the patch block", f"diff line {at + 1}"
            )
        else:
            at += 1
    return tuple(patches)


def _read_block(lines: Sequence[str], at: int, patches: list[FilePatch]) -> int:
    found = len(patches)
    while at < len(lines):
        line = lines[at]
        if line.rstrip() == _END:
            if len(patches) == found:
                raise BadInput("malformed-diff", "the patch block is empty", f"diff line {at + 1}")
            return at + 1
        kind = next((head for head in _FILES if line.startswith(head)), None)
        if kind is not None:
            patch, at = _read_file(lines, at + 1, _FILES[kind], line[len(kind) :].strip())
            patches.append(patch)
        elif line.strip():
            raise BadInput(
                "malformed-diff", f"no line of a patch block: {line!r}", f"diff line {at + 1}"
            )
        else:
            at += 1
    raise BadInput("malformed-diff", f"'{_END}' is missing: the text is cut off", f"diff line {at}")


def _read_file(lines: Sequence[str], at: int, kind: PatchKind, path: str) -> tuple[FilePatch, int]:
    end = at
    while end < len(lines) and not lines[end].startswith((*_FILES, _END)):
        end += 1
    body = list(lines[at:end])
    while body and not body[-1]:
        body.pop()
    if kind == "create":
        return FilePatch("create", (path,), _added(body, at, path)), end
    if kind == "delete":
        if body:
            raise BadInput(
                "malformed-diff", "lines below a deletion", f"{path} (diff line {at + 1})"
            )
        return FilePatch("delete", (path,), says_only_path=True), end
    to = None
    if body and body[0].startswith(_MOVE):
        to = body.pop(0)[len(_MOVE) :].strip()
        at += 1
    hunks = _read_hunks(body, at, path)
    if not hunks and to is None:
        raise BadInput("malformed-diff", "an update without a change", path)
    return FilePatch("rename" if to else "modify", (path,), hunks, to), end


def _added(body: Sequence[str], at: int, path: str) -> tuple[Hunk, ...]:
    for number, line in enumerate(body, at + 1):
        if not line.startswith("+"):
            text = "a line of a new file must begin with '+'"
            raise BadInput("malformed-diff", text, f"{path} (diff line {number})")
    return (Hunk(tuple(DiffLine("+", line[1:]) for line in body), 0),) if body else ()


@dataclass
class _Part:
    """A hunk while it is read."""

    anchors: list[str] = field(default_factory=lambda: [])
    lines: list[DiffLine] = field(default_factory=lambda: [])
    at_end: bool = False


def _read_hunks(body: Sequence[str], at: int, path: str) -> tuple[Hunk, ...]:
    parts = [_Part()]
    for number, line in enumerate(body, at + 1):
        part = parts[-1]
        if line.startswith("@@") or part.at_end:
            if part.lines:
                part = _Part()
                parts.append(part)
            if line.startswith("@@"):
                part.anchors += [line[2:].strip()] if line[2:].strip() else []
                continue
        if line.rstrip() == _END_OF_FILE:
            part.at_end = True
        elif line[:1] in _TAGS:
            part.lines.append(DiffLine(_TAGS[line[:1]], line[1:]))
        else:
            text = "a line of a hunk must begin with ' ', '+' or '-'"
            raise BadInput("malformed-diff", text, f"{path} (diff line {number})")
    if any(part.anchors and not part.lines for part in parts):
        raise BadInput("malformed-diff", "an '@@' line without a hunk below it", path)
    return tuple(
        Hunk(tuple(part.lines), None, tuple(part.anchors), part.at_end)
        for part in parts
        if part.lines
    )
