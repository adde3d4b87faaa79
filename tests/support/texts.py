"""Strategies for texts as files really have them: odd line ends, BOMs, bytes that are no UTF-8."""

from __future__ import annotations

from hypothesis import strategies as st

from understudy.values.texts import Text

LINE_ENDS = ["\n", "\n", "\n", "\r\n", "\r"]
_WORDS = [
    "",
    "a",
    "b",
    "c",
    "x = 1",
    "    return",
    "-- y",
    "++ z",
    "@@ -1 +1 @@",
    "é",
    "😀",
    "\x0c",
]
_ODD = ["\ufeff", "\u2028", "\x85", "tail ", "\\ No newline at end of file", "```"]
_WORD = st.sampled_from([*_WORDS, *_ODD])


@st.composite
def contents(draw: st.DrawFn, max_lines: int = 12) -> str:
    """Lines with ends of any kind, the last one with or without."""
    lines = draw(st.lists(st.tuples(_WORD, st.sampled_from(LINE_ENDS)), max_size=max_lines))
    return "".join(word + end for word, end in lines) + draw(_WORD)


@st.composite
def file_texts(draw: st.DrawFn, max_lines: int = 12) -> Text:
    """A text as read from a file: UTF-8 with or without BOM, maybe with undecodable bytes."""
    data = draw(contents(max_lines)).encode()
    if draw(st.booleans()):
        at = draw(st.integers(0, len(data)))
        data = data[:at] + draw(st.sampled_from([b"\xff", b"\xc3", b"\xed\xa0\x80"])) + data[at:]
    return Text.decode((b"\xef\xbb\xbf" if draw(st.booleans()) else b"") + data)


@st.composite
def edited(draw: st.DrawFn, text: Text, max_edits: int = 4) -> Text:
    """The text with a few of its lines changed, removed or added."""
    lines = text.content.split("\n")
    for _ in range(draw(st.integers(1, max_edits))):
        at = draw(st.integers(0, len(lines)))
        size = draw(st.integers(0, 2))
        lines[at : at + size] = draw(st.lists(_WORD, max_size=2))
    data = Text("\n".join(lines), bom=draw(st.sampled_from([text.bom, text.bom, not text.bom])))
    return Text.decode(data.encode())


@st.composite
def text_pairs(draw: st.DrawFn, max_lines: int = 40) -> tuple[Text, Text]:
    """A text and what an edit made of it."""
    before = draw(file_texts(max_lines))
    return before, draw(edited(before))
