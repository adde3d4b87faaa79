"""The delta: shifted findings are neither introduced nor fixed, and nothing is matched falsely."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.texts import text_pairs
from understudy.findings.delta import Delta, delta, reading_order
from understudy.findings.line_map import LineMap, line_map
from understudy.values.findings import Finding
from understudy.values.positions import Position, Range
from understudy.values.texts import Text

OLD = "a\nb\nc\nd\ne\n"
NEW = "new\na\nB\nB2\nc\nd\ne\n"


def finding(line: int, message: str = "m", **more: object) -> Finding:
    """A finding on columns 0 to 1 of a 0-based line, unless told otherwise."""
    column = more.pop("column", 0)
    assert isinstance(column, int)
    place = Range(Position(line, column), Position(line, column + 1))
    fields = {"path": "f", "severity": "error", "code": "c", "source": None, "server": "s"}
    return Finding(range=place, message=message, **{**fields, **more})  # type: ignore[arg-type]


def compare(before: list[Finding], after: list[Finding]) -> Delta:
    lines = line_map(OLD, NEW)
    return delta(before, after, lambda path: (path, lines))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (finding(0), finding(1)),
        (finding(4), finding(6)),
        (finding(2, column=0), finding(4, column=3)),
        (finding(2, "see line 5"), finding(4, "see line 7")),
        (finding(1), finding(2)),
        (finding(1, column=0), finding(3, column=5)),
    ],
    ids=["shifted", "shifted further", "column", "message", "in the block", "moved in the block"],
)
def test_remaining(before: Finding, after: Finding) -> None:
    assert compare([before], [after]) == Delta((), (), 1)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (finding(0), finding(2)),
        (finding(0), finding(5)),
        (finding(0), finding(1, code="other")),
        (finding(0), finding(1, code=None)),
        (finding(0), finding(1, server="t")),
        (finding(0, severity="warning"), finding(1)),
        (finding(2, "a is undefined"), finding(4, "b is undefined", column=3)),
        (finding(1, "old"), finding(2, "new")),
        (finding(1), finding(0)),
        (finding(0, path="g"), finding(1)),
    ],
    ids=[
        "other line",
        "other line, both unchanged",
        "other code",
        "no code",
        "other server",
        "worse now",
        "other place and message",
        "other message in the block",
        "other block",
        "other file",
    ],
)
def test_introduced_and_fixed(before: Finding, after: Finding) -> None:
    assert compare([before], [after]) == Delta((after,), (before,), 0)


def test_findings_of_one_place_have_an_order_too() -> None:
    alike = [
        finding(0, code=None),
        finding(0, code=None, source="A"),
        finding(0, code=None, source="B"),
        finding(0, code="A"),
    ]
    mixed = [alike[2], alike[3], alike[1], alike[0]]
    assert sorted(mixed, key=reading_order) == alike
    assert compare(mixed, []) == Delta((), tuple(alike), 0)
    assert compare([], mixed) == Delta(tuple(alike), (), 0)


def test_as_many_pairs_as_fit() -> None:
    before = [finding(1), finding(1, column=2)]
    after = [finding(2), finding(2, column=2), finding(3)]
    assert compare(before, after) == Delta((finding(3),), (), 2)
    assert compare([finding(0)], [finding(1), finding(1)]) == Delta((finding(1),), (), 1)
    assert compare([finding(0), finding(0)], [finding(1)]) == Delta((), (finding(0),), 1)


def test_the_surest_likeness_goes_first() -> None:
    before = [finding(2, "x"), finding(2, "y")]
    after = [finding(4, "y"), finding(4, "z")]
    assert compare(before, after) == Delta((), (), 2)
    after = [finding(4, "y"), finding(4, "z", column=7)]
    assert compare(before, after) == Delta((after[1],), (before[0],), 1)


def test_a_renamed_file_keeps_its_findings() -> None:
    before, after = [finding(1, path="old")], [finding(1, path="new")]
    result = delta(before, after, lambda path: ("old" if path == "new" else path, None))
    assert result == Delta((), (), 1)


def test_order_is_of_reading() -> None:
    after = [finding(3, path="b"), finding(3, server="z"), finding(3, server="a"), finding(1)]
    result = delta([], after, lambda path: (path, None))
    assert result.introduced == (after[0], after[3], after[2], after[1])


FINDINGS = st.lists(
    st.builds(
        finding,
        st.integers(0, 12),
        st.sampled_from(["m", "n"]),
        column=st.integers(0, 1),
        code=st.sampled_from(["c", "d", None]),
        server=st.sampled_from(["s", "t"]),
        path=st.sampled_from(["f", "g"]),
    ),
    max_size=12,
)


@given(FINDINGS)
def test_nothing_differs_from_itself(findings: list[Finding]) -> None:
    result = delta(findings, list(reversed(findings)), lambda path: (path, None))
    assert result == Delta((), (), len(findings))


@given(FINDINGS, FINDINGS, text_pairs())
def test_every_finding_is_counted_once(
    before: list[Finding], after: list[Finding], texts: tuple[Text, Text]
) -> None:
    lines = line_map(texts[0].content, texts[1].content)
    result = delta(before, after, lambda path: (path, lines))
    assert len(result.introduced) + result.remaining == len(after)
    assert len(result.fixed) + result.remaining == len(before)
    assert not set(result.introduced) - set(after)
    assert not set(result.fixed) - set(before)


@given(FINDINGS, st.integers(0, 5))
def test_a_shift_changes_nothing(findings: list[Finding], distance: int) -> None:
    old = "\n".join(map(str, range(13)))
    new = "new\n" * distance + old
    shifted = [moved(one, distance) for one in findings]
    result = delta(findings, shifted, lambda path: (path, line_map(old, new)))
    assert result == Delta((), (), len(findings))


def moved(one: Finding, distance: int) -> Finding:
    start, end = one.range.start, one.range.end
    place = Range(
        Position(start.line + distance, start.column), Position(end.line + distance, end.column)
    )
    fields = {name: getattr(one, name) for name in ("path", "severity", "code", "source", "server")}
    return Finding(range=place, message=one.message, **fields)


def test_an_untouched_file_needs_no_map() -> None:
    one = finding(3)
    assert delta([one], [one], lambda path: (path, None)) == delta(
        [one], [one], lambda path: (path, LineMap(()))
    )


def test_of_equal_findings_on_a_line_the_one_at_the_same_place_remains() -> None:
    first, second = finding(0), finding(0, column=5)
    assert compare([first, second], [finding(1, column=5)]) == Delta((), (first,), 1)
    tall, low = (replace(first, range=Range(Position(at, 0), Position(at + 2, 1))) for at in (0, 1))
    assert compare([first, tall], [low]) == Delta((), (first,), 1)


def test_what_is_fixed_is_told_in_reading_order() -> None:
    late, early = finding(4, path="a"), finding(0, path="b")
    result = delta([early, late], [], lambda path: (path, None))
    assert result.fixed == (late, early)
