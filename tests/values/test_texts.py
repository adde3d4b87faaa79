"""Texts: bytes in, the same bytes out; also packed, and in JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.texts import file_texts
from understudy.values.errors import BadInput
from understudy.values.texts import MAX_TEXT_BYTES, PackedText, Text


@given(st.binary(max_size=200))
def test_any_bytes_come_back_or_are_refused(data: bytes) -> None:
    try:
        text = Text.decode(data)
    except BadInput as error:
        if error.code != "not-text":
            raise
        assert b"\0" in data or data[:2] in (b"\xff\xfe", b"\xfe\xff")
    else:
        assert text.encode() == data


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])), st.sampled_from(["le", "be"]))
def test_utf_16(content: str, order: str) -> None:
    data = ("\ufeff" + content).encode(f"utf-16-{order}")
    text = Text.decode(data)
    assert (text.content, text.bom, text.encode()) == (content, True, data)


@given(file_texts())
def test_packed(text: Text) -> None:
    long = text.replaced(text.content + "x" * 10_000)
    for one in (text, long):
        packed = PackedText.pack(one)
        assert packed.unpack() == one
        assert packed.unpack().encode() == one.encode()
        assert packed.digest == one.digest == packed.unpack().digest


@given(file_texts())
def test_json_can_carry_the_wire_form(text: Text) -> None:
    assert json.loads(json.dumps(text.sendable).encode()) == text.sendable
    assert text.sendable.encode().decode() == text.sendable
    assert len(text.sendable) == len(text.content)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"a\0b", "not-text"),
        (b"\xff\xfea", "not-text"),
        (b"\xff\xfe\x00\xd8", "not-text"),
        (b"x" * (MAX_TEXT_BYTES + 1), "too-large"),
    ],
    ids=["NUL", "half a unit", "half a pair", "large"],
)
def test_refused(data: bytes, code: str) -> None:
    with pytest.raises(BadInput) as caught:
        Text.decode(data, "f")
    assert (caught.value.code, caught.value.where) == (code, "f")
