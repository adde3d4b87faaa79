"""What the author of a patch says that it is for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from understudy.edits.model import DiffEdit, Edit

_LONGEST_HEAD = 20_000
_MAIL = re.compile(r"(?:From |From: |Date: |Subject: )")
_SUBJECT = re.compile(r"^Subject:[ \t]*(.*(?:\n[ \t].*)*)", re.MULTILINE)
_SERIES = re.compile(r"^(?:\[[^\]]*\]\s*)+")
_COMMIT = re.compile(r"commit [0-9a-f]{7,64}\b.*\n(?:\S.*\n)*\n {4}(.+)")


def subject_of(edits: Sequence[Edit]) -> str:
    """The subject of the first patch that has one, as `git format-patch` or `git show` write it.

    One line; "" where no patch has any.
    """
    for edit in edits:
        found = _subject(edit.text[:_LONGEST_HEAD]) if isinstance(edit, DiffEdit) else ""
        if found:
            return found
    return ""


def _subject(text: str) -> str:
    text = text.replace("\r\n", "\n").lstrip("\n")
    shown = _COMMIT.match(text)
    if shown is not None:
        return " ".join(shown[1].split())
    head = text.partition("\n\n")[0]
    found = _SUBJECT.search(head) if _MAIL.match(head) else None
    return "" if found is None else _SERIES.sub("", " ".join(_decoded(found[1]).split()))


def _decoded(raw: str) -> str:
    """A header's words as its author has written them; one that nobody can read stays as it is."""
    if "=?" not in raw:
        return raw
    from email.errors import MessageError  # noqa: PLC0415 - few subjects are encoded
    from email.header import decode_header, make_header  # noqa: PLC0415 - as above

    try:
        return str(make_header(decode_header(raw)))
    except (MessageError, LookupError, UnicodeError, ValueError):
        return raw
