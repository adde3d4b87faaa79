"""Outlines of texts that the parser sees whole, to compare with."""

from __future__ import annotations

from dataclasses import replace

import pytest

from understudy.outline import read_outline
from understudy.outline.hollowed import Hollowed
from understudy.outline.languages import Language
from understudy.outline.model import Entry, Outline
from understudy.outline.read_outline import outline


def whole(text: bytes, language: str, monkeypatch: pytest.MonkeyPatch) -> Outline:
    """The outline as it is when the parser sees everything."""

    def nothing(data: bytes, _: Language) -> Hollowed:
        return Hollowed(data)

    with monkeypatch.context() as patched:
        patched.setattr(read_outline, "hollow", nothing)
        return outline(text, language)


def told(found: Outline) -> tuple[Outline, list[tuple[Entry, str, str]]]:
    """All that can be shown of an outline."""
    say = found.wording
    entries = [(e._replace(written=""), say.signature(e), say.doc(e)) for e in found.entries]
    return replace(found, entries=()), entries
