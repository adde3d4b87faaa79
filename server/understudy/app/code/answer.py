"""What a question about code is, and what comes back: the same for every face."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from understudy.values.code_questions import QUESTIONS, Question
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.positions import Range

DEFAULT_BUDGET = 2000
"""Tokens of 4 bytes."""

Status = Literal["answered", "nothing", "ambiguous", "no-such-name", "unknown"]


@frozen
class CodeWish:
    """A question: `target` is `PATH:LINE:COLUMN`, `PATH:LINE:NAME`, `PATH::NAME`, a name or words.

    Over a branch, a git `revision`, or (neither) the user's text. `budget` (tokens) is how much of
    the answer will be read: of that much the owners are told.
    Raises BadInput `unknown-question`, `bad-params`.
    """

    question: str
    target: str
    branch: str | None = None
    revision: str | None = None
    server: str | None = None
    timeout_s: float | None = None
    budget: int = DEFAULT_BUDGET

    def __post_init__(self) -> None:
        if self.question not in QUESTIONS:
            known = ", ".join(QUESTIONS)
            raise BadInput("unknown-question", f"there are: {known}", self.question)
        if self.branch is not None and self.revision is not None:
            raise BadInput("bad-params", "name a branch or a revision, not both", "revision")
        if not self.target.strip():
            raise BadInput("bad-params", "name what you ask about", "target")
        if self.budget < 1:
            raise BadInput("bad-params", "at least 1", "budget")

    @property
    def row(self) -> Question:
        """The question's row."""
        return QUESTIONS[self.question]


@frozen
class CodePlace:
    """A place of an answer. `path` is relative to the root, or absolute outside it (`inside`).

    `line` is the text of its first line; `owner` the symbol around it, "" for none, None where it
    was not looked for; `name` and `kind` say what a symbol is called. `calls` are the places of
    the calls, in the caller's file.
    """

    path: str
    range: Range
    line: str
    owner: str | None = None
    name: str = ""
    kind: str = ""
    inside: bool = True
    depth: int = 0
    calls: tuple[Range, ...] = ()


@frozen
class Why:
    """Why there is no answer: a reason's code, a sentence."""

    code: str
    text: str


@frozen
class CodeAnswer:
    """What was found. `status` says how far it is an answer:

    `answered`; `nothing` (the server has looked, and there is none); `ambiguous` (the name stands
    at all of `hits`); `no-such-name` (`nearest` are alike); `unknown` (`why`: nobody could say).
    `place` is what was asked about. `mentions` are files that can see the name and have its word,
    in which the server found nothing; `unopened` counts files that were too many to be shown to
    it; `unseen` are those of the branch that it cannot see. `notes` say what else a reader must
    know.
    """

    question: str
    target: str
    status: Status
    hits: tuple[CodePlace, ...] = ()
    text: str = ""
    place: CodePlace | None = None
    server: str | None = None
    why: Why | None = None
    nearest: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    unopened: int = 0
    unseen: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())
