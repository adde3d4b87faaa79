"""Patterns on an engine whose time grows with the text alone, whoever wrote pattern and text.

The engine is RE2. Where its compiled part is missing there is no other: a backtracking one could be
kept busy for ever by a single line, so nothing is matched and `why_missing` says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from understudy.values.errors import BadInput, OutsideFailure

_NOT_LINEAR = (
    "invalid perl operator: (?=",
    "invalid perl operator: (?!",
    "invalid perl operator: (?<",
)


class Pattern:
    """A compiled pattern; its places are in characters of the text."""

    def __init__(self, pattern: str) -> None:
        """Raises BadInput `bad-pattern` with the reason, OutsideFailure `not-installed`."""
        engine = _engine()
        if engine is None:
            raise OutsideFailure("not-installed", why_missing() or "", "google-re2")
        options = engine.Options()
        options.log_errors = False
        self._bytes = _compiled(engine, pattern, options)
        self.n_groups = int(self._bytes.groups)
        self.size = int(self._bytes.programsize)
        """Steps that the engine made of it: what a character costs at most."""

    def is_in(self, text: bytes) -> bool:
        """Whether it matches anywhere in a text in UTF-8."""
        return self._bytes.search(text) is not None

    def is_whole(self, text: bytes) -> bool:
        """Whether it matches a text in UTF-8 as a whole."""
        return self._bytes.fullmatch(text) is not None

    def starts(self, text: bytes) -> Iterator[int]:
        """Where its matches begin in a text in UTF-8, in bytes."""
        return (found.start() for found in self._bytes.finditer(text))

    def matches(self, text: bytes) -> Iterator[list[tuple[int, int]]]:
        """The places of its groups in a text in UTF-8, in bytes, each match's own first.

        A group that took no part is at -1.
        """
        for found in self._bytes.finditer(text):
            yield [found.span(group) for group in range(self.n_groups + 1)]


@cache
def why_missing() -> str | None:
    """Why there is no engine; None: there is one."""
    try:
        import re2  # pyright: ignore  # noqa: F401, PGH003, PLC0415 - a compiled wheel, untyped
    except ImportError as error:
        return f"no engine for patterns of secrets (google-re2): {error}"
    return None


def _engine() -> Any:  # noqa: ANN401 - it has no types
    if why_missing() is not None:
        return None
    import re2  # pyright: ignore  # noqa: PGH003, PLC0415 - a compiled wheel, untyped

    return re2


def _compiled(engine: Any, pattern: str, options: Any) -> Any:  # noqa: ANN401 - as above
    try:
        return engine.compile(pattern.encode("utf-8"), options)
    except (engine.error, UnicodeEncodeError) as error:
        raise BadInput("bad-pattern", _reason(error), pattern) from error


def _reason(error: Exception) -> str:
    """The engine's words; what it leaves out on purpose is named."""
    text = str(error.args[0].decode() if isinstance(error.args[0], bytes) else error.args[0])
    if text.startswith(_NOT_LINEAR):
        return f"{text}: it can look neither ahead nor behind, as its time is to stay bounded"
    if text.startswith("invalid escape sequence: \\") and text[-1].isdigit():
        return f"{text}: it cannot refer back to a group, as its time is to stay bounded"
    return text
