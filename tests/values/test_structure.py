"""Tables that somebody else wrote: exact types, every mistake with its place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from understudy.values.errors import BadInput
from understudy.values.fields import Lower, Word
from understudy.values.structure import structure


@dataclass(frozen=True)
class Inner:
    name: Word
    size: int = 1

    def __post_init__(self) -> None:
        if self.size < 0:
            raise BadInput("bad-size", "a size is not negative", "size")


@dataclass(frozen=True)
class Outer:
    title: str
    is_on: bool = False
    share: float = 0.5
    kind: Literal["one", "two"] = "one"
    note: str | None = None
    lines: tuple[int, ...] = ()
    words: tuple[Word, ...] = ()
    parts: tuple[Inner, ...] = ()
    rows: list[Inner] = field(default_factory=list[Inner])
    first: Inner | None = None
    shape: re.Pattern[str] | None = None
    levels: Mapping[Lower, Literal["low", "high"]] = field(default_factory=dict[Lower, Any])
    anything: Any = None


def mistakes(table: object) -> tuple[str, ...]:
    with pytest.raises(BadInput) as caught:
        structure(table, Outer, "bad-table", "here")
    assert (caught.value.code, caught.value.where) == ("bad-table", "here")
    return tuple(caught.value.text.split("; "))


def test_a_whole_table() -> None:
    made = structure(
        {
            "title": "a", "is_on": True, "share": 2, "kind": "two", "note": None, "lines": [1, 2],
            "words": ("x",), "parts": [{"name": "p"}], "rows": [{"name": "r", "size": 3}],
            "first": {"name": "f"}, "shape": "a+", "levels": {"LOUD": "high"}, "anything": [None],
        },
        Outer, "bad-table", "here",
    )  # fmt: skip
    assert made == Outer(
        "a", True, 2, "two", None, (1, 2), (Word("x"),), (Inner(Word("p")),),
        [Inner(Word("r"), 3)], Inner(Word("f")), re.compile("a+"), {Lower("loud"): "high"}, [None],
    )  # fmt: skip
    assert structure({"title": "a"}, Outer, "bad-table", "here") == Outer("a")


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"title": 1}, "expected a string @ here.title"),
        ({"title": "a", "is_on": 1}, "expected true or false @ here.is_on"),
        ({"title": "a", "share": True}, "expected a number @ here.share"),
        ({"title": "a", "share": float("nan")}, "expected a number @ here.share"),
        ({"title": "a", "kind": "three"},
         "three not in literal one of ['one', 'two'] @ here.kind"),
        ({"title": "a", "note": 1}, "expected a string @ here.note"),
        ({"title": "a", "lines": 1}, "expected a list of whole numbers @ here.lines"),
        ({"title": "a", "lines": [1, True]}, "expected a whole number @ here.lines[1]"),
        ({"title": "a", "words": "x"}, "expected a list of strings @ here.words"),
        ({"title": "a", "words": ["x", ""]},
         "expected a string that is not empty @ here.words[1]"),
        ({"title": "a", "parts": {}}, "expected a list of tables @ here.parts"),
        ({"title": "a", "rows": ["x"]}, "expected a table @ here.rows[0]"),
        ({"title": "a", "parts": [{"name": "p", "size": 1.0}]},
         "expected a whole number @ here.parts[0].size"),
        ({"title": "a", "first": {}}, "missing: name @ here.first.name"),
        ({"title": "a", "levels": {"a": "mid"}},
         "mid not in literal one of ['low', 'high'] @ here.levels.a"),
        ({"title": "a", "levels": []}, "expected a table @ here.levels"),
        ({"title": "a", "frist": {}}, "unknown: frist; did you mean first? @ here.frist"),
        ([], "expected a table (a JSON object)"),
    ],
)  # fmt: skip
def test_a_mistake_has_its_place(table: object, told: str) -> None:
    assert "; ".join(mistakes(table)) == told


def test_all_mistakes_are_told_what_explains_others_first() -> None:
    told = mistakes({"tilte": "a", "lines": ["x"], "parts": [{"name": ""}, {"size": 1}]})
    assert told == (
        "unknown: tilte", "did you mean title? @ here.tilte",
        "missing: title @ here.title",
        "expected a whole number @ here.lines[0]",
        "expected a string that is not empty @ here.parts[0].name",
        "missing: name @ here.parts[1].name",
    )  # fmt: skip


def test_what_a_class_refuses_itself() -> None:
    (told,) = mistakes({"title": "a", "first": {"name": "f", "size": -1}})
    assert "a size is not negative" in told
    assert told.endswith(" @ here.first")


def test_the_place_of_the_first_mistake() -> None:
    with pytest.raises(BadInput) as caught:
        structure({"title": 1, "note": 2}, Outer, "bad-table", "here", pinpointed=True)
    assert caught.value.where == "here.title"
    assert caught.value.text == "expected a string; expected a string @ here.note"
