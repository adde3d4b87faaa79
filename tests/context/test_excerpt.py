"""A kept text can be read to its last character, also where it is one line."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.context.excerpt import ExcerptPart, excerpt
from understudy.values.errors import BadInput

NEXT = re.compile(r" \[\d+ characters more; go on with column (\d+)\]\n$")


def paged(text: str, budget: int) -> str:
    """All of a text's second line, read as an agent would."""
    found, column = "", 1
    while True:
        part = excerpt(
            f"first\n{text}\n".encode(), ExcerptPart((2, 2), budget=budget, column=column)
        )
        shown = part.text.removeprefix("2| ")
        more = NEXT.search(shown)
        if more is None:
            return found + shown.removesuffix("\n")
        assert len(shown.encode()) <= max(budget, 100)
        found += shown[: more.start()]
        column = int(more[1])


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=600), st.integers(84, 300))
def test_a_long_line_can_be_read_to_its_end(text: str, budget: int) -> None:
    assert paged(text, budget) == text


def test_a_file_of_one_line_is_shown_as_far_as_it_fits() -> None:
    assert excerpt(b"x" * 5000, ExcerptPart()).text == f"1| {'x' * 5000}\n"
    assert excerpt(b"x" * 9000, ExcerptPart()).text.endswith(
        "x [1080 characters more; go on with column 7921]\n"
    )


@pytest.mark.parametrize(("pattern", "regex"), [("needle", False), ("ne+dl[aeiou]", True)])
def test_what_was_looked_for_is_in_view(pattern: str, regex: bool) -> None:
    line = "h" * 40_000 + " needle " + "t" * 40_000
    found = excerpt(f"{line}\nother\n".encode(), ExcerptPart(grep=pattern, regex=regex))
    assert found.text.startswith("1| [from column 39802 on:] hhh")
    assert " needle ttt" in found.text
    assert found.text.endswith(" [79008 bytes left out]\n")


@pytest.mark.parametrize(
    ("part", "code"),
    [({"lines": (1, 1), "column": 99}, "no-lines"), ({"column": 2}, "bad-params"),
     ({"lines": (1, 1), "column": 0}, "bad-params"),
     ({"lines": (1, 2), "column": 2}, "bad-params")],
)  # fmt: skip
def test_wrong_columns_are_named(part: dict[str, object], code: str) -> None:
    with pytest.raises(BadInput) as error:
        excerpt(b"one line\nand another\n", ExcerptPart(**part))
    assert error.value.code == code
