"""What requests about code take: one class a request, checked strictly, documented here."""

from __future__ import annotations

from dataclasses import field

from understudy.faces.params.requests import doc
from understudy.values.code_questions import QuestionName
from understudy.values.frozen import frozen


@frozen
class AskCode:
    """Ask a language server about code: definitions, references, types, calls, symbols."""

    question: QuestionName = field(metadata=doc("what is asked"))
    target: str = field(
        metadata=doc(
            "`PATH:LINE:COLUMN`, `PATH:LINE:NAME`, `PATH::NAME` or a name as `Class.method` "
            "(symbols: a path; search: letters of a name)"
        )
    )
    branch: str | None = field(default=None, metadata=doc("as this branch has the files"))
    revision: str | None = field(default=None, metadata=doc("as this git revision has them"))
    server: str | None = field(default=None, metadata=doc("the server; null: the types group's"))
    timeout: float | None = field(default=None, metadata=doc("time limit in s"))
    budget: int | None = field(
        default=None, metadata=doc("tokens that will be read: of more places no owner is told")
    )


@frozen
class RenameSymbol:
    """Rename what stands at a place, everywhere, as edits of a branch, and check them."""

    target: str = field(metadata=doc("the place, as in `understudy/code`"))
    to: str = field(metadata=doc("its new name"))
    branch: str | None = field(default=None, metadata=doc("takes the edits; null: a new one"))
    server: str | None = field(default=None, metadata=doc("the server; null: the types group's"))
    timeout: float | None = field(default=None, metadata=doc("time limit in s, of each step"))
    workDoneToken: str | int | None = field(  # noqa: N815 - the protocol's spelling
        default=None, metadata=doc("where to report progress")
    )


@frozen
class MoveFile:
    """Move a file, mending what names it, as edits of a branch, and check them."""

    target: str = field(metadata=doc("the file's path"))
    to: str = field(metadata=doc("its new path"))
    branch: str | None = field(default=None, metadata=doc("takes the edits; null: a new one"))
    server: str | None = field(default=None, metadata=doc("the server; null: the types group's"))
    timeout: float | None = field(default=None, metadata=doc("time limit in s, of each step"))
    workDoneToken: str | int | None = field(  # noqa: N815 - the protocol's spelling
        default=None, metadata=doc("where to report progress")
    )


@frozen
class LayOutFile:
    """Lay a file out, or sort its imports, as edits of a branch, and check them."""

    target: str = field(metadata=doc("the file's path"))
    branch: str | None = field(default=None, metadata=doc("takes the edits; null: a new one"))
    server: str | None = field(
        default=None, metadata=doc("the server; null: the first that knows how, linters first")
    )
    timeout: float | None = field(default=None, metadata=doc("time limit in s, of each step"))
    workDoneToken: str | int | None = field(  # noqa: N815 - the protocol's spelling
        default=None, metadata=doc("where to report progress")
    )


@frozen
class TakeAction:
    """Take what a server offers to do at a place, as edits of a branch, and check them."""

    target: str = field(metadata=doc("the place, as in `understudy/code`"))
    to: str = field(metadata=doc("the title, as `actions` has it, or how it alone begins"))
    branch: str | None = field(default=None, metadata=doc("takes the edits; null: a new one"))
    server: str | None = field(default=None, metadata=doc("only this server's"))
    timeout: float | None = field(default=None, metadata=doc("time limit in s, of each step"))
    workDoneToken: str | int | None = field(  # noqa: N815 - the protocol's spelling
        default=None, metadata=doc("where to report progress")
    )
