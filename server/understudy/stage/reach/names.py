"""Answers to questions for names on a stage: there is no such name, and we have seen who was asked.

Listed names stand in the stage's hosts file, so that only the others are asked here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

_HEADER = 12
_NO_SUCH_NAME = 3
_NO_ANSWER = 0
_MOST_LABELS = 127


def asked_name(question: bytes) -> tuple[str, int] | None:
    """The name that a DNS message asks for, and where its question ends; None for no question."""
    if len(question) < _HEADER or question[2] & 0xF8 or question[4:6] != b"\0\1":
        return None
    labels: list[str] = []
    at = _HEADER
    while at < len(question) and len(labels) <= _MOST_LABELS:
        length = question[at]
        if length == 0:
            end = at + 5  # the type and the class
            return (".".join(labels).lower(), end) if end <= len(question) else None
        if length > 63:  # a pointer: no question of a resolver has one
            return None
        labels.append(question[at + 1 : at + 1 + length].decode("ascii", "backslashreplace"))
        at += 1 + length
    return None


def answer(question: bytes, end: int, *, exists: bool) -> bytes:
    """Nothing there: no such name, or (`exists`) nothing of the type that was asked for."""
    code = _NO_ANSWER if exists else _NO_SUCH_NAME
    flags = bytes((0x84 | question[2] & 1, 0x80 | code))
    return question[:2] + flags + b"\0\1\0\0\0\0\0\0" + question[_HEADER:end]


class NameServer(asyncio.DatagramProtocol):
    """Answers on a socket of a stage; `knows` says what is listed, `missed` hears of the rest."""

    def __init__(self, knows: Callable[[str], bool], missed: Callable[[str], None]) -> None:
        self._knows = knows
        self._missed = missed
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The socket is ours."""
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """A question, or nothing that we understand."""
        asked = asked_name(data)
        if asked is None or self._transport is None:
            return
        name, end = asked
        is_known = self._knows(name)
        if not is_known:
            self._missed(name)
        self._transport.sendto(answer(data, end, exists=is_known), addr)
