"""What worker processes do for the verb `outline`: parse a text, and render what is asked of it."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal

from understudy.disk.map_cache import MapContent, open_map_cache
from understudy.outline.detection import language_of
from understudy.outline.model import Outline
from understudy.outline.read_outline import at_rest, awake, outline
from understudy.outline.show.render import DEFAULT_BUDGET, Options, render
from understudy.outline.show.select import by_symbol
from understudy.shadow.folder import FolderView, Moved
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.frozen import frozen
from understudy.values.lines import split_lines
from understudy.values.texts import PackedText
from understudy.workspace.outlines.survey import key_of

Form = Literal["outline", "read", "full"]
"""`read` is the full text of a short file and the outline of a long one."""

LONG_LINES = 3000
LONG_BYTES = 100_000
"""A file with more than either is outlined first when it is read."""

SEPARATOR = re.compile(r"::|[.#/]|->")


@frozen
class OutlineWish:
    """What is wanted of a file; `lines` are 1-based and inclusive, `budget` is in tokens.

    Raises BadInput `bad-params` for what cannot go together.
    """

    form: Form = "outline"
    budget: int = DEFAULT_BUDGET
    symbol: str | None = None
    lines: tuple[int, int] | None = None
    docs: bool = False
    title: str = ""

    def __post_init__(self) -> None:
        if self.symbol is not None and self.lines is not None:
            text = "ask for a symbol or for a range of lines, not for both"
            raise BadInput("bad-params", text, "symbol")


@frozen
class Delivery:
    """What a file looks like, and its parsed outline at rest, if it was parsed.

    `form` is what `text` is; `complete` whether the outline was understood whole.
    """

    text: str
    form: Literal["outline", "full"]
    language: str
    n_lines: int
    n_bytes: int
    complete: bool
    parsed: bytes | None


def deliver(
    text: PackedText, path: str, wish: OutlineWish, parsed: bytes | None, cache: Path | None
) -> Delivery | str:
    """The wish for a text; `parsed` is its outline from before, if there is one.

    `cache` keeps which texts ended a worker (None: nothing does).

    A text that ended a worker before is not parsed: the answer is the reason.
    """
    content = text.unpack()
    data = content.encode()
    n_lines = content.content.count("\n") + (not content.content.endswith("\n"))
    language = language_of(path, data[:65536]) or "text"
    is_long = n_lines > LONG_LINES or len(data) > LONG_BYTES
    in_full = wish.form == "full" or (wish.form == "read" and not is_long)
    if in_full and wish.symbol is None:
        shown = _lines(content.sendable, wish.lines, n_lines)
        return Delivery(shown, "full", language, n_lines, len(data), True, parsed)
    if parsed is None:
        reason = _ended_worker(cache, key_of(text.digest, path))
        if reason is not None:
            return reason
        found = outline(data, language, path, text.digest)
        parsed = at_rest(found)
    else:
        found = awake(parsed, data)
    return _deliver(content.sendable, wish, found, parsed, in_full)


def deliver_guess(text: PackedText, path: str, wish: OutlineWish, reason: str) -> Delivery:
    """The wish for a text that no parser may see: its outline by the look of its lines."""
    content = text.unpack()
    found = outline(content.encode(), "text", path, text.digest)
    note = f"the parser was ended ({reason}); it is not tried again until the file changes"
    found = replace(found, notes=(note,))
    parsed = at_rest(found)
    return _deliver(content.sendable, wish, found, parsed, wish.form == "full")


def read_packed(folder: FolderView, path: str) -> PackedText:
    """A file's text at rest; raises as the folder does."""
    text = folder.packed(path)
    if text is None:
        raise Moved(path)
    return text


def mark_text(digest: str, path: str, reason: str, cache: Path | None) -> None:
    """Keep that this text ended a worker; where no cache can be kept, nothing is."""
    if cache is None:
        return
    key = key_of(digest, path)
    with suppress(OutsideFailure), open_map_cache(cache) as opened:
        opened.put(Path(), None, None, MapContent(key, "", reason, 0), key)


def _ended_worker(cache: Path | None, key: str) -> str | None:
    if cache is None:
        return None
    with suppress(OutsideFailure), open_map_cache(cache) as opened:
        for _, language, state in opened.contents([key], "language, state"):
            if not language and isinstance(state, str) and state.startswith("work"):
                return state
    return None


def _deliver(
    text: str, wish: OutlineWish, found: Outline, parsed: bytes, in_full: bool
) -> Delivery:
    facts = (found.language, found.n_lines, found.n_bytes, found.complete, parsed)
    if in_full and wish.symbol is not None:
        return Delivery(_symbol_text(text, found, wish.symbol), "full", *facts)
    options = Options(wish.title, wish.symbol, wish.lines, wish.docs)
    return Delivery(render(found, wish.budget, options), "outline", *facts)


def _symbol_text(text: str, found: Outline, symbol: str) -> str:
    """The lines of all that the symbol means; where it means several, each with its place."""
    wanted = SEPARATOR.split(symbol.strip())[-1]
    ranges: list[tuple[int, int]] = []
    for entry in by_symbol(found, symbol).entries:
        inside = ranges and entry.end <= ranges[-1][1]
        if not inside and SEPARATOR.split(entry.name)[-1] == wanted:
            ranges.append((entry.start, entry.end))
    texts = [_lines(text, place, found.n_lines) for place in ranges]
    if len(texts) == 1:
        return texts[0]
    heads = (f"# lines {first}-{last}\n" for first, last in ranges)
    return "".join(part for pair in zip(heads, texts, strict=True) for part in pair)


def _lines(text: str, lines: tuple[int, int] | None, n_lines: int) -> str:
    """These lines with their ends; BadInput `no-lines` for a range that is off the file."""
    if lines is None:
        return text
    first, last = lines
    if not 1 <= first <= last or first > max(n_lines, 1):
        raise BadInput("no-lines", f"lines {first}-{last} of a file of {n_lines}")
    return "".join(split_lines(text)[first - 1 : last])
