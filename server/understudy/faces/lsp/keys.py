"""Tells a person's keys from everything else that changes documents.

Agents, formatters, refactorings and whatever streams text into an editor send the same message.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lsprotocol import types as lsp

_VISIBLE = 2
"""What one key puts in at most: a character, or a pair of brackets or quotes that closes itself."""
_COMPOSED = 16
"""The same of an input method for scripts that have more characters than a keyboard has keys."""


@dataclass
class Keys:
    """Follows one connection's changes."""

    _uri: str = ""
    _line: int = 0

    def is_key(self, params: lsp.DidChangeTextDocumentParams) -> bool:
        """Whether a change can be a key's, typed on where the change before has left off.

        Wrong in doubt about the first key in a place, and about who writes as a person does.
        """
        line = _line_of_a_key(params.content_changes)
        if line is None:
            self._uri = ""
            return False
        uri = params.text_document.uri
        goes_on = uri == self._uri and abs(line - self._line) <= 1
        self._uri, self._line = uri, line
        return goes_on


def _line_of_a_key(changes: Sequence[lsp.TextDocumentContentChangeEvent]) -> int | None:
    """Where the key was typed, at the first of all cursors; None if no one key does this."""
    texts = {change.text for change in changes}
    if len(texts) != 1 or not _is_put_in_by_a_key(*texts):
        return None
    for change in changes:
        if isinstance(change, lsp.TextDocumentContentChangeWholeDocument):
            return None
        if change.range.end.line - change.range.start.line > 1:
            return None
    first = changes[0]
    assert isinstance(first, lsp.TextDocumentContentChangePartial)
    return first.range.start.line + first.text.count("\n")


def _is_put_in_by_a_key(text: str) -> bool:
    """Enter puts in the next line's indent, too."""
    visible = text.strip()
    most = _VISIBLE if visible.isascii() else _COMPOSED
    return len(visible) <= most and text.count("\n") <= 1
