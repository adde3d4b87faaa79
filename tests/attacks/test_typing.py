"""Nobody who types is taken for somebody who does: what holds up turns is a person's keys alone."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types as lsp

from understudy.faces.lsp.keys import Keys

URI = "file:///folder/a.py"


def change(line: int, text: str, *, until: tuple[int, int] | None = None) -> Any:
    start = lsp.Position(line, 4)
    end = start if until is None else lsp.Position(*until)
    return lsp.TextDocumentContentChangePartial(lsp.Range(start, end), text)


def whole(text: str) -> Any:
    return lsp.TextDocumentContentChangeWholeDocument(text)


def told(changes: list[Any], uri: str = URI) -> lsp.DidChangeTextDocumentParams:
    return lsp.DidChangeTextDocumentParams(lsp.VersionedTextDocumentIdentifier(1, uri), changes)


def are_keys(*events: list[Any]) -> list[bool]:
    keys = Keys()
    return [keys.is_key(told(event)) for event in events]


PERSON = {
    "letters": [[change(3, letter)] for letter in "abc"],
    "a pair that closes itself": [[change(3, "(")], [change(3, "()")], [change(3, "x")]],
    "a line's end with its indent": [[change(3, "x")], [change(3, "\n        ")], [change(4, "y")]],
    "backspace": [[change(3, "", until=(3, 5))]] * 3,
    "a line joined with the one before": [[change(3, "x")], [change(3, "", until=(4, 0))]],
    "three cursors": [[change(line, "x") for line in (3, 9, 20)]] * 3,
    "an input method": [[change(3, "日本語です")]] * 3,
    "an emoji": [[change(3, "\N{GRINNING FACE}")]] * 3,
}
NOBODY = {
    "whole documents": [[whole("x = 1\n")], [whole("x = 12\n")], [whole("x = 123\n")]],
    "words of an agent that streams": [[change(3, word)] for word in ("def ", "name", "(self):")],
    "lines of an agent": [[change(3, "x\ny\n")], [change(5, "x\ny\n")]],
    "single characters all over the file": [[change(line, "x")] for line in (3, 30, 300)],
    "a formatter": [[change(3, "\n"), change(9, "    "), change(12, "", until=(12, 9))]] * 3,
    "a refactoring": [[change(line, "new_name") for line in (3, 30, 300)]] * 3,
    "lines taken out": [[change(3, "", until=(9, 0))]] * 3,
    "nothing": [[]] * 3,
}


@pytest.mark.parametrize("name", PERSON)
def test_a_person_types(name: str) -> None:
    assert all(are_keys(*PERSON[name])[1:])


@pytest.mark.parametrize("name", NOBODY)
def test_nobody_types(name: str) -> None:
    assert not any(are_keys(*NOBODY[name]))


def test_a_key_in_another_document_is_the_first_there() -> None:
    keys = Keys()
    seen = [keys.is_key(told([change(3, "x")], uri)) for uri in (URI, URI, URI + "i", URI)]
    assert seen == [False, True, False, False]
