"""How a check judged: who was asked, what each was shown, what it said, and by which rule."""

from __future__ import annotations

from typing import Literal

from understudy.values.frozen import frozen
from understudy.values.verdicts import Answer, Verdict

CheckSide = Literal["before", "after"]
TextOrigin = Literal["branch", "buffer", "disk"]
"""Edits, the user's unsaved document, or the file as it is."""


@frozen(slots=True)
class TracedServer:
    """A server that was asked: its program and version as it is started; none: why not.

    `origin` says who brings it (`editor`, `path`, `bundled`).
    """

    name: str
    group: str
    rule: str
    command: tuple[str, ...]
    version: str
    origin: str


@frozen(slots=True)
class TracedAnswer:
    """What a server said of one text of one side.

    `text_from` is None where the text cannot be read; `size` is in bytes, `digest` its SHA-256.
    """

    side: CheckSide
    text_from: TextOrigin | None
    size: int
    digest: str
    answer: Answer


@frozen(slots=True)
class CheckTrace:
    """One check, from the texts to the verdict; `subject`: a branch's id, `edits` or `folder`.

    `edited` are the paths that differ; `answers` are in the order in which they were judged.
    """

    subject: str
    verdict: Verdict
    stamp: str
    severity: str
    edited: tuple[str, ...]
    servers: tuple[TracedServer, ...]
    answers: tuple[TracedAnswer, ...]
    elapsed_ms: float
