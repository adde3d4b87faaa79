"""What programs print: terminals, their logs, secrets in them."""

from __future__ import annotations

import contextlib

from tests.fuzz.targets.model import FuzzTarget, chosen, text_of
from understudy.terminal.log.header import parse
from understudy.terminal.log.text import is_log, links, records
from understudy.terminal.marks import MarkSplitter
from understudy.terminal.screen.transcript import Transcript
from understudy.terminal.secrets.stream import OutputRedactor
from understudy.values.errors import UnderstudyError

_STREAM = b"\x1b[31mred\x1b[0m\r\nbar 10%\rbar 20%\x1b[K\r\n\x1b[2J\x1b[H\x1b[?1049hfull\x1b[?1049l"


def _shown(data: bytes, piece: int) -> str:
    found: list[str] = []
    transcript = Transcript(20, 5, lambda text: found.append(text), find=None)
    for at in range(0, len(data), piece):
        transcript.feed(data[at : at + piece])
        transcript.live()
    transcript.finish()
    return "".join(found)


def _screen(data: bytes) -> None:
    """In whatever pieces a stream comes, the same text is shown."""
    which, stream = chosen(data, 16)
    assert _shown(stream, len(stream) or 1) == _shown(stream, which + 1)
    transcript = Transcript(10, 3, lambda _: None)
    for at in range(0, len(stream), 5):
        transcript.feed(stream[at : at + 5])
        transcript.resize(which + at % 30, at % 9)
        transcript.settle(cuts=bool(at % 2))
    transcript.finish()


def _redaction(data: bytes) -> None:
    """In whatever pieces an output comes, the same secrets go, and no line end with them."""
    which, output = chosen(data, 16)
    whole = OutputRedactor()
    once = whole.feed(output) + whole.end()
    parts = OutputRedactor()
    again = [parts.feed(output[at : at + which + 1]) for at in range(0, len(output), which + 1)]
    assert once == b"".join([*again, parts.end()])


def _logs(data: bytes) -> None:
    text = text_of(data)
    is_log(text)
    records(text)
    links(text)
    with contextlib.suppress(UnderstudyError, ValueError):
        parse(data)
    splitter = MarkSplitter("nonce")
    shown = [part for part in splitter.split(data) if isinstance(part, bytes)]
    assert b"".join([*shown, splitter.rest()]) in data or b"nonce" in data


TARGETS = (
    FuzzTarget(
        "screen", _screen, (b"\x03" + _STREAM, b"\x00" + "wide \N{GRINNING FACE}\t\b\r\n".encode())
    ),
    FuzzTarget(
        "redaction",
        _redaction,
        (
            b"\x04token=ghp_" + b"a1B2" * 9 + b"\nline\n",
            b"\x07-----BEGIN KEY-----\nAAAA\n-----END KEY-----\n",
        ),
    ),
    FuzzTarget(
        "logs",
        _logs,
        (b"# understudy\nshell: bash\n---\n", b"\x1b]633;nonce;C\x07out\x1b]633;nonce;D;0\x07"),
    ),
)
