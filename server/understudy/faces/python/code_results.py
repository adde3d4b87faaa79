"""What is answered about code, and what refactorings come to."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from understudy.faces.answers.refactored import refactored_lines
from understudy.faces.python.findings import Json
from understudy.values.frozen import frozen


@frozen
class CodePlace:
    """A place in code; line and column count from 1, `text` is the line, `owner` what it is in."""

    path: str
    line: int
    column: int
    text: str
    name: str
    owner: str | None
    kind: str

    def __str__(self) -> str:
        """As the command line prints it."""
        owner = f"  [{self.owner}]" if self.owner else ""
        return f"{self.path}:{self.line}: {self.text.strip()}{owner}"


@frozen
class CodeAnswer:
    """What a server says to a question about code.

    `status` is `answered`, `nothing` (the server has looked, and there is none), `ambiguous`
    (`places` are those that bear the name), `no-such-name` (`nearest` are alike) or `unknown`
    (`reason` says why). `text` is what a question for words (`hover`, `signature`) has brought.
    """

    status: Literal["answered", "nothing", "ambiguous", "no-such-name", "unknown"]
    places: tuple[CodePlace, ...]
    text: str
    nearest: tuple[str, ...]
    reason: str | None
    server: str | None
    json: Json = field(repr=False, compare=False)


@frozen
class Refactoring:
    """What a refactoring has changed, on which branch; None where it has not come to edits.

    `text` says all of it, and what the edits break.
    """

    branch: str | None
    changed: tuple[str, ...]
    verdict: Literal["clean", "findings", "unknown"] | None
    text: str
    json: Json = field(repr=False, compare=False)


def code_answer_of(told: Json) -> CodeAnswer:
    """A host's answer."""
    places = tuple(
        CodePlace(
            hit["path"], hit["line"], hit["column"], hit["text"], hit["name"], hit["owner"],
            hit["kind"],
        )
        for hit in told["hits"]
    )  # fmt: skip
    reason = told["reason"]
    return CodeAnswer(
        told["status"], places, told["text"], tuple(told["nearest"]),
        None if reason is None else reason["text"], told["server"], told,
    )  # fmt: skip


def refactoring_of(told: Json) -> Refactoring:
    """What a host's refactoring has come to."""
    lines = [*refactored_lines({**told}), told["report"]]
    return Refactoring(
        told["branch"], tuple(told["changed"]), told["verdict"], "\n".join(lines), told
    )
