"""The messages of an LSP client, one after another: what is none is answered, and the next read."""

from __future__ import annotations

import logging
import threading
from typing import Any, Protocol

from understudy.faces.frames import FrameReader, read_frame
from understudy.values.errors import BadInput
from understudy.values.json_input import id_in, read_object

log = logging.getLogger(__name__)


class Taker(Protocol):
    """What takes messages: pygls' protocol, with an answer for what is no message."""

    def structure_message(self, data: dict[str, Any]) -> object:
        """The message that a JSON object is."""
        ...

    def handle_message(self, message: Any) -> None:  # noqa: ANN401 - pygls' own
        """Have it answered."""
        ...

    def refuse(self, number: str | int | None, error: BadInput) -> None:
        """Answer what cannot be understood; `number` is its id, as far as it has one."""
        ...


async def serve_messages(stop: threading.Event, reader: FrameReader, taker: Taker) -> None:
    """Hand on each message of a client until it goes away, or `stop` is set."""
    while not stop.is_set() and (body := await read_frame(reader)) is not None:
        try:
            message = taker.structure_message(_object(body))
            taker.handle_message(message)
        except BadInput as error:
            log.warning("a message of the client was refused: %s", error)
            taker.refuse(id_in(body), error)
        except Exception:  # the boundary: the next message may be sound
            log.exception("a message could not be handled")


def _object(body: bytes) -> dict[str, Any]:
    table = read_object(body, "message")
    if table.get("jsonrpc") != "2.0":
        raise BadInput("bad-request", "this is no message of JSON-RPC 2.0", "message")
    return table
