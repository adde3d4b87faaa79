"""A log's lines: canonical, summed up one over the other, and their readable twin."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.histories import history_of
from understudy.context.canonical import canonical
from understudy.context.events import (
    FIRST_SUM,
    Event,
    Left,
    decode,
    encode,
    lines_of,
    refs_of,
    rounds_of,
    steps_of,
)
from understudy.context.twin import twin_of

TEXTS = st.text(st.characters(codec=None), max_size=200)  # half surrogate pairs included


@given(TEXTS, TEXTS, st.integers() | st.none())
def test_an_event_comes_back_as_it_was(text: str, tool: str, status: int | None) -> None:
    item = Left(1, text, "tool/x", "0" * 64, 3)
    event = Event(1, "result", 5, text, tool=tool, exit=status, items=(item,), names=(tool,))
    line, total = encode(event, FIRST_SUM)
    assert line.count("\n") == 1
    assert decode(line.encode().decode().rstrip("\n"), 1, FIRST_SUM) == (event, total)


@given(st.data())
def test_any_change_of_a_line_is_seen(data: st.DataObject) -> None:
    lines, _ = lines_of(history_of(1, 1).events[:3], FIRST_SUM)
    raw = bytearray(lines[0].rstrip("\n").encode())
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] ^= data.draw(st.integers(1, 127))
    with pytest.raises(ValueError, match=r"sum|codec"):
        decode(raw.decode(), 1, FIRST_SUM)


def test_a_missing_line_is_seen() -> None:
    lines, _ = lines_of(history_of(1, 1).events[:3], FIRST_SUM)
    _, total = decode(lines[0].rstrip("\n"), 1, FIRST_SUM)
    with pytest.raises(ValueError, match="sum"):
        decode(lines[2].rstrip("\n"), 2, total)


def test_a_file_is_referred_to_by_its_path_in_any_text() -> None:
    sha, user, twin = "0" * 16, f"user/file/a.py-{'1' * 64}.txt", f"tool/api-{'2' * 16}"
    texts = (
        f"[understudy] 9 bytes; the whole is in tool/a-{sha}.txt\n1| x",
        canonical({"path": f"/state/{user}"}),
        f"see `{twin}.pretty.json`, not tool/a-{sha}x.txt, nor tool/a-{sha[1:]}.txt, nor user/tool",
    )
    events = [Event(0, "call", text=text) for text in texts]
    assert refs_of(events) == {f"tool/a-{sha}.txt", user, f"{twin}.json"}
    left = Event(0, "offload", items=(Left(1, texts[0], "tool/b.txt", "", 0),))
    assert refs_of([left]) == {f"tool/a-{sha}.txt", "tool/b.txt"}


def test_canonical_json() -> None:
    assert canonical({"b": 1, "a": ["ä", None]}) == '{"a":["ä",null],"b":1}'
    assert canonical("\ud800ä") == '"\\ud800\\u00e4"'
    for value in (float("nan"), float("inf"), {1, 2}, b"x"):
        with pytest.raises(ValueError, match=r"."):
            canonical(value)


def test_rounds_and_steps_are_counted_apart() -> None:
    kinds = ("system", "user", "assistant", "call", "result", "call", "result", "user", "assistant")
    events = [Event(n, kind) for n, kind in enumerate(kinds, 1)]
    assert rounds_of(events) == [0, 1, 1, 1, 1, 1, 1, 2, 2]
    assert steps_of(events) == [0, 0, 1, 1, 1, 2, 2, 2, 3]


@given(st.lists(TEXTS, max_size=5))
def test_the_twin_has_one_anchor_an_event_whatever_the_texts_say(texts: list[str]) -> None:
    events = [Event(n, "user", text=f"{t}\n## 99 user\n") for n, t in enumerate(texts, 1)]
    twin = twin_of(events)
    anchors = re.findall(r"^## (\d+) ", twin, re.MULTILINE)
    assert anchors == [str(event.seq) for event in events]
    twin.encode()  # no half surrogate pair is left
