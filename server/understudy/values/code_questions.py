"""The questions about code, one row each: what is asked of a server, and how its answer reads."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from understudy.values.frozen import frozen

QuestionName = Literal[
    "definition", "declaration", "type", "implementation", "references", "hover", "signature",
    "callers", "callees", "actions", "symbols", "search",
]  # fmt: skip


@frozen
class Question:
    """One question. `about` is what it needs: a place in a text, a file, or words alone.

    `of_users`: files that nobody has opened belong to the answer, so a server has to know them.
    `help` ends the sentence "Print ...".
    """

    name: QuestionName
    method: str
    help: str
    about: Literal["place", "file", "words"] = "place"
    of_users: bool = False


QUESTIONS: Mapping[str, Question] = MappingProxyType(
    {
        one.name: one
        for one in (
            Question("definition", "textDocument/definition", "where a name is defined"),
            Question("declaration", "textDocument/declaration", "where a name is declared"),
            Question("type", "textDocument/typeDefinition", "where the type of a value is defined"),
            Question(
                "implementation", "textDocument/implementation",
                "what implements an interface, or overrides a method", of_users=True,
            ),
            Question(
                "references", "textDocument/references",
                "every use of a name, with its declaration", of_users=True,
            ),
            Question("hover", "textDocument/hover", "what a server knows of a name: type, docs"),
            Question(
                "signature", "textDocument/signatureHelp",
                "the signature of what is called at a place, or of a name",
            ),
            Question(
                "callers", "callHierarchy/incomingCalls", "every call of a function", of_users=True
            ),
            Question("callees", "callHierarchy/outgoingCalls", "what a function calls"),
            Question(
                "actions", "textDocument/codeAction",
                "what servers offer to do at a place; `act` takes one of them",
            ),
            Question(
                "symbols", "textDocument/documentSymbol",
                "the symbols of a file, as its server has them", about="file",
            ),
            Question(
                "search", "workspace/symbol",
                "the declarations of the folder whose names have these letters in them",
                about="words",
            ),
        )
    }
)  # fmt: skip
