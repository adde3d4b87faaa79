"""What is typed in a branch's file: the edits that carry it, and what becomes of both sides."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types as lsp
from pygls.workspace import TextDocument

from understudy.app.typed_text import changed_span
from understudy.faces.branch_lsp.texts import changed_text, line_edits
from understudy.values.positions import LineIndex

TEXTS = st.text(st.sampled_from("ab\r\n\t\U0001f980é\ufffd"), max_size=24)


def applied(text: str, edits: list[dict[str, object]]) -> str:
    """The text after edits that were all made for it, by offsets that are looked up by hand."""
    index = LineIndex(text)
    spans: list[tuple[int, int, str]] = []
    for edit in edits:
        place: dict[str, dict[str, int]] = edit["range"]  # pyright: ignore[reportAssignmentType]
        start, end = (
            index.offset(place[side]["line"], place[side]["character"]) for side in ("start", "end")
        )
        spans.append((start, end, str(edit["newText"])))
    for start, end, new in sorted(spans, reverse=True):
        text = text[:start] + new + text[end:]
    return text


@given(TEXTS, TEXTS)
def test_the_span_that_has_changed_makes_one_text_of_the_other(before: str, after: str) -> None:
    assert applied(before, [changed_span(before, after)]) == after


@given(TEXTS, TEXTS)
def test_edits_of_lines_make_one_text_of_the_other(before: str, after: str) -> None:
    assert applied(before, line_edits(before, after)) == after


def test_lines_that_stay_are_not_edited() -> None:
    edits = line_edits("one\ntwo\nthree\nfour", "one\n2\nthree\n4")
    assert [edit["range"]["start"]["line"] for edit in edits] == [1, 3]
    assert edits[1]["range"]["end"] == {"line": 3, "character": 4}


@given(TEXTS, st.integers(0, 24), st.integers(0, 24), TEXTS)
def test_changes_are_read_as_pygls_reads_them(text: str, one: int, other: int, new: str) -> None:
    text = text.replace("\r", "")  # pygls takes other characters for line ends, too
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    place = {"start": place_of(text, start), "end": place_of(text, end)}
    document = TextDocument("file:///x", text)
    document.apply_change(
        lsp.TextDocumentContentChangePartial(
            range=lsp.Range(lsp.Position(**place["start"]), lsp.Position(**place["end"])), text=new
        )
    )
    assert changed_text(text, [{"range": place, "text": new}]) == [document.source]


def place_of(text: str, offset: int) -> dict[str, int]:
    line = text[:offset].rpartition("\n")[2]
    return {"line": text.count("\n", 0, offset), "character": len(line.encode("utf-16-le")) // 2}


def test_places_beyond_a_line_or_the_text_are_its_end() -> None:
    start = {"line": 0, "character": 9}
    beyond = {"start": start, "end": {"line": 7, "character": 0}}
    assert changed_text("ab\ncd", [{"range": beyond, "text": "!"}]) == ["ab!"]


def test_every_step_of_a_message_is_seen() -> None:
    whole, partly = {"text": "abc\n"}, {"text": "X"}
    place = {"start": {"line": 0, "character": 1}, "end": {"line": 0, "character": 2}}
    assert changed_text("", [whole, {**partly, "range": place}]) == ["abc\n", "aXc\n"]
