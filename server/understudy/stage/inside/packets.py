"""Messages between us and our helper processes: JSON with descriptors, one packet each.

Paths travel as text whose undecodable bytes are lone surrogates, whatever the locale says.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Sequence
from typing import Any

_DIRECT = 32 * 1024
_MAX_DESCRIPTORS = 32
_IN_MEMORY = b"@"


def send(channel: socket.socket, message: dict[str, Any], descriptors: Sequence[int] = ()) -> None:
    """Send one message; a long one (an environment, a command line) goes as a memory file."""
    data = json.dumps(message).encode("ascii")
    if len(data) <= _DIRECT:
        socket.send_fds(channel, [data], list(descriptors))
        return
    holder = os.memfd_create("message", os.MFD_CLOEXEC)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(holder, view) :]
        socket.send_fds(channel, [_IN_MEMORY], [holder, *descriptors])
    finally:
        os.close(holder)


def receive(channel: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """The next message and its descriptors (closed on exec); None when the other side is gone."""
    try:
        data, descriptors, _, _ = socket.recv_fds(
            channel, _DIRECT, _MAX_DESCRIPTORS, socket.MSG_CMSG_CLOEXEC
        )
    except ConnectionError:
        return None
    if not data:
        return None
    if data == _IN_MEMORY:
        holder = descriptors.pop(0)
        with os.fdopen(holder, "rb") as file:
            file.seek(0)
            data = file.read()
    return json.loads(data), descriptors


def encode(text: str) -> bytes:
    """The bytes of a path or an argument that came in a message."""
    return text.encode("utf-8", "surrogateescape")


def decode(raw: bytes) -> str:
    """Bytes as a text that `encode` turns back."""
    return raw.decode("utf-8", "surrogateescape")
