"""Render any change of a file as git does: text where it can be shown, else a binary patch.

`git apply` reads both back to the byte; our own parser refuses binary patches.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from typing import Literal

from understudy.edits.names import quoted
from understudy.edits.render import unified_diff
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.texts import Text

_LINE_BYTES = 52
FileMode = Literal["file", "executable", "symlink"]
_MODES = {"file": "100644", "executable": "100755", "symlink": "120000"}


@frozen(slots=True)
class BinaryContent:
    """A file's bytes (a link's: where it leads) and its mode, as git knows them."""

    data: bytes
    mode: FileMode = "file"


def any_diff(before: BinaryContent | None, after: BinaryContent | None, path: str) -> bytes:
    """A git diff of one path, empty if nothing differs; None is a file that is not there.

    A file that becomes a link, or a link a file, is deleted and made anew, as git shows it.
    """
    if before == after:
        return b""
    if before and after and "symlink" in (before.mode, after.mode) and before.mode != after.mode:
        return any_diff(before, None, path) + any_diff(None, after, path)
    old, new = _text(before), _text(after)
    if (before is not None and old is None) or (after is not None and new is None):
        return _head(before, after, path, named=False) + _binary(before, after)
    if before is None or after is None or before.data != after.data:
        plain = unified_diff(old, new, path)
        body = plain.partition("\n--- ")[1:]
        return _head(before, after, path, named=True) + _encoded("".join(body).removeprefix("\n"))
    return _head(before, after, path, named=True)


def _head(
    before: BinaryContent | None, after: BinaryContent | None, path: str, *, named: bool
) -> bytes:
    lines = [f"diff --git {quoted('a/' + path)} {quoted('b/' + path)}"]
    if before is None and after is not None:
        lines.append(f"new file mode {_MODES[after.mode]}")
    elif before is not None and after is None:
        lines.append(f"deleted file mode {_MODES[before.mode]}")
    elif before is not None and after is not None and before.mode != after.mode:
        lines += [f"old mode {_MODES[before.mode]}", f"new mode {_MODES[after.mode]}"]
    if not named:
        # git apply takes binary changes only with whole object names.
        lines.append(f"index {_object(before)}..{_object(after)}")
    return _encoded("\n".join(lines) + "\n")


def _binary(before: BinaryContent | None, after: BinaryContent | None) -> bytes:
    """Both directions, each as a literal: deflated, in base 85, 52 bytes a line."""
    parts = [b"GIT binary patch\n"]
    for side in (after, before):
        data = b"" if side is None else side.data
        parts.append(b"literal %d\n" % len(data))
        packed = zlib.compress(data)
        for start in range(0, len(packed), _LINE_BYTES):
            piece = packed[start : start + _LINE_BYTES]
            length = len(piece) + (64 if len(piece) <= 26 else 70)
            parts.append(bytes([length]) + base64.b85encode(piece, pad=True) + b"\n")
        parts.append(b"\n")
    return b"".join(parts)


def _object(content: BinaryContent | None) -> str:
    """The name that git gives a blob."""
    if content is None:
        return "0" * 40
    head = b"blob %d\0" % len(content.data)
    return hashlib.sha1(head + content.data, usedforsecurity=False).hexdigest()


def _text(content: BinaryContent | None) -> Text | None:
    """The content as text; None for what git would call binary, too."""
    if content is None:
        return None
    try:
        text = Text.decode(content.data)
    except BadInput:
        return None
    return text if text.encoding == "utf-8" else None


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
