"""Three-way merges: both sides' changes, or both sides' lines; never a lost one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.texts import edited, file_texts
from understudy.shadow.merge import ConflictRegion, Merged, merge_texts
from understudy.values.texts import Text

TEN = "".join(f"{number}\n" for number in range(10))


def text(content: str | None) -> Text | None:
    return None if content is None else Text(content)


def crlf(content: str) -> str:
    return content.replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        ("a\n", "a\n", "b\n", "b\n"),
        ("a\n", "b\n", "a\n", "b\n"),
        ("a\n", "b\n", "b\n", "b\n"),
        ("a\n", None, "a\n", None),
        ("a\n", "a\n", None, None),
        ("a\n", None, None, None),
        (None, "a\n", None, "a\n"),
        (None, None, "a\n", "a\n"),
        (None, "a\n", "a\n", "a\n"),
        (None, None, None, None),
        (
            TEN,
            TEN.replace("1", "x"),
            TEN.replace("8", "y"),
            TEN.replace("1", "x").replace("8", "y"),
        ),
        (TEN, TEN + "end\n", "start\n" + TEN, "start\n" + TEN + "end\n"),
        (TEN, TEN.replace("1\n", ""), TEN[:-1], TEN.replace("1\n", "")[:-1]),
        (TEN, crlf(TEN), TEN.replace("8", "y"), crlf(TEN.replace("8", "y"))),
        (crlf(TEN), crlf(TEN).replace("8", "y"), TEN, TEN.replace("8", "y")),
        ("a", "a\r\nb\r\n", "0\na", None),
    ],
)
def test_merges(base: str | None, ours: str | None, theirs: str | None, merged: str | None) -> None:
    result = merge_texts(text(base), text(ours), text(theirs))
    if base == "a":
        assert result.conflicts
    else:
        assert result == Merged(text(merged))


def test_a_conflict_shows_both_sides_and_where() -> None:
    base, ours = Text(TEN), Text("new\n" + TEN.replace("5\n", "ours\n"))
    theirs = Text(TEN.replace("5\n", "their\nlines\n").replace("9\n", "end\n"))
    region = ConflictRegion(("5\n",), ("ours\n",), ("their\n", "lines\n"), 5, 6, 5)
    assert merge_texts(base, ours, theirs) == Merged(None, (region,))


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "region"),
    [
        ("a\n", None, "b\n", ConflictRegion(("a\n",), None, ("b\n",))),
        ("a\n", "b\n", None, ConflictRegion(("a\n",), ("b\n",), None)),
        (None, "a\n", "b\n", ConflictRegion((), ("a\n",), ("b\n",))),
    ],
)
def test_an_absent_side(
    base: str | None, ours: str | None, theirs: str | None, region: ConflictRegion
) -> None:
    assert merge_texts(text(base), text(ours), text(theirs)) == Merged(None, (region,))


def test_converted_line_ends_show_each_side_as_it_is() -> None:
    base, ours, theirs = "a\nb\n", "a\r\nx\r\n", "a\ny\n"
    (region,) = merge_texts(Text(base), Text(ours), Text(theirs)).conflicts
    assert region == ConflictRegion(("b\n",), ("x\r\n",), ("y\n",), 1, 1, 1)


def test_encoding_and_bom_are_merged_on_their_own() -> None:
    base = Text(TEN)
    marked = Text(TEN.replace("1", "x"), bom=True)
    assert merge_texts(base, marked, Text(TEN.replace("8", "y"))) == Merged(
        Text(TEN.replace("1", "x").replace("8", "y"), bom=True)
    )
    wide = Text(TEN.replace("8", "y"), "utf-16-le", bom=True)
    ours, theirs = (TEN.replace("1", "x"), TEN.replace("8", "y"))
    was, one, other = (tuple(text.splitlines(keepends=True)) for text in (TEN, ours, theirs))
    assert merge_texts(base, marked, wide) == Merged(None, (ConflictRegion(was, one, other),))


def test_a_long_file() -> None:
    lines = [f"{number % 700}\n" for number in range(20_000)]
    ours, theirs = list(lines), list(lines)
    for at in range(100, 20_000, 1_000):
        ours[at] = f"ours {at}\n"
        theirs[at + 500] = f"theirs {at}\n"
    result = merge_texts(Text("".join(lines)), Text("".join(ours)), Text("".join(theirs)))
    assert not result.conflicts
    assert result.text is not None
    assert result.text.content.count("ours") == result.text.content.count("theirs") == 20


@st.composite
def three_sides(draw: st.DrawFn) -> tuple[Text, Text, Text]:
    base = draw(file_texts(30))
    return base, draw(edited(base)), draw(edited(base))


@given(file_texts(), file_texts())
def test_one_changed_side_wins(base: Text, other: Text) -> None:
    assert merge_texts(base, base, other) == Merged(other)
    assert merge_texts(base, other, base) == Merged(other)
    assert merge_texts(base, other, other) == Merged(other)


@settings(max_examples=300)
@given(three_sides())
def test_sides_are_equal_in_rank(sides: tuple[Text, Text, Text]) -> None:
    base, ours, theirs = sides
    one, other = merge_texts(base, ours, theirs), merge_texts(base, theirs, ours)
    assert one.text == other.text
    assert [(region.ours_lines, region.theirs_lines) for region in one.conflicts] == [
        (region.theirs_lines, region.ours_lines) for region in other.conflicts
    ]


@given(st.integers(0, 9), st.integers(0, 9), st.sampled_from(["change", "add", "remove"]))
def test_changes_apart_are_both_there(one: int, other: int, way: str) -> None:
    if abs(one - other) < 2:
        return
    lines = TEN.splitlines(keepends=True)

    def changed(*places: int) -> Text:
        parts = list(lines)
        for place in places:
            new = {"change": "new\n", "add": f"{place}\nnew\n", "remove": ""}[way]
            parts[place] = new if way != "change" else f"new {place}\n"
        return Text("".join(parts))

    assert merge_texts(Text(TEN), changed(one), changed(other)) == Merged(changed(one, other))
