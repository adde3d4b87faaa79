"""The hunks of a change can be taken one by one, in any choice, and all together are the change."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.texts import text_pairs
from understudy.edits.parts import parts_of, with_parts
from understudy.values.texts import Text


@given(text_pairs(12), st.data())
def test_a_choice_of_hunks_and_the_rest_of_them(pair: tuple[Text, Text], data: st.DataObject):
    before, after = pair
    parts = parts_of(before, after)
    assert len({part.id for part in parts}) == len(parts)
    assert with_parts(before, parts, after).encode() == after.encode()
    assert with_parts(before, (), after).encode() == before.encode()
    chosen = [part for part in parts if data.draw(st.booleans())]
    taken = with_parts(before, chosen, after)
    lines = taken.content
    for part in chosen:
        assert "".join(part.added) in lines


@given(text_pairs(12), st.data())
def test_one_by_one_is_all_at_once(pair: tuple[Text, Text], data: st.DataObject):
    before, after = pair
    now = before
    for _ in range(40):
        parts = parts_of(now, after)
        if not parts:
            break
        now = with_parts(now, [data.draw(st.sampled_from(parts))], after)
    assert now.encode() == after.encode()


def test_what_is_no_change_of_lines_is_one_hunk():
    new, gone = parts_of(None, Text("a\nb\n")), parts_of(Text("a\nb\n"), None)
    assert [len(parts) for parts in (new, gone)] == [1, 1]
    assert len(parts_of(None, Text(""))) == 1
    marked = Text("a\nB\nc\nD\n", "utf-8", bom=True)
    (whole,) = parts_of(Text("a\nb\nc\nd\n"), marked)
    assert with_parts(Text("a\nb\nc\nd\n"), [whole], marked) == marked


def test_a_hunk_keeps_its_name_while_the_rest_of_the_file_changes():
    before, after = Text("a\nb\nc\nd\ne\n"), Text("A\nb\nC\nd\nE\n")
    first, second, third = parts_of(before, after)
    later = with_parts(before, [first], after)
    assert [part.id for part in parts_of(later, after)] == [second.id, third.id]
    typed = parts_of(Text("new\n" + before.content), Text("new\n" + after.content))
    assert [part.id for part in typed] == [first.id, second.id, third.id]


def test_equal_hunks_are_named_by_their_place():
    before, after = Text("a\nb\na\n"), Text("A\nb\nA\n")
    first, second = parts_of(before, after)
    assert first.id != second.id
    left = parts_of(with_parts(before, [first], after), after)
    assert {part.id for part in left}.isdisjoint({first.id, second.id})
