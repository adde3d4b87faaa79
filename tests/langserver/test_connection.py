"""Framing and dispatch: what is a message, what ends a connection, what an answer belongs to."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.langserver.connection import Dead, read_message


def frame(message: Any, header: bytes = b"") -> bytes:
    body = json.dumps(message, ensure_ascii=False).encode()
    return header + b"Content-Length: %d\r\n\r\n" % len(body) + body


async def read_all(chunks: list[bytes]) -> tuple[list[Any], str]:
    reader = asyncio.StreamReader()
    for chunk in chunks:
        reader.feed_data(chunk)
    reader.feed_eof()
    messages: list[Any] = []
    while True:
        try:
            messages.append(await read_message(reader))
        except Dead as end:
            return messages, str(end)


@given(
    st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=3), max_size=4),
    st.lists(st.integers(1, 60), max_size=20),
)
def test_messages_are_read_however_they_arrive(messages: list[Any], cuts: list[int]) -> None:
    data = b"".join(frame(message) for message in messages)
    chunks, start = list[bytes](), 0
    for cut in cuts:
        chunks.append(data[start : start + cut])
        start += cut
    chunks.append(data[start:])
    assert asyncio.run(read_all(chunks)) == (messages, "it closed its output")


ENDS = [
    (b"", "it closed its output"),
    (b"\r\n", "it closed its output"),
    (b"hello\n", "no message: 'hello"),
    (b"hello\r\n\r\n", "no message header: 'hello"),
    (b"Content-Length: -1\r\n\r\n{}", "no message header"),
    (b"Content-Length: x\r\n\r\n{}", "no message header"),
    (b"Content-Length: 999999999999\r\n\r\n{}", "announced a message of 999999999999 bytes"),
    (b"Content-Length: 5\r\n\r\n{}", "in the middle of a message"),
    (b"Content-Length: 2\r\n\r\n{]", "invalid JSON: '{]'"),
    (b"Content-Length: 2\r\n\r\n\xff\xff", "invalid JSON"),
    (b"Content-Length: 2\r\n\r\n[]", "no object: '[]'"),
    (b"Content-Length: 100000\r\n\r\n" + b"[" * 100000, "invalid JSON"),
    (b"x" * 100_000, "no message"),
]


@pytest.mark.parametrize(("data", "text"), ENDS)
async def test_anything_else_ends_the_connection(data: bytes, text: str) -> None:
    good = {"method": "x"}
    messages, end = await read_all([frame(good, b"Content-Type: y\r\n"), data])
    assert messages == [good]
    assert text in end
